import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { RAGError } from '../../../core/errors.js';
import { withoutUndefined } from '../../../core/without-undefined.js';
import type { IndexResult, SearchMode, SearchResponse } from '../../../index.js';
import type { CliContext } from '../context.js';
import { ExitCode } from '../errors.js';
import { withEngine } from '../open-engine.js';
import { wholeNumber } from '../parse-options.js';
import { describeRun, renderFailures, renderSkipped } from '../render/index-result.js';
import { startProgress } from '../render/progress.js';
import { searchMode } from '../search-options.js';
import { ALONE_TRANSACTION_CHUNKS } from './index.js';

interface TryOptions {
  readonly topK?: number;
  readonly mode?: SearchMode;
  readonly explain?: boolean;
}

const EXAMPLES = `
Examples:
  $ ragstone try docs "how long are logs kept?"
  $ ragstone try . "where are retries configured?" --top-k 3
  $ ragstone try docs "exit codes" --json

The index stays in the data folder, apart from that of "ragstone index": a second run reads only what changed. "ragstone index FOLDER" takes it
over where nothing is indexed yet and no configuration file says otherwise; "ragstone search" asks it then.
No configuration file is read: nothing is redacted or encrypted there. "ragstone encryption rotate", "forget" and "clear" remove it.`;

/** `ragstone try FOLDER QUESTION` */
export function registerTry(program: Command, context: CliContext): void {
  program
    .command('try')
    .description('index a folder and ask it something, in one step')
    .argument('<folder>', 'folder (or file) to index')
    .argument('<question...>', 'what to find; quotes may be left out')
    .option('--top-k <n>', 'results (default: 5)', wholeNumber(1))
    .addOption(searchMode())
    .option('--explain', 'show every part of each score and how each lane did')
    .addHelpText('after', EXAMPLES)
    .action((folder: string, words: readonly string[], options: TryOptions) =>
      runTry(context, { folder, question: words.join(' '), options }),
    );
}

async function runTry(
  context: CliContext,
  { folder, question, options }: { folder: string; question: string; options: TryOptions },
): Promise<void> {
  if (context.globals.config !== undefined)
    throw new RAGError(
      'USAGE',
      '"try" reads no configuration; use "ragstone index" and "ragstone search" with --config.',
    );
  const target = resolve(context.cwd, folder);
  const found = await stat(target).catch(() => undefined);
  if (found === undefined)
    throw new RAGError('USAGE', `There is no folder ${target}.`, { details: { path: target } });

  const { trySlotOf } = await import('../../../config/find-project.js');
  const dataDir = await trySlotOf(resolve(context.cwd, context.globals.data ?? '.ragstone'), target);
  const { index, response } = await withEngine(
    context,
    async (engine) => {
      const progress = startProgress(context);
      const result = await engine
        .index({
          sources: [],
          paths: [target],
          options: { prune: true, transactionChunks: ALONE_TRANSACTION_CHUNKS },
          onProgress: progress.update,
          signal: context.signal,
        })
        .finally(progress.stop);
      refuseEmptyIndex(result, target);
      const { topK, mode } = options;
      const answer = await engine.search({
        text: question,
        signal: context.signal,
        options: {
          explainScore: true,
          ...withoutUndefined({ topK, mode }),
        },
      });
      return { index: result, response: answer };
    },
    { config: {}, ...withoutUndefined({ dataDir }) },
  );
  if (!index.success) context.exitCode = ExitCode.failed;
  await report(context, {
    index,
    response,
    explain: options.explain ?? false,
  });
}

async function report(
  context: CliContext,
  result: { index: IndexResult; response: SearchResponse; explain: boolean },
): Promise<void> {
  const { index, response, explain } = result;
  if (context.isJson) {
    context.printJson({ ...response, notices: [...index.notices, ...response.notices], index });
    return;
  }
  const { renderPassages } = await import('../render/passages.js');
  context.note(describeRun(index));
  const skipped = renderSkipped(index);
  if (skipped !== '') context.note(skipped);
  const failures = renderFailures(index.stats.errors, context);
  if (failures !== '') context.warn(failures);
  for (const notice of [...index.notices, ...response.notices]) context.warn(notice);
  context.print(renderPassages(response, { context, explain }));
}

function refuseEmptyIndex({ stats, notices }: IndexResult, target: string): void {
  if (stats.documentsProcessed + stats.documentsUnchanged > 0) return;
  const failures = stats.errors.map(({ item, message }) => `${item ?? ''}: ${message}`);
  const why =
    failures.length > 0
      ? `Nothing in ${target} could be read.`
      : `${target} holds no documents or source code that can be indexed; name other files themselves.`;
  throw new RAGError('INDEX_EMPTY', [why, ...failures.slice(0, 5), ...notices].join('\n'), {
    details: { path: target },
  });
}
