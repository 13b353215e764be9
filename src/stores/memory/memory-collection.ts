import type { ChunkRecord, ScoredChunk, StoredChunk } from '../../core/chunk.js';
import { RAGError, throwIfAborted } from '../../core/errors.js';
import { compareText, type Filter, matchesFilter } from '../../core/filter.js';
import { termWeights } from '../query-terms.js';
import { fieldLookup, storedChunkOf } from '../record-fields.js';
import {
  assertCount,
  assertFilter,
  assertQueryVector,
  assertRecords,
  lastRecordById,
} from '../store-checks.js';
import { TopK } from '../top-k.js';
import type {
  CollectionSpec,
  CollectionStats,
  ListPage,
  ListQuery,
  TermsQuery,
  TextQuery,
  VectorCollection,
  VectorQuery,
} from '../vector-store.js';
import { Bm25Index, type TenantText } from './bm25-index.js';

/** Deleted rows that are kept before the tables are rebuilt, at least; beyond it, as many as there are live rows. */
const MIN_DEAD_ROWS = 1_024;

interface Row {
  readonly chunk: StoredChunk;
  readonly searchText: string;
}

const textOf = ({ chunk: { tenant }, searchText }: Row): TenantText => ({ tenant, text: searchText });

export interface MemoryLimits {
  readonly maxTopK: number;
}

/** A collection in memory. Every operation is one synchronous step, so readers never see half a batch. */
export class MemoryCollection implements VectorCollection {
  readonly spec: CollectionSpec;
  readonly #limits: MemoryLimits;
  // Rows are ordinals that only grow; a deleted one stays as a hole until the tables are rebuilt.
  #rows: (Row | undefined)[] = [];
  #vectors: VectorTable;
  #texts = new Bm25Index();
  readonly #ordinals = new Map<string, number>();
  #sortedIds: readonly string[] | undefined;
  #closed = false;

  constructor(spec: CollectionSpec, limits: MemoryLimits) {
    this.spec = spec;
    this.#limits = limits;
    this.#vectors = new VectorTable(spec.dimensions);
  }

  async upsert(records: readonly ChunkRecord[], signal?: AbortSignal): Promise<void> {
    this.#begin(signal);
    assertRecords(this.spec, records);
    for (const record of lastRecordById(records)) {
      this.#remove(record.id);
      this.#append(copyOf(record), record.vector);
    }
    this.#compact();
  }

  async get(
    ids: readonly string[],
    options: { includeVectors?: boolean; signal?: AbortSignal } = {},
  ): Promise<StoredChunk[]> {
    this.#begin(options.signal);
    return ids.flatMap((id) => {
      const ordinal = this.#ordinals.get(id);
      return ordinal === undefined ? [] : [this.#chunkAt(ordinal, options.includeVectors)];
    });
  }

  async delete(filter: Filter, signal?: AbortSignal): Promise<number> {
    this.#begin(signal);
    const doomed = this.#matches(filter);
    for (const { id } of doomed) this.#remove(id);
    this.#compact();
    return doomed.length;
  }

  async list(query: ListQuery): Promise<ListPage> {
    this.#begin(query.signal);
    assertFilter(query.filter);
    assertCount('limit', query.limit, Number.MAX_SAFE_INTEGER);
    this.#sortedIds ??= [...this.#ordinals.keys()].sort(compareText);
    const chunks: StoredChunk[] = [];
    for (const id of idsAfter(this.#sortedIds, query.cursor)) {
      const chunk = this.#rows[this.#ordinals.get(id) ?? -1]?.chunk;
      if (chunk === undefined || !matchesFilter(query.filter, fieldLookup(chunk))) continue;
      const last = chunks.at(-1);
      if (chunks.length === query.limit && last !== undefined) return { chunks, cursor: last.id };
      chunks.push(chunk);
    }
    return { chunks };
  }

  async count(filter: Filter, signal?: AbortSignal): Promise<number> {
    this.#begin(signal);
    return this.#matches(filter).length;
  }

  async searchVector(query: VectorQuery): Promise<ScoredChunk[]> {
    this.#begin(query.signal);
    assertCount('topK', query.topK, this.#limits.maxTopK);
    assertQueryVector(this.spec, query.vector);
    const isAdmitted = this.#admission(query.filter);
    const best = this.#topK(query.topK);
    const similarity = this.#vectors.cosineTo(query.vector);
    for (let ordinal = 0; ordinal < this.#rows.length; ordinal++)
      if (isAdmitted(ordinal)) best.push(ordinal, similarity(ordinal));
    return this.#scored(best, query.includeVectors);
  }

  async searchText(query: TextQuery): Promise<ScoredChunk[]> {
    this.#begin(query.signal);
    assertCount('topK', query.topK, this.#limits.maxTopK);
    const isAdmitted = this.#admission(query.filter);
    const best = this.#topK(query.topK);
    for (const [ordinal, score] of this.#texts.score(termWeights(query), query.tenant))
      if (isAdmitted(ordinal)) best.push(ordinal, score);
    return this.#scored(best, query.includeVectors);
  }

  async termsBeginning(query: TermsQuery): Promise<string[]> {
    this.#begin(query.signal);
    return this.#texts.termsBeginning(query.beginning, this.#admission(query.filter)).slice(0, query.limit);
  }

  async optimize(signal?: AbortSignal): Promise<void> {
    this.#begin(signal);
    if (this.#deadRows() > 0) this.#rebuild();
  }

  async stats(): Promise<CollectionStats> {
    this.#begin();
    return {
      chunks: this.#ordinals.size,
      vectorIndex: 'flat scan in memory',
      textIndex: 'exact BM25 in memory',
    };
  }

  /** Forgets everything; every later call is refused. */
  close(): void {
    this.#closed = true;
    this.#rows = [];
    this.#ordinals.clear();
    this.#texts = new Bm25Index();
    this.#vectors = new VectorTable(this.spec.dimensions);
  }

  #begin(signal?: AbortSignal): void {
    throwIfAborted(signal);
    if (this.#closed)
      throw new RAGError('STORE_UNAVAILABLE', `Collection "${this.spec.name}" is closed; open it again.`);
  }

  #append(row: Row, vector: Float32Array): void {
    const ordinal = this.#rows.push(row) - 1;
    this.#vectors.set(ordinal, vector);
    this.#texts.add(ordinal, textOf(row));
    this.#ordinals.set(row.chunk.id, ordinal);
    this.#sortedIds = undefined;
  }

  #remove(id: string): void {
    const ordinal = this.#ordinals.get(id);
    const row = ordinal === undefined ? undefined : this.#rows[ordinal];
    if (ordinal === undefined || row === undefined) return;
    this.#rows[ordinal] = undefined;
    this.#texts.remove(textOf(row));
    this.#ordinals.delete(id);
    this.#sortedIds = undefined;
  }

  #deadRows(): number {
    return this.#rows.length - this.#ordinals.size;
  }

  #compact(): void {
    if (this.#deadRows() > Math.max(MIN_DEAD_ROWS, this.#ordinals.size)) this.#rebuild();
  }

  #rebuild(): void {
    const rows = this.#rows;
    const vectors = this.#vectors;
    this.#rows = [];
    this.#vectors = new VectorTable(this.spec.dimensions);
    this.#texts = new Bm25Index();
    for (const [ordinal, row] of rows.entries()) if (row) this.#append(row, vectors.at(ordinal));
  }

  #matches(filter: Filter): StoredChunk[] {
    const isAdmitted = this.#admission(filter);
    return this.#rows.flatMap((row, ordinal) => (row && isAdmitted(ordinal) ? [row.chunk] : []));
  }

  #admission(filter: Filter): (ordinal: number) => boolean {
    assertFilter(filter);
    return (ordinal) => {
      const chunk = this.#rows[ordinal]?.chunk;
      return chunk !== undefined && matchesFilter(filter, fieldLookup(chunk));
    };
  }

  #topK(k: number): TopK {
    const idAt = (ordinal: number): string => this.#rows[ordinal]?.chunk.id ?? '';
    return new TopK(Math.min(k, this.#ordinals.size), (a, b) => compareText(idAt(a), idAt(b)) < 0);
  }

  #scored(best: TopK, includeVectors: boolean | undefined): ScoredChunk[] {
    return best.sorted().map(({ item, score }) => ({ chunk: this.#chunkAt(item, includeVectors), score }));
  }

  #chunkAt(ordinal: number, includeVectors: boolean | undefined): StoredChunk {
    const row = this.#rows[ordinal];
    if (row === undefined) throw new RAGError('INTERNAL', `The memory store lost row ${ordinal}.`);
    return includeVectors ? { ...row.chunk, vector: this.#vectors.at(ordinal).slice() } : row.chunk;
  }
}

// The caller may change its record afterwards, and what is given out must not change the store: copied once, then frozen.
function copyOf(record: ChunkRecord): Row {
  return { chunk: deepFreeze(structuredClone(storedChunkOf(record))), searchText: record.searchText };
}

function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  for (const part of Object.values(value)) deepFreeze(part);
  return Object.freeze(value);
}

function idsAfter(sortedIds: readonly string[], cursor: string | undefined): readonly string[] {
  if (cursor === undefined) return sortedIds;
  let low = 0;
  let high = sortedIds.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (compareText(sortedIds[middle] ?? '', cursor) <= 0) low = middle + 1;
    else high = middle;
  }
  return sortedIds.slice(low);
}

const INITIAL_ROWS = 64;

/** Vectors of one length in a growing typed array, addressed by row, and their exact cosine to a query. */
class VectorTable {
  readonly #dimensions: number;
  #values: Float32Array;
  #norms: Float64Array;

  constructor(dimensions: number) {
    this.#dimensions = dimensions;
    this.#values = new Float32Array(INITIAL_ROWS * dimensions);
    this.#norms = new Float64Array(INITIAL_ROWS);
  }

  set(row: number, vector: Float32Array): void {
    this.#reserve(row + 1);
    this.#values.set(vector, row * this.#dimensions);
    this.#norms[row] = Math.sqrt(dot(vector, vector, 0));
  }

  /** A view of the row; it changes when the row does. */
  at(row: number): Float32Array {
    return this.#values.subarray(row * this.#dimensions, (row + 1) * this.#dimensions);
  }

  /** The cosine of the query to any row, in [-1, 1]; 0 where either vector is all zero. */
  cosineTo(query: Float32Array): (row: number) => number {
    const queryNorm = Math.sqrt(dot(query, query, 0));
    return (row) => {
      const scale = queryNorm * (this.#norms[row] ?? 0);
      if (scale === 0) return 0;
      return Math.max(-1, Math.min(1, dot(query, this.#values, row * this.#dimensions) / scale));
    };
  }

  #reserve(rows: number): void {
    if (rows <= this.#norms.length) return;
    const capacity = Math.max(rows, this.#norms.length * 2);
    const values = new Float32Array(capacity * this.#dimensions);
    const norms = new Float64Array(capacity);
    values.set(this.#values);
    norms.set(this.#norms);
    this.#values = values;
    this.#norms = norms;
  }
}

function dot(a: Float32Array, b: Float32Array, offset: number): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i] ?? 0) * (b[offset + i] ?? 0);
  return sum;
}
