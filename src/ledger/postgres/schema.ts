import { RAGError } from '../../core/errors.js';
import type { PostgresDatabase, RunStatement } from '../../platform/postgres/postgres-database.js';
import { tableExists } from '../../platform/postgres/table-exists.js';
import { CHANGE_SLOTS } from '../rows/changes.js';
import { ROW_TABLES } from '../rows/document-rows.js';
import { FACT_TABLES } from '../rows/facts.js';
import { HISTORY_TABLES } from '../rows/history.js';
import { numberOf } from './row.js';

/**
 * Migrations in order; `ragstone_ledger_version` counts how many have run. A migration that was released is never changed
 * again: a new one is added. Names, which may be of any length, are found by their SHA-256 (`*_key`), since an index takes
 * some 2,700 bytes; pages in name order go by the first 128 characters and then by the whole.
 */
const MIGRATIONS: readonly (readonly string[])[] = [
  [
    `CREATE TABLE ragstone_ledger_generation (
      generation integer PRIMARY KEY,
      state text NOT NULL,
      provider text NOT NULL,
      collection text NOT NULL,
      dimensions integer NOT NULL,
      fingerprint text NOT NULL,
      embedder text NOT NULL,
      started_at text,
      switched_at text,
      learned text,
      learned_bytes bytea
    )`,
    `CREATE UNIQUE INDEX ragstone_ledger_generation_live ON ragstone_ledger_generation (state) WHERE state = 'live'`,
    // Its lock puts changes of generations in a row; its number outlives them, so that none is used twice.
    'CREATE TABLE ragstone_ledger_counter (last_generation integer NOT NULL)',
    'INSERT INTO ragstone_ledger_counter VALUES (0)',
    `CREATE TABLE ragstone_ledger_item (
      generation integer NOT NULL,
      item_key bytea NOT NULL,
      source_key bytea NOT NULL,
      tenant text COLLATE "C" NOT NULL,
      source text COLLATE "C" NOT NULL,
      item_id text COLLATE "C" NOT NULL,
      version text,
      processing_key text,
      status text NOT NULL,
      attempts integer NOT NULL DEFAULT 0,
      error text,
      error_version text,
      PRIMARY KEY (generation, item_key)
    )`,
    'CREATE INDEX ragstone_ledger_item_by_source ON ragstone_ledger_item (generation, source_key)',
    `CREATE INDEX ragstone_ledger_item_failed ON ragstone_ledger_item (generation, attempts)
      WHERE error IS NOT NULL`,
    `CREATE TABLE ragstone_ledger_document (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      generation integer NOT NULL,
      document_key bytea NOT NULL,
      item_key bytea NOT NULL,
      source_key bytea NOT NULL,
      revision_key bytea NOT NULL,
      document_id text COLLATE "C" NOT NULL,
      tenant text COLLATE "C" NOT NULL,
      project text,
      source text COLLATE "C" NOT NULL,
      source_type text COLLATE "C" NOT NULL,
      item_id text COLLATE "C" NOT NULL,
      external_id text NOT NULL,
      revision text NOT NULL,
      status text NOT NULL,
      title text,
      metadata text NOT NULL,
      redactions jsonb,
      indexed_at text,
      UNIQUE (generation, document_key)
    )`,
    `CREATE INDEX ragstone_ledger_document_by_item ON ragstone_ledger_document (generation, source_key, item_key)`,
    `CREATE INDEX ragstone_ledger_document_by_id ON ragstone_ledger_document (generation, left(document_id, 128))`,
    `CREATE TABLE ragstone_ledger_revision (
      document bigint NOT NULL REFERENCES ragstone_ledger_document (id),
      revision_key bytea NOT NULL,
      sequence integer NOT NULL,
      indexed boolean NOT NULL DEFAULT false,
      encoding text NOT NULL,
      text bytea NOT NULL,
      PRIMARY KEY (document, revision_key)
    )`,
    `CREATE TABLE ragstone_ledger_chunk (
      generation integer NOT NULL,
      chunk_key bytea NOT NULL,
      document bigint NOT NULL REFERENCES ragstone_ledger_document (id),
      chunk_id text COLLATE "C" NOT NULL,
      ordinal integer NOT NULL,
      digest text NOT NULL,
      state smallint NOT NULL,
      PRIMARY KEY (generation, chunk_key)
    )`,
    'CREATE INDEX ragstone_ledger_chunk_by_document ON ragstone_ledger_chunk (document)',
    'CREATE INDEX ragstone_ledger_chunk_by_id ON ragstone_ledger_chunk (generation, left(chunk_id, 128))',
    `CREATE TABLE ragstone_ledger_source_cursor (
      generation integer NOT NULL,
      source_key bytea NOT NULL,
      cursor text NOT NULL,
      PRIMARY KEY (generation, source_key)
    )`,
    // A lease outlives its end, so that its token is never given twice.
    `CREATE TABLE ragstone_ledger_lease (
      generation integer NOT NULL,
      item_key bytea NOT NULL,
      holder text NOT NULL,
      token bigint NOT NULL,
      expires_at bigint NOT NULL,
      PRIMARY KEY (generation, item_key)
    )`,
    `CREATE TABLE ragstone_ledger_remembered_source (
      source_key bytea PRIMARY KEY,
      tenant text COLLATE "C" NOT NULL,
      source text COLLATE "C" NOT NULL
    )`,
    `CREATE TABLE ragstone_ledger_run (
      run_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      command text NOT NULL,
      started_at text NOT NULL,
      finished_at text,
      success boolean,
      stats text
    )`,
  ],
  [
    `CREATE TABLE ragstone_ledger_source_owner (
      owner_key bytea NOT NULL,
      source_key bytea NOT NULL,
      tenant text COLLATE "C" NOT NULL,
      source text COLLATE "C" NOT NULL,
      owner text COLLATE "C" NOT NULL,
      PRIMARY KEY (owner_key, source_key)
    )`,
  ],
  // What was forgotten on purpose, by hashes of its names, and by which receipt.
  [
    `CREATE TABLE ragstone_ledger_kept_out (
      tenant_key bytea NOT NULL,
      hash text COLLATE "C" NOT NULL,
      hash_key text NOT NULL,
      receipt text COLLATE "C" NOT NULL,
      PRIMARY KEY (tenant_key, hash)
    )`,
  ],
  [
    `CREATE TABLE ragstone_ledger_source_state (
      generation integer NOT NULL,
      source_key bytea NOT NULL,
      tenant text COLLATE "C" NOT NULL,
      source text COLLATE "C" NOT NULL,
      state text NOT NULL,
      PRIMARY KEY (generation, source_key)
    )`,
  ],
  // What was listed and is not done yet.
  [
    `CREATE TABLE ragstone_ledger_owed (
      generation integer NOT NULL,
      item_key bytea NOT NULL,
      source_key bytea NOT NULL,
      tenant text COLLATE "C" NOT NULL,
      source text COLLATE "C" NOT NULL,
      item_id text COLLATE "C" NOT NULL,
      project text COLLATE "C",
      version text,
      bytes bigint,
      processing_key text NOT NULL,
      batch text COLLATE "C" NOT NULL,
      listed_at text NOT NULL,
      begun integer NOT NULL DEFAULT 0,
      PRIMARY KEY (generation, item_key)
    )`,
    'CREATE INDEX ragstone_ledger_owed_by_batch ON ragstone_ledger_owed (generation, source_key, batch)',
  ],
  // How a generation was made from another one, by another model.
  ['ALTER TABLE ragstone_ledger_generation ADD COLUMN upgrade text'],
  // Counts what searches may show, in rows of which a writer holds one at a time. `life` is of these tables alone.
  [
    'CREATE TABLE ragstone_ledger_life (life text NOT NULL)',
    'INSERT INTO ragstone_ledger_life VALUES (gen_random_uuid()::text)',
    'CREATE TABLE ragstone_ledger_change (slot smallint PRIMARY KEY, changes bigint NOT NULL)',
    `INSERT INTO ragstone_ledger_change SELECT slot, 0 FROM generate_series(0, ${CHANGE_SLOTS - 1}) AS slot`,
  ],
  // Under which names a document is referred to, and to which it refers. `name_key` hashes tenant and name.
  [
    'ALTER TABLE ragstone_ledger_document ADD COLUMN graph smallint NOT NULL DEFAULT 0',
    `CREATE INDEX ragstone_ledger_document_without_graph ON ragstone_ledger_document (generation)
      WHERE graph = 0`,
    `CREATE TABLE ragstone_ledger_graph_name (
      document bigint NOT NULL REFERENCES ragstone_ledger_document (id),
      generation integer NOT NULL,
      name_key bytea NOT NULL,
      name text COLLATE "C" NOT NULL,
      PRIMARY KEY (document, name_key)
    )`,
    'CREATE INDEX ragstone_ledger_graph_name_by_key ON ragstone_ledger_graph_name (generation, name_key)',
    `CREATE TABLE ragstone_ledger_graph_reference (
      document bigint NOT NULL REFERENCES ragstone_ledger_document (id),
      generation integer NOT NULL,
      kind text COLLATE "C" NOT NULL,
      name_key bytea NOT NULL,
      name text COLLATE "C" NOT NULL,
      PRIMARY KEY (document, kind, name_key)
    )`,
    'CREATE INDEX ragstone_ledger_graph_reference_by_key ON ragstone_ledger_graph_reference (generation, name_key)',
  ],
  // What a document says, for conflicts between documents.
  [
    'ALTER TABLE ragstone_ledger_document ADD COLUMN examined smallint NOT NULL DEFAULT 0',
    `CREATE INDEX ragstone_ledger_document_not_examined ON ragstone_ledger_document (generation)
      WHERE examined = 0`,
    `CREATE TABLE ragstone_ledger_statement (
      document bigint PRIMARY KEY REFERENCES ragstone_ledger_document (id),
      generation integer NOT NULL,
      packed bytea NOT NULL
    )`,
    'CREATE INDEX ragstone_ledger_statement_of_generation ON ragstone_ledger_statement (generation)',
  ],
  // What the index held at a time: see `../history.ts`, and `../sqlite/schema.ts` for what the columns say.
  [
    'CREATE TABLE ragstone_ledger_history_state (only_row boolean PRIMARY KEY CHECK (only_row), begins bigint NOT NULL)',
    `CREATE TABLE ragstone_ledger_history_live (
      sequence bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      since bigint NOT NULL,
      generation integer NOT NULL
    )`,
    `CREATE TABLE ragstone_ledger_history_mark (
      sequence bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      tenant text COLLATE "C" NOT NULL,
      source text COLLATE "C" NOT NULL,
      mark text NOT NULL,
      at bigint NOT NULL,
      seen bigint NOT NULL
    )`,
    `CREATE TABLE ragstone_ledger_history_version (
      id bigserial PRIMARY KEY,
      generation integer NOT NULL,
      document_key bytea NOT NULL,
      document_id text COLLATE "C" NOT NULL,
      tenant text COLLATE "C" NOT NULL,
      source text COLLATE "C" NOT NULL,
      valid_from bigint,
      valid_to bigint,
      confirmed text,
      digest text NOT NULL,
      chunks integer NOT NULL,
      content bigint NOT NULL,
      facts text NOT NULL
    )`,
    'CREATE INDEX ragstone_ledger_history_version_by_document ON ragstone_ledger_history_version (document_key, generation)',
    'CREATE INDEX ragstone_ledger_history_version_by_content ON ragstone_ledger_history_version (content)',
    `CREATE INDEX ragstone_ledger_history_version_ended ON ragstone_ledger_history_version (valid_to)
      WHERE valid_to IS NOT NULL`,
    `CREATE INDEX ragstone_ledger_history_version_planned ON ragstone_ledger_history_version (id)
      WHERE valid_from IS NULL`,
    `CREATE TABLE ragstone_ledger_history_part (
      content bigint NOT NULL,
      place integer NOT NULL,
      chunks integer NOT NULL,
      bytes bytea NOT NULL,
      PRIMARY KEY (content, place)
    )`,
  ],
  // Symbols, sections and commits are in the graph.
  ['UPDATE ragstone_ledger_document SET graph = 0'],
  // What a language model read out of chunks: see `../../relations/graph/facts.ts`.
  [
    `CREATE TABLE ragstone_ledger_fact (
      chunk_key bytea PRIMARY KEY,
      document_key bytea NOT NULL,
      document_id text COLLATE "C" NOT NULL,
      input_key text COLLATE "C" NOT NULL,
      record bytea NOT NULL
    )`,
    'CREATE INDEX ragstone_ledger_fact_by_document ON ragstone_ledger_fact (document_key)',
    'CREATE INDEX ragstone_ledger_fact_by_input ON ragstone_ledger_fact (input_key)',
    `CREATE TABLE ragstone_ledger_fact_name (
      name_key bytea NOT NULL,
      chunk_key bytea NOT NULL,
      PRIMARY KEY (name_key, chunk_key)
    )`,
    'CREATE INDEX ragstone_ledger_fact_name_by_chunk ON ragstone_ledger_fact_name (chunk_key)',
    `CREATE TABLE ragstone_ledger_fact_summary (
      id text COLLATE "C" PRIMARY KEY,
      tenant_key bytea NOT NULL,
      record bytea NOT NULL
    )`,
    'CREATE INDEX ragstone_ledger_fact_summary_by_tenant ON ragstone_ledger_fact_summary (tenant_key, id)',
    `CREATE TABLE ragstone_ledger_fact_source (
      summary text COLLATE "C" NOT NULL,
      chunk_key bytea NOT NULL,
      PRIMARY KEY (summary, chunk_key)
    )`,
    'CREATE INDEX ragstone_ledger_fact_source_by_chunk ON ragstone_ledger_fact_source (chunk_key)',
  ],
];

/** Every table that `clear` empties, those first that refer to others. */
export const TABLES: readonly string[] = [
  ...[...HISTORY_TABLES, ...FACT_TABLES, ...ROW_TABLES].map((table) => `ragstone_ledger_${table}`),
  'ragstone_ledger_revision',
  'ragstone_ledger_chunk',
  'ragstone_ledger_document',
  'ragstone_ledger_item',
  'ragstone_ledger_owed',
  'ragstone_ledger_source_cursor',
  'ragstone_ledger_source_state',
  'ragstone_ledger_lease',
  'ragstone_ledger_generation',
  'ragstone_ledger_remembered_source',
  'ragstone_ledger_source_owner',
  'ragstone_ledger_run',
];

/**
 * Brings the tables to this program's version. Several processes may do so at once; only one of them works, under an
 * advisory lock. Nothing is written where there is nothing to do, so a role that only reads may call it.
 * Throws `INDEX_SCHEMA_TOO_NEW` where a newer program has been here.
 */
export async function prepareSchema(database: PostgresDatabase): Promise<void> {
  const action = 'prepare its tables';
  const { schema } = database.settings;
  const version = await database.withConnection({ action }, (run) => schemaVersion(run, schema));
  if (version === MIGRATIONS.length) return;
  await database.transaction({ action }, async (run) => {
    await lockSchema(run, schema);
    await migrate(run, schema);
  });
}

/** Removes all tables, damaged ones too, and makes them anew, in one transaction: no other host ever finds them missing. */
export async function remakeSchema(database: PostgresDatabase): Promise<void> {
  const { schema, maintenanceTimeoutMs: timeoutMs } = database.settings;
  await database.transaction({ action: 'be made anew', timeoutMs }, async (run) => {
    await run("SELECT set_config('statement_timeout', $1, true)", [String(timeoutMs)]);
    await lockSchema(run, schema);
    const tables = [
      ...TABLES,
      'ragstone_ledger_kept_out',
      'ragstone_ledger_counter',
      'ragstone_ledger_life',
      'ragstone_ledger_change',
      'ragstone_ledger_version',
    ];
    await run(`DROP TABLE IF EXISTS ${tables.map((table) => `"${schema}".${table}`).join(', ')}`);
    await migrate(run, schema);
  });
}

const lockSchema = (run: RunStatement, schema: string): Promise<unknown> =>
  run('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`ragstone ledger in ${schema}`]);

/** How many migrations have run: 0 where there is no ledger. Throws `INDEX_SCHEMA_TOO_NEW`. */
export async function schemaVersion(run: RunStatement, schema: string): Promise<number> {
  if (!(await tableExists(run, schema, 'ragstone_ledger_version'))) return 0;
  const sql = `SELECT coalesce(max(version), 0) AS version FROM "${schema}".ragstone_ledger_version`;
  const [row] = (await run(sql)).rows;
  const version = row === undefined ? 0 : numberOf(row, 'version');
  if (version > MIGRATIONS.length)
    throw new RAGError(
      'INDEX_SCHEMA_TOO_NEW',
      `The ledger in schema "${schema}" was written by a newer version of ragstone (this version knows its tables up to ${MIGRATIONS.length}). Update ragstone, or use another schema.`,
      { details: { found: version, supported: MIGRATIONS.length } },
    );
  return version;
}

async function migrate(run: RunStatement, schema: string): Promise<void> {
  // Read again under the lock: another process may have done it meanwhile.
  const version = await schemaVersion(run, schema);
  if (version === 0) await makeSchema(run, schema);
  for (const [index, statements] of MIGRATIONS.entries()) {
    if (index < version) continue;
    for (const statement of statements) await run(statement);
    await run('INSERT INTO ragstone_ledger_version (version) VALUES ($1)', [index + 1]);
  }
}

async function makeSchema(run: RunStatement, schema: string): Promise<void> {
  // `IF NOT EXISTS` asks for the privilege first, which a role with a schema of its own may lack.
  const { count } = await run('SELECT 1 FROM pg_catalog.pg_namespace WHERE nspname = $1', [schema]);
  if (count === 0) await run(`CREATE SCHEMA "${schema}"`);
  await run('CREATE TABLE IF NOT EXISTS ragstone_ledger_version (version integer PRIMARY KEY)');
}
