import { RAGError } from '../core/errors.js';
import { runtime } from '../core/runtime.js';
import type { Generation } from '../ledger/ledger.js';
import { openForReading, openForWriting, retiredGenerations } from '../resources/open-collection.js';
import type { VectorCollection } from '../stores/vector-store.js';
import type { IndexPipeline, Rebuild } from './index-pipeline.js';
import type { IndexRun } from './index-run.js';
import { ItemClaims } from './item-claims.js';
import type { WriteTargets } from './write-batch.js';

/** What a run writes to; a dry run of an index that does not exist yet has no facts. */
export interface OpenTarget {
  readonly facts?: Generation | undefined;
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
  const writer = ledger.writer(facts?.generation ?? NO_GENERATION, holder);
  const retired = retiredGenerations(ledger, pipeline.storeOf, { holder, signal });
  const isLive = facts?.state === 'live';
  return {
    ledger: writer,
    collection,
    embedder,
    embedding,
    signal,
    now,
    // What a new generation lacks is no deletion.
    retired: isLive ? retired : undefined,
    claims: leaseMs === undefined || options.dryRun ? undefined : new ItemClaims(writer, leaseMs),
    history: isLive && pipeline.history !== undefined ? ledger.history : undefined,
    giveWay,
    transactionChunks: options.transactionChunks,
  };
}

/** Holds nothing: for a dry run where nothing is indexed yet. */
const NO_GENERATION = 0;
