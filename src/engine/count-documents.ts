import { setImmediate as nextTurn } from 'node:timers/promises';
import { oneOf } from '../core/filter.js';
import type { ScopedIndex } from '../indexing/scoped-index.js';
import type { DocumentHead } from '../ledger/ledger.js';
import type { DocumentCounts } from '../operations/engine.js';
import { scopeCollection } from '../stores/scoped-collection.js';
import { onlyReadable, sourceTypeOf } from './documents.js';

const PAGE = 1_000;

/** A head of which the ledger says all that the store's chunk would say but who may read it. */
interface SureHead extends DocumentHead {
  readonly firstChunk: string;
  readonly metadata: DocumentHead['metadata'] & { readonly sourceType: string };
}

/**
 * Counts what `listDocuments` lists. The store says of a page of documents of one source how many the scope may read: mostly all, or none, and
 * chunks are read where it is between the two, or where the ledger is not sure.
 */
export async function countDocuments(index: ScopedIndex, signal: AbortSignal): Promise<DocumentCounts> {
  const tally = new Tally();
  const bySource = new Map<string, SureHead[]>();
  // Others are answered between the pages, which an embedded index reads in one turn each.
  for (let after: string | undefined; ; await nextTurn()) {
    signal.throwIfAborted();
    const page = await index.reader.heads(index.scope.tenant, after, PAGE);
    await tally.read(
      page.filter((head) => !isSure(head)),
      index,
    );
    for (const head of page.filter(isSure)) {
      const ofSource = bySource.get(head.source) ?? [];
      bySource.set(head.source, ofSource);
      if (ofSource.push(head) === PAGE) await tally.count(ofSource.splice(0), index);
    }
    after = page.at(-1)?.documentId;
    if (page.length < PAGE) break;
  }
  for (const ofSource of bySource.values()) await tally.count(ofSource, index);
  return tally.counts;
}

/** Between plan and commit the ledger tells of the next revision, and searches show the one before. */
const isSure = (head: DocumentHead): head is SureHead =>
  head.status !== 'pending' && head.firstChunk !== undefined && typeof head.metadata.sourceType === 'string';

class Tally {
  readonly #byType = new Map<string, number>();
  #documents = 0;
  #lastIndexedAt: string | undefined;

  get counts(): DocumentCounts {
    return {
      documents: this.#documents,
      byType: Object.fromEntries(this.#byType),
      ...(this.#lastIndexedAt === undefined ? {} : { lastIndexedAt: this.#lastIndexedAt }),
    };
  }

  async count(heads: readonly SureHead[], index: ScopedIndex): Promise<void> {
    if (heads.length === 0) return;
    const { collection, scope, sealing } = index;
    const filter = oneOf(
      '$chunkId',
      heads.map(({ firstChunk }) => firstChunk),
    );
    const readable = await scopeCollection(collection, scope, sealing).count(filter);
    if (readable === heads.length)
      for (const { metadata, indexedAt } of heads) this.#add(metadata.sourceType, indexedAt);
    else if (readable > 0) await this.read(heads, index);
  }

  async read(heads: readonly DocumentHead[], index: ScopedIndex): Promise<void> {
    if (heads.length === 0) return;
    const documents = await Promise.all(heads.map(({ documentId }) => index.reader.document(documentId)));
    for (const readable of await onlyReadable(
      documents.flatMap((document) => document ?? []),
      index,
    ))
      this.#add(sourceTypeOf(readable), readable.document.indexedAt);
  }

  #add(sourceType: string, indexedAt: string | undefined): void {
    this.#documents += 1;
    this.#byType.set(sourceType, (this.#byType.get(sourceType) ?? 0) + 1);
    if (indexedAt !== undefined && indexedAt > (this.#lastIndexedAt ?? '')) this.#lastIndexedAt = indexedAt;
  }
}
