import type { ChunkRecord, ScoredChunk, StoredChunk } from '../core/chunk.js';
import { RAGError } from '../core/errors.js';
import { compareText, type Filter } from '../core/filter.js';
import { listAll } from './list-pages.js';
import type {
  CollectionSpec,
  CollectionStats,
  ListPage,
  ListQuery,
  TextQuery,
  VectorCollection,
  VectorQuery,
  VectorStore,
} from './vector-store.js';

/** A lexical index holds no vectors; its records carry this one. */
const NO_VECTOR = new Float32Array(1);
const NO_MODEL = 'none: lexical index only';

/**
 * Gives a store without BM25 (or with a ranking of its own) Ragstone's lexical lane: the same records go to a second store
 * that ranks text, normally a local file beside the ledger. Everything but text search is the first store's.
 *
 * The two have no common transaction; every write goes to the lexical index first and is idempotent, so the ledger's plan
 * covers both: what a death leaves undone in either is done again by the next run. `list` shows a chunk only where both
 * hold it, and shows what the lexical index alone holds as a chunk without content, so that `verify` sees either drift.
 */
export function withLexicalIndex(store: VectorStore, lexical: VectorStore): VectorStore {
  if (lexical.capabilities.lexical !== 'bm25') {
    throw new RAGError(
      'INTERNAL',
      `The store "${lexical.name}" cannot be a lexical index: it does not rank by BM25.`,
    );
  }
  const { filterOperators } = lexical.capabilities;
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
      const collection = await store.open(spec);
      return new CollectionWithLexicalIndex(collection, await lexical.open(lexicalSpec(spec)), lexical.name);
    },
    describe: async (name) => {
      const spec = await store.describe(name);
      return spec !== undefined && (await lexical.describe(name)) !== undefined ? spec : undefined;
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

const lexicalSpec = ({ name }: CollectionSpec): CollectionSpec => ({
  name,
  dimensions: 1,
  fingerprint: NO_MODEL,
});

class CollectionWithLexicalIndex implements VectorCollection {
  readonly #main: VectorCollection;
  readonly #lexical: VectorCollection;
  readonly #lexicalName: string;

  constructor(main: VectorCollection, lexical: VectorCollection, lexicalName: string) {
    this.#main = main;
    this.#lexical = lexical;
    this.#lexicalName = lexicalName;
  }

  get spec(): CollectionSpec {
    return this.#main.spec;
  }

  async upsert(records: readonly ChunkRecord[], signal?: AbortSignal): Promise<void> {
    // The main store checks records before it writes, but after the lexical index would have taken them.
    for (const { vector } of records) this.#assertDimensions(vector);
    await this.#lexical.upsert(
      records.map((record) => ({ ...record, vector: NO_VECTOR })),
      signal,
    );
    await this.#main.upsert(records, signal);
  }

  #assertDimensions(vector: Float32Array): void {
    const { dimensions, name } = this.spec;
    if (vector.length === dimensions) return;
    throw new RAGError(
      'STORE_DIMENSION_MISMATCH',
      `A chunk has a vector of ${vector.length} dimensions; collection "${name}" holds ${dimensions}.`,
      { details: { expected: dimensions, actual: vector.length } },
    );
  }

  get(...parameters: Parameters<VectorCollection['get']>): Promise<StoredChunk[]> {
    return this.#main.get(...parameters);
  }

  async delete(filter: Filter, signal?: AbortSignal): Promise<number> {
    await this.#lexical.delete(filter, signal);
    return this.#main.delete(filter, signal);
  }

  count(filter: Filter, signal?: AbortSignal): Promise<number> {
    return this.#main.count(filter, signal);
  }

  searchVector(query: VectorQuery): Promise<ScoredChunk[]> {
    return this.#main.searchVector(query);
  }

  async searchText(query: TextQuery): Promise<ScoredChunk[]> {
    const { includeVectors = false, ...rest } = query;
    const found = (await this.#lexical.searchText?.(rest)) ?? [];
    return includeVectors ? this.#withVectors(found, query.signal) : found;
  }

  async #withVectors(found: readonly ScoredChunk[], signal: AbortSignal | undefined): Promise<ScoredChunk[]> {
    const chunks = await this.#main.get(
      found.map(({ chunk }) => chunk.id),
      { includeVectors: true, ...(signal === undefined ? {} : { signal }) },
    );
    const byId = new Map(chunks.map((chunk) => [chunk.id, chunk]));
    return found.flatMap(({ chunk, score }) => {
      const stored = byId.get(chunk.id);
      return stored === undefined ? [] : [{ chunk: stored, score }];
    });
  }

  async list({ filter, limit, cursor, signal }: ListQuery): Promise<ListPage> {
    const query = { filter, limit, ...(signal === undefined ? {} : { signal }) };
    const after = cursor === undefined ? NO_CURSOR : (JSON.parse(cursor) as ListCursor);
    const [main, lexical] = await Promise.all([
      this.#main.list({ ...query, ...(after.main === undefined ? {} : { cursor: after.main }) }),
      this.#lexical.list({ ...query, ...(after.lexical === undefined ? {} : { cursor: after.lexical }) }),
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
    const all = await this.#compareAll(filter, signal);
    const { last } = after;
    return { chunks: last === undefined ? all : all.filter(({ id }) => compareText(id, last) > 0) };
  }

  async #compareAll(filter: Filter, signal: AbortSignal | undefined): Promise<StoredChunk[]> {
    const [main, lexical] = await Promise.all([
      listAll(this.#main, { filter, signal }),
      listAll(this.#lexical, { filter, signal }),
    ]);
    const ofMain = new Map(main.map((chunk) => [chunk.id, chunk]));
    return lexical
      .map((chunk) => ofMain.get(chunk.id) ?? { ...chunk, content: '' })
      .sort((a, b) => compareText(a.id, b.id));
  }

  async optimize(signal?: AbortSignal): Promise<void> {
    await Promise.all([this.#lexical.optimize(signal), this.#main.optimize(signal)]);
  }

  async stats(): Promise<CollectionStats> {
    const [main, lexical] = await Promise.all([this.#main.stats(), this.#lexical.stats()]);
    const bytes = (main.bytes ?? 0) + (lexical.bytes ?? 0);
    return {
      ...main,
      ...(main.bytes === undefined ? {} : { bytes }),
      textIndex: `${lexical.textIndex}, in ${addedIndex(this.#lexicalName)}`,
    };
  }
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
