import type { Command } from 'commander';
import type { CliContext } from '../context.js';

interface InitOptions {
  readonly force?: boolean;
  readonly lancedb?: boolean;
}

const EXAMPLES = `
Examples:
  $ ragstone init                  writes ragstone.yaml here; asks about LanceDB on a terminal
  $ ragstone init --lancedb        and adds LanceDB to package.json, with overrides that keep it small
  $ ragstone init --no-lancedb     keeps to the store that is built in (libSQL)`;

/** `ragstone init` */
export function registerInit(program: Command, context: CliContext): void {
  program
    .command('init')
    .description('write a commented ragstone.yaml for this folder')
    .option('--force', 'replace a ragstone.yaml that is there')
    .option('--lancedb', 'add LanceDB to package.json')
    .option('--no-lancedb', 'do not ask about LanceDB')
    .addHelpText('after', EXAMPLES)
    .action((options: InitOptions) => runInit(context, options));
}

async function runInit(context: CliContext, options: InitOptions): Promise<void> {
  const { writeStarterConfig } = await import('../init/starter-config.js');
  const { addLanceDb } = await import('../init/add-lancedb.js');
  const written = [await writeStarterConfig(context.cwd, { force: options.force ?? false })];
  const next = [`${context.command} index`, `${context.command} search "your question"`];
  if (await wantsLanceDb(context, options)) {
    const manifest = await addLanceDb(context.cwd);
    if (manifest !== undefined) written.push(manifest);
    next.unshift('npm install');
  }
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
