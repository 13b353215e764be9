import type { CommunitySummary, FactReader, FactRecord, FactWriter } from '../../graph/facts.js';
import type { GraphPage, NameHit } from '../../graph/graph.js';
import { entityName } from '../../graph/names.js';
import type { PostgresDatabase, RunStatement } from '../../postgres/postgres-database.js';
import type { SqlRow } from '../../postgres/postgres-session.js';
import { codeOf } from '../chunk-states.js';
import { nameKeyOf } from '../graph-rows.js';
import { hexOf, keyOf, storableText } from '../ledger-text.js';
import { packRecord, unpackFacts, unpackSummary } from '../packed-facts.js';
import type { Books } from './books.js';
import { countChange } from './changes.js';
import { documentKeyOf } from './documents.js';
import { bytesOf, numberOf, textOf } from './row.js';

/** Those first that are made of others. */
export const FACT_TABLES = [
  'ragstone_ledger_fact_source',
  'ragstone_ledger_fact_summary',
  'ragstone_ledger_fact_name',
  'ragstone_ledger_fact',
] as const;

/** Whether the chunk of `fact` is in the store for certain, in the generation `$1`. */
const IS_LIVE = `EXISTS (SELECT 1 FROM ragstone_ledger_chunk AS chunk
  WHERE chunk.generation = $1 AND chunk.chunk_key = fact.chunk_key AND chunk.state = ${codeOf('live')})`;
/** Of `summary` every source is. */
const IS_WHOLE = `NOT EXISTS (SELECT 1 FROM ragstone_ledger_fact_source AS fact
  WHERE fact.summary = summary.id AND NOT ${IS_LIVE})`;

/** Facts of chunks that are gone from every generation, and the summaries that were made of them. */
export async function forgetGoneFacts(
  run: RunStatement,
  documentKeys: readonly Buffer[] | undefined,
): Promise<void> {
  await run(
    `WITH gone AS (
       DELETE FROM ragstone_ledger_fact AS fact WHERE ($1::bytea[] IS NULL OR document_key = ANY($1::bytea[]))
         AND NOT EXISTS (SELECT 1 FROM ragstone_ledger_generation AS held JOIN ragstone_ledger_chunk AS chunk
           ON chunk.generation = held.generation AND chunk.chunk_key = fact.chunk_key)
       RETURNING chunk_key
     ), ${FORGET_OF_GONE}`,
    [documentKeys ?? null],
  );
}

/** Names and summaries that hang on the chunks that `gone` lists. */
const FORGET_OF_GONE = `names AS (
    DELETE FROM ragstone_ledger_fact_name WHERE chunk_key IN (SELECT chunk_key FROM gone)
  ), made AS (
    SELECT DISTINCT summary FROM ragstone_ledger_fact_source WHERE chunk_key IN (SELECT chunk_key FROM gone)
  ), sources AS (
    DELETE FROM ragstone_ledger_fact_source WHERE summary IN (SELECT summary FROM made)
  )
  DELETE FROM ragstone_ledger_fact_summary WHERE id IN (SELECT summary FROM made)`;

/** What was read out of the chunks of one generation of a PostgreSQL ledger. Every read is one statement. */
export class PostgresFacts implements FactReader {
  protected readonly books: Books;

  constructor(books: Books) {
    this.books = books;
  }

  async facts(documentIds: readonly string[]): Promise<Map<string, FactRecord[]>> {
    const { database, generation } = this.books;
    const rows = await database.rows(
      `SELECT record FROM ragstone_ledger_fact AS fact WHERE document_key = ANY($2::bytea[]) AND ${IS_LIVE}`,
      [generation, documentIds.map(documentKeyOf)],
      { action: 'read its facts' },
    );
    const found = new Map<string, FactRecord[]>();
    for (const row of rows) {
      const record = readFacts(row);
      found.set(record.documentId, [...(found.get(record.documentId) ?? []), record]);
    }
    return found;
  }

  async naming(tenant: string, keys: readonly string[], { limit, after }: GraphPage): Promise<NameHit[]> {
    const { database, generation } = this.books;
    const rows = await database.rows(
      `SELECT wanted.place, hit.document_id FROM unnest($2::bytea[]) WITH ORDINALITY AS wanted (key, place), LATERAL (
         SELECT DISTINCT fact.document_id FROM ragstone_ledger_fact_name AS named
         JOIN ragstone_ledger_fact AS fact ON fact.chunk_key = named.chunk_key
         WHERE named.name_key = wanted.key AND ($3::text IS NULL OR fact.document_id > $3) AND ${IS_LIVE}
         ORDER BY fact.document_id LIMIT $4) AS hit
       ORDER BY wanted.place, hit.document_id`,
      [
        generation,
        keys.map((key) => nameKeyOf(tenant, entityName(key))),
        after === undefined ? null : storableText(after),
        limit,
      ],
      { action: 'walk through its facts' },
    );
    return rows.map((row) => ({
      name: keys[numberOf(row, 'place') - 1] ?? '',
      documentId: textOf(row, 'document_id'),
    }));
  }

  async sameInput(inputKey: string): Promise<FactRecord | undefined> {
    const rows = await this.books.database.rows(
      'SELECT record FROM ragstone_ledger_fact WHERE input_key = $1',
      [inputKey],
      { action: 'read facts of the same text' },
    );
    return rows.map(readFacts).find(({ outcome }) => outcome === 'read');
  }

  async summaries(
    tenant: string,
    { limit, after }: { readonly limit: number; readonly after?: string | undefined },
  ): Promise<CommunitySummary[]> {
    const { database, generation } = this.books;
    const rows = await database.rows(
      `SELECT record FROM ragstone_ledger_fact_summary AS summary WHERE tenant_key = $2
         AND ($3::text IS NULL OR id > $3) AND ${IS_WHOLE} ORDER BY id LIMIT $4`,
      [generation, keyOf(tenant), after ?? null, limit],
      { action: 'read its summaries' },
    );
    return rows.map(readSummary);
  }
}

const readFacts = (row: SqlRow): FactRecord => unpackFacts(bytesOf(row, 'record'));
const readSummary = (row: SqlRow): CommunitySummary => unpackSummary(bytesOf(row, 'record'));

const chunkKeyOf = (chunkId: string): Buffer => keyOf(chunkId);

/** Each method is one transaction. It holds the rows of the chunks, so that a run which deletes them finds what was written of them. */
export class PostgresFactWriter extends PostgresFacts implements FactWriter {
  async saveFacts(tenant: string, records: readonly FactRecord[]): Promise<number> {
    if (records.length === 0) return 0;
    return this.#transaction('keep facts', async (run) => {
      const live = await this.#holdLive(
        run,
        records.map(({ chunkId }) => chunkId),
      );
      const kept = records.filter(({ chunkId }) => live.has(hexOf(chunkKeyOf(chunkId))));
      if (kept.length === 0) return 0;
      const keys = kept.map(({ chunkId }) => chunkKeyOf(chunkId));
      await run(
        `WITH gone AS (DELETE FROM ragstone_ledger_fact WHERE chunk_key = ANY($1::bytea[]) RETURNING chunk_key),
         ${FORGET_OF_GONE}`,
        [keys],
      );
      await run(
        `INSERT INTO ragstone_ledger_fact (chunk_key, document_key, document_id, input_key, record)
         SELECT * FROM unnest($1::bytea[], $2::bytea[], $3::text[], $4::text[], $5::bytea[])`,
        [
          keys,
          kept.map(({ documentId }) => documentKeyOf(documentId)),
          kept.map(({ documentId }) => storableText(documentId)),
          kept.map(({ inputKey }) => inputKey),
          kept.map(packRecord),
        ],
      );
      const names = kept.flatMap(({ chunkId, entities }) =>
        [...new Set(entities.map(({ key }) => key))].map((key) => ({ chunkId, key })),
      );
      await run(
        `INSERT INTO ragstone_ledger_fact_name (name_key, chunk_key) SELECT * FROM unnest($1::bytea[], $2::bytea[])`,
        [
          names.map(({ key }) => nameKeyOf(tenant, entityName(key))),
          names.map(({ chunkId }) => chunkKeyOf(chunkId)),
        ],
      );
      await countChange(run);
      return kept.length;
    });
  }

  async saveSummary(tenant: string, summary: CommunitySummary): Promise<boolean> {
    const chunkIds = [...new Set(summary.sources.map(({ chunkId }) => chunkId))];
    const keys = chunkIds.map(chunkKeyOf);
    return this.#transaction('keep a summary', async (run) => {
      if ((await this.#holdLive(run, chunkIds)).size !== chunkIds.length) return false;
      const { count } = await run('SELECT 1 FROM ragstone_ledger_fact WHERE chunk_key = ANY($1::bytea[])', [
        keys,
      ]);
      if (count !== chunkIds.length) return false;
      await forgetSummaries(run, tenant, [summary.id]);
      await run('INSERT INTO ragstone_ledger_fact_summary (id, tenant_key, record) VALUES ($1, $2, $3)', [
        summary.id,
        keyOf(tenant),
        packRecord(summary),
      ]);
      await run(
        'INSERT INTO ragstone_ledger_fact_source (summary, chunk_key) SELECT $1, key FROM unnest($2::bytea[]) AS key',
        [summary.id, keys],
      );
      await countChange(run);
      return true;
    });
  }

  async forgetSummaries(tenant: string, ids: readonly string[]): Promise<void> {
    await this.#transaction('remove summaries', async (run) => {
      await forgetSummaries(run, tenant, ids);
      await countChange(run);
    });
  }

  #transaction<Result>(action: string, work: (run: RunStatement) => Promise<Result>): Promise<Result> {
    const { database }: { readonly database: PostgresDatabase } = this.books;
    return database.transaction({ action }, work);
  }

  /** Keys of those that are in the store for certain, as hexadecimal; nobody deletes them before the transaction ends. */
  async #holdLive(run: RunStatement, chunkIds: readonly string[]): Promise<ReadonlySet<string>> {
    const { rows } = await run(
      `SELECT chunk_key FROM ragstone_ledger_chunk WHERE generation = $1 AND chunk_key = ANY($2::bytea[])
         AND state = ${codeOf('live')} ORDER BY chunk_key FOR KEY SHARE`,
      [this.books.generation, chunkIds.map(chunkKeyOf)],
    );
    return new Set(rows.map((row) => hexOf(bytesOf(row, 'chunk_key'))));
  }
}

async function forgetSummaries(run: RunStatement, tenant: string, ids: readonly string[]): Promise<void> {
  await run(
    `WITH gone AS (
       DELETE FROM ragstone_ledger_fact_summary WHERE id = ANY($1::text[]) AND tenant_key = $2 RETURNING id)
     DELETE FROM ragstone_ledger_fact_source WHERE summary IN (SELECT id FROM gone)`,
    [ids, keyOf(tenant)],
  );
}
