import { bytesAt, numberAt, originalText, storableText, textAt } from '../../sqlite/row.js';
import type { SqliteDatabase } from '../../sqlite/sqlite-database.js';
import { decodePostings, encodePostings, type PostingList } from './postings-codec.js';

/*
 * An inverted index in segments, as in Lucene: every written batch adds one segment, a packed list per term, and nothing
 * is changed in place. Entries of deleted rows stay until segments are merged; readers drop them, because they know which
 * rows exist, and so document frequencies are exact all the time.
 */

/** Segments that are left alone by `mergeSegments`; a search reads one row per term and segment. */
const MAX_SEGMENTS = 32;

/** Collects the postings of one batch. Rows must be added in ascending order. */
export class SegmentWriter {
  readonly #lists = new Map<string, PostingList>();

  /** Adds a text of terms separated by one space; returns how many terms it has. */
  add(row: number, searchText: string): number {
    const counts = new Map<string, number>();
    let length = 0;
    for (const term of searchText.split(' ')) {
      if (term === '') continue;
      length++;
      counts.set(term, (counts.get(term) ?? 0) + 1);
    }
    for (const [term, frequency] of counts) this.#append(term, row, frequency);
    return length;
  }

  /** Writes what was added as a new segment. */
  write(database: SqliteDatabase, collection: number): void {
    insertSegment(database, collection, this.#lists);
  }

  #append(term: string, row: number, frequency: number): void {
    const list = this.#lists.get(term);
    if (list === undefined) this.#lists.set(term, { rows: [row], frequencies: [frequency] });
    else {
      list.rows.push(row);
      list.frequencies.push(frequency);
    }
  }
}

/** Visits every entry of a term, those of deleted rows too. */
export function visitPostings(
  database: SqliteDatabase,
  { collection, term }: { readonly collection: number; readonly term: string },
  visit: (row: number, frequency: number) => void,
): void {
  const sql = `SELECT postings FROM store_segment CROSS JOIN store_posting USING (collection, segment)
    WHERE collection = ? AND term = ? ORDER BY segment`;
  for (const row of database.rows(sql, collection, storableText(term)))
    decodePostings(bytesAt(row, 0), visit);
}

/**
 * Merges all segments into one and drops the entries of rows that do not exist, where there are many segments or where
 * `isWorthwhile` says that many rows were deleted. Returns whether it did.
 */
export function mergeSegments(
  database: SqliteDatabase,
  collection: number,
  { isLive, isWorthwhile }: { isLive: (row: number) => boolean; isWorthwhile: boolean },
): boolean {
  const segments = database.rows(
    'SELECT segment FROM store_segment WHERE collection = ? ORDER BY segment',
    collection,
  );
  if (!isWorthwhile && segments.length <= MAX_SEGMENTS) return false;
  const merged = new Map<string, PostingList>();
  // Segments are as old as their numbers, so the rows of a term come in ascending order.
  for (const segment of segments)
    addSegment(merged, { database, collection, segment: numberAt(segment, 0) }, isLive);
  for (const table of ['segment', 'posting'])
    database.run(`DELETE FROM store_${table} WHERE collection = ?`, collection);
  insertSegment(database, collection, merged);
  return true;
}

function addSegment(
  merged: Map<string, PostingList>,
  from: { readonly database: SqliteDatabase; readonly collection: number; readonly segment: number },
  isLive: (row: number) => boolean,
): void {
  const sql = 'SELECT term, postings FROM store_posting WHERE collection = ? AND segment = ?';
  for (const row of from.database.rows(sql, from.collection, from.segment)) {
    const term = originalText(textAt(row, 0));
    const list = merged.get(term) ?? { rows: [], frequencies: [] };
    decodePostings(bytesAt(row, 1), (chunkRow, frequency) => {
      if (!isLive(chunkRow)) return;
      list.rows.push(chunkRow);
      list.frequencies.push(frequency);
    });
    if (list.rows.length > 0) merged.set(term, list);
  }
}

function insertSegment(
  database: SqliteDatabase,
  collection: number,
  lists: ReadonlyMap<string, PostingList>,
): void {
  const last = database.row(
    'SELECT coalesce(max(segment), 0) FROM store_segment WHERE collection = ?',
    collection,
  );
  const segment = numberAt(last ?? [0], 0) + 1;
  database.run('INSERT INTO store_segment (collection, segment) VALUES (?, ?)', collection, segment);
  // In term order, which is the order of the table, so that neighbouring pages are written together.
  for (const term of [...lists.keys()].sort()) {
    const list = lists.get(term);
    if (list === undefined) continue;
    database.run(
      'INSERT INTO store_posting (collection, segment, term, postings) VALUES (?, ?, ?, ?)',
      collection,
      segment,
      storableText(term),
      encodePostings(list),
    );
  }
}
