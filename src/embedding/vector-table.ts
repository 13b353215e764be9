import { rmSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { bytesAt, numberAt, type SqlRow } from '../sqlite/row.js';
import { SqliteDatabase } from '../sqlite/sqlite-database.js';
import type { SqliteFaultKind } from '../sqlite/sqlite-fault.js';

/** A fault of the cache's file; never leaves the cache. */
export class CacheFault extends Error {
  constructor(
    readonly kind: SqliteFaultKind,
    cause: unknown,
  ) {
    super(`embedding cache: ${kind}`, { cause });
    this.name = 'CacheFault';
  }
}

const SCHEMA_VERSION = 1;
// Vectors are 1 to 16 kB: small pages would leave much of each unused.
const PAGE_BYTES = 16_384;
// The rest is left to the journal, which holds the pages that one transaction changes.
const FILE_SHARE = 0.75;
const EVICTED_SHARE = 8;

const SCHEMA = `
  DROP TABLE IF EXISTS vectors;
  CREATE TABLE vectors (
    id INTEGER PRIMARY KEY,
    key BLOB NOT NULL UNIQUE,
    vector BLOB NOT NULL,
    checksum INTEGER NOT NULL
  );
  PRAGMA user_version = ${SCHEMA_VERSION};`;
const INSERT = 'INSERT OR REPLACE INTO vectors (key, vector, checksum) VALUES (?, ?, ?)';
const SELECT = 'SELECT vector, checksum FROM vectors WHERE key = ?';
const EVICT_OLDEST = `DELETE FROM vectors WHERE id IN (
  SELECT id FROM vectors ORDER BY id LIMIT (SELECT count(*) / ${EVICTED_SHARE} + 1 FROM vectors))`;

/** Opens the file, makes it where it is missing, and shrinks it where it is larger than the limit allows. */
export function openVectorTable(file: string, maxBytes: number): SqliteDatabase {
  const database = SqliteDatabase.open(file, { toError: (kind, cause) => new CacheFault(kind, cause) });
  try {
    database.exec(`PRAGMA page_size = ${PAGE_BYTES}`);
    database.transaction(() => {
      if (database.pragma('user_version') !== SCHEMA_VERSION) database.exec(SCHEMA);
    });
    limitSize(database, maxBytes * FILE_SHARE);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Deletes the file and what SQLite keeps beside it. */
export function removeVectorTable(file: string): void {
  for (const end of ['', '-journal', '-wal', '-shm']) rmSync(`${file}${end}`, { force: true });
}

/** The vectors of these keys, from one snapshot; `undefined` where there is none that is whole and this long. */
export function readVectors(
  database: SqliteDatabase,
  keys: readonly string[],
  dimensions: number,
): (Float32Array | undefined)[] {
  return database.snapshot(() =>
    keys.map((key) => {
      const keyBytes = Buffer.from(key, 'hex');
      const row = database.row(SELECT, keyBytes);
      return row === undefined ? undefined : vectorIn(row, keyBytes, dimensions);
    }),
  );
}

/** Writes all or none, after dropping as many of the oldest entries as it takes. Throws `full` where that is not enough. */
export function writeVectors(
  database: SqliteDatabase,
  entries: readonly (readonly [key: string, vector: Float32Array])[],
): void {
  for (;;) {
    try {
      database.transaction(() => {
        for (const [key, vector] of entries) insert(database, Buffer.from(key, 'hex'), vector);
      });
      return;
    } catch (error) {
      if (!(error instanceof CacheFault) || error.kind !== 'full' || evictOldest(database) === 0) throw error;
    }
  }
}

function insert(database: SqliteDatabase, key: Buffer, vector: Float32Array): void {
  const bytes = new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);
  database.run(INSERT, key, bytes, checksumOf(key, bytes));
}

function vectorIn(row: SqlRow, key: Buffer, dimensions: number): Float32Array | undefined {
  const bytes = bytesAt(row, 0);
  const isWhole =
    bytes.length === dimensions * Float32Array.BYTES_PER_ELEMENT &&
    numberAt(row, 1) === checksumOf(key, bytes);
  // A copy, because a Float32Array must start at a multiple of four.
  return isWhole ? new Float32Array(new Uint8Array(bytes).buffer) : undefined;
}

// Over the key too: a damaged index may lead to another entry, itself whole.
const checksumOf = (key: Uint8Array, vector: Uint8Array): number => crc32(vector, crc32(key));

const evictOldest = (database: SqliteDatabase): number =>
  database.transaction(() => database.run(EVICT_OLDEST));

function limitSize(database: SqliteDatabase, bytes: number): void {
  const read = (pragma: string): number => Number(database.pragma(pragma));
  const maxPages = Math.floor(bytes / read('page_size'));
  if (read('page_count') > maxPages) {
    while (read('page_count') - read('freelist_count') > maxPages && evictOldest(database) > 0);
    database.exec('VACUUM');
  }
  database.exec(`PRAGMA max_page_count = ${maxPages}`);
}
