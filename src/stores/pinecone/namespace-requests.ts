import type { ChunkRecord, ScoredChunk, StoredChunk } from '../../core/chunk.js';
import { RAGError } from '../../core/errors.js';
import { type Filter, matchesFilter } from '../../core/filter.js';
import { fieldLookup } from '../record-fields.js';
import type { ScoredId } from '../vector-store.js';
import type { FreshNamespace } from './fresh-namespace.js';
import type { MetadataFilter } from './metadata-filter.js';
import type { CallOptions } from './pinecone-connection.js';
import {
  chunkOf,
  encodeRecord,
  type FoundRow,
  type PineconeRow,
  partIdsOf,
  rowId,
  sizeOf,
  textOfPart,
} from './record-metadata.js';

/** Of one upsert: up to 1,000 records and 2 MB (https://docs.pinecone.io/reference/api/database-limits/operation-limits). */
const MAX_ROWS = 500;
const MAX_BYTES = 1_800_000;
/** Ids of one fetch. They travel in the address, whose length is limited before their number (1,000) is. */
const IDS_PER_FETCH = 80;
const IDS_PER_DELETE = 1_000;
/** Records of one page of a fetch by metadata, each up to 40 KB; the service takes up to 10,000. */
const ROWS_PER_PAGE = 500;

export interface ReadOptions {
  readonly includeVectors?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

interface Signalled {
  readonly signal?: AbortSignal | undefined;
}

/** A row that was found. */
interface Row extends FoundRow {
  readonly id: string;
}

/** The requests that one collection makes: rows in one namespace, and parts of large ones in another. */
export class NamespaceRequests {
  readonly #rows: FreshNamespace;
  readonly #parts: FreshNamespace;
  readonly #name: string;

  constructor(rows: FreshNamespace, parts: FreshNamespace, name: string) {
    this.#rows = rows;
    this.#parts = parts;
    this.#name = name;
  }

  begin(signal?: AbortSignal): void {
    this.#rows.begin(signal);
  }

  /** Waits until every write through this handle is seen. */
  async settle(signal: AbortSignal | undefined): Promise<void> {
    const call = this.#call('wait for writes', signal);
    await this.#parts.settle(call);
    await this.#rows.settle(call);
  }

  /** Writes records, whole each; earlier requests stay done where a later one fails. */
  async write(records: readonly ChunkRecord[], signal: AbortSignal | undefined): Promise<void> {
    const call = this.#call('write chunks', signal);
    // Before anything is written: one that cannot be stored refuses the batch.
    const encoded = records.map(encodeRecord);
    const parts = encoded.flatMap((one) => one.parts);
    const before = await this.#partsBefore(records, call);
    for (const batch of batchesOf(parts))
      await this.#parts.write(call, (index) => index.upsert({ records: batch }));
    // A row must not be seen before its parts.
    if (parts.length > 0) await this.#parts.settle(call);
    for (const batch of batchesOf(encoded.map(({ row }) => row)))
      await this.#rows.write(call, (index) => index.upsert({ records: batch }));
    const kept = new Set(parts.map(({ id }) => id));
    await this.#deleteParts(
      before.filter((id) => !kept.has(id)),
      call,
    );
  }

  /** Deletes rows that pass; returns how many did before. */
  async delete(filter: MetadataFilter, signal: AbortSignal | undefined): Promise<number> {
    const call = this.#call('delete chunks', signal);
    let deleted = 0;
    const parts: string[] = [];
    for await (const rows of this.#pages(filter, call)) {
      deleted += rows.length;
      for (const { metadata } of rows) parts.push(...partIdsOf(metadata));
    }
    if (deleted === 0) return 0;
    await this.#rows.write(call, (index) => index.deleteMany({ filter }));
    await this.#deleteParts(parts, call);
    return deleted;
  }

  /** How many rows pass. */
  async count(filter: MetadataFilter, { signal }: Signalled): Promise<number> {
    let count = 0;
    for await (const rows of this.#pages(filter, this.#call('count chunks', signal))) count += rows.length;
    return count;
  }

  /** How many rows there are. */
  async countAll({ signal }: Signalled): Promise<number> {
    const stats = await this.#rows.read(this.#call('count chunks', signal), (index) =>
      index.describeIndexStats(),
    );
    return stats?.namespaces?.[this.#rows.place.namespace]?.recordCount ?? 0;
  }

  /** The chunks that pass, in no order, a page at a time. */
  async *chunks(filter: MetadataFilter, options: ReadOptions): AsyncGenerator<readonly StoredChunk[]> {
    const call = this.#call('list chunks', options.signal);
    for await (const rows of this.#pages(filter, call)) yield await this.#chunksOf(rows, options, call);
  }

  /** The chunks of these ids, in no order; unknown ones are left out. */
  async byIds(ids: readonly string[], options: ReadOptions): Promise<StoredChunk[]> {
    const call = this.#call('look chunks up', options.signal);
    return this.#chunksOf(await fetchRows(this.#rows, ids.map(rowId), call), options, call);
  }

  /** What is nearest to a vector of unit length: rows' ids, nearest first; ties in no order. */
  async nearest(
    filter: MetadataFilter,
    { vector, limit }: { readonly vector: Float32Array; readonly limit: number },
    { signal }: Signalled,
  ): Promise<ScoredId[]> {
    const found = await this.#rows.read(this.#call('search vectors', signal), (index) =>
      index.query({
        vector: Array.from(vector),
        topK: limit,
        filter,
        includeValues: false,
        includeMetadata: false,
      }),
    );
    return (found?.matches ?? []).map(({ id, score = 0 }) => ({ id, score }));
  }

  /** The chunks of hits, with their scores; what no longer passes the filter, or is gone, is left out. */
  async chunksOfHits(
    hits: readonly ScoredId[],
    filter: Filter,
    options: ReadOptions,
  ): Promise<ScoredChunk[]> {
    const call = this.#call('read what was found', options.signal);
    const ids = hits.map(({ id }) => id);
    const chunks = await this.#chunksOf(await fetchRows(this.#rows, ids, call), options, call);
    const byId = new Map(chunks.map((chunk) => [rowId(chunk.id), chunk]));
    return hits.flatMap(({ id, score }) => {
      const chunk = byId.get(id);
      // It may have been written anew since the service filtered it.
      const passes = chunk !== undefined && matchesFilter(filter, fieldLookup(chunk));
      return passes ? [{ chunk, score }] : [];
    });
  }

  async *#pages(filter: MetadataFilter, call: CallOptions): AsyncGenerator<Row[]> {
    let paginationToken: string | undefined;
    do {
      const page = paginationToken === undefined ? {} : { paginationToken };
      const found = await this.#rows.read(call, (index) =>
        index.fetchByMetadata({ filter, limit: ROWS_PER_PAGE, ...page }),
      );
      yield Object.entries(found?.records ?? {}).map(([id, row]) => ({ ...row, id }));
      paginationToken = found?.pagination?.next || undefined;
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
    for (let start = 0; start < ids.length; start += IDS_PER_DELETE) {
      const slice = ids.slice(start, start + IDS_PER_DELETE);
      await this.#parts.write(call, (index) => index.deleteMany({ ids: slice }));
    }
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
  for (let start = 0; start < ids.length; start += IDS_PER_FETCH) {
    const slice = ids.slice(start, start + IDS_PER_FETCH);
    const found = await namespace.read(call, (index) => index.fetch({ ids: slice }));
    rows.push(...Object.entries(found?.records ?? {}).map(([id, row]) => ({ ...row, id })));
  }
  return rows;
}

function* batchesOf(rows: readonly PineconeRow[]): Generator<PineconeRow[]> {
  let batch: PineconeRow[] = [];
  let bytes = 0;
  for (const row of rows) {
    const size = sizeOf(row);
    if (batch.length >= MAX_ROWS || (batch.length > 0 && bytes + size > MAX_BYTES)) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(row);
    bytes += size;
  }
  if (batch.length > 0) yield batch;
}

/** Another process is writing the chunk, and the service shows its row before its parts. */
const incomplete = (host: string, name: string): RAGError =>
  new RAGError(
    'STORE_TIMEOUT',
    `Pinecone at ${host} could not show a chunk of collection "${name}" whole: parts of it are not seen yet. Try again later; where it stays so, rebuild with \`ragstone index --force\`.`,
  );
