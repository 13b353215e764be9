import type { Where } from 'chromadb';
import type { ScoredChunk, StoredChunk } from '../../core/chunk.js';
import type { Filter } from '../../core/filter.js';
import { slicesOf } from '../batches.js';
import { asCosine } from '../best-hits.js';
import type { ReadOptions } from '../id-pages.js';
import type { ScoredId, VectorQuery } from '../vector-store.js';
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
    options: ReadOptions & { readonly where?: Where | true },
  ): Promise<Map<string, StoredChunk>> {
    const chunks = new Map<string, StoredChunk>();
    for await (const rows of this.#rowsOf(ids, { ...options, parts: partsOf(options.includeVectors) })) {
      for (const row of rows.rows()) {
        const chunk = decodeRow(row);
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
  async nearest(where: Where | true, query: VectorQuery, limit: number): Promise<ScoredChunk[]> {
    const rows = await this.#nearest(where, query, { limit, parts: partsOf(query.includeVectors) });
    return rows.map((row) => ({ chunk: decodeRow(row), score: cosineOf(row.distance) }));
  }

  /** The ids alone: without any filter some forty times faster than whole records with one. */
  async nearestIds(where: Where | true, query: VectorQuery, limit: number): Promise<ScoredId[]> {
    const rows = await this.#nearest(where, query, { limit, parts: [] });
    return rows.map(({ id, distance }) => ({ id: ownId(id), score: cosineOf(distance) }));
  }

  async #nearest(
    where: Where | true,
    { vector, signal }: VectorQuery,
    { limit, parts }: { readonly limit: number; readonly parts: readonly Part[] },
  ) {
    const found = await this.#connection.callOn(
      this.#collectionId,
      this.#reading('search vectors', signal),
      (collection) =>
        collection.query({
          queryEmbeddings: [Array.from(vector)],
          nResults: limit,
          include: ['distances', ...parts],
          ...(where === true ? {} : { where }),
        }),
    );
    return found.rows()[0] ?? [];
  }

  async *#rowsOf(
    ids: readonly string[],
    { where = true, parts, signal }: Signalled & { readonly where?: Where | true; readonly parts: Part[] },
  ) {
    for (const some of slicesOf(ids, IDS_PER_REQUEST)) {
      const wanted = some.map(chromaId);
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

/** What a record is read from. */
const partsOf = (includeVectors = false): Part[] => [
  'documents',
  'metadatas',
  ...(includeVectors ? (['embeddings'] as const) : []),
];

const cosineOf = (distance: number | null | undefined): number => asCosine(1 - (distance ?? 1));
