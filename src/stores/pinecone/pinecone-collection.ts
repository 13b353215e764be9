import type { ChunkRecord, ScoredChunk, StoredChunk } from '../../core/chunk.js';
import { compareText, EVERYTHING, type Filter } from '../../core/filter.js';
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
import {
  HAS_NO_VECTOR,
  HAS_VECTOR,
  type MetadataFilter,
  toFilter,
  withFact,
  withIds,
} from './metadata-filter.js';
import type { NamespaceRequests, ReadOptions } from './namespace-requests.js';

/** Hits asked for beyond topK, so that a tie at the end is usually seen whole at once. */
const TIE_MARGIN = 16;
/** The most that one query gives (https://docs.pinecone.io/reference/api/database-limits/operation-limits). */
export const MAX_WINDOW = 10_000;
/** Ids in one condition. */
const IDS_PER_FILTER = 500;

/** One namespace of a Pinecone index. Each chunk is written whole or not at all. */
export class PineconeCollection implements VectorCollection {
  readonly spec: CollectionSpec;
  readonly #requests: NamespaceRequests;
  readonly #maxTopK: number;
  /** The ids of the list that is being paged through, so that a page need not fetch and sort them all again. */
  #paging: { readonly filter: string; readonly cursor: string; readonly ids: readonly string[] } | undefined;

  constructor(spec: CollectionSpec, requests: NamespaceRequests, maxTopK: number) {
    this.spec = spec;
    this.#requests = requests;
    this.#maxTopK = maxTopK;
  }

  async upsert(records: readonly ChunkRecord[], signal?: AbortSignal): Promise<void> {
    this.#requests.begin(signal);
    assertRecords(this.spec, records);
    if (records.length > 0) await this.#requests.write(lastRecordById(records), signal);
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
    const where = toFilter(await this.#compile(filter, signal));
    return where === undefined ? 0 : this.#requests.delete(where, signal);
  }

  async list({ filter, limit, cursor, signal }: ListQuery): Promise<ListPage> {
    assertCount('limit', limit, Number.MAX_SAFE_INTEGER);
    const condition = await this.#compile(filter, signal);
    const key = JSON.stringify(filter);
    const paging = this.#paging;
    const isNextPage = paging !== undefined && paging.cursor === cursor && paging.filter === key;
    const ids = isNextPage ? paging.ids : await this.#idsAfter(cursor, condition, signal);
    const chunks: StoredChunk[] = [];
    let next = 0;
    // What was deleted since the ids were read leaves gaps, which the following ids fill.
    while (chunks.length < limit && next < ids.length) {
      const wanted = ids.slice(next, next + Math.min(limit - chunks.length, IDS_PER_FILTER));
      chunks.push(...(await this.#matchesOf(wanted, condition, { signal })));
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
    const condition = await this.#compile(filter, signal);
    const where = toFilter(condition);
    if (where === undefined) return 0;
    return condition === true ? this.#requests.countAll({ signal }) : this.#requests.count(where, { signal });
  }

  async searchVector(query: VectorQuery): Promise<ScoredChunk[]> {
    const { topK, vector, filter, signal } = query;
    this.#requests.begin(signal);
    assertFilter(filter);
    assertCount('topK', topK, this.#maxTopK);
    assertQueryVector(this.spec, vector);
    const condition = await this.#compile(filter, signal);
    const where = toFilter(condition);
    if (where === undefined) return [];
    if (isZero(vector)) return this.#zeroScored(condition, query);
    const hits = await this.#nearest(where, { ...query, vector: unitVector(vector) });
    // Chunks without a vector score 0: where they could be among the best, they are looked for.
    if (hits.length >= topK && (hits.at(-1)?.score ?? 0) > 0) return hits;
    const others: ScoredChunk[] = [];
    for await (const chunks of this.#requests.chunks(withFact(where, HAS_NO_VECTOR), query))
      others.push(...chunks.map((chunk) => ({ chunk, score: 0 })));
    return [...hits, ...others].sort(byScoreThenId).slice(0, topK);
  }

  /** The service indexes by itself; this waits until what was written is seen by everybody. */
  async optimize(signal?: AbortSignal): Promise<void> {
    this.#requests.begin(signal);
    await this.#requests.settle(signal);
  }

  async stats(): Promise<CollectionStats> {
    return {
      chunks: await this.count(EVERYTHING),
      vectorIndex: "Pinecone's own, approximate",
      textIndex: 'none',
    };
  }

  async #compile(filter: Filter, signal: AbortSignal | undefined): Promise<Condition> {
    this.#requests.begin(signal);
    assertFilter(filter);
    return compileFilter(filter, (about, field) => this.#textsOf(about, field, signal));
  }

  async #textsOf(about: Condition, field: string, signal: AbortSignal | undefined): Promise<string[]> {
    const where = toFilter(about);
    if (where === undefined) return [];
    const texts = new Set<string>();
    for await (const chunks of this.#requests.chunks(where, { signal }))
      for (const chunk of chunks) {
        const value = fieldLookup(chunk)(field);
        if (typeof value === 'string') texts.add(value);
      }
    return [...texts];
  }

  async #idsAfter(
    cursor: string | undefined,
    condition: Condition,
    signal: AbortSignal | undefined,
  ): Promise<readonly string[]> {
    const where = toFilter(condition);
    if (where === undefined) return [];
    const ids: string[] = [];
    for await (const chunks of this.#requests.chunks(where, { signal }))
      ids.push(...chunks.map(({ id }) => id));
    const sorted = ids.sort(compareText);
    return cursor === undefined ? sorted : sorted.filter((id) => compareText(id, cursor) > 0);
  }

  /** Of these chunks those that match, in their order. */
  async #matchesOf(
    ids: readonly string[],
    condition: Condition,
    options: ReadOptions,
  ): Promise<StoredChunk[]> {
    const found = new Map<string, StoredChunk>();
    for (let start = 0; start < ids.length; start += IDS_PER_FILTER) {
      const where = withIds(condition, ids.slice(start, start + IDS_PER_FILTER));
      if (where === undefined) continue;
      for await (const chunks of this.#requests.chunks(where, options))
        for (const chunk of chunks) found.set(chunk.id, chunk);
    }
    return ids.flatMap((id) => found.get(id) ?? []);
  }

  /** A zero query is equally far from everything, so the first ids are the best. */
  async #zeroScored(condition: Condition, query: VectorQuery): Promise<ScoredChunk[]> {
    const ids = (await this.#idsAfter(undefined, condition, query.signal)).slice(0, query.topK);
    return (await this.#matchesOf(ids, condition, query)).map((chunk) => ({ chunk, score: 0 }));
  }

  /** The best topK with ties by id: the service cuts among equals at will, so the tie at the end is found whole first. */
  async #nearest(where: MetadataFilter, query: VectorQuery): Promise<ScoredChunk[]> {
    const { vector, topK, filter } = query;
    for (let limit = topK + TIE_MARGIN; ; limit *= 2) {
      const window = Math.min(limit, MAX_WINDOW);
      const search = { vector, limit: window };
      const found = await this.#requests.nearest(withFact(where, HAS_VECTOR), search, query);
      const hits = found
        .map(({ id, score }) => ({ id, score: Math.max(-1, Math.min(1, score)) }))
        .sort((a, b) => b.score - a.score);
      const lastScore = hits[topK - 1]?.score;
      const isTieCut = hits.length === window && lastScore === hits.at(-1)?.score;
      if (isTieCut && window < MAX_WINDOW) continue;
      // Rows are named by hashes where ids are unusual, so that a tie is put in order when its chunks are read.
      const wanted = hits.filter(({ score }) => lastScore === undefined || score >= lastScore);
      const scored = await this.#requests.chunksOfHits(wanted, filter, query);
      return scored.sort(byScoreThenId).slice(0, topK);
    }
  }
}

const byScoreThenId = (a: ScoredChunk, b: ScoredChunk): number =>
  b.score - a.score || compareText(a.chunk.id, b.chunk.id);
