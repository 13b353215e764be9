import type { StatementFilling, StatementReader } from '../../conflicts/statement-rows.js';
import { RAGError } from '../../core/errors.js';
import { runtime } from '../../core/runtime.js';
import type { FactReader, FactWriter } from '../../graph/facts.js';
import type { GraphPage, GraphReader } from '../../graph/graph.js';
import type { PostgresDatabase, RunStatement } from '../../postgres/postgres-database.js';
import type { HistoryWriter } from '../history.js';
import type {
  CompletedItem,
  DocumentPlan,
  GenerationReader,
  GenerationWriter,
  GraphFilling,
  ItemKey,
  LedgerChunk,
  LedgerDocument,
  LedgerFailure,
  LedgerItem,
  OwedBatch,
  OwedItem,
  OwedReader,
  OwedWriter,
  PlannedDocument,
  SourceState,
  SourceSummary,
} from '../ledger.js';
import { LISTING } from '../ledger.js';
import { hexOf } from '../ledger-text.js';
import type { RowBooks } from '../rows/document-rows.js';
import { factReader, factWriter } from '../rows/facts.js';
import { fillGraph, graphReader } from '../rows/graph.js';
import {
  addPart,
  commitHistories,
  forgetHistories,
  planHistories,
  recordHistory,
  unrecorded,
} from '../rows/history-log.js';
import { fillStatements, statementReader } from '../rows/statements.js';
import type { Books, OpenBooks } from './books.js';
import { countChange, countUnrecorded } from './changes.js';
import {
  commitDocuments,
  forgetDocuments,
  itemKeysOfChunks,
  markMissing,
  planDeletions,
  planDocuments,
  previewDocuments,
} from './chunk-log.js';
import { chunkPage, chunksOf, chunksOfDocuments } from './chunks.js';
import {
  type DocumentRow,
  documentCounts,
  documentKeyOf,
  documentPage,
  documentsOfItems,
  findDocument,
  foldedDocuments,
  rowsOfDocuments,
} from './documents.js';
import {
  announceItems,
  completeItems,
  failedItems,
  failItem,
  forgetItems,
  hasItems,
  itemKeyOf,
  itemsOfSource,
  sourceNames,
} from './items.js';
import { assertLeases, claimItems, fence, type LeaseHolder, releaseItems, renewItems } from './leases.js';
import { beginOwed, forgetOwed, oweItems, PostgresOwed, settleOwed } from './owed.js';
import { keptTexts, pruneVersions, revisionText } from './revisions.js';
import { postgresPrograms, runProgram } from './run-program.js';
import {
  findCursor,
  forgetSource,
  recordCursor,
  recordSourceState,
  sourceStates,
  summarizeSources,
} from './sources.js';

/** One generation of a PostgreSQL ledger for reading. Every read is one statement, so it sees one moment. */
export class PostgresGenerationReader implements GenerationReader {
  readonly generation: number;
  protected readonly database: PostgresDatabase;
  protected readonly books: Books;
  protected readonly rows: RowBooks;

  constructor(database: PostgresDatabase, generation: number) {
    this.generation = generation;
    this.database = database;
    this.books = { database, generation };
    this.rows = { programs: postgresPrograms(database), generation };
  }

  items(tenant: string, source: string, itemIds?: readonly string[]): Promise<Map<string, LedgerItem>> {
    return itemsOfSource(this.books, { tenant, source, itemIds });
  }

  hasItems(tenant: string, source: string): Promise<boolean> {
    return hasItems(this.books, tenant, source);
  }

  sourceCursor(tenant: string, source: string): Promise<string | undefined> {
    return findCursor(this.books, tenant, source);
  }

  sourceStates(tenant: string): Promise<Map<string, SourceState>> {
    return sourceStates(this.books, tenant);
  }

  sourceNames(tenant: string): Promise<string[]> {
    return sourceNames(this.books, tenant);
  }

  documentsOfItems(tenant: string, source: string, itemIds: readonly string[]): Promise<LedgerDocument[]> {
    return documentsOfItems(this.books, { tenant, source, itemIds });
  }

  documentCounts(tenant: string, source: string): Promise<Map<string, number>> {
    return documentCounts(this.books, tenant, source);
  }

  document(documentId: string): Promise<LedgerDocument | undefined> {
    return findDocument(this.books, documentId);
  }

  documents(after: string | undefined, limit: number): Promise<LedgerDocument[]> {
    return documentPage(this.books, after, limit);
  }

  chunks(documentId: string): Promise<LedgerChunk[]> {
    return chunksOf(this.books, documentId);
  }

  chunksOf(documentIds: readonly string[]): Promise<ReadonlyMap<string, readonly LedgerChunk[]>> {
    return chunksOfDocuments(this.books, documentIds);
  }

  allChunks(after: string | undefined, limit: number): Promise<LedgerChunk[]> {
    return chunkPage(this.books, after, limit);
  }

  preview(documents: readonly PlannedDocument[]): Promise<DocumentPlan[]> {
    return previewDocuments(this.books, documents);
  }

  texts(documentId: string): Promise<string[]> {
    return keptTexts(this.books, documentId);
  }

  text(documentId: string, revision?: string): Promise<string | undefined> {
    return revisionText(this.books, documentId, revision);
  }

  sources(): Promise<SourceSummary[]> {
    return summarizeSources(this.books);
  }

  folded(page: GraphPage): Promise<string[]> {
    return foldedDocuments(this.books, page);
  }

  failures(limit: number): Promise<LedgerItem[]> {
    return failedItems(this.books, limit);
  }

  get graph(): GraphReader {
    return graphReader(this.rows);
  }

  get statements(): StatementReader {
    return statementReader(this.rows);
  }

  get facts(): FactReader {
    return factReader(this.rows);
  }

  get owed(): OwedReader {
    return new PostgresOwed(this.books);
  }
}

/** Items that one transaction owes. */
const OWED_AT_ONCE = 10_000;

export interface PostgresWriterOptions {
  readonly generation: number;
  /** Names who writes, in leases. */
  readonly holder: string;
  /** Indexed revisions of a document whose text is kept. */
  readonly keepRevisions: number;
  readonly keepsHistory: boolean;
  /** Milliseconds since 1970; absent: the server's clock. */
  readonly now: (() => number) | undefined;
}

/** One generation of a PostgreSQL ledger for writing. Every method is one transaction of a fixed number of statements. */
export class PostgresGenerationWriter extends PostgresGenerationReader implements GenerationWriter {
  readonly #keepRevisions: number;
  readonly #holder: LeaseHolder;
  readonly history: HistoryWriter | undefined;

  constructor(
    database: PostgresDatabase,
    { generation, holder, keepRevisions, keepsHistory, now }: PostgresWriterOptions,
  ) {
    super(database, generation);
    this.#keepRevisions = keepRevisions;
    this.history = keepsHistory ? this.#historyWriter() : undefined;
    this.#holder = { generation, holder, now, tokens: new Map() };
  }

  async claim(
    tenant: string,
    source: string,
    itemIds: readonly string[],
    forMs: number,
  ): Promise<ReadonlySet<string>> {
    if (itemIds.length === 0) return new Set();
    const keys = itemIds.map((itemId) => itemKeyOf({ tenant, source, itemId }));
    const claimed = await this.database.transaction({ action: 'claim items' }, (run) =>
      claimItems(run, this.#holder, { keys, forMs }),
    );
    return new Set(itemIds.filter((_, i) => claimed.has(hexOf(keys[i] ?? Buffer.alloc(0)))));
  }

  async renew(
    tenant: string,
    source: string,
    itemIds: readonly string[],
    forMs: number,
  ): Promise<ReadonlySet<string>> {
    const keys = itemIds.map((itemId) => itemKeyOf({ tenant, source, itemId }));
    const renewed = await renewItems(this.database, this.#holder, { keys, forMs });
    return new Set(itemIds.filter((_, i) => renewed.has(hexOf(keys[i] ?? Buffer.alloc(0)))));
  }

  async announce(tenant: string, source: string, itemIds: readonly string[]): Promise<void> {
    if (itemIds.length === 0) return;
    const items = itemIds.map((itemId) => ({ tenant, source, itemId }));
    await this.#write('announce items', items.map(itemKeyOf), (books) => announceItems(books, items));
  }

  async release(tenant: string, source: string, itemIds: readonly string[]): Promise<void> {
    if (itemIds.length === 0) return;
    const keys = itemIds.map((itemId) => itemKeyOf({ tenant, source, itemId }));
    await releaseItems(this.database, this.#holder, keys);
  }

  async setSourceCursor(tenant: string, source: string, cursor: string): Promise<void> {
    await recordCursor(this.books, { tenant, source, cursor });
  }

  async setSourceState(tenant: string, source: string, state: SourceState): Promise<void> {
    await recordSourceState(this.books, { tenant, source, state });
  }

  async forgetSource(tenant: string, source: string): Promise<void> {
    await forgetSource(this.books, tenant, source);
    await forgetOwed(this.books, tenant, source);
  }

  override get facts(): FactWriter {
    return factWriter(this.rows);
  }

  override get owed(): OwedWriter {
    const reader = super.owed;
    const keysOf = (tenant: string, source: string, itemIds: readonly string[]): ItemKey[] =>
      itemIds.map((itemId) => ({ tenant, source, itemId }));
    return {
      items: (...given) => reader.items(...given),
      batches: (...given) => reader.batches(...given),
      batchCount: () => reader.batchCount(),
      counts: () => reader.counts(),
      owe: async (of, items) => this.#owe(of, items),
      settle: async (tenant, source, items) => {
        if (items.length === 0) return;
        await this.#transaction('strike out what is done', (books) =>
          settleOwed(
            books,
            items.map(({ itemId, version }) => ({ tenant, source, itemId, version })),
          ),
        );
      },
      begin: async (tenant, source, itemIds, by) => {
        if (itemIds.length > 0) await beginOwed(this.books, keysOf(tenant, source, itemIds), by);
      },
    };
  }

  async #owe(of: Omit<OwedBatch, 'batch'>, items: readonly Omit<OwedItem, 'begun'>[]): Promise<void> {
    const { tenant, source } = of;
    const listing = itemKeyOf({ tenant, source, itemId: LISTING });
    for (let start = 0; start < items.length; start += OWED_AT_ONCE)
      await this.#write('record what is to be indexed', [listing], (books) =>
        oweItems(books, of, items.slice(start, start + OWED_AT_ONCE)),
      );
  }

  async plan(documents: readonly PlannedDocument[]): Promise<DocumentPlan[]> {
    if (documents.length === 0) return [];
    return this.#write('plan documents', documents.map(itemKeyOf), async (books) => {
      const plans = await planDocuments(books, documents);
      if (this.history !== undefined) await runProgram(books.run, planHistories(this.generation, documents));
      await this.#countChange(books.run);
      return plans;
    });
  }

  async commit(documentIds: readonly string[], at: string): Promise<void> {
    await this.#writeDocuments('commit documents', documentIds, async (books, rows) => {
      if (rows.length !== new Set(documentIds).size) {
        // Whoever has taken an item over may have deleted its documents.
        await assertLeases(books.run, this.#holder);
        throw new RAGError('INTERNAL', 'A document was to be committed before it was planned.');
      }
      await commitDocuments(books, rows, { at, keepRevisions: this.#keepRevisions });
      if (this.history !== undefined)
        await runProgram(books.run, commitHistories(this.generation, documentIds, at));
    });
  }

  async pruneVersions(
    tenant: string,
    source: string,
    keep: number,
    { dryRun }: { readonly dryRun: boolean },
  ): Promise<number> {
    return pruneVersions(this.books, { tenant, source, keep, dryRun });
  }

  async completeItems(items: readonly CompletedItem[]): Promise<void> {
    if (items.length === 0) return;
    await this.#write('complete items', items.map(itemKeyOf), async (books) => {
      await completeItems(books, items);
      await settleOwed(books, items);
    });
  }

  async failItem(item: ItemKey, failure: LedgerFailure): Promise<void> {
    const call = { action: 'record a failure', isIdempotent: false };
    await this.#write(call, [itemKeyOf(item)], async (books) => {
      await failItem(books, item, failure);
      if (failure.version !== undefined) await settleOwed(books, [{ ...item, version: failure.version }]);
    });
  }

  async planDeletion(documentIds: readonly string[]): Promise<string[]> {
    return (await this.#writeDocuments('plan a deletion', documentIds, planDeletions)) ?? [];
  }

  async forget(documentIds: readonly string[]): Promise<void> {
    await this.#writeDocuments('forget documents', documentIds, async (books, rows) => {
      await forgetDocuments(books, rows);
      if (this.history !== undefined)
        await runProgram(
          books.run,
          forgetHistories(this.generation, documentIds, this.#holder.now?.() ?? runtime().now()),
        );
    });
  }

  async forgetItems(tenant: string, source: string, itemIds: readonly string[]): Promise<void> {
    if (itemIds.length === 0) return;
    const items = itemIds.map((itemId) => ({ tenant, source, itemId }));
    await this.#write('forget items', items.map(itemKeyOf), async (books) => {
      await forgetItems(books, items);
      await settleOwed(books, items);
    });
  }

  fillGraph(filling: GraphFilling): Promise<boolean> {
    return this.#transaction('make rows of its graph', async (books) => {
      const isFilled = await runProgram(books.run, fillGraph(this.generation, filling));
      if (isFilled) await countChange(books.run);
      return isFilled;
    });
  }

  fillStatements(fillings: readonly StatementFilling[]): Promise<number> {
    return this.rows.programs.transaction('keep what its documents say', () =>
      fillStatements(this.generation, fillings),
    );
  }

  async markChunksMissing(chunkIds: readonly string[]): Promise<void> {
    if (chunkIds.length === 0) return;
    await this.#transaction('mark chunks as missing', async (books) => {
      await fence(books.run, this.#holder, await itemKeysOfChunks(books, chunkIds));
      await markMissing(books, chunkIds);
      await countChange(books.run);
    });
  }

  #historyWriter(): HistoryWriter {
    return {
      addPart: (documentId, place, part) =>
        this.#transaction('keep chunks for its history', async (books) => {
          const rows = await rowsOfDocuments(books, [documentId]);
          await fence(
            books.run,
            this.#holder,
            rows.map(({ itemKey }) => itemKey),
          );
          await runProgram(books.run, addPart(this.generation, documentId, place, part));
        }),
      unrecorded: (after, limit) =>
        this.rows.programs.read('find what its history lacks', () =>
          unrecorded(this.generation, after, limit),
        ),
      record: (...given) =>
        this.rows.programs.transaction('record its history', () => recordHistory(this.generation, ...given)),
    };
  }

  /** What is not written down in the history ends it. */
  #countChange(run: RunStatement): Promise<unknown> {
    return this.history === undefined ? countUnrecorded(run) : countChange(run);
  }

  #write<T>(
    call: string | { readonly action: string; readonly isIdempotent: boolean },
    itemKeys: readonly Buffer[],
    work: (books: OpenBooks) => Promise<T>,
  ): Promise<T> {
    return this.#transaction(call, async (books) => {
      await fence(books.run, this.#holder, itemKeys);
      return work(books);
    });
  }

  /** Changes the rows of documents, in the order of their ids; none where none is known. */
  async #writeDocuments<T>(
    action: string,
    documentIds: readonly string[],
    work: (books: OpenBooks, rows: readonly DocumentRow[]) => Promise<T>,
  ): Promise<T | undefined> {
    if (documentIds.length === 0) return undefined;
    return this.#transaction(action, async (books) => {
      const found = await rowsOfDocuments(books, documentIds);
      await fence(
        books.run,
        this.#holder,
        found.map(({ itemKey }) => itemKey),
      );
      const byKey = new Map(found.map((row) => [hexOf(row.documentKey), row]));
      const rows = [...new Set(documentIds)].flatMap((id) => byKey.get(hexOf(documentKeyOf(id))) ?? []);
      const result = await work(books, rows);
      await this.#countChange(books.run);
      return result;
    });
  }

  #transaction<T>(
    call: string | { readonly action: string; readonly isIdempotent: boolean },
    work: (books: OpenBooks) => Promise<T>,
  ): Promise<T> {
    const options = typeof call === 'string' ? { action: call } : call;
    return this.database.transaction(options, (run) => work({ run, generation: this.generation }));
  }
}
