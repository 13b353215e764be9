import type { ChunkRecord } from '../../core/chunk.js';
import { RAGError, throwIfAborted } from '../../core/errors.js';
import { matchesFilter } from '../../core/filter.js';
import { cacheOwner, type Scope, scopeFilter } from '../../core/scope.js';
import { slicesOf } from '../../core/slices.js';
import { embedAll } from '../../embedding/embed-all.js';
import { type RetainedChunk, unpackChunks } from '../../ledger/history/retained-chunks.js';
import { damagedHistory, type HistoryVersion, type LedgerHistory } from '../../ledger/history.js';
import type { Generation } from '../../ledger/ledger.js';
import type { LoadedEmbedder } from '../../resources/handles/model-handle.js';
import { createMemoryStore } from '../../stores/memory/memory-store.js';
import type { VectorCollection, VectorStore } from '../../stores/vector-store.js';

/** Versions that are read at once. */
const PAGE = 500;
/** Chunks that one moment may have for one scope: they are held in memory while they are searched. */
const MOST_CHUNKS = 200_000;
/** Chunks whose vectors are made anew for one moment, at most, by a model that is cheap, and by another one. */
const MOST_EMBEDDED = { cheap: 50_000, other: 64 } as const;
/** Chunk ids that the store is asked for at once. */
const GET_BATCH = 500;

/** What a scope may read of the index as it was at a moment. */
export interface PastIndex {
  readonly store: VectorStore;
  readonly collection: VectorCollection;
  /** Documents that are in it, by id. */
  readonly documents: ReadonlyMap<string, HistoryVersion>;
  /** Vectors of all chunks are there; otherwise words alone are searched for. */
  readonly hasVectors: boolean;
  /** The tenant had documents that the scope may not read. */
  readonly isRestricted: boolean;
}

export interface PastOptions {
  readonly history: LedgerHistory;
  readonly moment: number;
  readonly scope: Scope;
  /** The live generation, whose model reads queries. */
  readonly facts: Generation;
  /** Holds vectors of chunks that are as they were. */
  readonly live: VectorCollection;
  readonly embedder: () => Promise<LoadedEmbedder>;
  /** Whether its model is another service's, which is not asked for vectors of old texts. */
  readonly isHosted: boolean;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Puts together what a scope may read of a moment, in memory. It is read from the history and nowhere else; of the present index only
 * vectors are taken, of chunks that say the very same (their ids are hashes of what is embedded).
 *
 * A document is in it where the scope may read it both as it was then and as it is now (or was last, where it is gone).
 */
export async function openPast(options: PastOptions): Promise<PastIndex> {
  const { history, moment, scope, facts } = options;
  const generation = await history.generationAt(moment);
  if (generation === undefined)
    throw new RAGError('QUERY_INVALID', 'The history of the index was broken meanwhile. Ask again.');
  const documents = new Map<string, HistoryVersion>();
  const chunks: RetainedChunk[] = [];
  let isRestricted = false;
  for (let after = 0; ; ) {
    throwIfAborted(options.signal);
    const page = await history.versionsAt({ tenant: scope.tenant, generation, moment }, after, PAGE);
    const newest = await history.newest(page.map(({ documentId }) => documentId));
    const readable = page.filter((version) => {
      // What was erased while this is read is gone.
      const now = newest.get(version.documentId);
      if (now === undefined || !isOfProject(version, scope) || !isOfProject(now, scope)) return false;
      const isReadable = admits(scope, version) && admits(scope, now);
      if (!isReadable) isRestricted = true;
      return isReadable;
    });
    const parts = await history.parts(readable.map(({ id }) => id));
    for (const version of readable) {
      const kept = unpackChunks(parts.get(version.id) ?? [], version);
      if (kept === undefined) {
        await assertDeleted(version, options);
        continue;
      }
      documents.set(version.documentId, version);
      chunks.push(...kept);
      if (chunks.length > MOST_CHUNKS) throw tooMany();
    }
    after = page.at(-1)?.id ?? after;
    if (page.length < PAGE) break;
  }
  if ((await history.generationAt(moment)) !== generation)
    throw new RAGError(
      'QUERY_INVALID',
      'The history of the index was broken or pruned meanwhile. Ask again.',
    );
  const vectors = await vectorsOf(chunks, options);
  const store = createMemoryStore();
  const collection = await store.open({
    name: 'past',
    dimensions: facts.dimensions,
    fingerprint: facts.fingerprint,
  });
  const none = new Float32Array(facts.dimensions);
  const records = chunks.map(({ indexedText: _, ...chunk }): ChunkRecord => {
    return { ...chunk, vector: vectors?.get(chunk.id) ?? none };
  });
  await collection.upsert(records, options.signal);
  return { store, collection, documents, hasVectors: vectors !== undefined, isRestricted };
}

/** A version without all of its chunks was deleted between two reads. Throws `INDEX_DAMAGED` where it is there. */
async function assertDeleted(
  { id, tenant, generation }: HistoryVersion,
  { history, moment }: PastOptions,
): Promise<void> {
  const [next] = await history.versionsAt({ tenant, generation, moment }, id - 1, 1);
  if (next?.id === id) throw damagedHistory();
}

const isOfProject = ({ project }: HistoryVersion, scope: Scope): boolean =>
  scope.project === undefined || project === scope.project;

/** Whether a scope may read a version, as far as its access goes; one of which nobody knows it is read by nobody. */
export function admits(scope: Scope, { tenant, project, access }: HistoryVersion): boolean {
  if (access === undefined) return false;
  const fields = new Map<string, string | number | readonly string[] | undefined>([
    ['$tenant', tenant],
    ['$project', project],
    ['$level', access.level],
    ['$groups', access.groups],
  ]);
  return matchesFilter(scopeFilter(scope), (field) => fields.get(field));
}

/** By chunk id; undefined where not all of them can be had. */
async function vectorsOf(
  chunks: readonly RetainedChunk[],
  { live, embedder, isHosted, scope, signal }: PastOptions,
): Promise<ReadonlyMap<string, Float32Array> | undefined> {
  const vectors = new Map<string, Float32Array>();
  for (const some of slicesOf(chunks, GET_BATCH)) {
    const ids = some.map(({ id }) => id);
    const options = { includeVectors: true, ...(signal === undefined ? {} : { signal }) };
    for (const { id, vector } of await live.get(ids, options))
      if (vector !== undefined) vectors.set(id, vector);
  }
  const missing = chunks.filter(({ id }) => !vectors.has(id));
  if (missing.length === 0) return vectors;
  const { embedder: model, cache } = await embedder();
  const most = model.isCheap ? MOST_EMBEDDED.cheap : MOST_EMBEDDED.other;
  if (isHosted || missing.length > most) return undefined;
  const embedded = await embedAll(
    model,
    missing.map(({ indexedText }) => indexedText),
    'document',
    { cache, owner: cacheOwner(scope), ...(signal === undefined ? {} : { signal }) },
  );
  for (const [index, { id }] of missing.entries()) {
    const vector = embedded.vectors[index];
    if (vector !== undefined) vectors.set(id, vector);
  }
  return vectors;
}

const tooMany = (): RAGError =>
  new RAGError(
    'QUERY_INVALID',
    `At that time the index held more than ${MOST_CHUNKS.toLocaleString('en')} chunks that this scope may read, and no more are searched in the past. Name a project in the scope.`,
  );
