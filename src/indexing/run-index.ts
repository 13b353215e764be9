import type { ChunkContextualiser } from '../chunking/contextual/chunk-contextualiser.js';
import { isOfService, RAGError, toRAGError } from '../core/errors.js';
import { runtime } from '../core/runtime.js';
import type { EmbedAllOptions } from '../embedding/embed-all.js';
import type { Embedder } from '../embedding/embedder.js';
import type { IndexProgress, IndexResult } from '../engine/engine.js';
import { failureOfRun, recordFailedRun } from '../ledger/failed-run.js';
import type {
  GenerationReader,
  IndexFacts,
  Ledger,
  LedgerItem,
  OwedBatch,
  RunRecord,
} from '../ledger/ledger.js';
import { probeSample } from '../maintenance/probe-collection.js';
import type { VectorCollection, VectorStore } from '../stores/vector-store.js';
import { type AbandonedSource, giveUpMovedFiles } from './abandoned-sources.js';
import { carryOver } from './carry-over.js';
import { isPushSource } from './configured-sources.js';
import { deleteItems, purgeDeleted } from './delete-documents.js';
import { fillGraphs } from './fill-graphs.js';
import { fillStatements } from './fill-statements.js';
import { finishPushes } from './finish-pushes.js';
import { IndexRun, type RequestOfItem } from './index-run.js';
import { indexSource } from './index-source.js';
import { ItemClaims } from './item-claims.js';
import { keepHistory } from './keep-history.js';
import { type KeptOut, readKeptOut } from './kept-out.js';
import {
  dropRetired,
  openForReading,
  openForWriting,
  retiredGenerations,
  type WriteTarget,
} from './open-collection.js';
import { endSource, giveUpListing, type SourceEnd, takeListing } from './owed-work.js';
import { openPreparers } from './preparation/choose-preparer.js';
import { SourceRecord } from './source-record.js';
import type {
  ChoosePreparer,
  ConfiguredSource,
  HandOver,
  IndexSourceOptions,
  SourceTask,
} from './source-task.js';
import { noticeSpending, spendingOf } from './spending.js';
import type { WriteTargets } from './write-batch.js';

export interface IndexPipeline {
  readonly ledger: Ledger;
  readonly store: VectorStore;
  /** Stores of other generations. */
  readonly storeOf: (facts: IndexFacts) => Promise<VectorStore>;
  readonly embedder: Embedder;
  readonly embedding: Omit<EmbedAllOptions, 'signal'>;
  /** What this run brings in step. */
  readonly sources: readonly ConfiguredSource[];
  /** Names of sources whose documents are deleted. */
  readonly givenUp?: ReadonlySet<string> | undefined;
  /** Names of the sources that the configuration states, as against paths named in a call. */
  readonly configuredNames: ReadonlySet<string>;
  readonly options: IndexSourceOptions & { readonly rebuild?: Rebuild | undefined };
  readonly command: string;
  /** See `WriteIntent.upgrade`. */
  readonly upgrade?: string | undefined;
  /** Writes contexts of chunks; absent where it is off. */
  readonly contextualiser?: ChunkContextualiser | undefined;
  /** Sources that nobody configures or finds any more; their files may be those of another one now. */
  readonly abandonedSources?: readonly AbandonedSource[] | undefined;
  /** Of the damaged ledger that was discarded for this run: its collection is dropped. */
  readonly abandoned?: IndexFacts | undefined;
  /** Where documents are prepared. @default threads where there is much to prepare, else this thread */
  readonly preparerFor?: ChoosePreparer | undefined;
  /** Lets the model learn from what a generation now holds; told how many chunks a push has changed, where it is one. */
  readonly learn: (target: WriteTarget, pushedChunks: number | undefined) => Promise<void>;
  /** Leaves to workers what is listed. Absent: the run does it. */
  readonly handOver?: HandOver | undefined;
  /** Documents that programs hand in: no source is listed, so nothing is said of the rest of the index. @default false */
  readonly isPush?: boolean | undefined;
  /** What documents say is kept, for conflicts between them. @default false */
  readonly isExamined?: boolean | undefined;
  /** `rag.history.keep`. */
  readonly history?: string | undefined;
  readonly onProgress?: ((progress: IndexProgress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly now: () => string;
  /** The run claims what it writes, for so long at a time. Absent: the ledger is of one process at a time. */
  readonly leaseMs?: number | undefined;
  /** Other processes write too. Otherwise the caller holds the whole index. @default false */
  readonly isShared?: boolean | undefined;
  /** See `WriterLock.giveWay`. */
  readonly giveWay?: WriteTargets['giveWay'];
}

/**
 * `never`: the live generation is written. `covering`: a new one, where the run reads every source that has documents.
 * `always`: a new one, and what the run does not read is copied. `damaged`: as `always`, but there is nothing to copy from.
 */
export type Rebuild = 'never' | 'covering' | 'always' | 'damaged';

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

async function bringInStep(pipeline: IndexPipeline, run: IndexRun): Promise<void> {
  const { ledger, options } = pipeline;
  const before = spendingOf(pipeline);
  const target = await preparing(pipeline, () => openTarget(pipeline, run));
  const isPurgeOwed = diedDeleting(await ledger.lastRun());
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
      keptOut: await readKeptOut(ledger, options.scope.tenant),
      live: live && ledger.reader(live.generation),
      options: { ...options, force },
    };
    if (canFinishPushes(pipeline, target)) await finishInterrupted(target.facts, { pipeline, targets, run });
    run.over(pipeline.sources.length);
    const finish = (): Promise<void> => finishSource(pipeline, target, run);
    for (const source of pipeline.sources) await indexOne(source, targets, { ...filling, finish }, run);
    // What threads hold is free before the store needs memory of its own.
    await preparers.close();
    await pruneSources(targets, pipeline, run);
    await settle(pipeline, { target, targets, isPurgeOwed }, run);
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
    throw error;
  } finally {
    await preparers.close();
    // What cannot be given back is free when its lease is over.
    await targets.claims?.close().catch(() => undefined);
  }
}

/**
 * Does what comes before a run is recorded. Where it fails, a run that failed is recorded, but not for a mistake of whoever asked.
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

/** Makes what was written quick to search; a new generation is completed and takes the place of the live one. */
async function settle(
  pipeline: IndexPipeline,
  {
    target,
    targets,
    isPurgeOwed,
  }: { readonly target: OpenTarget; readonly targets: WriteTargets; readonly isPurgeOwed: boolean },
  run: IndexRun,
): Promise<void> {
  const { facts, collection } = target;
  if (pipeline.options.dryRun || facts === undefined) return;
  const live = facts.state === 'building' ? await pipeline.ledger.live() : undefined;
  if (live !== undefined) await completeGeneration(live, { pipeline, targets, run });
  const { sources: owners, options } = pipeline;
  for (const source of pipeline.abandonedSources ?? [])
    await giveUpMovedFiles(source, { owners, targets, tenant: options.scope.tenant }, run);
  const { vectorsIndexed, documentsDeleted } = run.total();
  if (vectorsIndexed > 0 || documentsDeleted > 0) {
    run.enter('optimizing');
    await run.timedAsync('optimize', () => collection.optimize(pipeline.signal));
  }
  if (documentsDeleted > 0 || isPurgeOwed) await purgeDeleted(targets, run);
  if (pipeline.isPush !== true) await fillGraphs(pipeline.options.scope.tenant, targets, run);
  if (pipeline.isExamined === true) await fillStatements(pipeline.options.scope.tenant, targets, run);
  const { ledger, history, isPush = false } = pipeline;
  await keepHistory({ ledger, facts, keep: history, isPush }, targets, run);
  const changed = pipeline.isPush === true ? vectorsIndexed + documentsDeleted : undefined;
  // Who does the last of what was handed over learns of it.
  if (run.total().handedOver === 0)
    await run.timedAsync('learn', () => pipeline.learn({ facts, collection }, changed));
  if (live === undefined) return;
  // Of what never could be read nothing is lost by the switch.
  const held = new Set(
    await pipeline.ledger.reader(live.generation).sourceNames(pipeline.options.scope.tenant),
  );
  const unread = run.errors.filter(({ source, item }) => item === undefined && held.has(source));
  if (unread.length > 0) {
    run.notice(
      `The new generation ${facts.generation} is not in use, because these sources could not be read: ${unread.map(({ source }) => source).join(', ')}. Searches go on with generation ${live.generation}. \`ragstone index --force\` goes on with the new one.`,
    );
    return;
  }
  run.checkAborted();
  await pipeline.ledger.switchTo(facts.generation, pipeline.now(), live.generation);
  for (const problem of await dropRetired(pipeline.ledger, pipeline.storeOf, KEPT_GENERATIONS))
    run.notice(problem);
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

/** Generations that are kept to go back to. */
const KEPT_GENERATIONS = 1;

/** Beside other writers an unfinished push may be somebody's work under way. */
const canFinishPushes = (
  { options, isPush, isShared = false }: IndexPipeline,
  target: OpenTarget,
): target is OpenTarget & { readonly facts: IndexFacts } =>
  target.facts?.state === 'live' && !options.dryRun && isPush !== true && !isShared;

/**
 * Pushes and deletions that a death interrupted are finished or taken back: nobody can read them again, and what is copied has to be
 * one revision.
 */
async function finishInterrupted(
  live: IndexFacts,
  { pipeline, targets, run }: { pipeline: IndexPipeline; targets: WriteTargets; run: IndexRun },
): Promise<void> {
  const { ledger, options, leaseMs } = pipeline;
  const { tenant } = options.scope;
  if (!(await hasUnfinishedPushes(tenant, ledger.reader(live.generation)))) return;
  const collection = await openForReading(live, await pipeline.storeOf(live));
  const holder = runtime().uniqueName();
  const books = ledger.writer(live.generation, holder);
  // The new one may hold what an earlier attempt copied, before its deletion was begun.
  const retired = retiredGenerations(ledger, pipeline.storeOf, { holder, signal: pipeline.signal });
  // The lease of whoever died over one may not be over.
  const claims = leaseMs === undefined ? undefined : new ItemClaims(books, leaseMs);
  try {
    const writing = { ...targets, ledger: books, collection, claims, retired };
    const { finished, takenBack, left } = await finishPushes(tenant, writing, run);
    if (finished + takenBack > 0)
      run.notice(
        `Pushes and deletions that were interrupted: ${finished} finished, ${takenBack} taken back.`,
      );
    for (const id of left)
      run.notice(
        `The push of "${id}" was interrupted and can be neither finished nor taken back: push it again.`,
      );
  } finally {
    await claims?.close().catch(() => undefined);
  }
}

async function hasUnfinishedPushes(tenant: string, reader: GenerationReader): Promise<boolean> {
  const sources = await reader.sources();
  return sources.some(
    ({ tenant: owner, source, documents }) =>
      owner === tenant && isPushSource(source) && documents.pending + documents.outdated > 0,
  );
}

/** Copies what the run could not read: documents that programs handed in, of sources that are not read now, and failures. */
async function completeGeneration(
  live: IndexFacts,
  { pipeline, targets, run }: { pipeline: IndexPipeline; targets: WriteTargets; run: IndexRun },
): Promise<void> {
  const { ledger, options, givenUp } = pipeline;
  const { tenant } = options.scope;
  const reader = ledger.reader(live.generation);
  await finishInterrupted(live, { pipeline, targets, run });
  const inRun = new Set(pipeline.sources.map(({ source }) => source.name));
  const items: LedgerItem[] = [];
  for (const source of await reader.sourceNames(tenant)) {
    if (givenUp?.has(source)) continue;
    const held = await reader.items(tenant, source);
    const filled = await targets.ledger.items(tenant, source);
    const isRead = inRun.has(source) ? readIn(filled) : () => false;
    for (const item of held.values()) {
      const now = filled.get(item.itemId);
      const isMissed = now?.status === 'failed' || (now?.version !== item.version && !isRead(item.itemId));
      if (isMissed) items.push(now?.error === undefined ? item : { ...item, error: now.error });
    }
  }
  if (items.length === 0) return;
  const collection = await openForReading(live, await pipeline.storeOf(live));
  await carryOver({ facts: live, reader, collection }, items, targets, run);
}

/** Whether a run could look at an item, whatever it found: not where the folder could not be listed. */
function readIn(filled: ReadonlyMap<string, LedgerItem>): (itemId: string) => boolean {
  const folders = [...filled.values()].flatMap(({ itemId, status }) =>
    itemId.endsWith('/') && status === 'failed' ? itemId : [],
  );
  return (itemId) => !folders.some((folder) => itemId.startsWith(folder));
}

/** What a run writes to; a dry run of an index that does not exist yet has no facts. */
export interface OpenTarget {
  readonly facts?: IndexFacts | undefined;
  readonly collection: VectorCollection;
}

export async function openTarget(pipeline: IndexPipeline, run: IndexRun): Promise<OpenTarget> {
  const { ledger, store, storeOf, embedder, options, abandoned } = pipeline;
  if (options.dryRun) {
    const facts = await ledger.live();
    if (facts === undefined) return { collection: DRY_COLLECTION };
    return { facts, collection: await openForReading(facts, await storeOf(facts)) };
  }
  const wanted = wantedRebuild(pipeline);
  const rebuild = wanted !== 'never' && (wanted !== 'covering' || (await coversIndex(pipeline)));
  const intent = {
    embedder,
    rebuild,
    isDamaged: wanted === 'damaged',
    isShared: pipeline.isShared,
    upgrade: pipeline.upgrade,
    at: pipeline.now(),
    storeOf,
  };
  const target = await run.timedAsync('store', () => openForWriting(ledger, store, intent));
  if (abandoned?.provider === store.name) await store.drop(abandoned.collection);
  return target;
}

const wantedRebuild = ({ options }: IndexPipeline): Rebuild =>
  options.rebuild ?? (options.force ? 'covering' : 'never');

/** A run over every source that has documents may fill a new generation. */
async function coversIndex({ ledger, sources, givenUp, options }: IndexPipeline): Promise<boolean> {
  const live = await ledger.live();
  if (live === undefined) return true;
  const inRun = new Set(sources.map(({ source }) => source.name));
  const held = await ledger.reader(live.generation).sources();
  return held.every(
    ({ tenant, source }) =>
      tenant === options.scope.tenant && (inRun.has(source) || givenUp?.has(source) === true),
  );
}

const DRY_RUN_ONLY = (): never => {
  throw new RAGError('INTERNAL', 'A dry run does not touch the store.');
};

/** Stands where a dry run has no collection yet; nothing may be asked of it. */
const DRY_COLLECTION: VectorCollection = {
  spec: { name: 'dry-run', dimensions: 0, fingerprint: '' },
  upsert: DRY_RUN_ONLY,
  get: DRY_RUN_ONLY,
  delete: DRY_RUN_ONLY,
  list: DRY_RUN_ONLY,
  count: DRY_RUN_ONLY,
  searchVector: DRY_RUN_ONLY,
  optimize: DRY_RUN_ONLY,
  stats: DRY_RUN_ONLY,
};

export function targetsOf(pipeline: IndexPipeline, { facts, collection }: OpenTarget): WriteTargets {
  const { ledger, embedder, embedding, signal, now, options, leaseMs, giveWay } = pipeline;
  const holder = runtime().uniqueName();
  const books = ledger.writer(facts?.generation ?? NO_GENERATION, holder);
  const retired = retiredGenerations(ledger, pipeline.storeOf, { holder, signal });
  const isLive = facts?.state === 'live';
  return {
    ledger: books,
    collection,
    embedder,
    embedding,
    signal,
    now,
    // What a new generation lacks is no deletion.
    retired: isLive ? retired : undefined,
    claims: leaseMs === undefined || options.dryRun ? undefined : new ItemClaims(books, leaseMs),
    history: isLive && pipeline.history !== undefined ? ledger.history : undefined,
    giveWay,
    transactionChunks: options.transactionChunks,
  };
}

/** Holds nothing: for a dry run where nothing is indexed yet. */
const NO_GENERATION = 0;

async function indexOne(
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

/** What follows the last batch of a source, whoever does it. */
export async function finishSource(
  { signal, learn }: IndexPipeline,
  { facts, collection }: OpenTarget,
  run: IndexRun,
): Promise<void> {
  await run.timedAsync('optimize', () => collection.optimize(signal));
  if (facts !== undefined) await run.timedAsync('learn', () => learn({ facts, collection }, undefined));
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
