import { numberAt, storableText, textAt } from '../sqlite/row.js';
import { bytesOf, type SqliteDatabase } from '../sqlite/sqlite-database.js';
import {
  commitDocument,
  forgetDocument,
  markMissing,
  planDocument,
  planDocumentDeletion,
  previewDocument,
} from './chunk-log.js';
import { chunkPage, chunksOf } from './chunks.js';
import { documentCounts, documentPage, documentsOfItem, findDocument, rowIdOf } from './documents.js';
import { completeItem, failedItems, failItem, forgetItem, itemsOfSource } from './items.js';
import type {
  DocumentPlan,
  IndexFacts,
  Ledger,
  LedgerChunk,
  LedgerDocument,
  LedgerFailure,
  LedgerItem,
  PlannedDocument,
  RunRecord,
  SourceSummary,
} from './ledger.js';
import {
  forgetRememberedSource,
  rememberedSources,
  rememberSource,
  sourceNames,
} from './remembered-sources.js';
import { revisionText } from './revisions.js';
import { findCursor, recordCursor } from './source-cursors.js';
import { findLastRun, summarizeSources } from './summaries.js';

/** The ledger over one SQLite file. Every method that writes is one transaction; every read is one snapshot. */
export class SqliteLedger implements Ledger {
  readonly database: SqliteDatabase;
  readonly #keepRevisions: number;
  readonly #readOnly: boolean;

  constructor(database: SqliteDatabase, options: { keepRevisions: number; readOnly: boolean }) {
    this.database = database;
    this.#keepRevisions = options.keepRevisions;
    this.#readOnly = options.readOnly;
  }

  facts(): IndexFacts | undefined {
    return this.database.guard(() => {
      const row = this.database.row('SELECT facts FROM facts');
      return row === undefined ? undefined : (JSON.parse(textAt(row, 0)) as IndexFacts);
    });
  }

  setFacts(facts: IndexFacts): void {
    this.database.transaction(() => {
      const isRebuild = this.facts()?.generation !== facts.generation;
      this.database.run(
        'INSERT OR REPLACE INTO facts (only_row, facts) VALUES (1, ?)',
        JSON.stringify(facts),
      );
      if (!isRebuild) return;
      this.database.run('DELETE FROM chunk');
      this.database.run('DELETE FROM source_cursor');
      for (const table of ['item', 'document']) this.database.run(`UPDATE ${table} SET status = 'outdated'`);
    });
  }

  items(tenant: string, source: string): Map<string, LedgerItem> {
    return this.database.guard(() => itemsOfSource(this.database, tenant, source));
  }

  sourceCursor(tenant: string, source: string): string | undefined {
    return this.database.guard(() => findCursor(this.database, tenant, source));
  }

  setSourceCursor(tenant: string, source: string, cursor: string): void {
    this.database.transaction(() => recordCursor(this.database, { tenant, source, cursor }));
  }

  sourceNames(tenant: string): string[] {
    return this.database.guard(() => sourceNames(this.database, tenant));
  }

  rememberedSources(tenant: string): string[] {
    return this.database.guard(() => rememberedSources(this.database, tenant));
  }

  rememberSources(tenant: string, sources: readonly string[]): void {
    if (sources.length === 0) return;
    this.database.transaction(() => {
      for (const source of sources) rememberSource(this.database, tenant, source);
    });
  }

  forgetSources(tenant: string, sources: readonly string[]): void {
    if (sources.length === 0) return;
    this.database.transaction(() => {
      for (const source of sources) forgetRememberedSource(this.database, tenant, source);
    });
  }

  documentsOfItem(tenant: string, source: string, itemId: string): LedgerDocument[] {
    return this.database.guard(() => documentsOfItem(this.database, { tenant, source, itemId }));
  }

  documentCounts(tenant: string, source: string): Map<string, number> {
    return this.database.guard(() => documentCounts(this.database, tenant, source));
  }

  document(documentId: string): LedgerDocument | undefined {
    return this.database.guard(() => findDocument(this.database, documentId));
  }

  documents(after: string | undefined, limit: number): LedgerDocument[] {
    return this.database.guard(() => documentPage(this.database, after, limit));
  }

  chunks(documentId: string): LedgerChunk[] {
    return this.database.snapshot(() => {
      const row = rowIdOf(this.database, documentId);
      return row === undefined ? [] : chunksOf(this.database, row, documentId);
    });
  }

  allChunks(after: string | undefined, limit: number): LedgerChunk[] {
    return this.database.guard(() => chunkPage(this.database, after, limit));
  }

  transaction<T>(work: () => T): T {
    return this.database.transaction(work);
  }

  preview(documents: readonly PlannedDocument[]): DocumentPlan[] {
    return this.database.snapshot(() =>
      documents.map((document) => previewDocument(this.database, document)),
    );
  }

  plan(documents: readonly PlannedDocument[]): DocumentPlan[] {
    return this.database.transaction(() =>
      documents.map((document) => planDocument(this.database, document)),
    );
  }

  commit(documentIds: readonly string[], at: string): void {
    const options = { at, keepRevisions: this.#keepRevisions };
    this.database.transaction(() => {
      for (const documentId of documentIds) commitDocument(this.database, documentId, options);
    });
  }

  completeItems(items: Parameters<Ledger['completeItems']>[0]): void {
    this.database.transaction(() => {
      for (const item of items) completeItem(this.database, item);
    });
  }

  failItem(item: { tenant: string; source: string; itemId: string }, failure: LedgerFailure): void {
    this.database.transaction(() => failItem(this.database, item, failure));
  }

  planDeletion(documentIds: readonly string[]): string[] {
    return this.database.transaction(() =>
      documentIds.flatMap((documentId) => planDocumentDeletion(this.database, documentId)),
    );
  }

  forget(documentIds: readonly string[]): void {
    this.database.transaction(() => {
      for (const documentId of documentIds) forgetDocument(this.database, documentId);
    });
  }

  forgetItems(tenant: string, source: string, itemIds: readonly string[]): void {
    this.database.transaction(() => {
      for (const itemId of itemIds) forgetItem(this.database, { tenant, source, itemId });
    });
  }

  markChunksMissing(chunkIds: readonly string[]): void {
    this.database.transaction(() => markMissing(this.database, chunkIds));
  }

  text(documentId: string, revision?: string): string | undefined {
    return this.database.guard(() => revisionText(this.database, documentId, revision));
  }

  sources(): SourceSummary[] {
    return this.database.snapshot(() => summarizeSources(this.database));
  }

  failures(limit: number): LedgerItem[] {
    return this.database.guard(() => failedItems(this.database, limit));
  }

  startRun(command: string, at: string): number {
    return this.database.transaction(() => {
      const sql = 'INSERT INTO run (command, started_at) VALUES (?, ?) RETURNING run_id';
      return numberAt(this.database.row(sql, storableText(command), at) ?? [], 0);
    });
  }

  finishRun(runId: number, { at, success, stats }: { at: string; success: boolean; stats: string }): void {
    this.database.transaction(() =>
      this.database.run(
        'UPDATE run SET finished_at = ?, success = ?, stats = ? WHERE run_id = ?',
        at,
        success ? 1 : 0,
        stats,
        runId,
      ),
    );
  }

  lastRun(): RunRecord | undefined {
    return this.database.guard(() => findLastRun(this.database));
  }

  bytes(): number {
    return bytesOf(this.database.path) + bytesOf(`${this.database.path}-wal`);
  }

  integrity(): string[] {
    try {
      const problems = this.database.guard(() =>
        this.database.rows('PRAGMA quick_check').map((row) => textAt(row, 0)),
      );
      return problems.filter((problem) => problem !== 'ok');
    } catch (error) {
      return [error instanceof Error ? error.message : String(error)];
    }
  }

  close(): void {
    if (!this.#readOnly) this.database.tryTruncateLog();
    this.database.close();
  }
}
