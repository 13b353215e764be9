import * as z from 'zod';
import type { ChunkRecord, ScoredChunk, StoredChunk } from '../../core/chunk.js';
import { compareText, type Filter, oneOf } from '../../core/filter.js';
import { batchesOf, slicesOf } from '../batches.js';
import { asCosine, withWholeTie } from '../best-hits.js';
import { CHUNKS_PER_REQUEST, orderedPage, type PageQuery, type ReadOptions } from '../id-pages.js';
import type { ServerChunks } from '../server-collection.js';
import type { CollectionStats, ListPage, VectorQuery } from '../vector-store.js';
import { CHUNK, CHUNK_ID, chunkOf, objectOf, orderedText, VECTOR } from './object-codec.js';
import type { ReadWriteGate } from './read-write-gate.js';
import type { CallOptions, WeaviateConnection } from './weaviate-connection.js';
import { answerError, isTenantMissing } from './weaviate-errors.js';
import { type Shard, shardNamed, shardOf } from './weaviate-names.js';
import { compileFilter, tenantsOf, toGraphQl, toRest, type Where } from './where-filter.js';

/** Objects and characters of one request; servers work best with some hundreds. */
const BATCH = { items: 250, size: 8_000_000 };
/** Servers give at most this many hits at once (`QUERY_MAXIMUM_RESULTS`). */
const MAX_HITS = 10_000;
/** Shards asked at the same time, where a filter names no tenant. */
const PARALLEL_SHARDS = 8;

const TENANTS = z.array(z.object({ name: z.string() }));
const WRITTEN = z.array(
  z.object({ result: z.object({ status: z.string(), errors: z.unknown().optional() }) }),
);
const DELETED = z.object({
  results: z.object({ matches: z.int(), successful: z.int(), failed: z.int(), limit: z.int() }),
});
const OBJECT = z.object({
  [CHUNK]: z.string().nullish(),
  [VECTOR]: z.string().nullish(),
  _additional: z.object({ distance: z.number().nullish(), vector: z.array(z.number()).nullish() }).nullish(),
});
const GRAPHQL = z.object({ data: z.unknown().optional(), errors: z.array(z.unknown()).nullish() });
const FOUND = z.object({ Get: z.record(z.string(), z.array(OBJECT)) });
const COUNTED = z.object({
  Aggregate: z.record(z.string(), z.array(z.object({ meta: z.object({ count: z.int() }) }))),
});

/** Where to look. */
interface Place {
  readonly shard: Shard;
  readonly where: Where;
}

/**
 * One collection: a class of the server, with a shard for each tenant. A shard that was never written to is empty. Each chunk is written
 * whole or not at all.
 */
export class ClassRequests implements ServerChunks<readonly Place[]> {
  readonly #connection: WeaviateConnection;
  readonly #gate: ReadWriteGate;
  readonly #className: string;
  readonly #collection: string;

  constructor(
    server: { readonly connection: WeaviateConnection; readonly gate: ReadWriteGate },
    names: { readonly className: string; readonly collection: string },
  ) {
    this.#connection = server.connection;
    this.#gate = server.gate;
    this.#className = names.className;
    this.#collection = names.collection;
  }

  /** Where the filter can match. */
  async compile(filter: Filter, signal: AbortSignal | undefined): Promise<readonly Place[]> {
    const shards = tenantsOf(filter)?.map(shardOf) ?? (await this.#shards(signal));
    return shards.flatMap((shard) => {
      const where = compileFilter(filter, shard);
      return where === undefined ? [] : [{ shard, where }];
    });
  }

  async write(records: readonly ChunkRecord[], signal: AbortSignal | undefined): Promise<void> {
    // Before writing: the server makes a class by itself where there is none (any more), and this is refused then.
    const before = await this.#shards(signal);
    const call = this.#call('write chunks', signal);
    for (const batch of batchesOf(records, BATCH, sizeOf)) {
      const objects = batch.map((record) => objectOf(this.#className, record));
      const request = { method: 'POST', path: '/batch/objects', body: { objects } } as const;
      const outcomes = await this.#gate.write(() => this.#connection.request(WRITTEN, request, call));
      const failed = outcomes.find(({ result }) => result.status !== 'SUCCESS');
      if (failed !== undefined || outcomes.length !== objects.length)
        throw answerError(this.#connection.address, call.action, { status: 200, body: failed });
    }
    await this.#deleteElsewhere(
      records,
      before.map(({ name }) => name),
      signal,
    );
  }

  async byIds(ids: readonly string[], options: ReadOptions): Promise<StoredChunk[]> {
    const found: StoredChunk[] = [];
    for (const some of slicesOf(ids, CHUNKS_PER_REQUEST)) {
      const places = await this.compile(oneOf('$chunkId', some), options.signal);
      const limit = some.length;
      found.push(
        ...(await inShards(places, (place) => this.#inIdOrder(place, { ...options, limit }))).flat(),
      );
    }
    return found;
  }

  async delete(places: readonly Place[], signal: AbortSignal | undefined): Promise<number> {
    return sum(await inShards(places, (place) => this.#delete(place, signal)));
  }

  async count(places: readonly Place[], signal: AbortSignal | undefined): Promise<number> {
    const call = this.#call('count chunks', signal);
    const counts = await inShards(places, async ({ shard, where }) => {
      const query = `{Aggregate{${this.#className}(tenant:${quote(shard.name)},where:${toGraphQl(where)}){meta{count}}}}`;
      const data = await this.#gate.read(() => this.#query(COUNTED, query, call));
      return data?.Aggregate[this.#className]?.[0]?.meta.count ?? 0;
    });
    return sum(counts);
  }

  page(places: readonly Place[], query: PageQuery): Promise<ListPage> {
    return orderedPage(query, async (cursor, limit) => {
      const pages = await inShards(places, (place) => this.#inIdOrder(place, { ...query, cursor, limit }));
      return pages
        .flat()
        .sort((a, b) => compareText(a.id, b.id))
        .slice(0, limit);
    });
  }

  async nearest(places: readonly Place[], query: VectorQuery): Promise<ScoredChunk[]> {
    const { vector, topK, includeVectors, signal } = query;
    const call = this.#call('search vectors', signal);
    const order = `nearVector:{vector:[${vector.join(',')}]}`;
    const hits = await inShards(places, (place) =>
      withWholeTie({ topK, maxHits: MAX_HITS }, (limit) =>
        this.#get(place, order, { limit, includeVectors, call }),
      ),
    );
    return hits.flat();
  }

  async indexes(): Promise<Omit<CollectionStats, 'chunks'>> {
    return {
      vectorIndex: 'a graph (HNSW, 16 neighbours) for each tenant, exact for up to 40,000 matches',
      textIndex: 'none',
    };
  }

  /** Every tenant that was ever written to. */
  async #shards(signal: AbortSignal | undefined): Promise<Shard[]> {
    const request = { method: 'GET', path: `/schema/${this.#className}/tenants` } as const;
    const tenants = await this.#connection.request(TENANTS, request, this.#call('list tenants', signal));
    return tenants.map(({ name }) => shardNamed(name));
  }

  /** A chunk whose tenant changed leaves the shard it was in. */
  async #deleteElsewhere(
    records: readonly ChunkRecord[],
    shards: readonly string[],
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const shardById = new Map(records.map(({ id, tenant }) => [id, shardOf(tenant).name]));
    const written = new Set(shardById.values());
    const others = shards.filter((name) => written.size > 1 || !written.has(name));
    await inShards(others, async (name) => {
      const ids = [...shardById].flatMap(([id, own]) => (own === name ? [] : [id]));
      const shard = { name, tenant: undefined };
      const where = compileFilter(oneOf('$chunkId', ids), shard);
      if (where !== undefined) await this.#delete({ shard, where }, signal);
    });
  }

  /** Deletes what matches and tells how much it was. */
  async #delete({ shard, where }: Place, signal: AbortSignal | undefined): Promise<number> {
    // Not repeated after a lost answer: the second one would count nothing.
    const call = { ...this.#call('delete chunks', signal), isIdempotent: false };
    const body = { match: { class: this.#className, where: toRest(where) }, output: 'minimal' };
    for (let deleted = 0; ; ) {
      const request = {
        method: 'DELETE',
        path: `/batch/objects?tenant=${encodeURIComponent(shard.name)}`,
        body,
      } as const;
      const answer = await this.#connection.ask(request, call);
      if (isTenantMissing(answer)) return deleted;
      const { results } = this.#connection.parse(DELETED, answer, call);
      if (results.failed > 0) throw answerError(this.#connection.address, call.action, answer);
      deleted += results.successful;
      if (results.matches < results.limit) return deleted;
    }
  }

  /** The first matches in id order, of those after an id. */
  async #inIdOrder(place: Place, { cursor, ...options }: PageQuery): Promise<StoredChunk[]> {
    const where = cursor === undefined ? place.where : afterId(place.where, cursor);
    const order = `sort:[{path:["${CHUNK_ID}"],order:asc}]`;
    const call = this.#call('list chunks', options.signal);
    const hits = await this.#gate.read(() => this.#get({ ...place, where }, order, { ...options, call }));
    return hits.map(({ chunk }) => chunk);
  }

  async #get(
    { shard, where }: Place,
    order: string,
    { limit, includeVectors = false, call }: PageQuery & { readonly call: CallOptions },
  ): Promise<ScoredChunk[]> {
    const fields = `${CHUNK} ${includeVectors ? `${VECTOR} ` : ''}_additional{distance${includeVectors ? ' vector' : ''}}`;
    const query = `{Get{${this.#className}(tenant:${quote(shard.name)},limit:${limit},${order},where:${toGraphQl(where)}){${fields}}}}`;
    const data = await this.#query(FOUND, query, call);
    return (data?.Get[this.#className] ?? []).map((found) => ({
      chunk: chunkOf(found, includeVectors),
      score: asCosine(1 - (found._additional?.distance ?? 0)),
    }));
  }

  /** The data of a query; undefined where the tenant was never written to. */
  async #query<T>(schema: z.ZodType<T>, query: string, call: CallOptions): Promise<T | undefined> {
    const request = { method: 'POST', path: '/graphql', body: { query } } as const;
    const answer = await this.#connection.ask(request, call);
    const { data, errors } = this.#connection.parse(GRAPHQL, answer, call);
    if (errors === undefined || errors === null || errors.length === 0)
      return this.#connection.parse(schema, { ...answer, body: data }, call);
    if (isTenantMissing(answer)) return undefined;
    throw answerError(this.#connection.address, call.action, { ...answer, body: errors });
  }

  #call(action: string, signal: AbortSignal | undefined): CallOptions {
    return { action: `${action} in collection "${this.#collection}"`, signal };
  }
}

const afterId = (where: Where, id: string): Where => ({
  operator: 'And',
  operands: [where, { operator: 'GreaterThan', path: CHUNK_ID, text: orderedText(id) }],
});

const quote = (text: string): string => JSON.stringify(text);

// Metadata travel as JSON and as keys, four digits to a byte; a component takes about 20 characters.
const sizeOf = ({ content, metadata, vector }: ChunkRecord): number =>
  content.length + 8 * JSON.stringify(metadata).length + 20 * vector.length + 2_000;

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

async function inShards<T, R>(shards: readonly T[], run: (shard: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (const some of slicesOf(shards, PARALLEL_SHARDS)) results.push(...(await Promise.all(some.map(run))));
  return results;
}
