import type { ChunkRecord, ScoredChunk, StoredChunk } from '../../core/chunk.js';
import { RAGError } from '../../core/errors.js';
import { type Filter, matchesFilter, type RangeBounds, range } from '../../core/filter.js';
import { batchesOf, slicesOf } from '../batches.js';
import { asCosine, withWholeTie } from '../best-hits.js';
import { compileFilter, textsOfChunks } from '../compile-filter.js';
import type { PageQuery, ReadOptions } from '../id-pages.js';
import { fieldLookup } from '../record-fields.js';
import type { ServerChunks } from '../server-collection.js';
import type { CollectionStats, ListPage, ScoredId, VectorQuery } from '../vector-store.js';
import type { FreshNamespace } from './fresh-namespace.js';
import { type FoundChunks, IdRanges } from './id-ranges.js';
import { HAS_NO_VECTOR, HAS_VECTOR, type MetadataFilter, toFilter, withFact } from './metadata-filter.js';
import type { CallOptions } from './pinecone-connection.js';
import {
  chunkOf,
  encodeRecord,
  type FoundRow,
  partIdsOf,
  rowId,
  sizeOf,
  textOfPart,
} from './record-metadata.js';

/** Of one upsert: up to 1,000 records and 2 MB (https://docs.pinecone.io/reference/api/database-limits/operation-limits). */
const BATCH = { items: 500, size: 1_800_000 };
/** Ids of one fetch. They travel in the address, whose length is limited before their number (1,000) is. */
const IDS_PER_FETCH = 80;
const IDS_PER_DELETE = 1_000;
/** Records of one page of a fetch by metadata, each up to 40 KB; the service takes up to 10,000. */
const ROWS_PER_PAGE = 500;
/** The most that one query gives (https://docs.pinecone.io/reference/api/database-limits/operation-limits). */
export const MAX_HITS = 10_000;

/** A row that was found. */
interface Row extends FoundRow {
  readonly id: string;
}

/** A filter as the service takes it. */
interface Where {
  readonly metadata: MetadataFilter;
  /** Every row passes it. */
  readonly isEverything?: boolean;
}

/** One collection: rows in one namespace, and parts of large ones in another. Each chunk is written whole or not at all. */
export class NamespaceRequests implements ServerChunks<Where> {
  readonly #rows: FreshNamespace;
  readonly #parts: FreshNamespace;
  readonly #name: string;
  readonly #ranges: IdRanges;

  constructor(rows: FreshNamespace, parts: FreshNamespace, name: string) {
    this.#rows = rows;
    this.#parts = parts;
    this.#name = name;
    this.#ranges = new IdRanges(rows.eventualMs);
  }

  async compile(filter: Filter, signal: AbortSignal | undefined): Promise<Where | undefined> {
    const call = this.#call('list chunks', signal);
    const texts = textsOfChunks((about) => this.#chunks(toFilter(about), call));
    const condition = await compileFilter(filter, texts);
    const metadata = toFilter(condition);
    return metadata && { metadata, isEverything: condition === true };
  }

  /** The service indexes by itself; this waits until every write through this handle is seen. */
  async optimize(signal: AbortSignal | undefined): Promise<void> {
    const call = this.#call('wait for writes', signal);
    await this.#parts.settle(call);
    await this.#rows.settle(call);
  }

  async write(records: readonly ChunkRecord[], signal: AbortSignal | undefined): Promise<void> {
    const call = this.#call('write chunks', signal);
    // Before anything is written: one that cannot be stored refuses the batch.
    const encoded = records.map(encodeRecord);
    const parts = encoded.flatMap((one) => one.parts);
    const before = await this.#partsBefore(records, call);
    for (const batch of batchesOf(parts, BATCH, sizeOf))
      await this.#parts.write(call, (index) => index.upsert({ records: batch }));
    // A row must not be seen before its parts.
    if (parts.length > 0) await this.#parts.settle(call);
    for (const batch of batchesOf(
      encoded.map(({ row }) => row),
      BATCH,
      sizeOf,
    ))
      await this.#rows.write(call, (index) => index.upsert({ records: batch }));
    const kept = new Set(parts.map(({ id }) => id));
    await this.#deleteParts(
      before.filter((id) => !kept.has(id)),
      call,
    );
  }

  /** Returns how many rows passed before. */
  async delete({ metadata: filter }: Where, signal: AbortSignal | undefined): Promise<number> {
    const call = this.#call('delete chunks', signal);
    let deleted = 0;
    const parts: string[] = [];
    for await (const { rows } of this.#pages(filter, call)) {
      deleted += rows.length;
      for (const { metadata } of rows) parts.push(...partIdsOf(metadata));
    }
    if (deleted === 0) return 0;
    await this.#rows.write(call, (index) => index.deleteMany({ filter }));
    await this.#deleteParts(parts, call);
    return deleted;
  }

  async count({ metadata, isEverything }: Where, signal: AbortSignal | undefined): Promise<number> {
    const call = this.#call('count chunks', signal);
    if (isEverything) {
      const stats = await this.#rows.read(call, (index) => index.describeIndexStats());
      return stats?.namespaces?.[this.#rows.place.namespace]?.recordCount ?? 0;
    }
    let count = 0;
    for await (const { rows } of this.#pages(metadata, call)) count += rows.length;
    return count;
  }

  page({ metadata }: Where, query: PageQuery): Promise<ListPage> {
    const key = JSON.stringify([metadata, query.includeVectors]);
    return this.#ranges.page({ ...query, key, written: this.#rows.written }, (ids) =>
      this.#inRange(metadata, ids, query),
    );
  }

  async byIds(ids: readonly string[], options: ReadOptions): Promise<StoredChunk[]> {
    const call = this.#call('look chunks up', options.signal);
    return this.#chunksOf(await fetchRows(this.#rows, ids.map(rowId), call), options, call);
  }

  /** Rows are named by hashes where ids are unusual, so that a tie is put in order when its chunks are read. */
  async nearest({ metadata }: Where, query: VectorQuery): Promise<ScoredChunk[]> {
    const call = this.#call('search vectors', query.signal);
    const asked = {
      vector: Array.from(query.vector),
      filter: withFact(metadata, HAS_VECTOR),
      includeValues: false,
      includeMetadata: false,
    };
    const hits = await withWholeTie({ topK: query.topK, maxHits: MAX_HITS }, async (topK) => {
      const found = await this.#rows.read(call, (index) => index.query({ ...asked, topK }));
      return (found?.matches ?? []).map(({ id, score = 0 }) => ({ id, score: asCosine(score) }));
    });
    return this.#chunksOfHits(hits, query);
  }

  withoutDirection({ metadata }: Where): Where {
    return { metadata: withFact(metadata, HAS_NO_VECTOR) };
  }

  async indexes(): Promise<Omit<CollectionStats, 'chunks'>> {
    return { vectorIndex: "Pinecone's own, approximate", textIndex: 'none' };
  }

  /** What no longer passes the filter, or is gone, is left out. */
  async #chunksOfHits(hits: readonly ScoredId[], query: VectorQuery): Promise<ScoredChunk[]> {
    const call = this.#call('read what was found', query.signal);
    const ids = hits.map(({ id }) => id);
    const chunks = await this.#chunksOf(await fetchRows(this.#rows, ids, call), query, call);
    const byId = new Map(chunks.map((chunk) => [rowId(chunk.id), chunk]));
    return hits.flatMap(({ id, score }) => {
      const chunk = byId.get(id);
      // It may have been written anew since the service filtered it.
      const passes = chunk !== undefined && matchesFilter(query.filter, fieldLookup(chunk));
      return passes ? [{ chunk, score }] : [];
    });
  }

  async *#inRange(
    metadata: MetadataFilter,
    ids: RangeBounds,
    options: ReadOptions,
  ): AsyncGenerator<FoundChunks> {
    const call = this.#call('list chunks', options.signal);
    // Bounds are so short that no texts are read for them.
    const within = toFilter(await compileFilter(range('$chunkId', ids), async () => []));
    const isBounded = within !== undefined && Object.keys(ids).length > 0;
    const filter = isBounded ? { $and: [within, metadata] } : metadata;
    for await (const { rows, isLast } of this.#pages(filter, call))
      yield { chunks: await this.#chunksOf(rows, options, call), isLast };
  }

  async *#chunks(filter: MetadataFilter | undefined, call: CallOptions): AsyncGenerator<StoredChunk[]> {
    if (filter === undefined) return;
    for await (const { rows } of this.#pages(filter, call)) yield await this.#chunksOf(rows, {}, call);
  }

  async *#pages(
    filter: MetadataFilter,
    call: CallOptions,
  ): AsyncGenerator<{ readonly rows: Row[]; readonly isLast: boolean }> {
    let paginationToken: string | undefined;
    do {
      const page = paginationToken === undefined ? {} : { paginationToken };
      const found = await this.#rows.read(call, (index) =>
        index.fetchByMetadata({ filter, limit: ROWS_PER_PAGE, ...page }),
      );
      paginationToken = found?.pagination?.next || undefined;
      const rows = Object.entries(found?.records ?? {}).map(([id, row]) => ({ ...row, id }));
      yield { rows, isLast: paginationToken === undefined };
    } while (paginationToken !== undefined);
  }

  async #chunksOf(
    rows: readonly Row[],
    { includeVectors = false }: ReadOptions,
    call: CallOptions,
  ): Promise<StoredChunk[]> {
    const wanted = rows.flatMap(({ metadata }) => partIdsOf(metadata));
    const parts = new Map(
      (wanted.length === 0 ? [] : await fetchRows(this.#parts, wanted, call)).map(({ id, metadata }) => [
        id,
        textOfPart(metadata),
      ]),
    );
    return rows.map((row) => {
      const texts = partIdsOf(row.metadata).map((id) => parts.get(id));
      const present = texts.filter((text) => text !== undefined);
      if (present.length < texts.length) throw incomplete(this.#rows.place.host, this.#name);
      return chunkOf(row, present, includeVectors);
    });
  }

  /** Parts of rows that are about to be replaced. Most collections have none, which one short request tells. */
  async #partsBefore(records: readonly ChunkRecord[], call: CallOptions): Promise<string[]> {
    const first = await this.#parts.read(call, (index) => index.listPaginated({ limit: 1 }));
    if (first?.vectors === undefined || first.vectors.length === 0) return [];
    const rows = await fetchRows(
      this.#rows,
      records.map(({ id }) => rowId(id)),
      call,
    );
    return rows.flatMap(({ metadata }) => partIdsOf(metadata));
  }

  async #deleteParts(ids: readonly string[], call: CallOptions): Promise<void> {
    for (const some of slicesOf(ids, IDS_PER_DELETE))
      await this.#parts.write(call, (index) => index.deleteMany({ ids: some }));
  }

  #call(action: string, signal: AbortSignal | undefined): CallOptions {
    return { action: `${action} in collection "${this.#name}"`, signal };
  }
}

async function fetchRows(
  namespace: FreshNamespace,
  ids: readonly string[],
  call: CallOptions,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (const some of slicesOf(ids, IDS_PER_FETCH)) {
    const found = await namespace.read(call, (index) => index.fetch({ ids: some }));
    rows.push(...Object.entries(found?.records ?? {}).map(([id, row]) => ({ ...row, id })));
  }
  return rows;
}

/** Another process is writing the chunk, and the service shows its row before its parts. */
const incomplete = (host: string, name: string): RAGError =>
  new RAGError(
    'STORE_TIMEOUT',
    `Pinecone at ${host} could not show a chunk of collection "${name}" whole: parts of it are not seen yet. Try again later; where it stays so, rebuild with \`ragstone index --force\`.`,
  );
