import type { ChunkRecord, StoredChunk } from '../../core/chunk.js';
import type { Metadata } from '../../core/metadata.js';
import { bytesAt, numberAt, originalText, storableText, text, textAt } from '../../platform/sqlite/row.js';
import type { SqliteDatabase } from '../../platform/sqlite/sqlite-database.js';
import { SqliteValueError } from '../../platform/sqlite/sqlite-fault.js';
import { packTerms } from './packed-terms.js';
import { SegmentWriter } from './postings.js';
import { type Profile, vectorOf } from './row-cache.js';

/** Tables that hold a part of a chunk under its row. */
const PARTS = ['chunk', 'body', 'vector', 'terms'] as const;

/** Rows of the chunks with these ids, in the order asked for; unknown ids are left out. */
export function rowsOfIds(database: SqliteDatabase, collection: number, ids: readonly string[]): number[] {
  const sql = `SELECT ${text('json_group_array(json_array(chunk_id, row))')} FROM store_chunk
    WHERE collection = ? AND chunk_id IN (SELECT value FROM json_each(?))`;
  const rows = new Map<string, number>();
  // Half a surrogate pair is stored as what stands for it; JSON would hand it on.
  const stored = ids.map((id) => storableText(id).toWellFormed());
  for (let start = 0; start < stored.length; start += ROWS_PER_VALUE) {
    const some = JSON.stringify(stored.slice(start, start + ROWS_PER_VALUE));
    const found = JSON.parse(textAt(database.row(sql, collection, some) ?? [], 0)) as unknown[];
    for (const pair of found) if (isRowOfId(pair)) rows.set(pair[0], pair[1]);
  }
  return stored.flatMap((id) => rows.get(id) ?? []);
}

const isRowOfId = (pair: unknown): pair is readonly [string, number] =>
  Array.isArray(pair) && typeof pair[0] === 'string' && typeof pair[1] === 'number';

/** Removes chunks; their postings stay until the next purge or merge. */
export function deleteRows(database: SqliteDatabase, collection: number, rows: readonly number[]): void {
  const sql = `INSERT INTO store_dead (row, collection, terms)
    SELECT row, collection, terms FROM store_chunk LEFT JOIN store_terms USING (row) WHERE row = ? AND collection = ?`;
  for (const row of rows) database.run(sql, row, collection);
  for (const part of PARTS)
    for (const row of rows) database.run(`DELETE FROM store_${part} WHERE row = ?`, row);
}

/** Writes records whose ids are not in the collection. */
export function writeRecords(
  database: SqliteDatabase,
  collection: number,
  records: readonly ChunkRecord[],
): void {
  const segment = new SegmentWriter();
  const profileOf = profileWriter(database, collection);
  // Rows are given here and not by the database, because the terms must be counted before the row is written.
  let row = lastRow(database);
  for (const record of records) {
    const { length, terms } = segment.add(++row, record.searchText, record.identifiers);
    database.run(
      'INSERT INTO store_chunk (row, collection, chunk_id, document_id, profile, length) VALUES (?, ?, ?, ?, ?, ?)',
      row,
      collection,
      storableText(record.id),
      storableText(record.documentId),
      profileOf(record),
      length,
    );
    database.run(
      'INSERT INTO store_body (row, content, identifiers, metadata) VALUES (?, ?, ?, ?)',
      row,
      storableText(record.content),
      JSON.stringify(record.identifiers),
      JSON.stringify(record.metadata),
    );
    const { buffer, byteOffset, byteLength } = record.vector;
    database.run(
      'INSERT INTO store_vector (row, vector) VALUES (?, ?)',
      row,
      new Uint8Array(buffer, byteOffset, byteLength),
    );
    database.run('INSERT INTO store_terms (row, terms) VALUES (?, ?)', row, packTerms(terms));
  }
  segment.write(database, collection);
}

/** Chunks by row, in the order asked for. */
export function readChunks(
  database: SqliteDatabase,
  rows: readonly number[],
  options: { readonly includeVectors: boolean; readonly profile: (profileId: number) => Profile },
): StoredChunk[] {
  const stored = storedRows(database, rows);
  return rows.map((rowId) => {
    const [, id, documentId, profileId, content, identifiers, metadata] = stored.get(rowId) ?? missing(rowId);
    const { tenant, project, source, access } = options.profile(profileId);
    return {
      id: originalText(id),
      documentId: originalText(documentId),
      tenant,
      ...(project === undefined ? {} : { project }),
      source,
      access: { groups: [...access.groups], level: access.level },
      content: originalText(content),
      identifiers: JSON.parse(identifiers) as string[],
      metadata: JSON.parse(metadata) as Metadata,
      ...(options.includeVectors ? { vector: readVector(database, rowId) } : {}),
    };
  });
}

/** Row, chunk id, document id, profile, content, identifiers, metadata. */
type StoredRow = readonly [number, string, string, number, string, string, string];

/** Rows that come as one value: the driver gives one large value far sooner than many small ones. */
const ROWS_PER_VALUE = 128;

function storedRows(database: SqliteDatabase, rows: readonly number[]): Map<number, StoredRow> {
  const columns = 'row, chunk_id, document_id, profile, content, identifiers, metadata';
  const sql = `SELECT ${text(`json_group_array(json_array(${columns}))`)} FROM store_chunk JOIN store_body USING (row)
    WHERE row IN (SELECT value FROM json_each(?))`;
  const stored = new Map<number, StoredRow>();
  for (let start = 0; start < rows.length; start += ROWS_PER_VALUE) {
    const some = JSON.stringify(rows.slice(start, start + ROWS_PER_VALUE));
    const found = JSON.parse(textAt(database.row(sql, some) ?? [], 0)) as unknown[];
    for (const row of found) if (isStoredRow(row)) stored.set(row[0], row);
  }
  return stored;
}

const isStoredRow = (row: unknown): row is StoredRow =>
  Array.isArray(row) &&
  row.every((value, column) => typeof value === (column === 0 || column === 3 ? 'number' : 'string'));

function missing(row: number): never {
  throw new SqliteValueError(`the chunk of row ${row}`, 0);
}

function readVector(database: SqliteDatabase, row: number): Float32Array {
  return vectorOf(bytesAt(database.row('SELECT vector FROM store_vector WHERE row = ?', row) ?? [], 0));
}

function lastRow(database: SqliteDatabase): number {
  const row = database.row("SELECT seq FROM sqlite_sequence WHERE name = 'store_chunk'");
  return row === undefined ? 0 : numberAt(row, 0);
}

function profileWriter(database: SqliteDatabase, collection: number): (record: ChunkRecord) => number {
  const known = new Map<string, number>();
  return ({ tenant, project, source, access: { groups, level } }) => {
    const profile: Profile = {
      tenant,
      ...(project === undefined ? {} : { project }),
      source,
      access: { groups, level },
    };
    const facts = JSON.stringify(profile);
    const profileId = known.get(facts) ?? saveProfile(database, collection, facts);
    known.set(facts, profileId);
    return profileId;
  };
}

function saveProfile(database: SqliteDatabase, collection: number, facts: string): number {
  database.run('INSERT OR IGNORE INTO store_profile (collection, facts) VALUES (?, ?)', collection, facts);
  const row = database.row(
    'SELECT id FROM store_profile WHERE collection = ? AND facts = ?',
    collection,
    facts,
  );
  return numberAt(row ?? [], 0);
}

/**
 * Leaves nothing in the profiles that no chunk has any more. Their rows stay: a number that came back would give a cache of another process
 * the old facts for it, and with them who may read a chunk.
 */
export function emptyUnusedProfiles(database: SqliteDatabase, collection: number): void {
  const unused = database.rows(
    `SELECT id FROM store_profile WHERE collection = ?1
      AND id NOT IN (SELECT DISTINCT profile FROM store_chunk WHERE collection = ?1)`,
    collection,
  );
  for (const [id] of unused) {
    const nobody = { tenant: '', source: '', access: { groups: [], level: 0 }, unused: Number(id) };
    database.run('UPDATE store_profile SET facts = ? WHERE id = ?', JSON.stringify(nobody), Number(id));
  }
}
