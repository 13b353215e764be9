import type { ChunkRecord, ScoredChunk, StoredChunk } from '../core/chunk.js';
import { RAGError } from '../core/errors.js';
import { compareText, type Filter } from '../core/filter.js';
import { isSearching } from '../platform/degradation/breakers.js';
import { collectionOf, membersOf } from './collection-members.js';
import { copyWords, type Exclusively, hasWords, lexicalSpec, NO_VECTOR } from './copied-words.js';
import { listAll } from './list-pages.js';
import { openedWhenAsked } from './opened-when-asked.js';
import type {
  CollectionSpec,
  CollectionStats,
  ListPage,
  ListQuery,
  TextQuery,
  VectorCollection,
  VectorStore,
} from './vector-store.js';

/**
 * Gives a store without BM25 (or with a ranking of its own) Ragstone's lexical lane: the same records go to a second store
 * that ranks text, normally a local file beside the ledger. Vectors, and the search for them, are the first store's; chunks
 * without vectors are read from the lexical index, so that a search shows the revision that it found words of.
 *
 * The two have no common transaction; every write goes to the lexical index first and is idempotent, so the ledger's plan
 * covers both: what a death leaves undone in either is done again by the next run. `list` shows a chunk only where both
 * hold it, and shows what the lexical index alone holds as a chunk without content, so that `verify` sees either drift.
 *
 * Where the store has a collection with its words and the index has not, opening it copies them (`copied-words.ts`).
 */
export function withLexicalIndex(
  store: VectorStore,
  lexical: VectorStore,
  exclusively: Exclusively = (work) => work(),
): VectorStore {
  if (lexical.capabilities.lexical !== 'bm25') {
    throw new RAGError(
      'INTERNAL',
      `The store "${lexical.name}" cannot be a lexical index: it does not rank by BM25.`,
    );
  }
  const { filterOperators } = lexical.capabilities;
  const parts = { store, lexical, exclusively };
  return {
    name: store.name,
    capabilities: {
      ...store.capabilities,
      // A filter must hold in both.
      filterOperators: store.capabilities.filterOperators.filter((operator) =>
        filterOperators.includes(operator),
      ),
      lexical: 'bm25',
      addedTextIndex: addedIndex(lexical.name),
      maxTopK: Math.min(store.capabilities.maxTopK, lexical.capabilities.maxTopK),
    },
    open: async (spec) => {
      await copyWords(parts, spec.name);
      const main = await store.open(spec);
      return collectionOfBoth({ main, lexical: await lexical.open(lexicalSpec(spec)) }, lexical.name);
    },
    openForReading: async (spec) => {
      // Fails as the store does where its words are still to be copied.
      await copyWords(parts, spec.name);
      return collectionOfBoth(
        { main: openedWhenAsked(store, spec), lexical: await lexical.open(lexicalSpec(spec)) },
        lexical.name,
      );
    },
    describe: async (name) => {
      const spec = await store.describe(name);
      // Asked in any case: an index that is damaged must say so.
      const isWhole = await hasWords(parts, name);
      return isWhole || store.writtenWords !== undefined ? spec : undefined;
    },
    drop: async (name) => {
      await lexical.drop(name);
      await store.drop(name);
    },
    health: async () => {
      const [main, local] = await Promise.all([store.health(), lexical.health()]);
      return { ok: main.ok && local.ok, detail: `${main.detail}; lexical index: ${local.detail}` };
    },
    close: async () => {
      await Promise.all([store.close(), lexical.close()]);
    },
  };
}

const addedIndex = (store: string): string => `a local ${store} index that the engine keeps beside the store`;

/** The store's own collection, and the one that holds the same records for text search. */
interface Both {
  readonly main: VectorCollection;
  readonly lexical: VectorCollection;
}

const collectionOfBoth = (both: Both, lexicalName: string): VectorCollection =>
  collectionOf({
    ...membersOf(both.main),
    upsert: (records, signal) => upsertBoth(both, records, signal),
    // Of 20,000 chunks, 26 are read from a libSQL index in 0.6 ms, from LanceDB in 2 to 4 ms.
    get: (ids, options) => (options?.includeVectors === true ? both.main : both.lexical).get(ids, options),
    delete: async (filter, signal) => {
      await both.lexical.delete(filter, signal);
      return both.main.delete(filter, signal);
    },
    // A search finds words of what is read there, while vectors are not found too.
    list: (query) => (isSearching() ? both.lexical.list(query) : listBoth(both, query)),
    count: (filter, signal) => (isSearching() ? both.lexical : both.main).count(filter, signal),
    searchText: (query) => searchText(both, query),
    // The main store's own ranking of text is not ours.
    rankText: both.lexical.rankText?.bind(both.lexical),
    termsBeginning: both.lexical.termsBeginning?.bind(both.lexical),
    // Writes of two stores are no transaction of one file.
    enlist: undefined,
    optimize: async (signal) => {
      await Promise.all([both.lexical.optimize(signal), both.main.optimize(signal)]);
    },
    purge: async (signal, options) => {
      await Promise.all([both.lexical.purge?.(signal, options), both.main.purge?.(signal, options)]);
    },
    stats: () => statsOfBoth(both, lexicalName),
  });

async function upsertBoth(
  { main, lexical }: Both,
  records: readonly ChunkRecord[],
  signal: AbortSignal | undefined,
): Promise<void> {
  // The main store checks records before it writes, but after the lexical index would have taken them.
  for (const { vector } of records) assertDimensions(vector, main.spec);
  await lexical.upsert(
    records.map((record) => ({ ...record, vector: NO_VECTOR })),
    signal,
  );
  await main.upsert(records, signal);
}

function assertDimensions(vector: Float32Array, { dimensions, name }: CollectionSpec): void {
  if (vector.length === dimensions) return;
  throw new RAGError(
    'STORE_DIMENSION_MISMATCH',
    `A chunk has a vector of ${vector.length} dimensions; collection "${name}" holds ${dimensions}.`,
    { details: { expected: dimensions, actual: vector.length } },
  );
}

async function searchText({ main, lexical }: Both, query: TextQuery): Promise<ScoredChunk[]> {
  const { includeVectors = false, signal, ...rest } = query;
  const options = signal === undefined ? {} : { signal };
  const found = (await lexical.searchText?.({ ...rest, ...options })) ?? [];
  if (!includeVectors) return found;
  const ids = found.map(({ chunk }) => chunk.id);
  const chunks = await main.get(ids, { includeVectors: true, ...options });
  const byId = new Map(chunks.map((chunk) => [chunk.id, chunk]));
  return found.flatMap(({ chunk, score }) => {
    const stored = byId.get(chunk.id);
    return stored === undefined ? [] : [{ chunk: stored, score }];
  });
}

async function listBoth(both: Both, { filter, limit, cursor, signal }: ListQuery): Promise<ListPage> {
  const query = { filter, limit, ...(signal === undefined ? {} : { signal }) };
  const after = cursor === undefined ? NO_CURSOR : (JSON.parse(cursor) as ListCursor);
  const [main, lexical] = await Promise.all([
    both.main.list({ ...query, ...(after.main === undefined ? {} : { cursor: after.main }) }),
    both.lexical.list({ ...query, ...(after.lexical === undefined ? {} : { cursor: after.lexical }) }),
  ]);
  if (
    sameIds(main.chunks, lexical.chunks) &&
    (main.cursor === undefined) === (lexical.cursor === undefined)
  ) {
    return main.cursor === undefined || lexical.cursor === undefined
      ? { chunks: main.chunks }
      : {
          chunks: main.chunks,
          cursor: JSON.stringify({
            main: main.cursor,
            lexical: lexical.cursor,
            last: main.chunks.at(-1)?.id,
          } satisfies ListCursor),
        };
  }
  // The two have drifted apart, which only `verify` has to see: the rest is compared whole.
  const all = await compareAll(both, filter, signal);
  const { last } = after;
  return { chunks: last === undefined ? all : all.filter(({ id }) => compareText(id, last) > 0) };
}

async function compareAll(
  both: Both,
  filter: Filter,
  signal: AbortSignal | undefined,
): Promise<StoredChunk[]> {
  const [main, lexical] = await Promise.all([
    listAll(both.main, { filter, signal }),
    listAll(both.lexical, { filter, signal }),
  ]);
  const ofMain = new Map(main.map((chunk) => [chunk.id, chunk]));
  return lexical
    .map((chunk) => ofMain.get(chunk.id) ?? { ...chunk, content: '' })
    .sort((a, b) => compareText(a.id, b.id));
}

async function statsOfBoth(both: Both, lexicalName: string): Promise<CollectionStats> {
  const [main, lexical] = await Promise.all([both.main.stats(), both.lexical.stats()]);
  const bytes = (main.bytes ?? 0) + (lexical.bytes ?? 0);
  return {
    ...main,
    ...(main.bytes === undefined ? {} : { bytes }),
    textIndex: `${lexical.textIndex}, in ${addedIndex(lexicalName)}`,
  };
}

interface ListCursor {
  readonly main?: string | undefined;
  readonly lexical?: string | undefined;
  /** Last id of the pages before. */
  readonly last?: string | undefined;
}

const NO_CURSOR: ListCursor = {};

const sameIds = (a: readonly StoredChunk[], b: readonly StoredChunk[]): boolean =>
  a.length === b.length && a.every(({ id }, i) => id === b[i]?.id);
