import { type Command, Option } from 'commander';
import type { CliContext } from '../context.js';

interface InitOptions {
  readonly force?: boolean;
  readonly lancedb?: boolean;
  readonly example?: string;
}

const EXAMPLES = `
Examples:
  $ ragstone init                  writes ragstone.yaml here; asks about LanceDB on a terminal
  $ ragstone init --lancedb        and adds LanceDB to package.json, with overrides that keep it small
  $ ragstone init --no-lancedb     keeps to the store that is built in (libSQL)
  $ ragstone init --example bug-bot  writes a whole program to start from into this empty folder`;

/** `ragstone init` */
export function registerInit(program: Command, context: CliContext): void {
  program
    .command('init')
    .description('write a commented ragstone.yaml for this folder')
    .option('--force', 'replace a ragstone.yaml that is there')
    .option('--lancedb', 'add LanceDB to package.json')
    .option('--no-lancedb', 'do not ask about LanceDB')
    .addOption(
      new Option('--example <name>', 'write a complete program into this empty folder instead').conflicts([
        'force',
        'lancedb',
      ]),
    )
    .addHelpText('after', EXAMPLES)
    .action((options: InitOptions) => runInit(context, options));
}

async function runInit(context: CliContext, options: InitOptions): Promise<void> {
  if (options.example !== undefined) return initExample(context, options.example);
  const { writeStarterConfig } = await import('../init/starter-config.js');
  const { addLanceDb } = await import('../init/add-lancedb.js');
  const written = [await writeStarterConfig(context.cwd, { force: options.force ?? false })];
  const next = [`${context.command} index`, `${context.command} search "your question"`];
  if (await wantsLanceDb(context, options)) {
    const manifest = await addLanceDb(context.cwd);
    if (manifest !== undefined) written.push(manifest);
    next.unshift('npm install');
  }
  printWritten(context, written, next);
}

async function initExample(context: CliContext, name: string): Promise<void> {
  const { writeExample } = await import('../init/write-example.js');
  printWritten(context, await writeExample(name, context.cwd), ['npm install', 'npm start']);
}

function printWritten(context: CliContext, written: readonly string[], next: readonly string[]): void {
  context.printResult({ written, next }, () =>
    [...written.map((file) => `Wrote ${file}.`), '', 'Next:', ...next.map((command) => `  ${command}`)].join(
      '\n',
    ),
  );
}

async function wantsLanceDb(context: CliContext, { lancedb }: InitOptions): Promise<boolean> {
  if (lancedb !== undefined || !context.canAsk) return lancedb ?? false;
  const { askYesNo } = await import('../ask.js');
  return askYesNo(context, 'Add LanceDB, the faster store, to package.json (about 170 MB)?', {
    preset: false,
  });
}
