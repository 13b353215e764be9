import type { Schemas } from '@qdrant/js-client-rest';
import type { ChunkRecord, ScoredChunk, StoredChunk } from '../../core/chunk.js';
import { compareText, type Filter } from '../../core/filter.js';
import { compileFilter } from '../compile-filter.js';
import type { Condition } from '../filter-condition.js';
import { fieldLookup } from '../record-fields.js';
import {
  assertCount,
  assertFilter,
  assertQueryVector,
  assertRecords,
  lastRecordById,
} from '../store-checks.js';
import { isZero, unitVector } from '../unit-vector.js';
import type {
  CollectionSpec,
  CollectionStats,
  ListPage,
  ListQuery,
  VectorCollection,
  VectorQuery,
} from '../vector-store.js';
import type { CollectionRequests } from './collection-requests.js';
import { bothOf, hasIds, toFilter } from './point-filter.js';

/** Hits asked for beyond topK, so that a tie at the end is usually seen whole at once. */
const TIE_MARGIN = 16;
/** Ids in one condition. */
const IDS_PER_FILTER = 500;

export interface QdrantCollectionOptions {
  readonly maxTopK: number;
  readonly efSearch: number;
  /** In words, for `stats`. */
  readonly describeIndex: () => Promise<string>;
}

/** One collection on a Qdrant server. Each chunk is written whole or not at all. */
export class QdrantCollection implements VectorCollection {
  readonly spec: CollectionSpec;
  readonly #requests: CollectionRequests;
  readonly #options: QdrantCollectionOptions;
  /** The ids of the list that is being paged through, so that a page need not fetch and sort them all again. */
  #paging: { readonly filter: string; readonly cursor: string; readonly ids: readonly string[] } | undefined;

  constructor(spec: CollectionSpec, requests: CollectionRequests, options: QdrantCollectionOptions) {
    this.spec = spec;
    this.#requests = requests;
    this.#options = options;
  }

  async upsert(records: readonly ChunkRecord[], signal?: AbortSignal): Promise<void> {
    this.#requests.begin(signal);
    assertRecords(this.spec, records);
    await this.#requests.write(lastRecordById(records), signal);
  }

  async get(
    ids: readonly string[],
    options: { includeVectors?: boolean; signal?: AbortSignal } = {},
  ): Promise<StoredChunk[]> {
    this.#requests.begin(options.signal);
    const chunks = await this.#requests.byIds([...new Set(ids)], options);
    const byId = new Map(chunks.map((chunk) => [chunk.id, chunk]));
    return ids.flatMap((id) => byId.get(id) ?? []);
  }

  async delete(filter: Filter, signal?: AbortSignal): Promise<number> {
    const where = await this.#compile(filter, signal);
    if (where === false) return 0;
    // The server does not tell how much it deletes.
    const doomed = await this.#requests.count(where.filter, signal);
    if (doomed > 0) await this.#requests.delete(where.filter, signal);
    return doomed;
  }

  async list({ filter, limit, cursor, signal }: ListQuery): Promise<ListPage> {
    assertCount('limit', limit, Number.MAX_SAFE_INTEGER);
    const where = await this.#compile(filter, signal);
    if (where === false) return { chunks: [] };
    const key = JSON.stringify(filter);
    const paging = this.#paging;
    const isNextPage = paging !== undefined && paging.cursor === cursor && paging.filter === key;
    const ids = isNextPage ? paging.ids : await this.#idsAfter(cursor, where, signal);
    const chunks: StoredChunk[] = [];
    let next = 0;
    // What was deleted since the ids were read leaves gaps, which the following ids fill.
    while (chunks.length < limit && next < ids.length) {
      const wanted = ids.slice(next, next + Math.min(limit - chunks.length, IDS_PER_FILTER));
      chunks.push(...(await this.#matchesOf(wanted, where, { signal })));
      next += wanted.length;
    }
    const last = chunks.at(-1);
    if (next >= ids.length || last === undefined) {
      this.#paging = undefined;
      return { chunks };
    }
    this.#paging = { filter: key, cursor: last.id, ids: ids.slice(next) };
    return { chunks, cursor: last.id };
  }

  async count(filter: Filter, signal?: AbortSignal): Promise<number> {
    const where = await this.#compile(filter, signal);
    return where === false ? 0 : this.#requests.count(where.filter, signal);
  }

  async searchVector(query: VectorQuery): Promise<ScoredChunk[]> {
    const { topK, vector, filter, signal } = query;
    this.#requests.begin(signal);
    assertFilter(filter);
    assertCount('topK', topK, this.#options.maxTopK);
    assertQueryVector(this.spec, vector);
    const where = await this.#compile(filter, signal);
    if (where === false) return [];
    return isZero(vector)
      ? this.#zeroScored(where, query)
      : this.#nearest(where, { ...query, vector: unitVector(vector) });
  }

  async optimize(signal?: AbortSignal): Promise<void> {
    // The server brings its indexes up to date and compacts by itself.
    this.#requests.begin(signal);
  }

  async stats(): Promise<CollectionStats> {
    this.#requests.begin();
    return {
      chunks: await this.#requests.count(undefined, undefined),
      vectorIndex: await this.#options.describeIndex(),
      textIndex: 'none',
    };
  }

  /** The filter as the server takes it; false where nothing can pass. */
  async #compile(filter: Filter, signal: AbortSignal | undefined): Promise<Where | false> {
    this.#requests.begin(signal);
    assertFilter(filter);
    const condition = await compileFilter(filter, (about, field) => this.#textsOf(about, field, signal));
    if (typeof condition === 'boolean') return condition && {};
    return { filter: toFilter(condition, this.#requests.limits.values) };
  }

  async #textsOf(about: Condition, field: string, signal: AbortSignal | undefined): Promise<string[]> {
    if (typeof about === 'boolean') return [];
    const texts = new Set<string>();
    const where = toFilter(about, this.#requests.limits.values);
    for await (const chunks of this.#requests.chunks(where, { signal }))
      for (const chunk of chunks) {
        const value = fieldLookup(chunk)(field);
        if (typeof value === 'string') texts.add(value);
      }
    return [...texts];
  }

  async #idsAfter(
    cursor: string | undefined,
    where: Where,
    signal: AbortSignal | undefined,
  ): Promise<readonly string[]> {
    const ids = (await this.#requests.ids(where.filter, signal)).sort(compareText);
    return cursor === undefined ? ids : ids.filter((id) => compareText(id, cursor) > 0);
  }

  /** Of these chunks those that match, in their order. */
  async #matchesOf(
    ids: readonly string[],
    where: Where,
    options: { readonly includeVectors?: boolean | undefined; readonly signal?: AbortSignal | undefined },
  ): Promise<StoredChunk[]> {
    const found = new Map<string, StoredChunk>();
    for (let start = 0; start < ids.length; start += IDS_PER_FILTER) {
      const filter = bothOf(where.filter, hasIds(ids.slice(start, start + IDS_PER_FILTER)));
      for await (const chunks of this.#requests.chunks(filter, options))
        for (const chunk of chunks) found.set(chunk.id, chunk);
    }
    return ids.flatMap((id) => found.get(id) ?? []);
  }

  /** A zero query is equally far from everything, so the first ids are the best. */
  async #zeroScored(where: Where, query: VectorQuery): Promise<ScoredChunk[]> {
    const ids = (await this.#idsAfter(undefined, where, query.signal)).slice(0, query.topK);
    return (await this.#matchesOf(ids, where, query)).map((chunk) => ({ chunk, score: 0 }));
  }

  /**
   * The best topK with ties by id. The server cuts among equals at will, so the tie at the end is fetched whole first; where
   * its graph finds fewer than there are, which a filter that few pass can do, all are compared.
   */
  async #nearest(where: Where, query: VectorQuery): Promise<ScoredChunk[]> {
    const { vector, topK, signal } = query;
    const { efSearch } = this.#options;
    const { limits } = this.#requests;
    let isExact = false;
    for (let limit = topK + TIE_MARGIN; ; ) {
      const window = Math.min(limit, limits.hits);
      const search = { vector, limit: window, efSearch, isExact };
      const found = await this.#requests.nearest(where.filter, search, query);
      const hits = found.map(({ chunk, score }) => ({ chunk, score: clamp(score) })).sort(byScoreThenId);
      if (hits.length < window) {
        const isWhole =
          isExact || !limits.allowsExact || (await this.#requests.count(where.filter, signal)) <= hits.length;
        if (isWhole) return hits.slice(0, topK);
        isExact = true;
      } else if (hits[topK - 1]?.score !== hits.at(-1)?.score || window < limit) return hits.slice(0, topK);
      else limit *= 2;
    }
  }
}

/** A filter of the server; without one everything passes. */
interface Where {
  readonly filter?: Schemas['Filter'];
}

const clamp = (score: number): number => Math.max(-1, Math.min(1, score));

const byScoreThenId = (a: ScoredChunk, b: ScoredChunk): number =>
  b.score - a.score || compareText(a.chunk.id, b.chunk.id);
