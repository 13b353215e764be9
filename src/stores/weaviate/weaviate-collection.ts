import type { ChunkRecord, ScoredChunk, StoredChunk } from '../../core/chunk.js';
import { compareText, EVERYTHING, type Filter, oneOf } from '../../core/filter.js';
import {
  assertCount,
  assertFilter,
  assertQueryVector,
  assertRecords,
  lastRecordById,
} from '../store-checks.js';
import { unitVector } from '../unit-vector.js';
import type {
  CollectionSpec,
  CollectionStats,
  ListPage,
  ListQuery,
  VectorCollection,
  VectorQuery,
} from '../vector-store.js';
import type { ClassRequests, Place } from './class-requests.js';
import { shardOf } from './weaviate-names.js';
import { compileFilter, tenantsOf } from './where-filter.js';

/** Servers give at most this many hits at once (`QUERY_MAXIMUM_RESULTS`). */
const MAX_WINDOW = 10_000;
/** Chunks fetched at once, which may be large. */
const CHUNKS_PER_REQUEST = 500;
/** Hits asked for beyond topK, so that a tie at the end is usually seen whole at once. */
const TIE_MARGIN = 16;
/** Shards asked at the same time, where a filter names no tenant. */
const PARALLEL_SHARDS = 8;

export interface WeaviateCollectionOptions {
  readonly maxTopK: number;
  /** In words, for `stats`. */
  readonly vectorIndex: string;
}

/** One class of the server, with a shard for each tenant. Each chunk is written whole or not at all. */
export class WeaviateCollection implements VectorCollection {
  readonly spec: CollectionSpec;
  readonly #requests: ClassRequests;
  readonly #options: WeaviateCollectionOptions;

  constructor(spec: CollectionSpec, requests: ClassRequests, options: WeaviateCollectionOptions) {
    this.spec = spec;
    this.#requests = requests;
    this.#options = options;
  }

  async upsert(records: readonly ChunkRecord[], signal?: AbortSignal): Promise<void> {
    this.#requests.begin(signal);
    assertRecords(this.spec, records);
    if (records.length === 0) return;
    // Before writing: the server makes a class by itself where there is none (any more), and this is refused then.
    const before = await this.#requests.shards(signal);
    const latest = lastRecordById(records);
    await this.#requests.write(latest, signal);
    await this.#deleteElsewhere(latest, { shards: before.map(({ name }) => name), signal });
  }

  async get(
    ids: readonly string[],
    { includeVectors, signal }: { includeVectors?: boolean; signal?: AbortSignal } = {},
  ): Promise<StoredChunk[]> {
    this.#requests.begin(signal);
    const wanted = [...new Set(ids)];
    const found = new Map<string, StoredChunk>();
    for (let start = 0; start < wanted.length; start += CHUNKS_PER_REQUEST) {
      const page = wanted.slice(start, start + CHUNKS_PER_REQUEST);
      const places = await this.#placesOf(oneOf('$chunkId', page), signal);
      const chunks = await inShards(places, (place) =>
        this.#requests.inIdOrder(place, { limit: page.length, includeVectors, signal }),
      );
      for (const chunk of chunks.flat()) found.set(chunk.id, chunk);
    }
    return ids.flatMap((id) => found.get(id) ?? []);
  }

  async delete(filter: Filter, signal?: AbortSignal): Promise<number> {
    this.#requests.begin(signal);
    assertFilter(filter);
    const places = await this.#placesOf(filter, signal);
    return sum(await inShards(places, (place) => this.#requests.delete(place, signal)));
  }

  async list({ filter, limit, cursor, signal }: ListQuery): Promise<ListPage> {
    this.#requests.begin(signal);
    assertFilter(filter);
    assertCount('limit', limit, Number.MAX_SAFE_INTEGER);
    const places = await this.#placesOf(filter, signal);
    const chunks: StoredChunk[] = [];
    let after = cursor;
    while (chunks.length <= limit) {
      const size = Math.min(limit + 1 - chunks.length, CHUNKS_PER_REQUEST);
      const page = await this.#inIdOrder(places, { limit: size, after, signal });
      chunks.push(...page);
      after = page.at(-1)?.id;
      if (page.length < size) return { chunks };
    }
    const last = chunks[limit - 1];
    return { chunks: chunks.slice(0, limit), ...(last === undefined ? {} : { cursor: last.id }) };
  }

  async count(filter: Filter, signal?: AbortSignal): Promise<number> {
    this.#requests.begin(signal);
    assertFilter(filter);
    const places = await this.#placesOf(filter, signal);
    return sum(await inShards(places, (place) => this.#requests.count(place, signal)));
  }

  async searchVector(query: VectorQuery): Promise<ScoredChunk[]> {
    const { filter, topK, signal, vector } = query;
    this.#requests.begin(signal);
    assertFilter(filter);
    assertCount('topK', topK, this.#options.maxTopK);
    assertQueryVector(this.spec, vector);
    const places = await this.#placesOf(filter, signal);
    // A zero query is equally far from everything, so the first ids are the best.
    if (vector.every((component) => component === 0))
      return (await this.#inIdOrder(places, { ...query, limit: topK })).map((chunk) => ({ chunk, score: 0 }));
    const unit = unitVector(vector);
    const hits = await inShards(places, (place) => this.#nearest(place, { ...query, vector: unit }));
    return hits.flat().sort(byScoreThenId).slice(0, topK);
  }

  async optimize(signal?: AbortSignal): Promise<void> {
    // The server brings its indexes up to date with each write and compacts by itself.
    this.#requests.begin(signal);
  }

  async stats(): Promise<CollectionStats> {
    return {
      chunks: await this.count(EVERYTHING),
      vectorIndex: this.#options.vectorIndex,
      textIndex: 'none',
    };
  }

  /** Where the filter can match. */
  async #placesOf(filter: Filter, signal: AbortSignal | undefined): Promise<Place[]> {
    const shards = tenantsOf(filter)?.map(shardOf) ?? (await this.#requests.shards(signal));
    return shards.flatMap((shard) => {
      const where = compileFilter(filter, shard);
      return where === undefined ? [] : [{ shard, where }];
    });
  }

  /** A chunk whose tenant changed leaves the shard it was in. */
  async #deleteElsewhere(
    records: readonly ChunkRecord[],
    { shards, signal }: { readonly shards: readonly string[]; readonly signal: AbortSignal | undefined },
  ): Promise<void> {
    const shardById = new Map(records.map(({ id, tenant }) => [id, shardOf(tenant).name]));
    const written = new Set(shardById.values());
    const others = shards.filter((name) => written.size > 1 || !written.has(name));
    await inShards(others, async (name) => {
      const ids = [...shardById].flatMap(([id, own]) => (own === name ? [] : [id]));
      const shard = { name, tenant: undefined };
      const where = compileFilter(oneOf('$chunkId', ids), shard);
      if (where !== undefined) await this.#requests.delete({ shard, where }, signal);
    });
  }

  async #inIdOrder(
    places: readonly Place[],
    options: Parameters<ClassRequests['inIdOrder']>[1],
  ): Promise<StoredChunk[]> {
    const pages = await inShards(places, (place) => this.#requests.inIdOrder(place, options));
    const [only] = pages;
    if (only !== undefined && pages.length === 1) return only;
    return pages
      .flat()
      .sort((a, b) => compareText(a.id, b.id))
      .slice(0, options.limit);
  }

  /** The best topK with ties by id: the server cuts among equals at will, so the tie at the end is fetched whole first. */
  async #nearest(place: Place, query: VectorQuery): Promise<ScoredChunk[]> {
    const { vector, topK, includeVectors, signal } = query;
    for (let limit = topK + TIE_MARGIN; ; limit *= 2) {
      const window = Math.min(limit, MAX_WINDOW);
      const found = await this.#requests.nearest(place, vector, { limit: window, includeVectors, signal });
      const hits = found
        .map(({ chunk, distance }) => ({ chunk, score: cosineOf(distance) }))
        .sort(byScoreThenId);
      const isTieCut = hits.length === window && hits[topK - 1]?.score === hits.at(-1)?.score;
      if (!isTieCut || window === MAX_WINDOW) return hits.slice(0, topK);
    }
  }
}

const cosineOf = (distance: number): number => Math.max(-1, Math.min(1, 1 - distance));

const byScoreThenId = (a: ScoredChunk, b: ScoredChunk): number =>
  b.score - a.score || compareText(a.chunk.id, b.chunk.id);

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

async function inShards<T, R>(shards: readonly T[], run: (shard: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let start = 0; start < shards.length; start += PARALLEL_SHARDS)
    results.push(...(await Promise.all(shards.slice(start, start + PARALLEL_SHARDS).map(run))));
  return results;
}
