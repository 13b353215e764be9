import { toRAGError } from '../core/errors.js';
import type { OwedBatch } from '../ledger/owed.js';
import type { IndexPipeline } from './index-pipeline.js';
import type { IndexRun } from './index-run.js';
import { indexSource } from './index-source.js';
import type { KeptOut } from './kept-out.js';
import { endSource, giveUpListing, type SourceEnd, takeListing } from './owed-work.js';
import { SourceRecord } from './source-record.js';
import type { ConfiguredSource, SourceTask } from './source-task.js';
import type { WriteTargets } from './write-batch.js';

export async function indexListedSource(
  source: ConfiguredSource,
  targets: WriteTargets,
  pipeline: IndexPipeline &
    Pick<SourceTask, 'preparerFor' | 'live'> &
    Pick<SourceEnd, 'finish'> & { readonly keptOut: (source: string) => KeptOut },
  run: IndexRun,
): Promise<void> {
  const { options, contextualiser, preparerFor, live } = pipeline;
  // What a call named on this host is nothing that others can read.
  const handOver = pipeline.configuredNames.has(source.source.name) ? pipeline.handOver : undefined;
  const keptOut = pipeline.keptOut(source.source.name);
  const parts = { preparerFor, contextualiser, keptOut, handOver, isPush: pipeline.isPush };
  const task = { configured: source, targets, options, run, live, ...parts };
  const since = options.unlessListedSince;
  try {
    if (since !== undefined) await takeListing(task, Infinity);
    const batches = (await indexUnlessListed(task)) ?? [];
    if (batches.length === 0) return;
    await giveUpListing({ tenant: options.scope.tenant, source: source.source.name }, targets);
    await handOver?.(batches, (problem) => run.notice(problem));
    // A worker that had done the last of them while the source was still listed left its end to this run.
    await endSource({ task, finish: pipeline.finish });
  } finally {
    // An error that keeps it from being given back is told before this one.
    await giveUpListing({ tenant: options.scope.tenant, source: source.source.name }, targets).catch(
      () => undefined,
    );
  }
}

/** Batches that are left to workers, where any are. */
async function indexUnlessListed(task: SourceTask): Promise<readonly OwedBatch[] | undefined> {
  const { configured: source, targets, options, run } = task;
  const record = await SourceRecord.open({ configured: source, targets, options });
  if (options.unlessListedSince !== undefined && record.wasListedSince(options.unlessListedSince)) {
    run.notice(`"${source.source.name}" was listed by another process meanwhile.`);
    return undefined;
  }
  if (options.heedBackoff === true && record.isWaiting) {
    run.notice(record.waitingNotice);
    return undefined;
  }
  const since = await record.begin();
  try {
    const listed = await indexSource(task, since);
    await record.succeed(listed, since);
    return listed.handedOver;
  } catch (error) {
    const failure = toRAGError(error, 'INTERNAL', `The source "${source.source.name}" could not be indexed.`);
    if (!failure.reason.startsWith('SOURCE_')) throw failure;
    await record.fail(failure);
    run.errors.push({ source: source.source.name, reason: failure.reason, message: failure.message });
    return undefined;
  }
}
