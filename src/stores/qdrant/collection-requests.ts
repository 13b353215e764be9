import type { Schemas } from '@qdrant/js-client-rest';
import * as z from 'zod';
import type { ChunkRecord, ScoredChunk, StoredChunk } from '../../core/chunk.js';
import type { Filter } from '../../core/filter.js';
import { batchesOf, slicesOf } from '../batches.js';
import { asCosine, withWholeTie } from '../best-hits.js';
import { compileFilter, textsOfChunks } from '../compile-filter.js';
import { CachedOrder, CHUNKS_PER_REQUEST, type PageQuery, type ReadOptions } from '../id-pages.js';
import type { ServerChunks } from '../server-collection.js';
import type { CollectionStats, ListPage, VectorQuery } from '../vector-store.js';
import type { RequestLimits } from './collection-info.js';
import { ANY_POINT, bothOf, hasIds, toFilter } from './point-filter.js';
import { CHUNK_ID, CHUNK_KEYS, chunkIdOf, chunkOf, pointOf } from './point-payload.js';
import type { CallOptions, QdrantConnection } from './qdrant-connection.js';
import { pointId } from './qdrant-names.js';

/** Points and characters of one request; the server takes 32 MB unless told otherwise. */
const MAX_POINTS = 500;
const MAX_CHARACTERS = 8_000_000;
/** Ids, which are short, that one answer holds. */
const IDS_PER_REQUEST = 10_000;
/** Of a cluster: what most replicas hold. A single server answers as it would without. */
const CONSISTENCY = 'majority';

const POINT = z.object({
  payload: z.record(z.string(), z.unknown()).nullish(),
  vector: z.unknown().optional(),
});
const POINTS = z.object({ result: z.array(POINT) });
const SCROLLED = z.object({
  result: z.object({
    points: z.array(POINT),
    next_page_offset: z.union([z.string(), z.int()]).nullish(),
  }),
});
const SCORED = z.object({ result: z.object({ points: z.array(POINT.extend({ score: z.number() })) }) });
const COUNTED = z.object({ result: z.object({ count: z.int() }) });
const DONE = z.object({ result: z.object({ status: z.literal('completed') }) });

export interface RequestOptions {
  readonly limits: RequestLimits;
  readonly efSearch: number;
  /** In words. */
  readonly describeIndex: () => Promise<string>;
}

/** A filter of the server; without one everything passes. */
interface Where {
  readonly filter?: Schemas['Filter'];
}

/** One collection on a Qdrant server. Each chunk is written whole or not at all. */
export class CollectionRequests implements ServerChunks<Where> {
  readonly #connection: QdrantConnection;
  readonly #collectionName: string;
  readonly #name: string;
  readonly #options: RequestOptions;
  readonly #limits: RequestLimits;
  readonly #order = new CachedOrder();

  constructor(
    connection: QdrantConnection,
    names: { readonly collectionName: string; readonly name: string },
    options: RequestOptions,
  ) {
    this.#connection = connection;
    this.#collectionName = names.collectionName;
    this.#name = names.name;
    this.#options = options;
    this.#limits = options.limits;
  }

  async compile(filter: Filter, signal: AbortSignal | undefined): Promise<Where | undefined> {
    const { values } = this.#limits;
    const texts = textsOfChunks((about) => this.#chunks(toFilter(about, values), { signal }));
    const condition = await compileFilter(filter, texts);
    if (typeof condition === 'boolean') return condition ? {} : undefined;
    return { filter: toFilter(condition, values) };
  }

  async write(records: readonly ChunkRecord[], signal: AbortSignal | undefined): Promise<void> {
    const limits = { items: Math.min(MAX_POINTS, this.#limits.records), size: MAX_CHARACTERS };
    for (const batch of batchesOf(records, limits, sizeOf)) {
      const points = batch.map(pointOf);
      await this.#connection.request(DONE, this.#call('write chunks', signal), (api, init) =>
        api.upsertPoints({ collection_name: this.#collectionName, wait: true, points }, init),
      );
    }
  }

  async delete(where: Where, signal: AbortSignal | undefined): Promise<number> {
    // The server does not tell how much it deletes.
    const doomed = await this.count(where, signal);
    if (doomed === 0) return 0;
    const { filter = ANY_POINT } = where;
    await this.#connection.request(DONE, this.#call('delete chunks', signal), (api, init) =>
      api.deletePoints({ collection_name: this.#collectionName, wait: true, filter }, init),
    );
    return doomed;
  }

  async count({ filter }: Where, signal: AbortSignal | undefined): Promise<number> {
    const { result } = await this.#connection.request(
      COUNTED,
      this.#call('count chunks', signal),
      (api, init) => api.countPoints({ ...this.#read(filter), exact: true }, init),
    );
    return result.count;
  }

  page(where: Where, query: PageQuery): Promise<ListPage> {
    return this.#order.page(
      { ...query, key: JSON.stringify(where) },
      () => this.#ids(where.filter, query.signal),
      (ids) => this.#matchesOf(ids, where.filter, query),
    );
  }

  async byIds(
    ids: readonly string[],
    { includeVectors = false, signal }: ReadOptions,
  ): Promise<StoredChunk[]> {
    const chunks: StoredChunk[] = [];
    for (const some of slicesOf(ids, CHUNKS_PER_REQUEST)) {
      const { result } = await this.#connection.request(
        POINTS,
        this.#call('look chunks up', signal),
        (api, init) =>
          api.getPoints(
            {
              collection_name: this.#collectionName,
              consistency: CONSISTENCY,
              ids: some.map(pointId),
              with_payload: [...CHUNK_KEYS],
              with_vector: includeVectors,
            },
            init,
          ),
      );
      chunks.push(...result.map((point) => chunkOf(point, includeVectors)));
    }
    return chunks;
  }

  /** Where the graph of the server finds fewer than there are, which a filter that few pass can do, all are compared. */
  nearest(where: Where, query: VectorQuery): Promise<ScoredChunk[]> {
    const { hits: maxHits, allowsExact } = this.#limits;
    let isExact = false;
    return withWholeTie({ topK: query.topK, maxHits }, async (limit) => {
      const hits = await this.#search(where, query, { limit, isExact });
      if (hits.length >= limit || isExact || !allowsExact) return hits;
      if ((await this.count(where, query.signal)) <= hits.length) return hits;
      isExact = true;
      return this.#search(where, query, { limit, isExact });
    });
  }

  async indexes(): Promise<Omit<CollectionStats, 'chunks'>> {
    return { vectorIndex: await this.#options.describeIndex(), textIndex: 'none' };
  }

  /** Nearest first; ties in no order. */
  async #search(
    { filter }: Where,
    { vector, includeVectors = false, signal }: VectorQuery,
    { limit, isExact }: { readonly limit: number; readonly isExact: boolean },
  ): Promise<ScoredChunk[]> {
    const { efSearch } = this.#options;
    const params = isExact ? { exact: true } : { hnsw_ef: Math.min(efSearch, this.#limits.efSearch) };
    const { result } = await this.#connection.request(
      SCORED,
      this.#call('search vectors', signal),
      (api, init) =>
        api.queryPoints(
          {
            ...this.#read(filter),
            query: Array.from(vector),
            limit,
            params,
            with_payload: [...CHUNK_KEYS],
            with_vector: includeVectors,
          },
          init,
        ),
    );
    return result.points.map(({ score, ...point }) => ({
      chunk: chunkOf(point, includeVectors),
      score: asCosine(score),
    }));
  }
  /** The ids of the chunks that match, in no order. */
  async #ids(
    filter: Schemas['Filter'] | undefined,
    signal: AbortSignal | undefined,
  ): Promise<{ id: string }[]> {
    const ids: { id: string }[] = [];
    const page = { limit: Math.min(IDS_PER_REQUEST, this.#limits.hits), withPayload: [CHUNK_ID] };
    for await (const points of this.#scroll(filter, page, { signal }))
      ids.push(...points.map((point) => ({ id: chunkIdOf(point) })));
    return ids;
  }

  /** The chunks that match, in no order. */
  async *#chunks(filter: Schemas['Filter'], options: ReadOptions): AsyncGenerator<readonly StoredChunk[]> {
    const page = { limit: Math.min(CHUNKS_PER_REQUEST, this.#limits.hits), withPayload: [...CHUNK_KEYS] };
    for await (const points of this.#scroll(filter, page, options))
      yield points.map((point) => chunkOf(point, options.includeVectors === true));
  }

  /** Of these chunks those that match, in their order. */
  async #matchesOf(
    items: readonly { readonly id: string }[],
    filter: Schemas['Filter'] | undefined,
    options: ReadOptions,
  ): Promise<StoredChunk[]> {
    const ids = items.map(({ id }) => id);
    const found = new Map<string, StoredChunk>();
    for (const some of slicesOf(ids, CHUNKS_PER_REQUEST))
      for await (const chunks of this.#chunks(bothOf(filter, hasIds(some)), options))
        for (const chunk of chunks) found.set(chunk.id, chunk);
    return ids.flatMap((id) => found.get(id) ?? []);
  }

  async *#scroll(
    filter: Schemas['Filter'] | undefined,
    { limit, withPayload }: { readonly limit: number; readonly withPayload: string[] },
    { includeVectors = false, signal }: ReadOptions,
  ): AsyncGenerator<z.output<typeof POINT>[]> {
    let offset: string | number | undefined;
    do {
      const page = offset === undefined ? {} : { offset };
      const { result } = await this.#connection.request(
        SCROLLED,
        this.#call('list chunks', signal),
        (api, init) =>
          api.scrollPoints(
            {
              ...this.#read(filter),
              ...page,
              limit,
              with_payload: withPayload,
              with_vector: includeVectors,
            },
            init,
          ),
      );
      yield result.points;
      offset = result.next_page_offset ?? undefined;
    } while (offset !== undefined);
  }

  #read(filter: Schemas['Filter'] | undefined) {
    const target = { collection_name: this.#collectionName, consistency: CONSISTENCY } as const;
    return filter === undefined ? target : { ...target, filter };
  }

  #call(action: string, signal: AbortSignal | undefined): CallOptions {
    return { action: `${action} in collection "${this.#name}"`, signal };
  }
}

// Metadata travel as JSON and as keys; a component takes about 20 characters.
const sizeOf = ({ content, metadata, vector }: ChunkRecord): number =>
  content.length + 4 * JSON.stringify(metadata).length + 20 * vector.length + 2_000;
