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
  // Generations: everything but remembered sources and runs belongs to one. What there was is the live one.
  `
  CREATE TABLE generation (
    generation INTEGER PRIMARY KEY AUTOINCREMENT,
    state TEXT NOT NULL,
    provider TEXT NOT NULL,
    collection TEXT NOT NULL,
    dimensions INTEGER NOT NULL,
    fingerprint TEXT NOT NULL,
    embedder TEXT NOT NULL,
    started_at TEXT,
    switched_at TEXT,
    learned TEXT,
    learned_bytes BLOB
  );
  INSERT INTO generation (generation, state, provider, collection, dimensions, fingerprint, embedder)
    SELECT facts ->> 'generation' - 1, 'retired', facts ->> 'provider', facts ->> 'obsoleteCollection',
      facts ->> 'dimensions', facts ->> 'fingerprint', facts ->> 'embedder'
    FROM facts WHERE facts ->> 'obsoleteCollection' IS NOT NULL;
  INSERT INTO generation (generation, state, provider, collection, dimensions, fingerprint, embedder)
    SELECT facts ->> 'generation', 'live', facts ->> 'provider', facts ->> 'collection', facts ->> 'dimensions',
      facts ->> 'fingerprint', facts ->> 'embedder'
    FROM facts;
  DROP TABLE facts;

  CREATE TABLE item_of_generation (
    generation INTEGER NOT NULL,
    tenant TEXT NOT NULL,
    source TEXT NOT NULL,
    item_id TEXT NOT NULL,
    version TEXT,
    processing_key TEXT,
    status TEXT NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0,
    error TEXT,
    PRIMARY KEY (generation, tenant, source, item_id)
  ) WITHOUT ROWID;
  INSERT INTO item_of_generation
    SELECT generation, tenant, source, item_id, version, processing_key, status, attempts, error
    FROM item JOIN generation ON state = 'live';
  DROP TABLE item;
  ALTER TABLE item_of_generation RENAME TO item;

  CREATE TABLE document_of_generation (
    id INTEGER PRIMARY KEY,
    generation INTEGER NOT NULL,
    document_id TEXT NOT NULL,
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
    indexed_at TEXT,
    UNIQUE (generation, document_id)
  );
  INSERT INTO document_of_generation
    SELECT id, generation, document_id, tenant, project, source, source_type, item_id, external_id, revision, status, title,
      metadata, indexed_at
    FROM document JOIN generation ON state = 'live';
  DROP TABLE document;
  ALTER TABLE document_of_generation RENAME TO document;
  CREATE INDEX document_by_item ON document (generation, tenant, source, item_id);

  DROP INDEX chunk_by_id;
  ALTER TABLE chunk ADD COLUMN generation INTEGER NOT NULL DEFAULT 0;
  UPDATE chunk SET generation = (SELECT generation FROM generation WHERE state = 'live');
  CREATE UNIQUE INDEX chunk_by_id ON chunk (generation, chunk_id);

  CREATE TABLE source_cursor_of_generation (
    generation INTEGER NOT NULL,
    tenant TEXT NOT NULL,
    source TEXT NOT NULL,
    cursor TEXT NOT NULL,
    PRIMARY KEY (generation, tenant, source)
  ) WITHOUT ROWID;
  INSERT INTO source_cursor_of_generation
    SELECT generation, tenant, source, cursor FROM source_cursor JOIN generation ON state = 'live';
  DROP TABLE source_cursor;
  ALTER TABLE source_cursor_of_generation RENAME TO source_cursor;

  -- A lease outlives its end, so that its token is never given twice.
  CREATE TABLE lease (
    generation INTEGER NOT NULL,
    tenant TEXT NOT NULL,
    source TEXT NOT NULL,
    item_id TEXT NOT NULL,
    holder TEXT NOT NULL,
    token INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    PRIMARY KEY (generation, tenant, source, item_id)
  ) WITHOUT ROWID;
  `,
  `
  CREATE TABLE source_root (
    tenant TEXT NOT NULL,
    source TEXT NOT NULL,
    root TEXT NOT NULL,
    PRIMARY KEY (tenant, source)
  ) WITHOUT ROWID;
  `,
  `
  CREATE TABLE source_owner (
    tenant TEXT NOT NULL,
    source TEXT NOT NULL,
    owner TEXT NOT NULL,
    PRIMARY KEY (tenant, source, owner)
  ) WITHOUT ROWID;
  `,
  // What was forgotten on purpose, by hashes of its names, and by which receipt.
  `
  CREATE TABLE kept_out (
    tenant TEXT NOT NULL,
    hash TEXT NOT NULL,
    hash_key TEXT NOT NULL,
    receipt TEXT NOT NULL,
    PRIMARY KEY (tenant, hash)
  ) WITHOUT ROWID;
  `,
  `
  CREATE TABLE source_state (
    generation INTEGER NOT NULL,
    tenant TEXT NOT NULL,
    source TEXT NOT NULL,
    state TEXT NOT NULL,
    PRIMARY KEY (generation, tenant, source)
  ) WITHOUT ROWID;
  `,
  // How a generation was made from another one, by another model.
  'ALTER TABLE generation ADD COLUMN upgrade TEXT',
  // Counts what searches may show. `life` is of this file alone, so that no count of another one is taken for it.
  `
  CREATE TABLE change (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    life TEXT NOT NULL,
    changes INTEGER NOT NULL
  );
  INSERT INTO change VALUES (1, lower(hex(randomblob(16))), 0);
  `,
  // Under which names a document is referred to, and to which it refers. `key` hashes tenant and name. Where documents are to be read for it
  // anew, a migration sets `graph` to 0.
  `
  ALTER TABLE document ADD COLUMN graph INTEGER NOT NULL DEFAULT 0;
  CREATE INDEX document_without_graph ON document (generation, document_id) WHERE graph = 0;
  CREATE TABLE graph_name (
    document INTEGER NOT NULL REFERENCES document (id),
    name TEXT NOT NULL,
    generation INTEGER NOT NULL,
    key BLOB NOT NULL,
    PRIMARY KEY (document, name)
  ) WITHOUT ROWID;
  CREATE INDEX graph_name_by_key ON graph_name (generation, key);
  CREATE TABLE graph_reference (
    document INTEGER NOT NULL REFERENCES document (id),
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    generation INTEGER NOT NULL,
    key BLOB NOT NULL,
    PRIMARY KEY (document, kind, name)
  ) WITHOUT ROWID;
  CREATE INDEX graph_reference_by_key ON graph_reference (generation, key);
  `,
  // What a document says, for conflicts between documents. Where documents are to be examined anew, a migration sets `examined` to 0 and
  // empties `statement`.
  `
  ALTER TABLE document ADD COLUMN examined INTEGER NOT NULL DEFAULT 0;
  CREATE INDEX document_not_examined ON document (generation, document_id) WHERE examined = 0;
  CREATE TABLE statement (
    document INTEGER PRIMARY KEY REFERENCES document (id),
    generation INTEGER NOT NULL,
    packed BLOB NOT NULL
  );
  CREATE INDEX statement_of_generation ON statement (generation);
  `,
  // What the index held at a time: see `../history.ts`. A version that is planned has no valid_from. Versions of one document that say the
  // same share their content, which is named after the version that brought it.
  `
  CREATE TABLE history_state (only_row INTEGER PRIMARY KEY CHECK (only_row = 1), begins INTEGER NOT NULL);
  CREATE TABLE history_live (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT,
    since INTEGER NOT NULL,
    generation INTEGER NOT NULL
  );
  CREATE TABLE history_mark (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant TEXT NOT NULL,
    source TEXT NOT NULL,
    mark TEXT NOT NULL,
    at INTEGER NOT NULL,
    seen INTEGER NOT NULL
  );
  CREATE TABLE history_version (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    generation INTEGER NOT NULL,
    document_id TEXT NOT NULL,
    tenant TEXT NOT NULL,
    source TEXT NOT NULL,
    valid_from INTEGER,
    valid_to INTEGER,
    confirmed TEXT,
    digest TEXT NOT NULL,
    chunks INTEGER NOT NULL,
    content INTEGER NOT NULL,
    facts BLOB NOT NULL
  );
  CREATE INDEX history_version_by_document ON history_version (document_id, generation);
  CREATE INDEX history_version_by_content ON history_version (content);
  CREATE INDEX history_version_ended ON history_version (valid_to) WHERE valid_to IS NOT NULL;
  CREATE INDEX history_version_planned ON history_version (id) WHERE valid_from IS NULL;
  CREATE TABLE history_part (
    content INTEGER NOT NULL,
    place INTEGER NOT NULL,
    chunks INTEGER NOT NULL,
    bytes BLOB NOT NULL,
    PRIMARY KEY (content, place)
  );
  `,
  // Symbols, sections and commits are in the graph.
  'UPDATE document SET graph = 0',
  // What a language model read out of chunks, under the id of the chunk, of whichever generations; see `../../relations/graph/facts.ts`.
  `
  CREATE TABLE fact (
    chunk_id TEXT PRIMARY KEY,
    document_id TEXT NOT NULL,
    input_key TEXT NOT NULL,
    record BLOB NOT NULL
  ) WITHOUT ROWID;
  CREATE INDEX fact_by_document ON fact (document_id);
  CREATE INDEX fact_by_input ON fact (input_key);
  CREATE TABLE fact_name (
    name_key BLOB NOT NULL,
    chunk_id TEXT NOT NULL,
    PRIMARY KEY (name_key, chunk_id)
  ) WITHOUT ROWID;
  CREATE INDEX fact_name_by_chunk ON fact_name (chunk_id);
  CREATE TABLE fact_summary (
    id TEXT PRIMARY KEY,
    tenant TEXT NOT NULL,
    record BLOB NOT NULL
  ) WITHOUT ROWID;
  CREATE TABLE fact_source (
    summary TEXT NOT NULL,
    chunk_id TEXT NOT NULL,
    PRIMARY KEY (summary, chunk_id)
  ) WITHOUT ROWID;
  CREATE INDEX fact_source_by_chunk ON fact_source (chunk_id);
  `,
];
