import type { Where } from 'chromadb';
import type { ScoredChunk, StoredChunk } from '../../core/chunk.js';
import type { Filter } from '../../core/filter.js';
import type { ScoredId } from '../vector-store.js';
import type { ChromaConnection } from './chroma-connection.js';
import { chromaId, ownId } from './chroma-names.js';
import { compileFilter } from './filter-where.js';
import { ANY_RECORD, FACTS } from './metadata-keys.js';
import { decodeRow } from './record-codec.js';
import { type Condition, toWhere } from './where-condition.js';

/** Ids in one request; the database of the server takes about 32,000 bound values. */
const IDS_PER_REQUEST = 1_000;

interface Signalled {
  readonly signal?: AbortSignal | undefined;
}

export interface NearestQuery extends Signalled {
  /** Of unit length. */
  readonly vector: Float32Array;
  readonly limit: number;
  readonly includeVectors?: boolean | undefined;
}

/** Reads of one collection on the server. Ids are those of chunks. */
export class RecordReader {
  readonly #connection: ChromaConnection;
  readonly #collectionId: string;
  readonly #name: string;

  constructor(connection: ChromaConnection, collectionId: string, name: string) {
    this.#connection = connection;
    this.#collectionId = collectionId;
    this.#name = name;
  }

  /** The filter as Chroma's `where`; true where everything passes, false where nothing can. */
  async where(filter: Filter, signal: AbortSignal | undefined): Promise<Where | boolean> {
    return toWhere(
      await compileFilter(filter, (condition, key) => this.#valuesAt(condition, key, { signal })),
    );
  }

  /** A `where` that is never absent, for calls that need one. */
  stated(where: Where | true): Where {
    return where === true ? { [FACTS]: { $contains: ANY_RECORD } } : where;
  }

  /** The ids of what passes, in no order. */
  async ids(
    where: Where | true,
    { limit, signal }: Signalled & { readonly limit?: number },
  ): Promise<string[]> {
    const found = await this.#connection.callOn(
      this.#collectionId,
      this.#reading('list ids', signal),
      (collection) =>
        collection.get({
          include: [],
          ...(where === true ? {} : { where }),
          ...(limit === undefined ? {} : { limit }),
        }),
    );
    return found.ids.map(ownId);
  }

  /** The chunks of these ids, which must be distinct; of those only what passes `where`. */
  async byIds(
    ids: readonly string[],
    options: Signalled & { readonly where?: Where | true; readonly includeVectors?: boolean | undefined },
  ): Promise<Map<string, StoredChunk>> {
    const chunks = new Map<string, StoredChunk>();
    const parts = [
      'documents',
      'metadatas',
      ...(options.includeVectors ? (['embeddings'] as const) : []),
    ] as const;
    for await (const rows of this.#rowsOf(ids, { ...options, parts: [...parts] })) {
      for (const { document, metadata, embedding } of rows.rows()) {
        const chunk = decodeRow({ document, metadata, embedding });
        chunks.set(chunk.id, chunk);
      }
    }
    return chunks;
  }

  /** The unit vectors of these ids, which must be distinct. */
  async vectorsOf(ids: readonly string[], { signal }: Signalled): Promise<Map<string, readonly number[]>> {
    const vectors = new Map<string, readonly number[]>();
    for await (const rows of this.#rowsOf(ids, { signal, parts: ['embeddings'] }))
      for (const { id, embedding } of rows.rows()) vectors.set(ownId(id), embedding ?? []);
    return vectors;
  }

  /** What the index of the server finds nearest, which may miss some. */
  async nearest(
    where: Where | true,
    { vector, limit, includeVectors, signal }: NearestQuery,
  ): Promise<ScoredChunk[]> {
    const found = await this.#connection.callOn(
      this.#collectionId,
      this.#reading('search vectors', signal),
      (collection) =>
        collection.query({
          queryEmbeddings: [Array.from(vector)],
          nResults: limit,
          include: [
            'documents',
            'metadatas',
            'distances',
            ...(includeVectors ? (['embeddings'] as const) : []),
          ],
          ...(where === true ? {} : { where }),
        }),
    );
    return (found.rows()[0] ?? []).map(({ document, metadata, embedding, distance }) => ({
      chunk: decodeRow({ document, metadata, embedding }),
      score: cosineOf(distance ?? 1),
    }));
  }

  /** The ids alone: without any filter some forty times faster than whole records with one. */
  async nearestIds(where: Where | true, { vector, limit, signal }: NearestQuery): Promise<ScoredId[]> {
    const found = await this.#connection.callOn(
      this.#collectionId,
      this.#reading('search vectors', signal),
      (collection) =>
        collection.query({
          queryEmbeddings: [Array.from(vector)],
          nResults: limit,
          include: ['distances'],
          ...(where === true ? {} : { where }),
        }),
    );
    return (found.rows()[0] ?? []).map(({ id, distance }) => ({
      id: ownId(id),
      score: cosineOf(distance ?? 1),
    }));
  }

  async *#rowsOf(
    ids: readonly string[],
    { where = true, parts, signal }: Signalled & { readonly where?: Where | true; readonly parts: Part[] },
  ) {
    for (let start = 0; start < ids.length; start += IDS_PER_REQUEST) {
      const wanted = ids.slice(start, start + IDS_PER_REQUEST).map(chromaId);
      yield await this.#connection.callOn(
        this.#collectionId,
        this.#reading('look chunks up', signal),
        (collection) => collection.get({ ids: wanted, include: parts, ...(where === true ? {} : { where }) }),
      );
    }
  }

  async #valuesAt(condition: Condition, key: string, { signal }: Signalled): Promise<readonly string[]> {
    const where = toWhere(condition);
    if (where === false) return [];
    const values = new Set<string>();
    const ids = await this.ids(where, { signal });
    for await (const rows of this.#rowsOf(ids, { where, signal, parts: ['metadatas'] }))
      for (const { metadata } of rows.rows()) {
        const value = metadata?.[key];
        if (typeof value === 'string') values.add(value);
      }
    return [...values];
  }

  #reading(action: string, signal: AbortSignal | undefined) {
    return { action: `${action} in collection "${this.#name}"`, signal, isIdempotent: true };
  }
}

type Part = 'documents' | 'metadatas' | 'embeddings';

const cosineOf = (distance: number): number => Math.max(-1, Math.min(1, 1 - distance));
