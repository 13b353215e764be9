import type { RawDocument } from '../../../src/core/document.js';
import { RAGError } from '../../../src/core/errors.js';
import { listChanges } from '../../../src/indexing/list-changes.js';
import type { LedgerItem } from '../../../src/ledger/ledger.js';
import type { ReadResult, Source, SourceItem } from '../../../src/sources/source.js';

/** What a sync did. */
export interface SyncResult {
  readonly read: readonly string[];
  readonly gone: readonly string[];
  readonly failed: readonly string[];
}

/** A copy of a source's documents, kept as an index run keeps it: by what changed, and the cursor last of all. */
export class SourceMirror {
  readonly documents = new Map<string, RawDocument>();
  readonly #items = new Map<string, LedgerItem>();
  readonly #ofItem = new Map<string, string[]>();
  #cursor: string | undefined;

  /** @param stopAfter reads after which the run dies, without a cursor */
  async sync(
    source: Source,
    { stopAfter = Number.POSITIVE_INFINITY, force = false } = {},
  ): Promise<SyncResult> {
    const changes = await listChanges(source, {
      tenant: 'default',
      ledger: { items: async () => this.#items },
      processingKey: 'k',
      force,
      signal: undefined,
      ...(this.#cursor === undefined || force ? {} : { since: this.#cursor }),
    });
    const failed = changes.unreadable.map(({ id }) => id);
    const read: string[] = [];
    source.expectReads?.(changes.toRead);
    for (const item of changes.toRead) {
      if (read.length >= stopAfter) return { read, gone: [], failed };
      const result = await this.#readOf(source, item);
      this.#forget(item.id);
      if (result === undefined) {
        this.#items.delete(item.id);
        continue;
      }
      const { documents } = result;
      for (const document of documents) this.documents.set(document.externalId, document);
      this.#ofItem.set(
        item.id,
        documents.map(({ externalId }) => externalId),
      );
      this.#items.set(item.id, {
        tenant: 'default',
        source: source.name,
        itemId: item.id,
        version: item.version,
        processingKey: 'k',
        status: 'indexed',
        attempts: 0,
      });
      read.push(item.id);
    }
    for (const id of changes.goneItemIds) {
      this.#forget(id);
      this.#items.delete(id);
    }
    this.#cursor = changes.cursor;
    return { read, gone: changes.goneItemIds, failed };
  }

  /** Undefined where it is not there any more. */
  async #readOf(source: Source, item: SourceItem): Promise<ReadResult | undefined> {
    try {
      return await source.read(item);
    } catch (error) {
      if (RAGError.isInstance(error) && error.reason === 'DOCUMENT_VANISHED') return undefined;
      throw error;
    }
  }

  #forget(itemId: string): void {
    for (const externalId of this.#ofItem.get(itemId) ?? []) this.documents.delete(externalId);
    this.#ofItem.delete(itemId);
  }
}
