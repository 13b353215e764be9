/**
 * Migrations in order; the version of the component `ledger` counts how many have run. A migration that was released is never
 * changed again: a new one is added.
 */
export const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE facts (only_row INTEGER PRIMARY KEY CHECK (only_row = 1), facts TEXT NOT NULL);

  CREATE TABLE item (
    tenant TEXT NOT NULL,
    source TEXT NOT NULL,
    item_id TEXT NOT NULL,
    version TEXT,
    processing_key TEXT,
    status TEXT NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0,
    error TEXT,
    PRIMARY KEY (tenant, source, item_id)
  ) WITHOUT ROWID;

  CREATE TABLE document (
    id INTEGER PRIMARY KEY,
    document_id TEXT NOT NULL UNIQUE,
    tenant TEXT NOT NULL,
    project TEXT,
    source TEXT NOT NULL,
    source_type TEXT NOT NULL,
    item_id TEXT NOT NULL,
    external_id TEXT NOT NULL,
    revision TEXT NOT NULL,
    status TEXT NOT NULL,
    title TEXT,
    metadata TEXT NOT NULL,
    indexed_at TEXT
  );
  CREATE INDEX document_by_item ON document (tenant, source, item_id);

  CREATE TABLE revision (
    document INTEGER NOT NULL REFERENCES document (id),
    revision TEXT NOT NULL,
    sequence INTEGER NOT NULL,
    indexed INTEGER NOT NULL DEFAULT 0,
    encoding TEXT NOT NULL,
    text BLOB NOT NULL,
    PRIMARY KEY (document, revision)
  );

  -- By document, because all work is done document by document.
  CREATE TABLE chunk (
    document INTEGER NOT NULL REFERENCES document (id),
    chunk_id TEXT NOT NULL,
    ordinal INTEGER NOT NULL,
    digest TEXT NOT NULL,
    state INTEGER NOT NULL,
    PRIMARY KEY (document, chunk_id)
  ) WITHOUT ROWID;
  CREATE UNIQUE INDEX chunk_by_id ON chunk (chunk_id);

  CREATE TABLE run (
    run_id INTEGER PRIMARY KEY,
    command TEXT NOT NULL,
    started_at TEXT NOT NULL,
    finished_at TEXT,
    success INTEGER,
    stats TEXT
  );
  `,
  `
  CREATE TABLE source_cursor (
    tenant TEXT NOT NULL,
    source TEXT NOT NULL,
    cursor TEXT NOT NULL,
    PRIMARY KEY (tenant, source)
  ) WITHOUT ROWID;
  `,
  `
  CREATE TABLE remembered_source (
    tenant TEXT NOT NULL,
    source TEXT NOT NULL,
    PRIMARY KEY (tenant, source)
  ) WITHOUT ROWID;
  `,
];
