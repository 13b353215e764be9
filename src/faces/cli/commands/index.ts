import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { RAGError } from '../../../core/errors.js';
import { withoutUndefined } from '../../../core/without-undefined.js';
import type { IndexRequest, PrunedSource, TenantIndex } from '../../../index.js';
import type { IndexCounts } from '../../client/index.js';
import { askYesNo } from '../ask.js';
import type { CliContext } from '../context.js';
import { ExitCode } from '../errors.js';
import { withDeployments } from '../open-engine.js';
import { collect, wholeNumber } from '../parse-options.js';
import { doneByService } from '../refuse-on-server.js';
import { missedEverything, renderIndexResult } from '../render/index-result.js';
import { startCounter, startProgress } from '../render/progress.js';
import { renderTable } from '../render/table.js';
import { formatCount, oneLine, plural } from '../render/text.js';
import { type OwnerOptions, toScope, withOwnerOptions } from '../scope-options.js';

interface IndexOptions extends OwnerOptions {
  readonly force?: boolean;
  readonly dryRun?: boolean;
  readonly prune?: boolean;
  readonly pruneSource?: readonly string[];
  /** Whole sources are deleted without being asked. */
  readonly yes?: boolean;
  readonly allowShrink?: boolean;
  readonly allowShrinkSource?: readonly string[];
  readonly batchSize?: number;
  readonly parallel?: number;
  readonly wait?: number;
  /** To workers, where a queue is configured. */
  readonly handOver?: boolean;
  /** Names of configured sources. */
  readonly source?: readonly string[];
}

const EXAMPLES = `
Examples:
  $ ragstone index docs README.md      index a folder and a file, or bring the index in step with them
  $ ragstone index                     what the configuration names and what was indexed before
  $ ragstone index --dry-run           say what would be done, and what hosted models would cost
  $ ragstone index --force             do all work again, for instance after changing the embedding model
  $ ragstone index docs --prune        also forget what is neither named here nor configured; asks first

Each file is indexed once: a configured source wins over a folder that is named, an outer folder over one inside it.
A run that finds files and reads none of them ends with 1: the paths are probably not what was meant.
A run that is stopped keeps what it wrote; the next one goes on with the rest.`;

/** `ragstone index [paths...]` */
export function registerIndex(program: Command, context: CliContext): void {
  const command = program
    .command('index')
    .description('index files and folders, or bring the index in step with them')
    .argument(
      '[paths...]',
      'files and folders to index; without any, what the configuration names and what was indexed before',
    )
    .option('--force', 'do all work again, and rebuild a damaged index or one made by another model')
    .option('--dry-run', 'say what would be done and write nothing')
    .option('--prune', 'also delete documents of sources that are neither configured nor named')
    .addOption(
      new Option(
        '--prune-source <name>',
        'also delete documents of this source, whichever configuration indexed it; may be repeated',
      )
        .argParser(collect)
        .conflicts('prune'),
    )
    .option('-y, --yes', 'do not ask before whole sources are deleted')
    .option('--allow-shrink', 'delete what is gone, even where it is a large share of a source')
    .addOption(
      new Option('--allow-shrink-source <name>', 'the same of this source alone; may be repeated')
        .argParser(collect)
        .conflicts('allowShrink'),
    )
    .option('--batch-size <n>', 'chunks in one embedding and store batch', wholeNumber(1))
    .option('--parallel <n>', 'files read at once', wholeNumber(1))
    .option('--wait <seconds>', 'wait this long for another writer to finish', wholeNumber(0));
  doneByService(command, ['tenant']);
  withOwnerOptions(command)
    .addHelpText('after', EXAMPLES)
    .action((paths: string[], options: IndexOptions) => runIndex(context, paths, options));
}

/** Indexes and prints what was done. */
export async function runIndex(
  context: CliContext,
  paths: readonly string[],
  options: IndexOptions,
): Promise<void> {
  if (context.server !== undefined) return indexOnServer(context, options);
  refuseMissingPaths(paths, context);
  await noteProject(context);
  await takeOverTries(context, paths, options);
  const result = await withDeployments(context, async (deployments) => {
    const scope = toScope(options);
    noteSharedIndex(context, await deployments.of(scope), scope.tenant);
    // Sources are of the shared index, whichever the tenant has.
    const view = deployments.shared.as(scope);
    const progress = startProgress(context);
    try {
      return await view.index({
        ...(paths.length > 0 ? { paths } : {}),
        ...withoutUndefined({ sources: options.source }),
        options: requestOptions(options),
        onProgress: progress.update,
        confirmPrune: (pruned) => isPruneMeant(context, options, pruned, progress.stop),
        signal: context.signal,
      });
    } catch (error) {
      throw context.signal.aborted ? stopped(error, options) : error;
    } finally {
      progress.stop();
    }
  });
  context.printNotices(result);
  context.printResult(result, renderIndexResult);
  const { documentsProcessed, documentsUnchanged } = result.stats;
  if (!context.isJson && !result.dryRun && documentsProcessed > 0 && documentsUnchanged === 0)
    context.note(`Next: ${context.command} search "your question"`);
  if (!result.success || missedEverything(result)) context.exitCode = ExitCode.failed;
}

/** A source is deleted as a whole only where somebody says so. */
async function isPruneMeant(
  context: CliContext,
  { yes = false }: IndexOptions,
  pruned: readonly PrunedSource[],
  stopProgress: () => void,
): Promise<boolean> {
  if (yes) return true;
  const what = pruned
    .map(({ source, documents }) => `${plural(documents, 'document')} of "${oneLine(source)}"`)
    .join(', ');
  if (!context.canAsk) {
    throw new RAGError('USAGE', `This deletes ${what}; say --yes to do it without being asked.`);
  }
  stopProgress();
  return askYesNo(context, `Delete ${what} from the index?`, { preset: false });
}

/** Has the service read its own sources, and prints what is indexed then. */
async function indexOnServer(context: CliContext, { tenant }: IndexOptions): Promise<void> {
  const { openServer } = await import('../server-view.js');
  const progress = startCounter(context);
  const told = (documents: number): void =>
    progress.update({
      stage: `the service indexes, ${plural(documents, 'document')} so far`,
      done: 0,
      total: 0,
    });
  try {
    const counts = await openServer(context, tenant).indexSources(told);
    await printCounts(counts, context);
  } catch (error) {
    if (!context.signal.aborted) throw error;
    throw new RAGError(
      'ABORTED',
      'Stopped. The service ends its run and keeps what it has written: "ragstone status" shows how much, and "ragstone index" goes on.',
      { cause: error },
    );
  } finally {
    progress.stop();
  }
}

async function printCounts(counts: IndexCounts, context: CliContext): Promise<void> {
  context.printResult(counts, renderIndexCounts);
  if (counts.status === 'partial') context.exitCode = ExitCode.failed;
}

/** Before anything is opened or made: a name with a slip in it is no source that lost its files. */
function refuseMissingPaths(paths: readonly string[], { cwd }: CliContext): void {
  const missing = paths.filter((path) => !existsSync(resolve(cwd, path)));
  if (missing.length === 0) return;
  throw new RAGError('USAGE', `There is no file or folder ${missing.map(oneLine).join(', ')}.`, {
    details: { paths: missing },
  });
}

/** What was tried before is not read again. */
async function takeOverTries(
  context: CliContext,
  paths: readonly string[],
  { force, dryRun, tenant, project }: IndexOptions,
): Promise<void> {
  const { cwd, env, globals, signal } = context;
  const isOther = [force, dryRun, tenant, project].some((stated) => stated !== undefined);
  if (isOther || globals.config !== undefined) return;
  const { takeOverTry } = await import('../../../index.js');
  const place = { cwd, env, signal, ...withoutUndefined({ dataDir: globals.data }) };
  for (const path of paths)
    if (await takeOverTry(path, place)) {
      context.note(`What "try" read of ${oneLine(path)} is taken over.`);
      return;
    }
}

/** In a folder of a project it says which index is meant. */
async function noteProject(context: CliContext): Promise<void> {
  const { config, data } = context.globals;
  if (config !== undefined || data !== undefined) return;
  const { findProject } = await import('../../../config/find-project.js');
  const project = findProject(context.cwd);
  if (project !== context.cwd) context.note(`This is the index of ${project}.`);
}

/** A tenant with an index of its own does not find what is indexed here. */
function noteSharedIndex(context: CliContext, { deployment }: TenantIndex, tenant: string): void {
  if (deployment.deploymentModel !== 'Shared')
    context.warn(
      `The tenant ${JSON.stringify(tenant)} has an index of its own (${deployment.deploymentModel}): this run fills the shared index, where its searches do not look. Push what it is to find.`,
    );
}

/** Says what a stopped run leaves behind, in place of that it was cancelled. */
function stopped(cause: unknown, { dryRun = false, force = false }: IndexOptions): Error {
  const details = RAGError.isInstance(cause) ? cause.details : {};
  const kept = force
    ? 'What is searched stays whole; the same command goes on.'
    : `${keptOf(details)}; "ragstone index" goes on.`;
  const next = dryRun ? 'Nothing was written.' : kept;
  return new RAGError('ABORTED', `Stopped. ${next}`, { details, cause });
}

/** What a run had done to the index when it was stopped; batches that were not written yet are lost. */
function keptOf({ documentsProcessed, documentsDeleted }: RAGError['details']): string {
  const done = [
    ...(Number(documentsProcessed) > 0 ? [`${plural(Number(documentsProcessed), 'document')} indexed`] : []),
    ...(Number(documentsDeleted) > 0 ? [`${plural(Number(documentsDeleted), 'document')} deleted`] : []),
  ];
  return done.length === 0
    ? 'Nothing of this run was written yet, and what was indexed before is as it was'
    : `This run is kept as far as it came: ${done.join(', ')}`;
}

/** Nobody waits for this process meanwhile but who reads its progress. */
export const ALONE_TRANSACTION_CHUNKS = 512;

function requestOptions(options: IndexOptions): NonNullable<IndexRequest['options']> {
  const { force, dryRun, prune, pruneSource, batchSize, parallel, wait } = options;
  const { allowShrink, allowShrinkSource } = options;
  return {
    ...withoutUndefined({ force, dryRun, handOver: options.handOver }),
    ...(prune === undefined && pruneSource === undefined ? {} : { prune: pruneSource ?? prune }),
    ...(allowShrink === undefined && allowShrinkSource === undefined
      ? {}
      : { allowShrink: allowShrinkSource ?? allowShrink }),
    ...withoutUndefined({ batchSize }),
    transactionChunks: ALONE_TRANSACTION_CHUNKS,
    ...withoutUndefined({ parallel }),
    ...(wait === undefined ? {} : { waitMs: wait * 1000 }),
  };
}

/** What a service has indexed of each of its sources after a run. */
function renderIndexCounts(
  { status, total, indexed, failed = [] }: IndexCounts,
  context: CliContext,
): string {
  const rows = Object.entries(indexed).map(([source, count]) => [oneLine(source), formatCount(count)]);
  const summary = `The service is in step with its sources: ${plural(total, 'document')}.`;
  const partly = `Some sources or documents could not be indexed; "${context.command} status" names them. Indexed: ${plural(total, 'document')}.`;
  const failures = failed.map(
    ({ source, reason, documents }) =>
      `${oneLine(source)}: ${reason}${documents === undefined ? '' : ` (${plural(documents, 'document')})`}`,
  );
  return [
    ...(rows.length === 0 ? [] : [renderTable(['source', 'indexed'], rows, { context, numeric: [1] })]),
    ...(failures.length === 0 ? [] : [failures.join('\n')]),
    status === 'completed' ? summary : partly,
  ].join('\n\n');
}
