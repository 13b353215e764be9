import { compareText } from '../../core/filter.js';
import { bytesAt, numberAt, originalText, storableText, text, textAt } from '../../platform/sqlite/row.js';
import type { SqliteDatabase } from '../../platform/sqlite/sqlite-database.js';
import { countTerms } from '../bm25.js';
import { type IsLive, PostingLists, visitLists } from './posting-lists.js';
import { decodePostings, encodePostings, type PostingBuffer, type PostingList } from './postings-codec.js';

/*
 * An inverted index in segments, as in Lucene: every written batch adds one segment, a packed list per term, and nothing
 * is changed in place. Entries of deleted rows stay until segments are merged; readers drop them, because they know which
 * rows exist, and so document frequencies are exact all the time.
 */

/** Segments that are left alone by `mergeSegments`; a search reads one row per term and segment. */
const MAX_SEGMENTS = 32;

/** Collects the postings of one batch. Rows must be added in ascending order. */
export class SegmentWriter {
  readonly #lists = new PostingLists();

  /** Adds a text of terms separated by one space, and identifiers; returns how many terms the text has, and the distinct ones of both. */
  add(
    row: number,
    searchText: string,
    identifiers: readonly string[],
  ): { readonly length: number; readonly terms: readonly string[] } {
    const { counts, length } = countTerms(searchText);
    const named = [...new Set(identifiers)].map(identifierTerm);
    for (const [term, frequency] of counts) this.#lists.add(term, row, frequency);
    for (const term of named) this.#lists.add(term, row, 1);
    return { length, terms: [...counts.keys(), ...named] };
  }

  /** Writes what was added as a new segment. */
  write(database: SqliteDatabase, collection: number): void {
    const segment = beginSegment(database, collection, this.#lists.entries);
    this.#lists.insert(database, { collection, segment });
  }
}

/** The term that stands for an identifier. No term of a text has a space in it. */
export const identifierTerm = (identifier: string): string => ` ${identifier}`;

/** Visits every entry of a term, those of deleted rows too. */
export function visitPostings(
  database: SqliteDatabase,
  { collection, term }: { readonly collection: number; readonly term: string },
  visit: (row: number, frequency: number) => void,
): void {
  for (const row of database.rows(LISTS_OF_TERM, collection, storableText(term)))
    decodePostings(bytesAt(row, 0), visit);
}

/** The same entries in a buffer, for terms of many. */
export function readPostings(
  database: SqliteDatabase,
  { collection, term }: { readonly collection: number; readonly term: string },
  buffer: PostingBuffer,
): void {
  buffer.clear();
  for (const row of database.rows(LISTS_OF_TERM, collection, storableText(term))) buffer.add(bytesAt(row, 0));
}

const LISTS_OF_TERM = `SELECT postings FROM store_segment CROSS JOIN store_posting USING (collection, segment)
  WHERE collection = ? AND term = ? ORDER BY segment`;

/** Terms that begin alike and are read in one transaction. */
const TERMS_PER_PAGE = 512;

/** The next terms of texts that begin so, behind `after`, of deleted rows too, ascending; none at the end. */
export const termsFrom = (
  database: SqliteDatabase,
  {
    collection,
    beginning,
    after,
  }: { readonly collection: number; readonly beginning: string; readonly after: string | undefined },
): string[] =>
  database
    .rows(
      `SELECT DISTINCT ${text('term')} FROM store_segment CROSS JOIN store_posting USING (collection, segment)
        WHERE collection = ?1 AND term >= ?2 AND term < ?2 || char(1114111) AND (?3 IS NULL OR term > ?3)
        ORDER BY term LIMIT ${TERMS_PER_PAGE}`,
      collection,
      storableText(beginning),
      after === undefined ? null : storableText(after),
    )
    .map((row) => originalText(textAt(row, 0)));

/** Neighbours that are merged at a time: a step reads each of them, so it must not be many. */
const MERGE_WIDTH = 16;

/** So few segments that a search hardly sees them: neighbours of a last level are not worth moving once more. */
const FEW_SEGMENTS = 8;

/** A segment of so many times as many postings as all younger ones together is left out of their merge. */
const TIER_RATIO = 4;

/**
 * The merges to do, where there are many segments or where `isWorthwhile` says that many rows were deleted: neighbours become one in
 * the place of the first, then these are neighbours. All become one where many rows were deleted; else the youngest do, as far back
 * as segments are not much larger than what follows them. So a large segment is not written anew for a few small ones, and
 * each entry is moved a number of times that grows with the logarithm of the index.
 */
export function planMerges(
  database: SqliteDatabase,
  collection: number,
  isWorthwhile: boolean,
): readonly (readonly number[])[] {
  const all = segmentsBetween(database, collection, [0, Number.MAX_SAFE_INTEGER]);
  if (all.length <= (isWorthwhile ? 0 : MAX_SEGMENTS)) return [];
  const first = isWorthwhile ? all : youngest(database, collection, all);
  const merges: (readonly number[])[] = [];
  const enough = isWorthwhile ? 1 : FEW_SEGMENTS;
  for (let level = first; level.length > enough || level === first; ) {
    const groups: number[][] = [];
    for (let at = 0; at < level.length; at += MERGE_WIDTH) groups.push(level.slice(at, at + MERGE_WIDTH));
    merges.push(...groups.filter((group) => group.length > 1 || level === all));
    level = groups.flatMap((group) => group.slice(0, 1));
  }
  return merges;
}

/** The segments at the end that are merged with each other: of two at least, the older is not much larger than the rest. */
function youngest(database: SqliteDatabase, collection: number, segments: readonly number[]): number[] {
  let start = segments.length - 1;
  let entries = entriesOf(database, collection, segments[start] ?? 0);
  for (; start > 0; start--) {
    const older = entriesOf(database, collection, segments[start - 1] ?? 0);
    const isFew = segments.length - start < segments.length / 2;
    if (!isFew && older > TIER_RATIO * entries) break;
    entries += older;
  }
  return segments.slice(start);
}

/** Postings of a segment, about; of one that an earlier version wrote their bytes, which are about as many. */
function entriesOf(database: SqliteDatabase, collection: number, segment: number): number {
  const sql = `SELECT coalesce(entries, (SELECT sum(length(postings)) FROM store_posting AS posting
      WHERE posting.collection = ?1 AND posting.segment = ?2), 0)
    FROM store_segment WHERE collection = ?1 AND segment = ?2`;
  return numberAt(database.row(sql, collection, segment) ?? [0], 0);
}

/**
 * Moves the terms that follow `after` into the first of the segments, without the entries of rows that do not exist. Returns
 * the last term that was moved; undefined at the end, or where another merge has taken the segments. One transaction.
 */
export function mergeTerms(
  database: SqliteDatabase,
  collection: number,
  {
    segments,
    after,
    isLive,
  }: {
    readonly segments: readonly number[];
    readonly after: string;
    /** Absent where no row was deleted. */
    readonly isLive?: IsLive | undefined;
  },
): string | undefined {
  const [target = 0, ...others] = segments;
  // Rows of a term ascend only where the segments are neighbours still.
  const held = segmentsBetween(database, collection, [target, segments.at(-1) ?? target]);
  if (held.join() !== segments.join()) return undefined;
  const range = nextRange(database, { collection, segments }, after);
  const merged = new PostingLists();
  for (const segment of segments) takeTerms(merged, { database, collection, segment, range }, isLive);
  merged.insert(database, { collection, segment: target });
  if (range.last === undefined) {
    const entries = segments.reduce((sum, segment) => sum + entriesOf(database, collection, segment), 0);
    const sql = 'UPDATE store_segment SET entries = ? WHERE collection = ? AND segment = ?';
    database.run(sql, entries, collection, target);
    for (const segment of others) dropEmptySegment(database, collection, segment);
  }
  return range.last;
}

// Another merge may have put terms there meanwhile.
function dropEmptySegment(database: SqliteDatabase, collection: number, segment: number): void {
  const sql = `DELETE FROM store_segment WHERE collection = ?1 AND segment = ?2
    AND NOT EXISTS (SELECT 1 FROM store_posting WHERE collection = ?1 AND segment = ?2)`;
  database.run(sql, collection, segment);
}

const segmentsBetween = (
  database: SqliteDatabase,
  collection: number,
  [first, last]: readonly [number, number],
): number[] =>
  database
    .rows(
      'SELECT segment FROM store_segment WHERE collection = ? AND segment BETWEEN ? AND ? ORDER BY segment',
      collection,
      first,
      last,
    )
    .map((segment) => numberAt(segment, 0));

/** Terms whose postings are looked through in one transaction. */
const TERMS_PER_PURGE = 2_000;

/**
 * Drops entries of rows that do not exist from the postings of the terms that follow `after`, and terms that are in no row any
 * more. Returns the last term that was looked at; undefined at the end.
 */
export function dropDeadPostings(
  database: SqliteDatabase,
  collection: number,
  { after, isLive }: { readonly after: TermPlace; readonly isLive: (row: number) => boolean },
): TermPlace | undefined {
  const sql = `SELECT segment, ${text('term')}, postings FROM store_posting
    WHERE collection = ?1 AND (segment, term) > (?2, ?3) ORDER BY segment, term LIMIT ${TERMS_PER_PURGE}`;
  const page = database.rows(sql, collection, after.segment, after.term);
  for (const row of page) {
    const key = [collection, numberAt(row, 0), textAt(row, 1)] as const;
    const list: PostingList = { rows: [], frequencies: [] };
    let dead = 0;
    decodePostings(bytesAt(row, 2), (chunkRow, frequency) => {
      if (isLive(chunkRow)) {
        list.rows.push(chunkRow);
        list.frequencies.push(frequency);
      } else dead += 1;
    });
    if (dead > 0) replacePostings(database, key, list);
  }
  const last = page.at(-1);
  if (last === undefined || page.length < TERMS_PER_PURGE) return undefined;
  return { segment: numberAt(last, 0), term: textAt(last, 1) };
}

/** Drops the entries of deleted rows from the postings of one term. */
export function dropRowsOfTerm(
  database: SqliteDatabase,
  { collection, term }: { readonly collection: number; readonly term: string },
  rows: ReadonlySet<number>,
): void {
  const stored = storableText(term);
  const sql = `SELECT segment, postings FROM store_segment CROSS JOIN store_posting USING (collection, segment)
    WHERE collection = ? AND term = ?`;
  for (const found of database.rows(sql, collection, stored)) {
    const list: PostingList = { rows: [], frequencies: [] };
    let dropped = 0;
    decodePostings(bytesAt(found, 1), (row, frequency) => {
      if (rows.has(row)) dropped += 1;
      else {
        list.rows.push(row);
        list.frequencies.push(frequency);
      }
    });
    if (dropped > 0) replacePostings(database, [collection, numberAt(found, 0), stored], list);
  }
}

/** Terms that are in no row any more go. */
function replacePostings(
  database: SqliteDatabase,
  key: readonly [number, number, string],
  list: PostingList,
): void {
  const where = 'WHERE collection = ? AND segment = ? AND term = ?';
  if (list.rows.length === 0) database.run(`DELETE FROM store_posting ${where}`, ...key);
  else database.run(`UPDATE store_posting SET postings = ? ${where}`, encodePostings(list), ...key);
}

/** A term of a segment, as it is stored. */
export interface TermPlace {
  readonly segment: number;
  readonly term: string;
}

/** Before every term of every segment. */
export const FIRST_TERM: TermPlace = { segment: -1, term: '' };

/** Terms after `after` up to and with `last`, or to the end, as they are stored. */
interface TermRange {
  readonly after: string;
  readonly last: string | undefined;
}

/** Lists that are merged in one transaction, about: the event loop waits for it. */
const LISTS_PER_RANGE = 4_000;

/** A range in which no segment has more than its share of the lists: its bound is that of the segment with most terms left. */
function nextRange(
  database: SqliteDatabase,
  { collection, segments }: { readonly collection: number; readonly segments: readonly number[] },
  after: string,
): TermRange {
  const share = Math.ceil(LISTS_PER_RANGE / segments.length);
  const sql = `SELECT ${text('term')} FROM store_posting WHERE collection = ? AND segment = ? AND term > ?
    ORDER BY term LIMIT 1 OFFSET ?`;
  let last: string | undefined;
  for (const segment of segments) {
    const row = database.row(sql, collection, segment, after, share - 1);
    const bound = row === undefined ? undefined : textAt(row, 0);
    if (bound !== undefined && (last === undefined || compareText(bound, last) < 0)) last = bound;
  }
  return { after, last };
}

interface SegmentRange {
  readonly database: SqliteDatabase;
  readonly collection: number;
  readonly segment: number;
  readonly range: TermRange;
}

function takeTerms(
  merged: PostingLists,
  { database, collection, segment, range: { after, last } }: SegmentRange,
  isLive: IsLive | undefined,
): void {
  const where = 'collection = ?1 AND segment = ?2 AND term > ?3 AND (?4 IS NULL OR term <= ?4)';
  const values = [collection, segment, after, last ?? null] as const;
  visitLists(database, { where, values }, (term, packed) => merged.addPacked(term, packed, isLive));
  database.run(`DELETE FROM store_posting WHERE ${where}`, ...values);
}

/** Makes a segment with the next number, and returns that. */
function beginSegment(database: SqliteDatabase, collection: number, entries: number): number {
  const sql = 'SELECT coalesce(max(segment), 0) FROM store_segment WHERE collection = ?';
  const segment = numberAt(database.row(sql, collection) ?? [0], 0) + 1;
  const insert = 'INSERT INTO store_segment (collection, segment, entries) VALUES (?, ?, ?)';
  database.run(insert, collection, segment, entries);
  return segment;
}
