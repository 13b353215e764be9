import type { Command } from 'commander';
import type { CliContext } from '../context.js';
import { wholeNumber } from '../parse-options.js';
import { plural } from '../render/text.js';

interface EvalInitOptions {
  readonly out: string;
  readonly max?: number;
  readonly seed?: number;
  readonly force?: boolean;
}

const EXAMPLES = `
Examples:
  $ ragstone eval-init docs                              writes questions.jsonl
  $ ragstone eval docs --questions questions.jsonl       and measures with it
  $ ragstone eval-init docs --out tests/questions.jsonl --max 100`;

/** `ragstone eval-init FOLDER` */
export function registerEvalInit(program: Command, context: CliContext): void {
  program
    .command('eval-init')
    .description('start a question set from the links, acronyms and headings of a folder')
    .argument('<folder>', 'folder of documents')
    .option('--out <file>', 'the file to write', 'questions.jsonl')
    .option('--max <n>', 'most questions (default: 60)', wholeNumber(1))
    .option('--seed <n>', 'of the choice where there are more (default: 1)', wholeNumber(0))
    .option('--force', 'replace a file that is there')
    .addHelpText('after', EXAMPLES)
    .action((folder: string, options: EvalInitOptions) => runEvalInit(context, folder, options));
}

async function runEvalInit(context: CliContext, folder: string, options: EvalInitOptions): Promise<void> {
  const { initQuestions } = await import('../../../index.js');
  const { config } = context.globals;
  const report = await initQuestions({
    folder,
    ...options,
    cwd: context.cwd,
    env: context.env,
    signal: context.signal,
    ...(config === undefined ? {} : { configFile: config }),
  });
  context.printNotices(report);
  context.printResult(report, () => {
    const kinds = Object.entries(report.byType).map(([type, count]) => `${count} ${type}`);
    return [
      `${plural(report.questions, 'question')} (${kinds.join(', ')}) from ${plural(report.documents, 'document')} in ${report.file}`,
      report.caveat,
      `Next: ${context.command} eval ${folder} --questions ${options.out}`,
    ].join('\n\n');
  });
}
