import type { ChunkRecord, ScoredChunk, StoredChunk } from '../../core/chunk.js';
import { RAGError } from '../../core/errors.js';
import { eq, type Filter } from '../../core/filter.js';
import { slicesOf } from '../batches.js';
import { withWholeTie } from '../best-hits.js';
import { CHUNKS_PER_REQUEST, orderedPage, type PageQuery, type ReadOptions } from '../id-pages.js';
import { termWeights } from '../query-terms.js';
import type { ServerChunks } from '../server-collection.js';
import type { CollectionStats, ListPage, TextQuery, VectorQuery } from '../vector-store.js';
import { bm25Query } from './bm25-query.js';
import type { BulkOperation } from './bulk-writer.js';
import { assertIds, chunkFields, cosineTo, documentId, documentOf, unitVector } from './chunk-document.js';
import { type CollectionDescription, ID } from './collection-index.js';
import type { CollectionRequests, DocumentVersion } from './collection-requests.js';
import type { Dialect } from './dialect.js';
import { ZERO_VECTOR_KEY } from './facet-keys.js';
import { bothOf, compileFilter, FACETS, MATCH_ALL, type Query } from './filter-query.js';

/** Servers give at most this many hits at once (`index.max_result_window`), and visit at most as many candidates. */
const MAX_WINDOW = 10_000;
/** Versions fetched at once by `delete`, which are small. */
const VERSIONS_PER_REQUEST = 5_000;
/** Distinct words of one query: each costs a filter for every frequency that there is. */
const MAX_QUERY_TERMS = 1_000;
const DELETE_ATTEMPTS = 10;

const OK = 200;
const CREATED = 201;
const NOT_FOUND = 404;
const CONFLICT = 409;
const WRITTEN: ReadonlySet<number> = new Set([OK, CREATED]);
const DELETED: ReadonlySet<number> = new Set([OK, NOT_FOUND, CONFLICT]);

const BY_ID = [{ [ID]: 'asc' }];

/** One index of the server. Writes are refreshed, so that the next read of anyone sees them; each document is atomic. */
export class IndexedChunks implements ServerChunks<Query> {
  readonly #description: CollectionDescription;
  readonly #requests: CollectionRequests;
  readonly #dialect: Dialect;
  readonly #candidates: number;

  /** @param candidates nodes that a graph search visits at least */
  constructor(
    description: CollectionDescription,
    parts: { readonly requests: CollectionRequests; readonly dialect: Dialect },
    candidates: number,
  ) {
    this.#description = description;
    this.#requests = parts.requests;
    this.#dialect = parts.dialect;
    this.#candidates = candidates;
  }

  async compile(filter: Filter): Promise<Query> {
    return compileFilter(filter);
  }

  async write(records: readonly ChunkRecord[], signal: AbortSignal | undefined): Promise<void> {
    assertIds(records);
    const writing = { action: 'write chunks', expected: WRITTEN, isIdempotent: true, signal };
    await this.#requests.write(indexOperations(records), writing);
    await this.#requests.refresh(signal);
  }

  async byIds(ids: readonly string[], { includeVectors, signal }: ReadOptions): Promise<StoredChunk[]> {
    const found: StoredChunk[] = [];
    for (const some of slicesOf(ids.map(documentId), CHUNKS_PER_REQUEST))
      found.push(...(await this.#requests.get(some, chunkFields(includeVectors), signal)));
    return found;
  }

  async delete(query: Query, signal: AbortSignal | undefined): Promise<number> {
    let deleted = 0;
    for (let attempt = 1; ; attempt++) {
      const outcome = await this.#deleteOnce(query, signal);
      deleted += outcome.deleted;
      if (outcome.conflicts === 0) return deleted;
      if (attempt === DELETE_ATTEMPTS)
        throw new RAGError(
          'STORE_UNAVAILABLE',
          `${outcome.conflicts} chunks of collection "${this.#name}" were rewritten again and again while they were deleted. Try again.`,
        );
    }
  }

  count(query: Query, signal: AbortSignal | undefined): Promise<number> {
    return this.#requests.count(query, signal);
  }

  page(query: Query, { includeVectors, signal, ...page }: PageQuery): Promise<ListPage> {
    return orderedPage(page, async (after, size) => {
      const body = {
        query,
        size,
        sort: BY_ID,
        _source: chunkFields(includeVectors),
        ...(after === undefined ? {} : { search_after: [after] }),
      };
      const hits = await this.#requests.search(body, 'list chunks', signal);
      return hits.map(({ chunk }) => chunk);
    });
  }

  nearest(filter: Query, query: VectorQuery): Promise<ScoredChunk[]> {
    const vector = unitVector(query.vector) ?? [];
    return withWholeTie({ topK: query.topK, maxHits: MAX_WINDOW }, (limit) =>
      this.#nearestFew(vector, filter, { query, limit }),
    );
  }

  withoutDirection(query: Query): Query {
    return bothOf(query, { term: { [FACETS]: ZERO_VECTOR_KEY } });
  }

  async searchText(filter: Query, query: TextQuery): Promise<ScoredChunk[]> {
    const terms = [...termWeights(query)].filter(([term]) => term !== '' && !term.includes(' '));
    if (terms.length === 0) return [];
    if (terms.length > MAX_QUERY_TERMS)
      throw new RAGError(
        'QUERY_INVALID',
        `A query may have at most ${MAX_QUERY_TERMS} distinct words for ${this.#dialect.title}, not ${terms.length}.`,
      );
    const counted = query.tenant === undefined ? MATCH_ALL : compileFilter(eq('$tenant', query.tenant));
    const words = terms.map(([term]) => term);
    const statistics = await this.#requests.statistics(words, counted, query.signal);
    if (words.every((term) => statistics.chunksWith.get(term) === 0)) return [];
    return this.#requests.search(
      {
        query: bm25Query(new Map(terms), statistics, filter),
        size: query.topK,
        sort: [{ _score: 'desc' }, ...BY_ID],
        _source: chunkFields(query.includeVectors),
      },
      'search text',
      query.signal,
    );
  }

  async optimize(signal: AbortSignal | undefined): Promise<void> {
    await this.#requests.merge(signal);
    await this.#requests.refresh(signal);
  }

  async indexes(): Promise<Omit<CollectionStats, 'chunks'>> {
    const vectorIndex =
      this.#description.vectorIndex === 'flat'
        ? 'flat scan, exact'
        : `HNSW (m=16, ef_construction=64), at least ${this.#candidates} candidates`;
    const bytes = await this.#requests.bytes();
    return { bytes, vectorIndex, textIndex: 'inverted index with exact BM25' };
  }

  get #name(): string {
    return this.#description.spec.name;
  }

  /**
   * Deletes the versions that the query admits now. What another writer replaces meanwhile is a conflict, to be looked at
   * again: its new version may not match. Searching and deleting, because not every server can delete by query, and those
   * that can do no more than this.
   */
  async #deleteOnce(
    query: Query,
    signal: AbortSignal | undefined,
  ): Promise<{ readonly deleted: number; readonly conflicts: number }> {
    const outcome = { deleted: 0, conflicts: 0 };
    const deleting = { action: 'delete chunks', expected: DELETED, isIdempotent: false, signal };
    let page: DocumentVersion[] = [];
    do {
      const last = page.at(-1);
      const after = last === undefined ? {} : { search_after: last.sort };
      const body = { query, sort: BY_ID, size: VERSIONS_PER_REQUEST, ...after };
      page = await this.#requests.versions(body, 'find chunks to delete', signal);
      const statuses = await this.#requests.write(deleteOperations(page), deleting);
      outcome.deleted += statuses.filter((status) => status === OK).length;
      outcome.conflicts += statuses.filter((status) => status === CONFLICT).length;
    } while (page.length === VERSIONS_PER_REQUEST);
    await this.#requests.refresh(signal);
    return outcome;
  }

  async #nearestFew(
    vector: readonly number[],
    filter: Query,
    { query, limit }: { readonly query: VectorQuery; readonly limit: number },
  ): Promise<ScoredChunk[]> {
    const kind = this.#description.vectorIndex;
    const candidates = Math.min(Math.max(this.#candidates, limit * 2), MAX_WINDOW);
    const cosineOf = this.#dialect.cosineOf(kind);
    const body = {
      ...this.#dialect.nearest({ vector, limit, candidates, filter, kind }),
      size: limit,
      _source: chunkFields(query.includeVectors === true || cosineOf === undefined),
    };
    const hits = await this.#requests.search(body, 'search vectors', query.signal);
    return cosineOf === undefined
      ? hits.map(({ chunk }) => scoredByVector(chunk, vector, query.includeVectors))
      : hits.map(({ chunk, score }) => ({ chunk, score: cosineOf(score) }));
  }
}

function scoredByVector(
  { vector: stored, ...chunk }: StoredChunk,
  unit: readonly number[],
  includeVector: boolean | undefined,
): ScoredChunk {
  const score = stored === undefined ? 0 : cosineTo(unit, stored);
  return {
    chunk: includeVector === true && stored !== undefined ? { ...chunk, vector: stored } : chunk,
    score,
  };
}

function* indexOperations(records: readonly ChunkRecord[]): Generator<BulkOperation> {
  for (const record of records)
    yield {
      action: JSON.stringify({ index: { _id: documentId(record.id) } }),
      document: documentOf(record),
    };
}

function* deleteOperations(versions: readonly DocumentVersion[]): Generator<BulkOperation> {
  for (const { _id, _seq_no, _primary_term } of versions)
    yield { action: JSON.stringify({ delete: { _id, if_seq_no: _seq_no, if_primary_term: _primary_term } }) };
}
