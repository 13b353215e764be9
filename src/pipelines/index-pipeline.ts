import type { ChunkContextualiser } from '../chunking/contextual/chunk-contextualiser.js';
import { RAGError, toRAGError } from '../core/errors.js';
import type { EmbedAllOptions } from '../embedding/embed-all.js';
import type { Embedder, EmbeddingUsage } from '../embedding/embedder.js';
import type { IndexFacts, Ledger } from '../ledger/ledger.js';
import type { VectorCollection, VectorStore } from '../stores/vector-store.js';
import { deleteItems } from './delete-documents.js';
import type { IndexProgress, IndexResult } from './engine.js';
import { IndexRun } from './index-run.js';
import { indexSource } from './index-source.js';
import { openForWriting } from './open-collection.js';
import type { ConfiguredSource, IndexSourceOptions } from './source-task.js';
import type { WriteTargets } from './write-batch.js';

export interface IndexPipeline {
  readonly ledger: Ledger;
  readonly store: VectorStore;
  readonly embedder: Embedder;
  readonly embedding: Omit<EmbedAllOptions, 'signal'>;
  /** What this run brings in step. */
  readonly sources: readonly ConfiguredSource[];
  /** Names of all sources that still count; with `prune`, documents of others are deleted. */
  readonly knownSources: ReadonlySet<string>;
  /** Names of the sources that the configuration states, as against paths named in a call. */
  readonly configuredNames: ReadonlySet<string>;
  readonly options: IndexSourceOptions & { readonly prune: boolean };
  readonly command: string;
  /** Writes contexts of chunks; absent where it is off. */
  readonly contextualiser?: ChunkContextualiser;
  /** Of the damaged ledger that was discarded for this run: its collection is dropped. */
  readonly abandoned?: IndexFacts;
  readonly onProgress?: (progress: IndexProgress) => void;
  readonly signal?: AbortSignal;
  readonly now: () => string;
}

/**
 * Brings the index in step with its sources. The caller holds the writer lock. One source that cannot be listed is a
 * reported failure and the others go on; a store or model that fails ends the run, and the next one takes up its work.
 */
export async function runIndex(pipeline: IndexPipeline): Promise<IndexResult> {
  const run = new IndexRun(pipeline.onProgress, pipeline.signal);
  const { ledger, options } = pipeline;
  const before = spendingOf(pipeline);
  const collection = await openCollection(pipeline, run);
  const runId = options.dryRun ? undefined : ledger.startRun(pipeline.command, pipeline.now());
  const finish = (success: boolean): void => {
    if (runId === undefined) return;
    ledger.finishRun(runId, { at: pipeline.now(), success, stats: JSON.stringify(run.stats()) });
  };
  try {
    const targets = targetsOf(pipeline, collection);
    for (const source of pipeline.sources) await indexOne(source, targets, pipeline, run);
    if (options.prune) await pruneSources(targets, pipeline, run);
    if (!options.dryRun && (run.vectorsIndexed > 0 || run.documentsDeleted > 0)) {
      run.enter('optimizing');
      await run.timedAsync('optimize', () => collection.optimize(pipeline.signal));
    }
    run.enter('done');
    noticeSpending(pipeline, before, run);
    const result = run.result(options.dryRun);
    finish(result.success);
    return result;
  } catch (error) {
    // On a full disk the ledger may not take this either; the run then simply has no end, as after a kill.
    try {
      finish(false);
    } catch {}
    throw error;
  }
}

/** What hosted models have used until now. */
interface Spending {
  readonly embedding: EmbeddingUsage | undefined;
  readonly contexts: ChunkContextualiser['usage'] | undefined;
}

const spendingOf = ({ embedder, contextualiser }: IndexPipeline): Spending => ({
  embedding: embedder.usage?.(),
  contexts: contextualiser?.usage,
});

/** What hosted models were used for in this run, and whether written contexts are kept. */
function noticeSpending(pipeline: IndexPipeline, before: Spending, run: IndexRun): void {
  const { embedder, contextualiser } = pipeline;
  const after = spendingOf(pipeline);
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

async function openCollection(pipeline: IndexPipeline, run: IndexRun): Promise<VectorCollection> {
  const { ledger, store, embedder, options, abandoned } = pipeline;
  const rebuild = options.force && !options.dryRun && coversIndex(pipeline);
  if (options.dryRun && ledger.facts() === undefined) return DRY_COLLECTION;
  return run.timedAsync('store', () => openForWriting(ledger, store, { embedder, rebuild, abandoned }));
}

/** A run over every source that has documents may replace the whole collection. */
function coversIndex({ ledger, sources, knownSources, options }: IndexPipeline): boolean {
  const inRun = new Set(sources.map(({ source }) => source.name));
  return ledger
    .sources()
    .every(({ source }) => inRun.has(source) || (options.prune && !knownSources.has(source)));
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

function targetsOf(pipeline: IndexPipeline, collection: VectorCollection): WriteTargets {
  const { ledger, embedder, embedding, signal, now } = pipeline;
  return { ledger, collection, embedder, embedding, signal, now };
}

async function indexOne(
  source: ConfiguredSource,
  targets: WriteTargets,
  pipeline: IndexPipeline,
  run: IndexRun,
): Promise<void> {
  try {
    const { options, contextualiser } = pipeline;
    await indexSource({
      configured: source,
      targets,
      options,
      run,
      ...(contextualiser === undefined ? {} : { contextualiser }),
    });
  } catch (error) {
    const failure = toRAGError(error, 'INTERNAL', `The source "${source.source.name}" could not be indexed.`);
    if (!failure.reason.startsWith('SOURCE_')) throw failure;
    if (failure.reason === 'SOURCE_NOT_FOUND' && isAwaited(source, pipeline)) {
      run.notice(
        `${failure.message} Nothing was ever indexed of this source, so the run goes on without it.`,
      );
    } else {
      run.errors.push({ source: source.source.name, reason: failure.reason, message: failure.message });
    }
  }
}

/** A configured source whose folder does not exist yet (an output folder before the first output) is no failure. */
function isAwaited(
  { source }: ConfiguredSource,
  { ledger, options, configuredNames }: IndexPipeline,
): boolean {
  return configuredNames.has(source.name) && ledger.items(options.scope.tenant, source.name).size === 0;
}

/** Deletes what is left of sources that are neither configured nor named. */
async function pruneSources(targets: WriteTargets, pipeline: IndexPipeline, run: IndexRun): Promise<void> {
  const { ledger, knownSources, options } = pipeline;
  for (const { tenant, source } of ledger.sources()) {
    if (knownSources.has(source) || tenant !== options.scope.tenant) continue;
    const itemIds = [...ledger.items(tenant, source).keys()];
    await deleteItems({ tenant, source, itemIds, dryRun: options.dryRun }, targets, run);
  }
}
