import type { Command } from 'commander';
import { withoutUndefined } from '../../../core/without-undefined.js';
import type { ProfileReport } from '../../../index.js';
import type { CliContext } from '../context.js';
import { withCounter } from '../evaluation-target.js';
import { assertSharedIndex } from '../open-engine.js';
import { wholeNumber } from '../parse-options.js';
import { renderTable } from '../render/table.js';
import { plural } from '../render/text.js';
import { type ScopeOptions, toScope, withScopeOptions } from '../scope-options.js';

interface ProfileFlags extends ScopeOptions {
  readonly questions?: string;
  readonly max?: number;
}

const EXAMPLES = `
Examples:
  $ ragstone profile                                    titles of what is indexed, held against the whole search
  $ ragstone profile --questions questions.jsonl        your own questions: what each plan is really worth
  $ ragstone search "retry policy" --deadline-ms 20     what is worth most in 20 ms, by the profile

It writes profile.json into the data folder. Run it again when the index has grown to several times its size, or on another machine.`;

/** `ragstone profile` */
export function registerProfile(program: Command, context: CliContext): void {
  const command = program
    .command('profile')
    .description('measure what searches can leave out, for searches with a deadline')
    .option('--questions <file>', 'questions with gold quotes about what is indexed, one JSON object a line')
    .option('--max <n>', 'most questions that are asked (default: 100)', wholeNumber(1));
  withScopeOptions(command)
    .addHelpText('after', EXAMPLES)
    .action((flags: ProfileFlags) => runProfile(context, flags));
}

async function runProfile(
  context: CliContext,
  { tenant, project, group, clearance, ...options }: ProfileFlags,
): Promise<void> {
  await assertSharedIndex(context, { tenant });
  const { profileSearches } = await import('../../../index.js');
  const { config, data } = context.globals;
  const report = await withCounter(context, (onProgress) =>
    profileSearches({
      ...options,
      scope: toScope({ tenant, project, group, clearance }),
      cwd: context.cwd,
      env: context.env,
      signal: context.signal,
      onProgress,
      ...withoutUndefined({ configFile: config, dataDir: data }),
    }),
  );
  context.printResult(report, renderProfile);
}

/** What each plan is worth and how long it takes. */
function renderProfile(report: ProfileReport, context: CliContext): string {
  const { plans, metric, questions, chunks, embedder, file } = report;
  const head = ['plan', 'lanes', 'candidates', 'reranked', metric, 'p50 ms', 'p95 ms'];
  const rows = plans.map(({ name, mode, candidates, reranked, quality, p50Ms, p95Ms }) => [
    ...[name, mode, String(candidates), String(reranked)],
    ...[quality.toFixed(3), p50Ms.toFixed(1), p95Ms.toFixed(1)],
  ]);
  return [
    `${plural(questions, 'question')}, ${plural(chunks, 'chunk')}, ${embedder}`,
    renderTable(head, rows, { context, numeric: [2, 3, 4, 5, 6] }),
    context.colours.dim(`Kept in ${file}; searches with --deadline-ms choose by it.`),
  ].join('\n\n');
}
