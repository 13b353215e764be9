import { RAGError } from '../../core/errors.js';
import { runtime } from '../../core/runtime.js';
import { slicesOf } from '../../core/slices.js';
import type { PostgresDatabase, RunStatement } from '../../platform/postgres/postgres-database.js';
import type { GraphFilling } from '../../relations/graph/graph.js';
import type { HistoryWriter } from '../history.js';
import type { CompletedItem, DocumentPlan, GenerationWriter, ItemKey, PlannedDocument } from '../ledger.js';
import { hexOf } from '../ledger-text.js';
import type { PendingBatch, PendingItem, PendingWorkReader, PendingWorkWriter } from '../pending-work.js';
import { LISTING } from '../pending-work.js';
import { LedgerGenerationReader } from '../rows/generation-reader.js';
import { LedgerGenerationWriter } from '../rows/generation-writer.js';
import { fillGraph } from '../rows/graph.js';
import {
  addPart,
  commitHistories,
  forgetHistories,
  historyRecorder,
  planHistories,
} from '../rows/history-log.js';
import type { LedgerFailure } from '../source-state.js';
import { countChange, countUnrecorded } from './changes.js';
import {
  commitDocuments,
  forgetDocuments,
  itemKeysOfChunks,
  markMissing,
  planDeletions,
  planDocuments,
} from './chunk-log.js';
import { type DocumentRow, documentKeyOf, rowsOfDocuments } from './documents.js';
import type { GenerationDatabase, GenerationTransaction } from './generation-database.js';
import { announceItems, completeItems, failItem, forgetItems, itemKeyOf } from './items.js';
import { assertLeases, claimItems, fence, type LeaseHolder, releaseItems, renewItems } from './leases.js';
import {
  addPending,
  beginPending,
  forgetPending,
  PostgresPendingWork,
  settlePending,
} from './pending-work.js';
import { postgresPrograms, runProgram } from './run-program.js';

/** One generation of a PostgreSQL ledger for reading. */
export class PostgresGenerationReader extends LedgerGenerationReader {
  readonly pendingWork: PendingWorkReader;

  constructor(database: PostgresDatabase, generation: number) {
    super({ programs: postgresPrograms(database), generation });
    this.pendingWork = new PostgresPendingWork({ database, generation });
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
export class PostgresGenerationWriter extends LedgerGenerationWriter implements GenerationWriter {
  readonly #target: GenerationDatabase;
  readonly #keepRevisions: number;
  readonly #holder: LeaseHolder;
  readonly history: HistoryWriter | undefined;

  constructor(
    database: PostgresDatabase,
    { generation, holder, keepRevisions, keepsHistory, now }: PostgresWriterOptions,
  ) {
    super({ programs: postgresPrograms(database), generation });
    this.#target = { database, generation };
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
    const keys = keysOf(tenant, source, itemIds).map(itemKeyOf);
    const claimed = await this.#target.database.transaction({ action: 'claim items' }, (run) =>
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
    const keys = keysOf(tenant, source, itemIds).map(itemKeyOf);
    const renewed = await renewItems(this.#target.database, this.#holder, { keys, forMs });
    return new Set(itemIds.filter((_, i) => renewed.has(hexOf(keys[i] ?? Buffer.alloc(0)))));
  }

  async announce(tenant: string, source: string, itemIds: readonly string[]): Promise<void> {
    if (itemIds.length === 0) return;
    const items = keysOf(tenant, source, itemIds);
    await this.#write('announce items', items.map(itemKeyOf), (transaction) =>
      announceItems(transaction, items),
    );
  }

  async release(tenant: string, source: string, itemIds: readonly string[]): Promise<void> {
    if (itemIds.length === 0) return;
    const keys = keysOf(tenant, source, itemIds).map(itemKeyOf);
    await releaseItems(this.#target.database, this.#holder, keys);
  }

  override async forgetSource(tenant: string, source: string): Promise<void> {
    await super.forgetSource(tenant, source);
    await forgetPending(this.#target, tenant, source);
  }

  get pendingWork(): PendingWorkWriter {
    const reader = new PostgresPendingWork(this.#target);
    return {
      items: (...given) => reader.items(...given),
      batches: (...given) => reader.batches(...given),
      batchCount: () => reader.batchCount(),
      counts: () => reader.counts(),
      add: async (of, items) => this.#add(of, items),
      settle: async (tenant, source, items) => {
        if (items.length === 0) return;
        await this.#transaction('strike out what is done', (transaction) =>
          settlePending(
            transaction,
            items.map(({ itemId, version }) => ({ tenant, source, itemId, version })),
          ),
        );
      },
      begin: async (tenant, source, itemIds, by) => {
        if (itemIds.length > 0) await beginPending(this.#target, keysOf(tenant, source, itemIds), by);
      },
    };
  }

  async #add(of: Omit<PendingBatch, 'batch'>, items: readonly Omit<PendingItem, 'begun'>[]): Promise<void> {
    const { tenant, source } = of;
    const listing = itemKeyOf({ tenant, source, itemId: LISTING });
    for (const some of slicesOf(items, OWED_AT_ONCE))
      await this.#write('record what is to be indexed', [listing], (transaction) =>
        addPending(transaction, of, some),
      );
  }

  async plan(documents: readonly PlannedDocument[]): Promise<DocumentPlan[]> {
    if (documents.length === 0) return [];
    return this.#write('plan documents', documents.map(itemKeyOf), async (transaction) => {
      const plans = await planDocuments(transaction, documents);
      if (this.history !== undefined)
        await runProgram(transaction.run, planHistories(this.generation, documents));
      await this.#countChange(transaction.run);
      return plans;
    });
  }

  async commit(documentIds: readonly string[], at: string): Promise<void> {
    await this.#writeDocuments('commit documents', documentIds, async (transaction, rows) => {
      if (rows.length !== new Set(documentIds).size) {
        // Another writer that took the item over may have deleted its documents.
        await assertLeases(transaction.run, this.#holder);
        throw new RAGError('INTERNAL', 'A document was to be committed before it was planned.');
      }
      await commitDocuments(transaction, rows, { at, keepRevisions: this.#keepRevisions });
      if (this.history !== undefined)
        await runProgram(transaction.run, commitHistories(this.generation, documentIds, at));
    });
  }

  async completeItems(items: readonly CompletedItem[]): Promise<void> {
    if (items.length === 0) return;
    await this.#write('complete items', items.map(itemKeyOf), async (transaction) => {
      await completeItems(transaction, items);
      await settlePending(transaction, items);
    });
  }

  async failItem(item: ItemKey, failure: LedgerFailure): Promise<void> {
    const call = { action: 'record a failure', isIdempotent: false };
    await this.#write(call, [itemKeyOf(item)], async (transaction) => {
      await failItem(transaction, item, failure);
      if (failure.version !== undefined)
        await settlePending(transaction, [{ ...item, version: failure.version }]);
    });
  }

  async planDeletion(documentIds: readonly string[]): Promise<string[]> {
    return (await this.#writeDocuments('plan a deletion', documentIds, planDeletions)) ?? [];
  }

  async forget(documentIds: readonly string[]): Promise<void> {
    await this.#writeDocuments('forget documents', documentIds, async (transaction, rows) => {
      await forgetDocuments(transaction, rows);
      if (this.history !== undefined)
        await runProgram(
          transaction.run,
          forgetHistories(this.generation, documentIds, this.#holder.now?.() ?? runtime().now()),
        );
    });
  }

  async forgetItems(tenant: string, source: string, itemIds: readonly string[]): Promise<void> {
    if (itemIds.length === 0) return;
    const items = keysOf(tenant, source, itemIds);
    await this.#write('forget items', items.map(itemKeyOf), async (transaction) => {
      await forgetItems(transaction, items);
      await settlePending(transaction, items);
    });
  }

  fillGraph(filling: GraphFilling): Promise<boolean> {
    return this.#transaction('make rows of its graph', async (transaction) => {
      const isFilled = await runProgram(transaction.run, fillGraph(this.generation, filling));
      if (isFilled) await countChange(transaction.run);
      return isFilled;
    });
  }

  async markChunksMissing(chunkIds: readonly string[]): Promise<void> {
    if (chunkIds.length === 0) return;
    await this.#transaction('mark chunks as missing', async (transaction) => {
      await fence(transaction.run, this.#holder, await itemKeysOfChunks(transaction, chunkIds));
      await markMissing(transaction, chunkIds);
      await countChange(transaction.run);
    });
  }

  #historyWriter(): HistoryWriter {
    return {
      addPart: (documentId, place, part) =>
        this.#transaction('keep chunks for its history', async (transaction) => {
          const rows = await rowsOfDocuments(transaction, [documentId]);
          await fence(
            transaction.run,
            this.#holder,
            rows.map(({ itemKey }) => itemKey),
          );
          await runProgram(transaction.run, addPart(this.generation, documentId, place, part));
        }),
      ...historyRecorder(this.rows),
    };
  }

  /** What is not written down in the history ends it. */
  #countChange(run: RunStatement): Promise<unknown> {
    return this.history === undefined ? countUnrecorded(run) : countChange(run);
  }

  #write<T>(
    call: string | { readonly action: string; readonly isIdempotent: boolean },
    itemKeys: readonly Buffer[],
    work: (transaction: GenerationTransaction) => Promise<T>,
  ): Promise<T> {
    return this.#transaction(call, async (transaction) => {
      await fence(transaction.run, this.#holder, itemKeys);
      return work(transaction);
    });
  }

  /** Changes the rows of documents, in the order of their ids; none where none is known. */
  async #writeDocuments<T>(
    action: string,
    documentIds: readonly string[],
    work: (transaction: GenerationTransaction, rows: readonly DocumentRow[]) => Promise<T>,
  ): Promise<T | undefined> {
    if (documentIds.length === 0) return undefined;
    return this.#transaction(action, async (transaction) => {
      const found = await rowsOfDocuments(transaction, documentIds);
      await fence(
        transaction.run,
        this.#holder,
        found.map(({ itemKey }) => itemKey),
      );
      const byKey = new Map(found.map((row) => [hexOf(row.documentKey), row]));
      const rows = [...new Set(documentIds)].flatMap((id) => byKey.get(hexOf(documentKeyOf(id))) ?? []);
      const result = await work(transaction, rows);
      await this.#countChange(transaction.run);
      return result;
    });
  }

  #transaction<T>(
    call: string | { readonly action: string; readonly isIdempotent: boolean },
    work: (transaction: GenerationTransaction) => Promise<T>,
  ): Promise<T> {
    const options = typeof call === 'string' ? { action: call } : call;
    return this.#target.database.transaction(options, (run) => work({ run, generation: this.generation }));
  }
}

const keysOf = (tenant: string, source: string, itemIds: readonly string[]): ItemKey[] =>
  itemIds.map((itemId) => ({ tenant, source, itemId }));
