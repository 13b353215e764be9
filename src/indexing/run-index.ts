import type { ChunkContextualiser } from '../chunking/contextual/chunk-contextualiser.js';
import { isOfService, RAGError } from '../core/errors.js';
import type { Embedder, EmbeddingUsage } from '../embedding/embedder.js';
import { failureOfRun, recordFailedRun } from '../ledger/failed-run.js';
import type { RunRecord } from '../ledger/ledger.js';
import type { IndexResult } from '../operations/engine.js';
import { readBlockedItems } from './blocked-items.js';
import { deleteItems } from './delete-documents.js';
import { canFinishPushes, finishInterrupted } from './finish-interrupted.js';
import type { IndexPipeline } from './index-pipeline.js';
import { IndexRun, type RequestOfItem } from './index-run.js';
import { indexListedSource } from './index-source.js';
import { type OpenTarget, openTarget, targetsOf } from './open-target.js';
import { openPreparers } from './preparation/choose-preparer.js';
import { probeSample } from './probe-collection.js';
import { settleIndex } from './settle-index.js';
import type { IndexSourceOptions } from './source-task.js';
import type { WriteTargets } from './write-batch.js';

/**
 * Brings the index in step with its sources. The caller holds the writer lock; with `isShared` it shares it. One source that cannot be listed is a
 * reported failure and the others go on; a store or model that fails ends the run, and the next one takes up its work.
 */
export async function runIndex(pipeline: IndexPipeline): Promise<IndexResult> {
  const run = new IndexRun(pipeline.onProgress, pipeline.signal);
  await bringInStep(pipeline, run);
  return run.result(pipeline.options.dryRun);
}

/** As `runIndex`, for several requests at once: what came of each. */
export async function runRequests(
  pipeline: IndexPipeline,
  { requests, requestOf }: { readonly requests: number; readonly requestOf: RequestOfItem },
): Promise<IndexResult[]> {
  const run = new IndexRun(pipeline.onProgress, pipeline.signal, requestOf);
  await bringInStep(pipeline, run);
  return Array.from({ length: requests }, (_, request) => run.resultOf(request));
}

/** What of a run may be a service that is paid. */
interface HostedModels {
  readonly embedder: Embedder;
  /** Absent where contexts are off. */
  readonly contextualiser?: ChunkContextualiser | undefined;
}

/** What hosted models have used until now. */
interface Spending {
  readonly embedding: EmbeddingUsage | undefined;
  readonly contexts: ChunkContextualiser['usage'] | undefined;
}

const spendingOf = ({ embedder, contextualiser }: HostedModels): Spending => ({
  embedding: embedder.usage?.(),
  contexts: contextualiser?.usage,
});

/** What hosted models were used for in this run, and whether written contexts are kept. */
function noticeSpending(models: HostedModels, before: Spending, run: IndexRun): void {
  const { embedder, contextualiser } = models;
  const after = spendingOf(models);
  const tokens = (after.embedding?.tokens ?? 0) - (before.embedding?.tokens ?? 0);
  const cost = (after.embedding?.cost ?? 0) - (before.embedding?.cost ?? 0);
  if (tokens > 0) run.notice(`${embedder.identity.model} embedded ${tokens} tokens${priceOf(cost)}.`);
  const written = (after.contexts?.contexts ?? 0) - (before.contexts?.contexts ?? 0);
  if (contextualiser === undefined || written === 0) return;
  const used = (after.contexts?.tokens ?? 0) - (before.contexts?.tokens ?? 0);
  const paid = (after.contexts?.cost ?? 0) - (before.contexts?.cost ?? 0);
  run.notice(`${contextualiser.model} wrote ${written} contexts with ${used} tokens${priceOf(paid)}.`);
  if (contextualiser.problem !== undefined) run.notice(contextualiser.problem);
}

/** Nothing for what is free, or of no known price. */
const priceOf = (cost: number): string => (cost === 0 ? '' : `, $${cost.toFixed(4)}`);

async function bringInStep(pipeline: IndexPipeline, run: IndexRun): Promise<void> {
  const { ledger, options } = pipeline;
  const before = spendingOf(pipeline);
  const target = await preparing(pipeline, () => openTarget(pipeline, run));
  const isPurgePending = diedDeleting(await ledger.lastRun());
  const runId = options.dryRun ? undefined : await ledger.startRun(pipeline.command, pipeline.now());
  const preparers = openPreparers(pipeline.signal);
  const preparerFor = pipeline.preparerFor ?? preparers.choose;
  const targets = targetsOf(pipeline, target);
  try {
    // A generation that is being filled is empty, or holds what an interrupted run of the same kind read.
    const force = options.force && target.facts?.state !== 'building';
    const live = target.facts?.state === 'building' ? await ledger.live() : undefined;
    const filling = {
      ...pipeline,
      preparerFor,
      blocked: await readBlockedItems(ledger, options.scope.tenant),
      live: live && ledger.reader(live.generation),
      options: { ...options, force },
    };
    if (canFinishPushes(pipeline, target)) await finishInterrupted(target.facts, { pipeline, targets, run });
    run.over(pipeline.sources.length);
    const finish = (): Promise<void> => finishSource(pipeline, target, run);
    for (const source of pipeline.sources)
      await indexListedSource(source, targets, { ...filling, finish }, run);
    // What threads hold is free before the store needs memory of its own.
    await preparers.close();
    await pruneSources(targets, pipeline, run);
    await settleIndex(pipeline, { target, targets, isPurgePending }, run);
    if (pipeline.isPush !== true) await probe(pipeline, target);
    run.enter('done');
    noticeSpending(pipeline, before, run);
    // A run that is stopped has no end, as after a kill: searches say so until another one completes its work.
    if (runId === undefined) return;
    const stats = run.stats();
    await ledger.finishRun(runId, {
      at: pipeline.now(),
      success: stats.errors.length === 0,
      stats: JSON.stringify(stats),
    });
  } catch (error) {
    const { command, now } = pipeline;
    if (runId !== undefined)
      await recordFailedRun(ledger, { runId, command, now, stats: run.stats() }, error);
    throw saysWhatIsKept(error, run);
  } finally {
    await preparers.close();
    // What cannot be given back is free when its lease is over.
    await targets.claims?.close().catch(() => undefined);
  }
}

/** A stopped run says in `details` what of it is kept. */
function saysWhatIsKept(error: unknown, run: IndexRun): unknown {
  if (!RAGError.isInstance(error) || error.reason !== 'ABORTED') return error;
  const { documentsProcessed, documentsDeleted } = run.total();
  return new RAGError('ABORTED', error.message, {
    details: { ...error.details, documentsProcessed, documentsDeleted },
    cause: error.cause,
  });
}

/**
 * Does what comes before a run is recorded. Where it fails, a failed run is recorded, unless the mistake is the caller's.
 */
export async function preparing<T>(
  {
    ledger,
    command,
    now,
    options,
  }: Pick<IndexPipeline, 'ledger' | 'command' | 'now'> & {
    readonly options: Pick<IndexSourceOptions, 'dryRun'>;
  },
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const stats = new IndexRun(undefined, undefined).stats();
    if (!options.dryRun && isOfService(error)) await recordFailedRun(ledger, { command, now, stats }, error);
    throw error;
  }
}

/** Whether the last run may have deleted documents and come to no end. */
function diedDeleting(last: RunRecord | undefined): boolean {
  if (last === undefined || last.success === true) return false;
  const { stats } = last;
  return (
    stats === undefined ||
    failureOfRun(last) !== undefined ||
    (JSON.parse(stats) as IndexResult['stats']).documentsDeleted > 0
  );
}

/**
 * A run that finds nothing to do must not bless a store that has lost what it held. Beside other writers, what they change
 * between two questions is no damage: then it is looked at again, and left to them where they go on.
 */
async function probe(pipeline: IndexPipeline, { facts, collection }: OpenTarget): Promise<void> {
  const { ledger, options, signal, isShared = false } = pipeline;
  if (options.dryRun || facts === undefined) return;
  const reader = ledger.reader(facts.generation);
  const liveIds = async (): Promise<string[]> => {
    const held = await reader.allChunks(undefined, PROBED_CHUNKS);
    return held.flatMap(({ chunkId, state }) => (state === 'live' ? [chunkId] : []));
  };
  for (let attempt = 0; attempt < PROBES; attempt++) {
    const ids = await liveIds();
    try {
      return await probeSample(collection, ids, signal);
    } catch (error) {
      if (!isShared || !isDamage(error) || (await liveIds()).join() === ids.join()) throw error;
    }
  }
}

const isDamage = (error: unknown): boolean => RAGError.isInstance(error) && error.reason === 'STORE_DAMAGED';

/** How often a store that others write is looked at. */
const PROBES = 5;

/** Chunks that every run looks at; `verify` looks at all. */
const PROBED_CHUNKS = 100;

/** What follows the last batch of a source. */
export async function finishSource(
  { signal, learn }: IndexPipeline,
  { facts, collection }: OpenTarget,
  run: IndexRun,
): Promise<void> {
  await run.timedAsync('optimize', () => collection.optimize(signal));
  if (facts !== undefined) await run.timedAsync('learn', () => learn({ facts, collection }, undefined));
}

const sum = (numbers: Iterable<number>): number => [...numbers].reduce((total, number) => total + number, 0);

/** Deletes what is left of sources that are given up. */
async function pruneSources(
  targets: WriteTargets,
  { givenUp, options }: IndexPipeline,
  run: IndexRun,
): Promise<void> {
  const { tenant } = options.scope;
  for (const source of givenUp ?? []) {
    const documents = sum((await targets.ledger.documentCounts(tenant, source)).values());
    if (documents > 0)
      run.notice(
        `${documents === 1 ? 'A document' : `${documents} documents`} of "${source}" ${options.dryRun ? 'would be' : documents === 1 ? 'is' : 'are'} removed.`,
      );
    const itemIds = [...(await targets.ledger.items(tenant, source)).keys()];
    await deleteItems({ tenant, source, itemIds, dryRun: options.dryRun }, targets, run);
    if (!options.dryRun) await targets.ledger.forgetSource(tenant, source);
  }
}
