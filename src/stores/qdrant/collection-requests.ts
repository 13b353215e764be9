import type { Schemas } from '@qdrant/js-client-rest';
import * as z from 'zod';
import type { ChunkRecord, ScoredChunk, StoredChunk } from '../../core/chunk.js';
import type { RequestLimits } from './collection-info.js';
import { ANY_POINT } from './point-filter.js';
import { CHUNK_ID, CHUNK_KEYS, chunkIdOf, chunkOf, pointOf } from './point-payload.js';
import type { CallOptions, QdrantConnection } from './qdrant-connection.js';
import { pointId } from './qdrant-names.js';

type Filter = Schemas['Filter'];

/** Points and characters of one request; the server takes 32 MB unless told otherwise. */
const MAX_POINTS = 500;
const MAX_CHARACTERS = 8_000_000;
/** Ids, which are short, and chunks, which may be large, that one answer holds. */
const IDS_PER_REQUEST = 10_000;
const CHUNKS_PER_REQUEST = 500;
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

export interface ReadOptions {
  readonly includeVectors?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The requests that one collection makes, with their answers checked. An absent filter is none. */
export class CollectionRequests {
  readonly limits: RequestLimits;
  readonly #connection: QdrantConnection;
  readonly #collectionName: string;
  readonly #name: string;

  constructor(
    connection: QdrantConnection,
    names: { readonly collectionName: string; readonly name: string },
    limits: RequestLimits,
  ) {
    this.#connection = connection;
    this.#collectionName = names.collectionName;
    this.#name = names.name;
    this.limits = limits;
  }

  begin(signal?: AbortSignal): void {
    this.#connection.begin(signal);
  }

  /** Writes records, whole each; earlier requests stay done where a later one fails. */
  async write(records: readonly ChunkRecord[], signal: AbortSignal | undefined): Promise<void> {
    for (const points of this.#batches(records))
      await this.#connection.request(DONE, this.#call('write chunks', signal), (api, init) =>
        api.upsertPoints({ collection_name: this.#collectionName, wait: true, points }, init),
      );
  }

  /** Deletes what matches. Nothing is told of how much it was. */
  async delete(filter: Filter | undefined, signal: AbortSignal | undefined): Promise<void> {
    await this.#connection.request(DONE, this.#call('delete chunks', signal), (api, init) =>
      api.deletePoints(
        { collection_name: this.#collectionName, wait: true, filter: filter ?? ANY_POINT },
        init,
      ),
    );
  }

  async count(filter: Filter | undefined, signal: AbortSignal | undefined): Promise<number> {
    const { result } = await this.#connection.request(
      COUNTED,
      this.#call('count chunks', signal),
      (api, init) => api.countPoints({ ...this.#read(filter), exact: true }, init),
    );
    return result.count;
  }

  /** The ids of the chunks that match, in no order. */
  async ids(filter: Filter | undefined, signal: AbortSignal | undefined): Promise<string[]> {
    const ids: string[] = [];
    const limit = Math.min(IDS_PER_REQUEST, this.limits.hits);
    for await (const points of this.#scroll(filter, { limit, withPayload: [CHUNK_ID], signal }))
      ids.push(...points.map(chunkIdOf));
    return ids;
  }

  /** The chunks that match, in no order. */
  async *chunks(
    filter: Filter | undefined,
    { includeVectors = false, signal }: ReadOptions,
  ): AsyncGenerator<readonly StoredChunk[]> {
    const limit = Math.min(CHUNKS_PER_REQUEST, this.limits.hits);
    const withPayload = [...CHUNK_KEYS];
    for await (const points of this.#scroll(filter, {
      limit,
      withPayload,
      withVector: includeVectors,
      signal,
    }))
      yield points.map((point) => chunkOf(point, includeVectors));
  }

  /** The chunks of these ids, in no order; unknown ones are left out. */
  async byIds(
    ids: readonly string[],
    { includeVectors = false, signal }: ReadOptions,
  ): Promise<StoredChunk[]> {
    const chunks: StoredChunk[] = [];
    for (let start = 0; start < ids.length; start += CHUNKS_PER_REQUEST) {
      const wanted = ids.slice(start, start + CHUNKS_PER_REQUEST).map(pointId);
      const { result } = await this.#connection.request(
        POINTS,
        this.#call('look chunks up', signal),
        (api, init) =>
          api.getPoints(
            {
              collection_name: this.#collectionName,
              consistency: CONSISTENCY,
              ids: wanted,
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

  /** What is nearest to a vector of unit length, nearest first; ties in no order. */
  async nearest(
    filter: Filter | undefined,
    query: {
      readonly vector: Float32Array;
      readonly limit: number;
      readonly efSearch: number;
      readonly isExact: boolean;
    },
    { includeVectors = false, signal }: ReadOptions,
  ): Promise<ScoredChunk[]> {
    const params = query.isExact
      ? { exact: true }
      : { hnsw_ef: Math.min(query.efSearch, this.limits.efSearch) };
    const { result } = await this.#connection.request(
      SCORED,
      this.#call('search vectors', signal),
      (api, init) =>
        api.queryPoints(
          {
            ...this.#read(filter),
            query: Array.from(query.vector),
            limit: query.limit,
            params,
            with_payload: [...CHUNK_KEYS],
            with_vector: includeVectors,
          },
          init,
        ),
    );
    return result.points.map(({ score, ...point }) => ({ chunk: chunkOf(point, includeVectors), score }));
  }

  async *#scroll(
    filter: Filter | undefined,
    {
      limit,
      withPayload,
      withVector = false,
      signal,
    }: {
      readonly limit: number;
      readonly withPayload: string[];
      readonly withVector?: boolean;
      readonly signal: AbortSignal | undefined;
    },
  ): AsyncGenerator<z.output<typeof POINT>[]> {
    let offset: string | number | undefined;
    do {
      const page = offset === undefined ? {} : { offset };
      const { result } = await this.#connection.request(
        SCROLLED,
        this.#call('list chunks', signal),
        (api, init) =>
          api.scrollPoints(
            { ...this.#read(filter), ...page, limit, with_payload: withPayload, with_vector: withVector },
            init,
          ),
      );
      yield result.points;
      offset = result.next_page_offset ?? undefined;
    } while (offset !== undefined);
  }

  #read(filter: Filter | undefined) {
    const target = { collection_name: this.#collectionName, consistency: CONSISTENCY } as const;
    return filter === undefined ? target : { ...target, filter };
  }

  *#batches(records: readonly ChunkRecord[]): Generator<Schemas['PointStruct'][]> {
    const maxPoints = Math.min(MAX_POINTS, this.limits.records);
    let batch: Schemas['PointStruct'][] = [];
    let characters = 0;
    for (const record of records) {
      const size = sizeOf(record);
      if (batch.length >= maxPoints || (batch.length > 0 && characters + size > MAX_CHARACTERS)) {
        yield batch;
        batch = [];
        characters = 0;
      }
      batch.push(pointOf(record));
      characters += size;
    }
    if (batch.length > 0) yield batch;
  }

  #call(action: string, signal: AbortSignal | undefined): CallOptions {
    return { action: `${action} in collection "${this.#name}"`, signal };
  }
}

// Metadata travel as JSON and as keys; a component takes about 20 characters.
const sizeOf = ({ content, metadata, vector }: ChunkRecord): number =>
  content.length + 4 * JSON.stringify(metadata).length + 20 * vector.length + 2_000;
