import type { CommunitySummary, FactReader, FactRecord, FactWriter } from '../../graph/facts.js';
import type { GraphPage, NameHit } from '../../graph/graph.js';
import { entityName } from '../../graph/names.js';
import { bytesAt, type SqlRow, text, textAt } from '../../sqlite/row.js';
import type { SqliteDatabase } from '../../sqlite/sqlite-database.js';
import { codeOf } from '../chunk-states.js';
import { nameKeyOf } from '../graph-rows.js';
import { originalText, storableText } from '../ledger-text.js';
import { packRecord, unpackFacts, unpackSummary } from '../packed-facts.js';
import type { Books } from './books.js';
import { countChange } from './changes.js';

/** Whether the chunk of a row of `fact` is in the store for certain; its generation comes first of the parameters. */
const IS_LIVE = `EXISTS (SELECT 1 FROM chunk WHERE chunk.generation = ? AND chunk.chunk_id = fact.chunk_id AND chunk.state = ${codeOf('live')})`;
/** Chunks that no generation has any more. */
const IS_GONE = `NOT EXISTS (SELECT 1 FROM chunk WHERE chunk.generation IN (SELECT generation FROM generation)
  AND chunk.chunk_id = fact.chunk_id)`;
/** Of a summary every source is in the store. */
const IS_WHOLE = `NOT EXISTS (SELECT 1 FROM fact_source WHERE fact_source.summary = fact_summary.id AND NOT EXISTS
  (SELECT 1 FROM chunk WHERE chunk.generation = ? AND chunk.chunk_id = fact_source.chunk_id AND chunk.state = ${codeOf('live')}))`;

/** Facts of a document's chunks that are gone from every generation, and the summaries that were made of them. */
export function forgetGoneFacts(database: SqliteDatabase, documentId: string): void {
  const sql = `SELECT ${text('chunk_id')} FROM fact WHERE document_id = ? AND ${IS_GONE}`;
  forgetFacts(
    database,
    database.rows(sql, storableText(documentId)).map((row) => textAt(row, 0)),
  );
}

/** The same of all documents. */
export function forgetAllGoneFacts(database: SqliteDatabase): void {
  const rows = database.rows(`SELECT ${text('chunk_id')} FROM fact WHERE ${IS_GONE}`);
  forgetFacts(
    database,
    rows.map((row) => textAt(row, 0)),
  );
}

/** @param chunks as they are stored */
function forgetFacts(database: SqliteDatabase, chunks: readonly string[]): void {
  for (const chunk of chunks) {
    const summaries = database.rows(`SELECT ${text('summary')} FROM fact_source WHERE chunk_id = ?`, chunk);
    for (const row of summaries) forgetSummary(database, textAt(row, 0));
    database.run('DELETE FROM fact_name WHERE chunk_id = ?', chunk);
    database.run('DELETE FROM fact WHERE chunk_id = ?', chunk);
  }
}

function forgetSummary(database: SqliteDatabase, id: string): void {
  database.run('DELETE FROM fact_source WHERE summary = ?', id);
  database.run('DELETE FROM fact_summary WHERE id = ?', id);
}

/** What was read out of the chunks of one generation of a ledger file. */
export class SqliteFacts implements FactReader {
  protected readonly books: Books;

  constructor(books: Books) {
    this.books = books;
  }

  async facts(documentIds: readonly string[]): Promise<Map<string, FactRecord[]>> {
    const { database, generation } = this.books;
    const sql = `SELECT record FROM fact WHERE document_id = ? AND ${IS_LIVE}`;
    return database.snapshot(
      () =>
        new Map(
          documentIds.flatMap((id) => {
            const rows = database.rows(sql, storableText(id), generation);
            return rows.length === 0 ? [] : [[id, rows.map((row) => unpackFacts(bytesAt(row, 0)))] as const];
          }),
        ),
    );
  }

  async naming(tenant: string, keys: readonly string[], { limit, after }: GraphPage): Promise<NameHit[]> {
    const { database, generation } = this.books;
    const sql = `SELECT DISTINCT ${text('document_id')} FROM fact_name JOIN fact ON fact.chunk_id = fact_name.chunk_id
      WHERE fact_name.name_key = ? AND document_id ${after === undefined ? '>=' : '>'} ? AND ${IS_LIVE}
      ORDER BY document_id LIMIT ?`;
    const from = after === undefined ? '' : storableText(after);
    return database.snapshot(() =>
      keys.flatMap((key) =>
        database
          .rows(sql, nameKeyOf(tenant, entityName(key)), from, generation, limit)
          .map((row) => ({ name: key, documentId: originalText(textAt(row, 0)) })),
      ),
    );
  }

  async sameInput(inputKey: string): Promise<FactRecord | undefined> {
    const { database } = this.books;
    const rows = database.guard(() => database.rows('SELECT record FROM fact WHERE input_key = ?', inputKey));
    return rows.map((row) => unpackFacts(bytesAt(row, 0))).find(({ outcome }) => outcome === 'read');
  }

  async summaries(
    tenant: string,
    { limit, after = '' }: { readonly limit: number; readonly after?: string | undefined },
  ): Promise<CommunitySummary[]> {
    const { database, generation } = this.books;
    const sql = `SELECT record FROM fact_summary WHERE tenant = ? AND id > ? AND ${IS_WHOLE} ORDER BY id LIMIT ?`;
    return database.guard(() =>
      database.rows(sql, storableText(tenant), after, generation, limit).map(readSummary),
    );
  }
}

const readSummary = (row: SqlRow): CommunitySummary => unpackSummary(bytesAt(row, 0));

/** Each method is one transaction. */
export class SqliteFactWriter extends SqliteFacts implements FactWriter {
  async saveFacts(tenant: string, records: readonly FactRecord[]): Promise<number> {
    const { database } = this.books;
    return database.transaction(() => {
      const kept = records.filter((record) => this.#save(tenant, record)).length;
      if (kept > 0) countChange(database);
      return kept;
    });
  }

  #save(tenant: string, record: FactRecord): boolean {
    const { database } = this.books;
    const chunkId = storableText(record.chunkId);
    if (!this.#isLive(chunkId)) return false;
    forgetFacts(database, [chunkId]);
    database.run(
      'INSERT INTO fact (chunk_id, document_id, input_key, record) VALUES (?, ?, ?, ?)',
      chunkId,
      storableText(record.documentId),
      record.inputKey,
      packRecord(record),
    );
    for (const key of new Set(record.entities.map(({ key }) => key)))
      database.run(
        'INSERT INTO fact_name (name_key, chunk_id) VALUES (?, ?)',
        nameKeyOf(tenant, entityName(key)),
        chunkId,
      );
    return true;
  }

  #isLive(chunkId: string): boolean {
    const { database, generation } = this.books;
    const sql = 'SELECT 1 FROM chunk WHERE generation = ? AND chunk_id = ? AND state = ?';
    return database.row(sql, generation, chunkId, codeOf('live')) !== undefined;
  }

  async saveSummary(tenant: string, summary: CommunitySummary): Promise<boolean> {
    const { database } = this.books;
    return database.transaction(() => {
      const chunks = summary.sources.map(({ chunkId }) => storableText(chunkId));
      const isThere = (chunk: string): boolean =>
        this.#isLive(chunk) && database.row('SELECT 1 FROM fact WHERE chunk_id = ?', chunk) !== undefined;
      if (!chunks.every(isThere)) return false;
      forgetSummary(database, summary.id);
      database.run(
        'INSERT INTO fact_summary (id, tenant, record) VALUES (?, ?, ?)',
        summary.id,
        storableText(tenant),
        packRecord(summary),
      );
      for (const chunk of new Set(chunks))
        database.run('INSERT INTO fact_source (summary, chunk_id) VALUES (?, ?)', summary.id, chunk);
      countChange(database);
      return true;
    });
  }

  async forgetSummaries(tenant: string, ids: readonly string[]): Promise<void> {
    const { database } = this.books;
    database.transaction(() => {
      for (const id of ids) {
        const sql = 'SELECT 1 FROM fact_summary WHERE id = ? AND tenant = ?';
        if (database.row(sql, id, storableText(tenant)) !== undefined) forgetSummary(database, id);
      }
      countChange(database);
    });
  }
}
