import { RAGError } from '../../core/errors.js';
import { componentVersion, hasTable, setComponentVersion } from '../../platform/sqlite/component-versions.js';
import type { SqliteDatabase } from '../../platform/sqlite/sqlite-database.js';

/** Version of what the rows of a collection mean, kept with the collection so that a newer one can still be dropped. */
export const COLLECTION_FORMAT = 2;

/** Before this format the postings hold no identifiers, so a filter on them reads the bodies of all chunks. */
export const FORMAT_WITH_IDENTIFIERS = 2;

// What a vector index beside the file wrote down; see vector-index.ts.
const VECTOR_INDEX = 'CREATE TABLE store_vector_index (collection INTEGER PRIMARY KEY, note TEXT NOT NULL);';

// The terms of a chunk, packed, so that its postings are found without looking through all of them; and those of deleted chunks whose
// postings may still be there. Terms that are not known stand for all that there are.
const TERMS = `
  CREATE TABLE store_terms (row INTEGER PRIMARY KEY, terms BLOB NOT NULL);
  CREATE TABLE store_dead (row INTEGER PRIMARY KEY, collection INTEGER NOT NULL, terms BLOB);
`;

// The store may share a file with the ledger, hence the prefix of its tables. Rows are never used twice (AUTOINCREMENT), so
// that a cache can ask for what is new by row, and postings of a deleted row can wait for the next merge. What a scan needs
// of a chunk, its body and its vector lie apart: each is read alone.
const TABLES = `
  CREATE TABLE store_collection (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL UNIQUE,
    format INTEGER NOT NULL,
    dimensions INTEGER NOT NULL,
    fingerprint TEXT NOT NULL,
    -- Grows with every write: tells a cache that it is out of date.
    version INTEGER NOT NULL DEFAULT 0
  );

  -- What many chunks share: JSON of tenant, project, source and access.
  CREATE TABLE store_profile (
    id INTEGER PRIMARY KEY,
    collection INTEGER NOT NULL,
    facts TEXT NOT NULL,
    UNIQUE (collection, facts)
  );

  CREATE TABLE store_chunk (
    row INTEGER PRIMARY KEY AUTOINCREMENT,
    collection INTEGER NOT NULL,
    chunk_id TEXT NOT NULL,
    document_id TEXT NOT NULL,
    profile INTEGER NOT NULL,
    -- Number of terms in the search text.
    length INTEGER NOT NULL,
    UNIQUE (collection, chunk_id)
  );

  CREATE TABLE store_body (
    row INTEGER PRIMARY KEY,
    content TEXT NOT NULL,
    identifiers TEXT NOT NULL,
    metadata TEXT NOT NULL
  );

  CREATE TABLE store_vector (row INTEGER PRIMARY KEY, vector BLOB NOT NULL);

  -- One segment per written batch; see postings.ts.
  CREATE TABLE store_segment (
    collection INTEGER NOT NULL,
    segment INTEGER NOT NULL,
    -- Postings in it, about; NULL where an earlier version wrote it.
    entries INTEGER,
    PRIMARY KEY (collection, segment)
  ) WITHOUT ROWID;

  -- By segment before term: a batch then writes pages of its own, not one page for every term there is.
  CREATE TABLE store_posting (
    collection INTEGER NOT NULL,
    segment INTEGER NOT NULL,
    term TEXT NOT NULL,
    postings BLOB NOT NULL,
    PRIMARY KEY (collection, segment, term)
  ) WITHOUT ROWID;

  ${VECTOR_INDEX}
  ${TERMS}
`;

/** Tables of version 1, which was alone in its file and needed no prefix. */
const UNPREFIXED = ['collection', 'profile', 'chunk', 'body', 'vector', 'segment', 'posting'] as const;

/** Version of the tables' layout. */
const LAYOUT = 4;

/** Makes the tables where they are missing. Throws `STORE_SCHEMA_TOO_NEW` for a layout of a newer version. */
export function prepareStore(database: SqliteDatabase): void {
  if (componentVersion(database, 'store') < LAYOUT) {
    database.exec('PRAGMA journal_mode = WAL');
    // Asked again under the write lock: another process may have been faster.
    database.transaction(() => migrate(database, componentVersion(database, 'store')));
  }
  if (componentVersion(database, 'store') > LAYOUT) throw schemaTooNew(database.path);
  // A kill loses nothing. A power cut may lose the last commits, never the file; FULL keeps what the ledger was told.
  database.exec('PRAGMA synchronous = FULL');
  // What is deleted is overwritten in the file.
  database.exec('PRAGMA secure_delete = ON');
  database.exec('PRAGMA cache_size = -32768');
  database.exec(`PRAGMA journal_size_limit = ${64 * 1024 * 1024}`);
}

function migrate(database: SqliteDatabase, version: number): void {
  if (version >= LAYOUT) return;
  if (version === 0) database.exec(TABLES);
  if (version === 1) addPrefix(database);
  if (version === 1 || version === 2) addTerms(database);
  if (version > 0) database.exec('ALTER TABLE store_segment ADD COLUMN entries INTEGER');
  setComponentVersion(database, 'store', LAYOUT);
}

// What was deleted before has left postings that nobody can name; no chunk has a row below 0.
function addTerms(database: SqliteDatabase): void {
  database.exec(TERMS);
  database.run('INSERT INTO store_dead (row, collection) SELECT -id, id FROM store_collection');
}

function addPrefix(database: SqliteDatabase): void {
  for (const table of UNPREFIXED) database.exec(`ALTER TABLE ${table} RENAME TO store_${table}`);
  // Made with the first note only, in version 1.
  if (hasTable(database, 'vector_index'))
    database.exec('ALTER TABLE vector_index RENAME TO store_vector_index');
  else database.exec(VECTOR_INDEX);
}

/** The refusal of a file or collection that a newer version wrote. */
export const schemaTooNew = (subject: string): RAGError =>
  new RAGError(
    'STORE_SCHEMA_TOO_NEW',
    `The libSQL store ${subject} was written by a newer version of ragstone. Update ragstone, or rebuild the index with \`ragstone index --force\`.`,
  );
