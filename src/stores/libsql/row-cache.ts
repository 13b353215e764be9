import type { ChunkRecord } from '../../core/chunk.js';
import { type FieldLookup, type Filter, lookupPath } from '../../core/filter.js';
import type { Metadata } from '../../core/metadata.js';
import { bytesAt, numberAt, originalText, type SqlRow, text, textAt } from '../../platform/sqlite/row.js';
import type { SqliteDatabase } from '../../platform/sqlite/sqlite-database.js';
import { SqliteValueError } from '../../platform/sqlite/sqlite-fault.js';
import { PartStatistics, type TextStatistics } from '../bm25.js';
import { isSystemField } from '../record-fields.js';
import { deadRows } from './dead-rows.js';
import type { PostingBuffer } from './postings-codec.js';
import { compileFilter, readsBody, reduceByProfile } from './row-filter.js';
import { VectorScan } from './vector-scan.js';

/** Dead rows that are kept in memory before everything is read anew, at least. */
const MIN_DEAD_ROWS = 1_024;

/** What the chunks of one tenant, project, source and access level share. */
export type Profile = Pick<ChunkRecord, 'tenant' | 'project' | 'source' | 'access'>;

/** Rows that are read at a time: few enough that their buffers do not drive the garbage collector. */
const PAGE_ROWS = 500;

const PART_COLUMNS = { vector: 'vector', body: `${text('identifiers')}, ${text('metadata')}` } as const;

/** Rows of keys that come as one value: the driver gives one large value far sooner than many small ones. */
const PAGE_KEYS = 4_096;

/** Row, chunk id, document id, profile and length of a chunk. */
type ChunkKeys = readonly [number, string, string, number, number];

interface Body {
  readonly identifiers: readonly string[];
  readonly metadata: Metadata;
}

const NO_BODY: Body = { identifiers: [], metadata: {} };

/**
 * What scans need of a collection, in memory: keys and profiles, and on first use bodies (for metadata filters) and
 * vectors. Chunks are ordinals in row order; rows only grow, so a refresh appends what is new and marks what is gone.
 * The plus before `collection` in its queries keeps SQLite from using the index on it, and so from sorting by row.
 *
 * Every method that reads the database must run in one snapshot with `refresh`.
 */
export class RowCache {
  readonly #database: SqliteDatabase;
  readonly #collection: number;
  readonly #dimensions: number;
  #version = -1;
  #live = 0;
  #longest = 0;
  #rows: number[] = [];
  #ids: string[] = [];
  #documentIds: string[] = [];
  #profileIds: number[] = [];
  #lengths: number[] = [];
  #isLive: boolean[] = [];
  #bodies: Body[] = [];
  #vectors: VectorScan;
  readonly #texts = new PartStatistics<number>();
  readonly #profiles = new Map<number, Profile>();

  constructor(database: SqliteDatabase, collection: number, dimensions: number) {
    this.#database = database;
    this.#collection = collection;
    this.#dimensions = dimensions;
    this.#vectors = new VectorScan(dimensions);
  }

  /** Number of chunks. */
  get size(): number {
    return this.#live;
  }

  /** Ordinals run from 0 to below this; some may be of deleted chunks. */
  get ordinals(): number {
    return this.#rows.length;
  }

  /** Statistics of the chunks of a tenant, or of all. */
  textStatistics(tenant: string | undefined): TextStatistics {
    return this.#texts.of((profileId) => this.#isOf(tenant, profileId));
  }

  /** Terms of the longest chunk that was seen. */
  get longest(): number {
    return this.#longest;
  }

  /**
   * Takes from a buffer of postings those of chunks that exist, of one tenant or of all: writes their ordinals, moves their frequencies
   * to the front, and returns how many they are.
   */
  ordinalsOf(
    { size, rows, frequencies }: PostingBuffer,
    tenant: string | undefined,
    ordinals: Uint32Array,
  ): number {
    const [all, isLive] = [this.#rows, this.#isLive];
    const isCounted = this.#testOf(tenant);
    let found = 0;
    let at = 0;
    for (let i = 0; i < size; i++) {
      const row = rows[i] ?? 0;
      const last = all[at] ?? 0;
      // Where nothing was deleted between.
      const near = at + row - last;
      if (near >= 0 && near < all.length && all[near] === row) at = near;
      else at = this.#ordinalFrom(last <= row ? at : 0, row);
      if (at >= all.length) at = 0;
      if (all[at] !== row || isLive[at] !== true || isCounted?.(at) === false) continue;
      ordinals[found] = at;
      frequencies[found++] = frequencies[i] ?? 0;
    }
    return found;
  }

  /** Whether an ordinal is a chunk of the tenant; undefined where all are. */
  #testOf(tenant: string | undefined): ((ordinal: number) => boolean) | undefined {
    if (this.#texts.of((profileId) => !this.#isOf(tenant, profileId)).chunks === 0) return undefined;
    const isOf = ofLastKey((profileId) => this.#isOf(tenant, profileId));
    return (ordinal) => isOf(this.#profileIds[ordinal] ?? 0);
  }

  idAt(ordinal: number): string {
    return this.#ids[ordinal] ?? '';
  }

  rowAt(ordinal: number): number {
    return this.#rows[ordinal] ?? 0;
  }

  lengthAt(ordinal: number): number {
    return this.#lengths[ordinal] ?? 0;
  }

  isLiveAt(ordinal: number): boolean {
    return this.#isLive[ordinal] ?? false;
  }

  /** The ordinal of a row, or undefined where the row was deleted. */
  ordinalOf(row: number): number | undefined {
    const ordinal = this.#ordinalFrom(0, row);
    return this.#rows[ordinal] === row && this.isLiveAt(ordinal) ? ordinal : undefined;
  }

  /** As `ordinalOf`, for rows that mostly ascend from call to call: each is looked for from the one before it on. */
  ordinalFinder(): (row: number) => number | undefined {
    let last = 0;
    return (row) => {
      last = this.#ordinalFrom((this.#rows[last] ?? Number.POSITIVE_INFINITY) <= row ? last : 0, row);
      return this.#rows[last] === row && this.isLiveAt(last) ? last : undefined;
    };
  }

  /** Catches up with the collection, whose version the caller has just read. */
  refresh(version: number): void {
    if (version === this.#version) return;
    // Deletions first, so that a row written and deleted since is never taken in.
    if (this.#rows.length > 0) this.#markDeleted();
    if (this.#rows.length - this.#live > Math.max(MIN_DEAD_ROWS, this.#live)) this.#clear();
    this.#append();
    this.#version = version;
  }

  /** Cosine of a query to any ordinal; reads the vectors that are not in memory yet. */
  cosineTo(query: Float32Array): (ordinal: number) => number {
    return this.#loadVectors().cosineTo(query);
  }

  /** As `VectorScan.visitAbove`, deleted ordinals too; reads the vectors that are not in memory yet. */
  visitNear(query: Float32Array, visit: (ordinal: number) => number): void {
    this.#loadVectors().visitAbove(query, visit);
  }

  /** How vectors are searched, in words. */
  describeScan(): string {
    const slowly = ', without vector instructions: the system refused the address space for them';
    return `exact scan in memory${this.#vectors.hasSimd ? '' : slowly}`;
  }

  /** Which ordinals a filter admits; deleted ones never. */
  admission(filter: Filter): (ordinal: number) => boolean {
    if (readsBody(filter)) this.#loadBodies();
    const lookups = { ordinal: 0 };
    const lookup: FieldLookup = (field) => this.#fieldAt(lookups.ordinal, field);
    const testOf = ofLastKey(() => {
      const reduced = reduceByProfile(filter, lookup);
      return typeof reduced === 'boolean' ? reduced : compileFilter(reduced);
    });
    return (ordinal) => {
      if (!this.isLiveAt(ordinal)) return false;
      lookups.ordinal = ordinal;
      const test = testOf(this.#profileIds[ordinal] ?? 0);
      return typeof test === 'boolean' ? test : test(lookup);
    };
  }

  /** A profile by its key; the database is asked once for each. */
  profile(profileId: number): Profile {
    const known = this.#profiles.get(profileId);
    if (known !== undefined) return known;
    const row = this.#database.row(`SELECT ${text('facts')} FROM store_profile WHERE id = ?`, profileId);
    const profile = JSON.parse(textAt(row ?? [], 0)) as Profile;
    this.#profiles.set(profileId, profile);
    return profile;
  }

  // The first ordinal, from `start` on, whose row is not below the wanted one. Rows are whole numbers that ascend, so it is at
  // most as far as the rows are apart, and exactly that far where nothing was deleted between.
  #ordinalFrom(start: number, row: number): number {
    let low = start;
    let high = Math.min(start + Math.max(0, row - this.rowAt(start)), this.#rows.length);
    if (this.#rows[high] === row) return high;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.rowAt(middle) < row) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #fieldAt(ordinal: number, field: string): ReturnType<FieldLookup> {
    if (!isSystemField(field)) return lookupPath(this.#bodies[ordinal]?.metadata ?? {}, field);
    switch (field) {
      case '$chunkId':
        return this.#ids[ordinal];
      case '$documentId':
        return this.#documentIds[ordinal];
      case '$identifiers':
        return this.#bodies[ordinal]?.identifiers;
      default:
        return profileField(this.profile(this.#profileIds[ordinal] ?? 0), field);
    }
  }

  #isOf(tenant: string | undefined, profileId: number): boolean {
    return tenant === undefined || this.profile(profileId).tenant === tenant;
  }

  #clear(): void {
    this.#live = 0;
    this.#texts.clear();
    this.#rows = [];
    this.#ids = [];
    this.#documentIds = [];
    this.#profileIds = [];
    this.#lengths = [];
    this.#isLive = [];
    this.#bodies = [];
    this.#vectors = new VectorScan(this.#dimensions);
  }

  #append(): void {
    for (;;) {
      const page = this.#keysAfter(this.#rows.at(-1) ?? 0);
      for (const [row, id, documentId, profile, length] of page) {
        this.#rows.push(row);
        this.#ids.push(originalText(id));
        this.#documentIds.push(originalText(documentId));
        this.#profileIds.push(profile);
        this.#lengths.push(length);
        this.#isLive.push(true);
        this.#texts.add(profile, length);
        this.#longest = Math.max(this.#longest, length);
        this.#live++;
      }
      if (page.length < PAGE_KEYS) return;
    }
  }

  #keysAfter(row: number): readonly ChunkKeys[] {
    const keys = text('json_group_array(json_array(row, chunk_id, document_id, profile, length))');
    const sql = `SELECT ${keys} FROM (SELECT * FROM store_chunk WHERE +collection = ? AND row > ?
      ORDER BY row LIMIT ${PAGE_KEYS})`;
    const page = JSON.parse(textAt(this.#database.row(sql, this.#collection, row) ?? [], 0)) as unknown[];
    if (!page.every(isChunkKeys)) throw new SqliteValueError('keys of chunks', 0);
    return page;
  }

  #markDeleted(): void {
    for (const row of deadRows(this.#database, this.#collection)) {
      const ordinal = this.ordinalOf(row);
      if (ordinal !== undefined) this.#bury(ordinal);
    }
    // Others may have deleted and purged meanwhile.
    const last = this.#rows.at(-1) ?? 0;
    const sql = 'FROM store_chunk WHERE collection = ? AND row <= ?';
    const counted = this.#database.row(`SELECT count(*) ${sql}`, this.#collection, last);
    if (numberAt(counted ?? [], 0) === this.#live) return;
    const left = new Set(this.#database.rows(`SELECT row ${sql}`, this.#collection, last).map((r) => r[0]));
    for (const [ordinal, row] of this.#rows.entries())
      if (this.#isLive[ordinal] && !left.has(row)) this.#bury(ordinal);
  }

  #bury(ordinal: number): void {
    this.#isLive[ordinal] = false;
    this.#live--;
    this.#texts.remove(this.#profileIds[ordinal] ?? 0, this.lengthAt(ordinal));
  }

  #loadVectors(): VectorScan {
    this.#vectors.reserve(this.#rows.length);
    const deleted = new Uint8Array(this.#dimensions * Float32Array.BYTES_PER_ELEMENT);
    this.#fill(this.#vectors.size, 'vector', (row) => this.#vectors.push(row ? bytesAt(row, 1) : deleted));
    return this.#vectors;
  }

  #loadBodies(): void {
    this.#fill(this.#bodies.length, 'body', (row) => this.#bodies.push(row ? bodyOf(row) : NO_BODY));
  }

  // Gives the parts from an ordinal on, nothing for rows that were deleted before they were read.
  #fill(from: number, part: keyof typeof PART_COLUMNS, take: (row: SqlRow | undefined) => void): void {
    const sql = `SELECT row, ${PART_COLUMNS[part]} FROM store_chunk CROSS JOIN store_${part} USING (row)
      WHERE +collection = ? AND row > ? ORDER BY row LIMIT ${PAGE_ROWS}`;
    let page: SqlRow[] = [];
    let next = 0;
    for (let ordinal = from; ordinal < this.#rows.length; ordinal++) {
      if (next === page.length) {
        page = this.#database.rows(sql, this.#collection, ordinal === 0 ? 0 : this.rowAt(ordinal - 1));
        next = 0;
      }
      const isNext = page[next]?.[0] === this.rowAt(ordinal);
      take(isNext ? page[next++] : undefined);
    }
  }
}

/** A function that computes each value once, and is fastest for the key of the call before: neighbouring chunks share their profile. */
function ofLastKey<Value>(compute: (key: number) => Value): (key: number) => Value {
  const values = new Map<number, Value>();
  let last: { readonly key: number; readonly value: Value } | undefined;
  return (key) => {
    if (last?.key === key) return last.value;
    const value = values.has(key) ? (values.get(key) as Value) : compute(key);
    values.set(key, value);
    last = { key, value };
    return value;
  };
}

const isChunkKeys = (keys: unknown): keys is ChunkKeys =>
  Array.isArray(keys) &&
  keys.every((key, column) => typeof key === (column === 1 || column === 2 ? 'string' : 'number'));

const bodyOf = (row: SqlRow): Body => ({
  identifiers: JSON.parse(textAt(row, 1)) as string[],
  metadata: JSON.parse(textAt(row, 2)) as Metadata,
});

function profileField(profile: Profile, field: '$tenant' | '$project' | '$source' | '$level' | '$groups') {
  switch (field) {
    case '$tenant':
      return profile.tenant;
    case '$project':
      return profile.project;
    case '$source':
      return profile.source;
    case '$level':
      return profile.access.level;
    case '$groups':
      return profile.access.groups;
  }
}

/** Bytes of a vector column as numbers. A copy: the bytes may not be aligned. */
export function vectorOf(bytes: Buffer): Float32Array {
  const vector = new Float32Array(bytes.byteLength / Float32Array.BYTES_PER_ELEMENT);
  new Uint8Array(vector.buffer).set(bytes);
  return vector;
}
