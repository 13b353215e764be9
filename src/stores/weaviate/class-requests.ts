import * as z from 'zod';
import type { ChunkRecord, StoredChunk } from '../../core/chunk.js';
import { CHUNK, CHUNK_ID, chunkOf, objectOf, orderedText, VECTOR } from './object-codec.js';
import type { ReadWriteGate } from './read-write-gate.js';
import type { CallOptions, WeaviateConnection } from './weaviate-connection.js';
import { answerError, isTenantMissing } from './weaviate-errors.js';
import { type Shard, shardNamed } from './weaviate-names.js';
import { toGraphQl, toRest, type Where } from './where-filter.js';

/** Objects and characters of one request; servers work best with some hundreds. */
const MAX_OBJECTS = 250;
const MAX_CHARACTERS = 8_000_000;

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

/** A chunk as the server found it. */
export interface Hit {
  readonly chunk: StoredChunk;
  /** Cosine distance; 0 where it was not asked for one. */
  readonly distance: number;
}

/** Where to look. */
export interface Place {
  readonly shard: Shard;
  readonly where: Where;
}

export interface ReadOptions {
  readonly limit: number;
  readonly includeVectors?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The requests that one collection makes, with their answers checked. A shard that was never written to is empty. */
export class ClassRequests {
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

  begin(signal?: AbortSignal): void {
    this.#connection.begin(signal);
  }

  /** Every tenant that was ever written to. */
  async shards(signal: AbortSignal | undefined): Promise<Shard[]> {
    const request = { method: 'GET', path: `/schema/${this.#className}/tenants` } as const;
    const tenants = await this.#connection.request(TENANTS, request, this.#call('list tenants', signal));
    return tenants.map(({ name }) => shardNamed(name));
  }

  /** Writes records, whole each; earlier requests stay done where a later one fails. */
  async write(records: readonly ChunkRecord[], signal: AbortSignal | undefined): Promise<void> {
    const call = this.#call('write chunks', signal);
    for (const objects of this.#batches(records)) {
      const request = { method: 'POST', path: '/batch/objects', body: { objects } } as const;
      const outcomes = await this.#gate.write(() => this.#connection.request(WRITTEN, request, call));
      const failed = outcomes.find(({ result }) => result.status !== 'SUCCESS');
      if (failed !== undefined || outcomes.length !== objects.length)
        throw answerError(this.#connection.address, call.action, { status: 200, body: failed });
    }
  }

  /** Deletes what matches and tells how much it was. */
  async delete({ shard, where }: Place, signal: AbortSignal | undefined): Promise<number> {
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

  async count({ shard, where }: Place, signal: AbortSignal | undefined): Promise<number> {
    const query = `{Aggregate{${this.#className}(tenant:${quote(shard.name)},where:${toGraphQl(where)}){meta{count}}}}`;
    const call = this.#call('count chunks', signal);
    const data = await this.#gate.read(() => this.#query(COUNTED, query, call));
    return data?.Aggregate[this.#className]?.[0]?.meta.count ?? 0;
  }

  /** The first matches in id order, of those after an id. */
  async inIdOrder(
    place: Place,
    { after, ...options }: ReadOptions & { readonly after?: string | undefined },
  ): Promise<StoredChunk[]> {
    const hits = await this.#gate.read(() =>
      this.#get(
        after === undefined ? place : { ...place, where: afterId(place.where, after) },
        `sort:[{path:["${CHUNK_ID}"],order:asc}]`,
        { ...options, call: this.#call('list chunks', options.signal) },
      ),
    );
    return hits.map(({ chunk }) => chunk);
  }

  /** What is nearest to the vector, nearest first. */
  nearest(place: Place, vector: Float32Array, options: ReadOptions): Promise<Hit[]> {
    const call = this.#call('search vectors', options.signal);
    return this.#get(place, `nearVector:{vector:[${vector.join(',')}]}`, { ...options, call });
  }

  async #get(
    { shard, where }: Place,
    order: string,
    { limit, includeVectors = false, call }: ReadOptions & { readonly call: CallOptions },
  ): Promise<Hit[]> {
    const fields = `${CHUNK} ${includeVectors ? `${VECTOR} ` : ''}_additional{distance${includeVectors ? ' vector' : ''}}`;
    const query = `{Get{${this.#className}(tenant:${quote(shard.name)},limit:${limit},${order},where:${toGraphQl(where)}){${fields}}}}`;
    const data = await this.#query(FOUND, query, call);
    return (data?.Get[this.#className] ?? []).map((found) => ({
      chunk: chunkOf(found, includeVectors),
      distance: found._additional?.distance ?? 0,
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

  *#batches(records: readonly ChunkRecord[]): Generator<Readonly<Record<string, unknown>>[]> {
    let batch: Readonly<Record<string, unknown>>[] = [];
    let characters = 0;
    for (const record of records) {
      const size = sizeOf(record);
      if (batch.length >= MAX_OBJECTS || (batch.length > 0 && characters + size > MAX_CHARACTERS)) {
        yield batch;
        batch = [];
        characters = 0;
      }
      batch.push(objectOf(this.#className, record));
      characters += size;
    }
    if (batch.length > 0) yield batch;
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
