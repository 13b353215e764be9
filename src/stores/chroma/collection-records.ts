import type { Where } from 'chromadb';
import type { ChunkRecord, ScoredChunk, StoredChunk } from '../../core/chunk.js';
import { throwIfAborted } from '../../core/errors.js';
import { compareText, type Filter } from '../../core/filter.js';

import { batchesOf } from '../batches.js';
import { asCosine, withWholeTie } from '../best-hits.js';
import { CachedOrder, type PageQuery, type ReadOptions } from '../id-pages.js';
import type { ServerChunks } from '../server-collection.js';
import type { CollectionStats, ListPage, VectorQuery } from '../vector-store.js';
import type { ChromaConnection } from './chroma-connection.js';
import { FilteredLater } from './filtered-later.js';
import { encodeRecord } from './record-codec.js';
import { RecordReader } from './record-reader.js';

/** Records in one request at most; smaller requests let the server interleave readers. */
const MAX_RECORDS = 1_000;
/** Characters in one request at most, well under the 40 MB that a server takes unless told otherwise. */
const MAX_CHARACTERS = 8_000_000;

/** A filter that is not compiled yet, for which the server may have to be asked: the nearest are looked for without it first. */
interface Asked {
  readonly filter: Filter;
}

/** One collection on a Chroma server. A batch that the server takes at once is written whole or not at all. */
export class CollectionRecords implements ServerChunks<Asked> {
  readonly #connection: ChromaConnection;
  readonly #id: string;
  readonly #name: string;
  readonly #vectorIndex: string;
  readonly #reader: RecordReader;
  readonly #filteredLater = new FilteredLater();
  readonly #order = new CachedOrder();

  constructor(
    connection: ChromaConnection,
    collection: {
      readonly id: string;
      readonly name: string;
      /** In words. */
      readonly vectorIndex: string;
    },
  ) {
    this.#connection = connection;
    this.#id = collection.id;
    this.#name = collection.name;
    this.#vectorIndex = collection.vectorIndex;
    this.#reader = new RecordReader(connection, collection.id, collection.name);
  }

  async compile(filter: Filter): Promise<Asked> {
    return { filter };
  }

  async write(records: readonly ChunkRecord[], signal: AbortSignal | undefined): Promise<void> {
    const items = Math.min(MAX_RECORDS, await this.#connection.maxBatch(signal));
    for (const batch of batchesOf(records, { items, size: MAX_CHARACTERS }, sizeOf)) {
      throwIfAborted(signal);
      const rows = batch.map(encodeRecord);
      const body = {
        ids: rows.map(({ id }) => id),
        embeddings: rows.map(({ embedding }) => Array.from(embedding)),
        documents: rows.map(({ document }) => document),
        metadatas: rows.map(({ metadata }) => metadata),
      };
      await this.#connection.callOn(this.#id, this.#call('write chunks', signal), (collection) =>
        collection.upsert(body),
      );
    }
  }

  async byIds(ids: readonly string[], options: ReadOptions): Promise<StoredChunk[]> {
    return [...(await this.#reader.byIds(ids, options)).values()];
  }

  async delete({ filter }: Asked, signal: AbortSignal | undefined): Promise<number> {
    const where = await this.#reader.where(filter, signal);
    if (where === false) return 0;
    // Not repeated after a lost answer: the second one would count nothing.
    const call = { ...this.#call('delete chunks', signal), isIdempotent: false };
    const { deleted } = await this.#connection.callOn(this.#id, call, (collection) =>
      collection.delete({ where: this.#reader.stated(where) }),
    );
    return deleted ?? 0;
  }

  async count({ filter }: Asked, signal: AbortSignal | undefined): Promise<number> {
    const where = await this.#reader.where(filter, signal);
    if (where === false) return 0;
    if (where !== true) return (await this.#reader.ids(where, { signal })).length;
    return this.#connection.callOn(this.#id, this.#call('count chunks', signal), (collection) =>
      collection.count(),
    );
  }

  async page({ filter }: Asked, query: PageQuery): Promise<ListPage> {
    const where = await this.#reader.where(filter, query.signal);
    if (where === false) return { chunks: [] };
    return this.#order.page(
      { ...query, key: JSON.stringify(where) },
      async () => (await this.#reader.ids(where, { signal: query.signal })).map((id) => ({ id })),
      async (items) => {
        const ids = items.map(({ id }) => id);
        const found = await this.#reader.byIds(ids, { ...query, where });
        return ids.flatMap((id) => found.get(id) ?? []);
      },
    );
  }

  async nearest({ filter }: Asked, query: VectorQuery): Promise<readonly ScoredChunk[]> {
    const hits = await this.#filteredLater.search(this.#reader, query);
    if (hits !== undefined) return hits;
    const where = await this.#reader.where(filter, query.signal);
    return where === false ? [] : nearest(this.#reader, where, query);
  }

  async indexes(): Promise<Omit<CollectionStats, 'chunks'>> {
    return { vectorIndex: this.#vectorIndex, textIndex: 'none' };
  }

  #call(action: string, signal: AbortSignal | undefined) {
    return { action: `${action} in collection "${this.#name}"`, signal, isIdempotent: true };
  }
}

// Metadata travel twice, as JSON and as keys; a component takes six characters of base64.
const sizeOf = ({ content, metadata, vector }: ChunkRecord): number =>
  content.length + 3 * JSON.stringify(metadata).length + 6 * vector.length + 1_000;

/** Each hit that is asked for takes this server long. */
const TIE_MARGIN = 2;

/**
 * The best `topK`, and what scores as the last of them. Where the graph search of the server comes back with fewer hits than there are matches (a
 * filter that few records pass can do that, and so can many equal vectors), the matches are compared one by one.
 */
function nearest(reader: RecordReader, where: Where | true, query: VectorQuery): Promise<ScoredChunk[]> {
  const { topK, signal } = query;
  return withWholeTie({ topK, margin: TIE_MARGIN }, async (limit) => {
    const hits = await reader.nearest(where, query, limit);
    if (hits.length >= limit) return hits;
    const matches = await reader.ids(where, { limit, signal });
    return matches.length > hits.length ? compareAll(reader, where, query) : hits;
  });
}

async function compareAll(
  reader: RecordReader,
  where: Where | true,
  query: VectorQuery,
): Promise<ScoredChunk[]> {
  const { signal, includeVectors, topK, vector } = query;
  const vectors = await reader.vectorsOf(await reader.ids(where, { signal }), { signal });
  const best = [...vectors]
    .map(([id, other]) => ({ id, score: innerProduct(vector, other) }))
    .sort((a, b) => b.score - a.score || compareText(a.id, b.id))
    .slice(0, topK);
  const chunks = await reader.byIds(
    best.map(({ id }) => id),
    { where, includeVectors, signal },
  );
  return best.flatMap(({ id, score }) => {
    const chunk = chunks.get(id);
    return chunk === undefined ? [] : [{ chunk, score }];
  });
}

function innerProduct(a: Float32Array, b: readonly number[]): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i] ?? 0) * (b[i] ?? 0);
  return asCosine(sum);
}
