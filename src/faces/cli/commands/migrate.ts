import type { Command } from 'commander';
import { RAGError } from '../../../core/errors.js';
import type { MigrateRequest, MigrationProgress, MigrationResult, ResultComparison } from '../../../index.js';
import { auditedCommand } from '../audited-command.js';
import type { CliContext } from '../context.js';
import { ExitCode } from '../errors.js';
import { numberBetween } from '../parse-options.js';
import { startCounter } from '../render/progress.js';
import { formatCount, formatDuration, oneLine, plural } from '../render/text.js';
import { type ScopeOptions, toScope, withScopeOptions } from '../scope-options.js';

interface MigrateOptions extends ScopeOptions {
  readonly from?: string;
  readonly to: string;
  readonly fromData?: string;
  readonly toData?: string;
  readonly questions?: string;
  readonly minOverlap?: number;
  readonly switch: boolean;
  readonly replace?: boolean;
  readonly dryRun?: boolean;
}

const EXAMPLES = `
Examples:
  $ ragstone migrate --to postgres.yaml --dry-run                    what would be copied
  $ ragstone migrate --to postgres.yaml                              from the configuration of this folder
  $ ragstone migrate --from chroma.yaml --to opensearch.yaml --to-data .ragstone-next
  $ ragstone migrate --to postgres.yaml --questions questions.jsonl --min-overlap 0.9
  $ ragstone migrate --from postgres.yaml --to ragstone.yaml         back again, with what has changed since

Vectors are copied, nothing is read from sources or embedded. The index is searched and written meanwhile. The copy is checked by hashes,
both are asked the same questions, and then searches read the copy. A migration that is stopped or killed goes on where the same command
is started again. Where both configurations have one data folder, the copy is one more generation of the index, in another store.

Exit codes: 0 switched, or nothing to do; 1 the copy is not whole, or its results differ too much; 2 wrong usage or configuration, such
as another model; 130 interrupted.`;

/** `ragstone migrate --from FILE --to FILE` */
export function registerMigrate(program: Command, context: CliContext): void {
  withScopeOptions(
    program
      .command('migrate')
      .description('copy the index into another store, with its vectors, compare both, and switch')
      .option('--from <file>', 'configuration of the index (default: --config, else that of this folder)')
      .requiredOption('--to <file>', 'configuration that names the new store')
      .option(
        '--from-data <dir>',
        'data folder of the index (default: --data, else that of its configuration)',
      )
      .option('--to-data <dir>', 'data folder of the copy (default: that of its configuration)')
      .option(
        '--questions <file>',
        'questions (JSONL) to ask both (default: some made of the indexed documents)',
      )
      .option(
        '--min-overlap <share>',
        'switch where so much of the results is the same, from 0 to 1 (default: 0.8)',
        numberBetween(0, 1),
      )
      .option('--no-switch', 'copy, check and compare only')
      .option('--replace', 'take the place of an index that is there; it is kept to go back to')
      .option('--dry-run', 'only say what would be copied'),
  )
    .addHelpText('after', EXAMPLES)
    .action((options: MigrateOptions) => runMigrate(context, options));
}

async function runMigrate(context: CliContext, options: MigrateOptions): Promise<void> {
  const { loadConfig, migrateIndex } = await loadParts();
  const { questions, minOverlap, replace, dryRun } = options;
  const { from, to } = placesOf(context, options);
  const progress = startCounter(context);
  const request: MigrateRequest = {
    ...{ from, to, cwd: context.cwd, env: context.env, signal: context.signal },
    ...{ questions, minOverlap, replace, dryRun, switch: options.switch },
    onProgress: (told) => progress.update(lineOf(told)),
  };
  const { cwd, env } = context;
  const audited = { trust: 'unchecked', cwd, env, file: to.configFile, dataDir: to.dataDir } as const;
  const result = await auditedCommand(await loadConfig(audited), { action: 'migrate', context }, () =>
    migrateIndex(request, toScope(options)),
  )
    .catch(async (error: unknown) => {
      throw context.signal.aborted ? stopped(error) : error;
    })
    .finally(() => progress.stop());
  if (result.outcome !== 'already') context.printNotices(result);
  const isTooDifferent = result.outcome === 'kept' && options.switch;
  if (isTooDifferent) context.exitCode = ExitCode.failed;
  context.printResult(result, () => context.own(renderMigration(result, context)));
}

const loadParts = async () => ({
  ...(await import('../../../config/load-config.js')),
  ...(await import('../../../index.js')),
});

function placesOf(
  { globals }: CliContext,
  { from = globals.config, to, fromData = globals.data, toData }: MigrateOptions,
): Pick<MigrateRequest, 'from' | 'to'> {
  return {
    from: { configFile: from, dataDir: fromData },
    to: { configFile: to, dataDir: toData },
  };
}

const UNITS: Readonly<Record<MigrationProgress['stage'], string>> = {
  copying: 'chunks',
  checking: 'chunks',
  comparing: 'questions',
  switching: '',
};

function lineOf({ stage, done, total, perSecond, etaMs }: MigrationProgress) {
  const rate = perSecond > 0 ? ` (${perSecond.toFixed(perSecond < 10 ? 1 : 0)} ${UNITS[stage]}/s)` : '';
  return { stage: `${stage}${rate}`, done, total, ...(etaMs === undefined ? {} : { etaMs }) };
}

function stopped(cause: unknown): Error {
  return new RAGError('ABORTED', 'Stopped. What is copied stays there; the same command goes on.', { cause });
}

/** What came of a migration: what was copied, what was checked and compared, what searches read now, and the way back. */
function renderMigration(result: MigrationResult, { colours: { dim } }: CliContext): string {
  const { outcome, from, to, documents, chunks, wayBack } = result;
  if (outcome === 'already') return result.notices.at(-1) ?? '';
  if (outcome === 'dry-run')
    return `${plural(chunks, 'chunk')} of ${plural(documents, 'document')} would be copied from ${from.store} to ${to.store}, with their vectors (${oneLine(result.embedder)}). Nothing was written.`;
  const now =
    outcome === 'switched'
      ? `Searches read generation ${to.generation} (${to.store}) now.`
      : `Searches stay with the old index (${from.store}).`;
  return [`${describeCopy(result)}\n${now}`, ...(wayBack === undefined ? [] : [dim(wayBack)])].join('\n\n');
}

function describeCopy({
  copied,
  copyMs,
  chunks,
  documents,
  check,
  comparison,
  from,
  to,
}: MigrationResult): string {
  const rate = copied > 0 && copyMs > 0 ? `, ${formatCount((copied * 1000) / copyMs)} a second` : '';
  return [
    `${plural(chunks, 'chunk')} of ${plural(documents, 'document')} from ${from.store} in ${to.store}: ${formatCount(copied)} copied by this call in ${formatDuration(copyMs)}${rate}.`,
    ...(check === undefined
      ? []
      : [
          `Checked: ${plural(check.chunks, 'chunk')} and ${plural(check.documents, 'text')} by their hashes, ${plural(check.vectors, 'vector')}: all the same.`,
        ]),
    comparison === undefined ? 'Results were not compared.' : describeComparison(comparison),
  ].join('\n');
}

const describeComparison = ({ overlap, questions, questionsFrom, same, topK }: ResultComparison): string =>
  `Compared: ${(overlap * 100).toFixed(1)} % of the first ${topK} results are the same on ${plural(questions, 'question')} (${oneLine(questionsFrom)}), ${formatCount(same)} of them with the same results.`;
