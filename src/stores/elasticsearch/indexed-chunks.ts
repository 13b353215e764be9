import type { ChunkRecord, ScoredChunk, StoredChunk } from '../../core/chunk.js';
import { RAGError, throwIfAborted } from '../../core/errors.js';
import { compareText, eq, type Filter } from '../../core/filter.js';
import { ofTenant, termWeights } from '../query-terms.js';
import {
  assertCount,
  assertFilter,
  assertQueryVector,
  assertRecords,
  lastRecordById,
} from '../store-checks.js';
import type {
  CollectionSpec,
  CollectionStats,
  ListPage,
  ListQuery,
  TextQuery,
  VectorCollection,
  VectorQuery,
} from '../vector-store.js';
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
/** Chunks fetched at once by `list` and `get`, which may be large. */
const CHUNKS_PER_REQUEST = 500;
/** Versions fetched at once by `delete`, which are small. */
const VERSIONS_PER_REQUEST = 5_000;
/** Hits asked for beyond topK, so that a tie at the end is usually seen whole at once. */
const TIE_MARGIN = 16;
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

export interface ServerCollectionOptions {
  readonly maxTopK: number;
  readonly candidates: number;
}

/** One index of the server. Writes are refreshed, so that the next read of anyone sees them; each document is atomic. */
export class ElasticsearchCollection implements VectorCollection {
  readonly spec: CollectionSpec;
  readonly #description: CollectionDescription;
  readonly #requests: CollectionRequests;
  readonly #dialect: Dialect;
  readonly #options: ServerCollectionOptions;
  #isClosed = false;

  constructor(
    description: CollectionDescription,
    parts: { readonly requests: CollectionRequests; readonly dialect: Dialect },
    options: ServerCollectionOptions,
  ) {
    this.spec = description.spec;
    this.#description = description;
    this.#requests = parts.requests;
    this.#dialect = parts.dialect;
    this.#options = options;
  }

  async upsert(records: readonly ChunkRecord[], signal?: AbortSignal): Promise<void> {
    this.#begin(signal);
    assertRecords(this.spec, records);
    assertIds(records);
    if (records.length === 0) return;
    const writing = { action: 'write chunks', expected: WRITTEN, isIdempotent: true, signal };
    await this.#requests.write(indexOperations(lastRecordById(records)), writing);
    await this.#requests.refresh(signal);
  }

  async get(
    ids: readonly string[],
    options: { includeVectors?: boolean; signal?: AbortSignal } = {},
  ): Promise<StoredChunk[]> {
    this.#begin(options.signal);
    const wanted = [...new Set(ids)].map(documentId);
    const fields = chunkFields(options.includeVectors);
    const found = new Map<string, StoredChunk>();
    for (let start = 0; start < wanted.length; start += CHUNKS_PER_REQUEST) {
      const page = wanted.slice(start, start + CHUNKS_PER_REQUEST);
      for (const chunk of await this.#requests.get(page, fields, options.signal)) found.set(chunk.id, chunk);
    }
    return ids.flatMap((id) => found.get(id) ?? []);
  }

  async delete(filter: Filter, signal?: AbortSignal): Promise<number> {
    this.#begin(signal);
    assertFilter(filter);
    const query = compileFilter(filter);
    let deleted = 0;
    for (let attempt = 1; ; attempt++) {
      const outcome = await this.#deleteOnce(query, signal);
      deleted += outcome.deleted;
      if (outcome.conflicts === 0) return deleted;
      if (attempt === DELETE_ATTEMPTS)
        throw new RAGError(
          'STORE_UNAVAILABLE',
          `${outcome.conflicts} chunks of collection "${this.spec.name}" were rewritten again and again while they were deleted. Try again.`,
        );
    }
  }

  async list({ filter, limit, cursor, signal }: ListQuery): Promise<ListPage> {
    this.#begin(signal);
    assertFilter(filter);
    assertCount('limit', limit, Number.MAX_SAFE_INTEGER);
    const query = compileFilter(filter);
    const chunks: StoredChunk[] = [];
    let after = cursor;
    while (chunks.length <= limit) {
      const size = Math.min(limit + 1 - chunks.length, CHUNKS_PER_REQUEST);
      const page = await this.#inIdOrder({ query, size, signal, ...(after === undefined ? {} : { after }) });
      chunks.push(...page);
      after = page.at(-1)?.id;
      if (page.length < size) return { chunks };
    }
    const last = chunks[limit - 1];
    return { chunks: chunks.slice(0, limit), ...(last === undefined ? {} : { cursor: last.id }) };
  }

  async count(filter: Filter, signal?: AbortSignal): Promise<number> {
    this.#begin(signal);
    assertFilter(filter);
    return this.#requests.count(compileFilter(filter), signal);
  }

  async searchVector(query: VectorQuery): Promise<ScoredChunk[]> {
    this.#beginSearch(query);
    assertQueryVector(this.spec, query.vector);
    const filter = compileFilter(query.filter);
    const direction = unitVector(query.vector);
    if (direction === undefined) return this.#zeroScored(filter, query);
    const hits = await this.#nearest(direction, filter, query);
    // A chunk without a direction scores 0, which matters from the first negative score.
    const lastScore = hits.length < query.topK ? -1 : (hits.at(-1)?.score ?? -1);
    if (lastScore > 0) return hits;
    const zeros = await this.#zeroScored(bothOf(filter, { term: { [FACETS]: ZERO_VECTOR_KEY } }), query);
    return [...hits, ...zeros].sort(byScoreThenId).slice(0, query.topK);
  }

  async searchText(query: TextQuery): Promise<ScoredChunk[]> {
    this.#beginSearch(query);
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
    const hits = await this.#requests.search(
      {
        query: bm25Query(new Map(terms), statistics, compileFilter(ofTenant(query))),
        size: query.topK,
        sort: [{ _score: 'desc' }, ...BY_ID],
        _source: chunkFields(query.includeVectors),
      },
      'search text',
      query.signal,
    );
    return hits.map(({ chunk, score }) => ({ chunk, score }));
  }

  async optimize(signal?: AbortSignal): Promise<void> {
    this.#begin(signal);
    await this.#requests.merge(signal);
    await this.#requests.refresh(signal);
  }

  async stats(): Promise<CollectionStats> {
    this.#begin();
    const [chunks, bytes] = await Promise.all([
      this.#requests.count(MATCH_ALL, undefined),
      this.#requests.bytes(),
    ]);
    const vectorIndex =
      this.#description.vectorIndex === 'flat'
        ? 'flat scan, exact'
        : `HNSW (m=16, ef_construction=64), at least ${this.#options.candidates} candidates`;
    return { chunks, bytes, vectorIndex, textIndex: 'inverted index with exact BM25' };
  }

  /** Every later call is refused. */
  close(): void {
    this.#isClosed = true;
  }

  #begin(signal?: AbortSignal): void {
    throwIfAborted(signal);
    if (this.#isClosed)
      throw new RAGError('STORE_UNAVAILABLE', `Collection "${this.spec.name}" is closed; open it again.`);
  }

  #beginSearch({ topK, filter, signal }: VectorQuery | TextQuery): void {
    this.#begin(signal);
    assertFilter(filter);
    assertCount('topK', topK, this.#options.maxTopK);
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

  #inIdOrder(options: {
    readonly query: Query;
    readonly size: number;
    readonly after?: string;
    readonly includeVectors?: boolean | undefined;
    readonly signal: AbortSignal | undefined;
  }): Promise<StoredChunk[]> {
    const { query, size, after, includeVectors, signal } = options;
    const hits = this.#requests.search(
      {
        query,
        size,
        sort: BY_ID,
        _source: chunkFields(includeVectors),
        ...(after === undefined ? {} : { search_after: [after] }),
      },
      'list chunks',
      signal,
    );
    return hits.then((found) => found.map(({ chunk }) => chunk));
  }

  async #zeroScored(query: Query, { topK, includeVectors, signal }: VectorQuery): Promise<ScoredChunk[]> {
    const chunks = await this.#inIdOrder({ query, size: topK, includeVectors, signal });
    return chunks.map((chunk) => ({ chunk, score: 0 }));
  }

  /** The best topK with ties by id: a graph search cuts among equals at will, so the tie at the end is fetched whole first. */
  async #nearest(vector: readonly number[], filter: Query, query: VectorQuery): Promise<ScoredChunk[]> {
    for (let limit = query.topK + TIE_MARGIN; ; limit *= 2) {
      const hits = await this.#nearestFew(vector, filter, { query, limit: Math.min(limit, MAX_WINDOW) });
      const isTieCut = hits.length === limit && hits[query.topK - 1]?.score === hits.at(-1)?.score;
      if (!isTieCut) return hits.slice(0, query.topK);
    }
  }

  async #nearestFew(
    vector: readonly number[],
    filter: Query,
    { query, limit }: { readonly query: VectorQuery; readonly limit: number },
  ): Promise<ScoredChunk[]> {
    const kind = this.#description.vectorIndex;
    const candidates = Math.min(Math.max(this.#options.candidates, limit * 2), MAX_WINDOW);
    const cosineOf = this.#dialect.cosineOf(kind);
    const body = {
      ...this.#dialect.nearest({ vector, limit, candidates, filter, kind }),
      size: limit,
      _source: chunkFields(query.includeVectors === true || cosineOf === undefined),
    };
    const hits = await this.#requests.search(body, 'search vectors', query.signal);
    const scored =
      cosineOf === undefined
        ? hits.map(({ chunk }) => scoredByVector(chunk, vector, query.includeVectors))
        : hits.map(({ chunk, score }) => ({ chunk, score: cosineOf(score) }));
    return scored.sort(byScoreThenId);
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

const byScoreThenId = (a: ScoredChunk, b: ScoredChunk): number =>
  b.score - a.score || compareText(a.chunk.id, b.chunk.id);
