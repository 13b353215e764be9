import type { SqliteDatabase } from '../../platform/sqlite/sqlite-database.js';
import type { GraphFilling } from '../../relations/graph/graph.js';
import type { HistoryWriter } from '../history.js';
import type {
  CompletedItem,
  DocumentPlan,
  GenerationWriter,
  ItemKey,
  PlannedDocument,
  SharedTransactions,
} from '../ledger.js';
import { countChange } from '../rows/changes.js';
import { LedgerGenerationWriter } from '../rows/generation-writer.js';
import { fillGraph } from '../rows/graph.js';
import {
  addPart,
  breakHistory,
  commitHistories,
  forgetHistories,
  historyRecorder,
  planHistories,
} from '../rows/history-log.js';
import type { LedgerFailure } from '../source-state.js';
import {
  commitDocument,
  documentsOfChunks,
  forgetDocument,
  markMissing,
  planDocumentDeletion,
  planDocuments,
} from './chunk-log.js';
import type { GenerationDatabase } from './generation-database.js';
import { completeItem, failItem, forgetItem } from './items.js';
import { assertHeld, claimItem, forgetOldLeases, itemOfDocument, releaseItem, renewLease } from './leases.js';
import { runProgram, sqlitePrograms } from './run-program.js';

export interface SqliteWriterOptions {
  readonly generation: number;
  /** Names who writes, in leases. */
  readonly holder: string;
  /** Indexed revisions of a document whose text is kept. */
  readonly keepRevisions: number;
  readonly keepsHistory: boolean;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** One generation of a ledger file for writing. Every method is one transaction, begun and ended in one turn. */
export class SqliteGenerationWriter extends LedgerGenerationWriter implements GenerationWriter {
  readonly together: SharedTransactions;
  readonly history: HistoryWriter | undefined;
  readonly #database: SqliteDatabase;
  readonly #target: GenerationDatabase;
  readonly #options: SqliteWriterOptions;
  /** Fencing tokens of the items that were claimed here. */
  readonly #tokens = new Map<string, number>();

  constructor(database: SqliteDatabase, options: SqliteWriterOptions) {
    super({ programs: sqlitePrograms(database), generation: options.generation });
    this.#database = database;
    this.#target = { database, generation: options.generation };
    this.#options = options;
    this.history = options.keepsHistory ? this.#historyWriter() : undefined;
    this.together = {
      database,
      revise: async (documents, at, write) =>
        this.#changing(() => {
          const plans = this.#plan(documents);
          write(plans);
          this.#commit(
            documents.map(({ documentId }) => documentId),
            at,
          );
        }),
      remove: async (documentIds, write) =>
        this.#changing(() => {
          write(this.#planDeletion(documentIds));
          this.#forget(documentIds);
        }),
    };
  }

  async claim(
    tenant: string,
    source: string,
    itemIds: readonly string[],
    forMs: number,
  ): Promise<ReadonlySet<string>> {
    const { holder } = this.#options;
    const now = this.#options.now();
    return this.#database.transaction(() => {
      forgetOldLeases(this.#target, now);
      const claimed = itemIds.filter((itemId) => {
        const item = { tenant, source, itemId };
        const token = claimItem(this.#target, item, { holder, now, until: now + forMs });
        if (token !== undefined) this.#tokens.set(keyOfToken(item), token);
        return token !== undefined;
      });
      return new Set(claimed);
    });
  }

  async renew(
    tenant: string,
    source: string,
    itemIds: readonly string[],
    forMs: number,
  ): Promise<ReadonlySet<string>> {
    const { holder } = this.#options;
    const until = this.#options.now() + forMs;
    return this.#database.transaction(() => {
      const renewed = itemIds.filter((itemId) => {
        const item = { tenant, source, itemId };
        const token = this.#tokens.get(keyOfToken(item));
        return token !== undefined && renewLease(this.#target, item, { holder, token, until });
      });
      return new Set(renewed);
    });
  }

  async release(tenant: string, source: string, itemIds: readonly string[]): Promise<void> {
    this.#database.transaction(() => {
      for (const itemId of itemIds) {
        releaseItem(this.#target, { tenant, source, itemId }, this.#options.holder);
        this.#tokens.delete(keyOfToken({ tenant, source, itemId }));
      }
    });
  }

  async plan(documents: readonly PlannedDocument[]): Promise<DocumentPlan[]> {
    return this.#changing(() => this.#plan(documents));
  }

  async commit(documentIds: readonly string[], at: string): Promise<void> {
    this.#changing(() => this.#commit(documentIds, at));
  }

  async completeItems(items: readonly CompletedItem[]): Promise<void> {
    this.#database.transaction(() => {
      for (const item of items) {
        this.#assertHeld(item);
        completeItem(this.#target, item);
      }
    });
  }

  async failItem(item: ItemKey, failure: LedgerFailure): Promise<void> {
    this.#database.transaction(() => {
      this.#assertHeld(item);
      failItem(this.#target, item, failure);
    });
  }

  async planDeletion(documentIds: readonly string[]): Promise<string[]> {
    return this.#changing(() => this.#planDeletion(documentIds));
  }

  async forget(documentIds: readonly string[]): Promise<void> {
    this.#changing(() => this.#forget(documentIds));
  }

  async forgetItems(tenant: string, source: string, itemIds: readonly string[]): Promise<void> {
    this.#database.transaction(() => {
      for (const itemId of itemIds) {
        this.#assertHeld({ tenant, source, itemId });
        forgetItem(this.#target, { tenant, source, itemId });
      }
    });
  }

  async purge(): Promise<void> {
    this.#database.eraseDeleted();
  }

  async markChunksMissing(chunkIds: readonly string[]): Promise<void> {
    this.#changing(() => {
      for (const documentId of documentsOfChunks(this.#target, chunkIds))
        this.#assertDocumentHeld(documentId);
      markMissing(this.#target, chunkIds);
    });
  }

  async fillGraph(filling: GraphFilling): Promise<boolean> {
    return this.#changing(() => runProgram(this.#database, fillGraph(this.generation, filling)));
  }

  #historyWriter(): HistoryWriter {
    return {
      addPart: async (documentId, place, part) =>
        this.#database.transaction(() => {
          this.#assertDocumentHeld(documentId);
          runProgram(this.#database, addPart(this.generation, documentId, place, part));
        }),
      ...historyRecorder(this.rows),
    };
  }

  /** A transaction that changes what a search may show. */
  #changing<Result>(work: () => Result): Result {
    return this.#database.transaction(() => {
      const result = work();
      if (this.history === undefined) runProgram(this.#database, breakHistory());
      runProgram(this.#database, countChange());
      return result;
    });
  }

  #plan(documents: readonly PlannedDocument[]): DocumentPlan[] {
    for (const document of documents) this.#assertHeld(document);
    const plans = planDocuments(this.#target, documents);
    if (this.history !== undefined) runProgram(this.#database, planHistories(this.generation, documents));
    return plans;
  }

  #commit(documentIds: readonly string[], at: string): void {
    const { keepRevisions } = this.#options;
    for (const documentId of documentIds) {
      // Another writer that took the item over may have deleted its documents.
      if (itemOfDocument(this.#target, documentId) === undefined) this.#assertAllHeld();
      this.#assertDocumentHeld(documentId);
      commitDocument(this.#target, documentId, { at, keepRevisions });
    }
    if (this.history !== undefined)
      runProgram(this.#database, commitHistories(this.generation, documentIds, at));
  }

  #planDeletion(documentIds: readonly string[]): string[] {
    return documentIds.flatMap((documentId) => {
      this.#assertDocumentHeld(documentId);
      return planDocumentDeletion(this.#target, documentId);
    });
  }

  #forget(documentIds: readonly string[]): void {
    for (const documentId of documentIds) {
      this.#assertDocumentHeld(documentId);
      forgetDocument(this.#target, documentId);
    }
    if (this.history !== undefined)
      runProgram(this.#database, forgetHistories(this.generation, documentIds, this.#options.now()));
  }

  #assertDocumentHeld(documentId: string): void {
    const item = itemOfDocument(this.#target, documentId);
    if (item !== undefined) this.#assertHeld(item);
  }

  #assertAllHeld(): void {
    for (const key of this.#tokens.keys()) {
      const [tenant = '', source = '', itemId = ''] = JSON.parse(key) as string[];
      this.#assertHeld({ tenant, source, itemId });
    }
  }

  #assertHeld(item: ItemKey): void {
    const { holder, now } = this.#options;
    assertHeld(this.#target, item, { holder, token: this.#tokens.get(keyOfToken(item)), now: now() });
  }
}

const keyOfToken = ({ tenant, source, itemId }: ItemKey): string => JSON.stringify([tenant, source, itemId]);
