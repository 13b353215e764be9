import { RAGError } from '../../core/errors.js';
import type { SqliteDatabase } from '../../sqlite/sqlite-database.js';

/** Version of the tables' layout, in `user_version` of the file. */
const LAYOUT = 1;

/** Version of what the rows of a collection mean, kept with the collection so that a newer one can still be dropped. */
export const COLLECTION_FORMAT = 1;

// Rows are never used twice (AUTOINCREMENT), so that a cache can ask for what is new by row, and postings of a deleted
// row can wait for the next merge. What a scan needs of a chunk, its body and its vector lie apart: each is read alone.
const TABLES = `
  CREATE TABLE collection (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL UNIQUE,
    format INTEGER NOT NULL,
    dimensions INTEGER NOT NULL,
    fingerprint TEXT NOT NULL,
    -- Grows with every write: tells a cache that it is out of date.
    version INTEGER NOT NULL DEFAULT 0
  );

  -- What many chunks share: JSON of tenant, project, source and access.
  CREATE TABLE profile (
    id INTEGER PRIMARY KEY,
    collection INTEGER NOT NULL,
    facts TEXT NOT NULL,
    UNIQUE (collection, facts)
  );

  CREATE TABLE chunk (
    row INTEGER PRIMARY KEY AUTOINCREMENT,
    collection INTEGER NOT NULL,
    chunk_id TEXT NOT NULL,
    document_id TEXT NOT NULL,
    profile INTEGER NOT NULL,
    -- Number of terms in the search text.
    length INTEGER NOT NULL,
    UNIQUE (collection, chunk_id)
  );

  CREATE TABLE body (
    row INTEGER PRIMARY KEY,
    content TEXT NOT NULL,
    identifiers TEXT NOT NULL,
    metadata TEXT NOT NULL
  );

  CREATE TABLE vector (row INTEGER PRIMARY KEY, vector BLOB NOT NULL);

  -- One segment per written batch; see postings.ts.
  CREATE TABLE segment (
    collection INTEGER NOT NULL,
    segment INTEGER NOT NULL,
    PRIMARY KEY (collection, segment)
  ) WITHOUT ROWID;

  -- By segment before term: a batch then writes pages of its own, not one page for every term there is.
  CREATE TABLE posting (
    collection INTEGER NOT NULL,
    segment INTEGER NOT NULL,
    term TEXT NOT NULL,
    postings BLOB NOT NULL,
    PRIMARY KEY (collection, segment, term)
  ) WITHOUT ROWID;
`;

/** Makes the tables where they are missing. Throws `STORE_SCHEMA_TOO_NEW` for a layout of a newer version. */
export function prepareStore(database: SqliteDatabase): void {
  if (layoutOf(database) === 0) {
    database.exec('PRAGMA journal_mode = WAL');
    database.transaction(() => {
      // Read again under the write lock: another process may have been faster.
      if (layoutOf(database) > 0) return;
      database.exec(TABLES);
      database.exec(`PRAGMA user_version = ${LAYOUT}`);
    });
  }
  if (layoutOf(database) > LAYOUT) throw schemaTooNew(database.path);
  // A kill loses nothing. A power cut may lose the last commits, never the file; FULL keeps what the ledger was told.
  database.exec('PRAGMA synchronous = FULL');
  database.exec('PRAGMA cache_size = -32768');
  database.exec(`PRAGMA journal_size_limit = ${64 * 1024 * 1024}`);
}

/** The refusal of a file or collection that a newer version wrote. */
export const schemaTooNew = (subject: string): RAGError =>
  new RAGError(
    'STORE_SCHEMA_TOO_NEW',
    `The libSQL store ${subject} was written by a newer version of ragstone. Update ragstone, or rebuild the index with \`ragstone index --force\`.`,
  );

function layoutOf(database: SqliteDatabase): number {
  const version = database.pragma('user_version');
  return typeof version === 'number' ? version : 0;
}
