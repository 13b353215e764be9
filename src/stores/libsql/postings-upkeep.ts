import { setImmediate as nextTurn } from 'node:timers/promises';
import type { SqliteDatabase } from '../../platform/sqlite/sqlite-database.js';
import { areAnyDead, areTermsKnown, deadRows, dropPostingsOf, forgetDead } from './dead-rows.js';
import { dropDeadPostings, FIRST_TERM, mergeTerms, planMerges, type TermPlace } from './postings.js';
import type { RowCache } from './row-cache.js';

/** Deleted rows whose postings are dropped term by term; for more, one look through all postings takes less. */
const MOST_TARGETED = 500;
/** Deleted rows, such as those of replaced documents, whose postings are left where they are: each search passes over them. */
const MOST_KEPT = 256;
/** Rows whose postings are dropped in one transaction. */
const ROWS_PER_PURGE = 16;

/** The postings of a collection, while others read and write it. */
export interface Upkeep {
  readonly database: SqliteDatabase;
  readonly collection: number;
  /** Before each transaction. Throws where the work is to end. */
  readonly begin: () => void;
  /** The rows of the collection as they are in the present transaction. */
  readonly refreshed: () => RowCache;
}

/** Merges segments where that is worthwhile, and drops the postings of deleted rows where there are many. */
export async function optimizePostings(upkeep: Upkeep): Promise<void> {
  const { database, collection } = upkeep;
  const { merges, dead, isWorthwhile } = database.snapshot(() => {
    const dead = deadRows(database, collection);
    const isWorthwhile = dead.length > 0 && dead.length > upkeep.refreshed().size / 4;
    return { merges: planMerges(database, collection, isWorthwhile), dead, isWorthwhile };
  });
  // A range of terms at a time, here as below: readers and the event loop go on between them.
  for (const segments of merges)
    await page(upkeep, '', (after) => {
      // What is gone is known by the cache alone, which is not filled for an index that only grew.
      const isLive = areAnyDead(database, collection) ? liveRows(upkeep) : undefined;
      return mergeTerms(database, collection, { segments, after, isLive });
    });
  if (isWorthwhile) database.transaction(() => forgetDead(database, collection, dead));
  else if (dead.length >= MOST_KEPT && isTargeted(upkeep, dead)) await dropByTerms(upkeep, dead);
}

/** Drops the postings of all deleted rows. */
export async function purgePostings(upkeep: Upkeep): Promise<void> {
  const { database, collection } = upkeep;
  const dead = database.snapshot(() => {
    // Before they are forgotten: what is deleted is found by them.
    upkeep.refreshed();
    return deadRows(database, collection);
  });
  if (isTargeted(upkeep, dead)) return dropByTerms(upkeep, dead);
  await page<TermPlace>(upkeep, FIRST_TERM, (after) =>
    dropDeadPostings(database, collection, { after, isLive: liveRows(upkeep) }),
  );
  database.transaction(() => forgetDead(database, collection, dead));
}

/** Goes through terms, a transaction at a time, until `work` says that none follow. */
async function page<Place>(
  { database, begin }: Upkeep,
  first: Place,
  work: (after: Place) => Place | undefined,
): Promise<void> {
  for (let after: Place | undefined = first; after !== undefined; await nextTurn()) {
    begin();
    const from: Place = after;
    after = database.transaction(() => work(from));
  }
}

function liveRows({ refreshed }: Upkeep): (row: number) => boolean {
  const cache = refreshed();
  return (row) => cache.ordinalOf(row) !== undefined;
}

const isTargeted = ({ database, collection }: Upkeep, rows: readonly number[]): boolean =>
  rows.length <= MOST_TARGETED && areTermsKnown(database, collection);

/** By the terms of the rows, which are known. */
async function dropByTerms({ database, collection, begin }: Upkeep, rows: readonly number[]): Promise<void> {
  for (let start = 0; start < rows.length; start += ROWS_PER_PURGE, await nextTurn()) {
    begin();
    const some = rows.slice(start, start + ROWS_PER_PURGE);
    database.transaction(() => dropPostingsOf(database, collection, some));
  }
}
