import type { LedgerItem } from '../ledger/ledger.js';
import type { MetadataSealing } from '../security/sealed-metadata.js';
import type { CarriedGeneration } from './carry-over.js';
import type { IndexRun } from './index-run.js';
import { renewedDocument } from './renewed-document.js';
import { type BatchDocument, type WriteTargets, writeBatch } from './write-batch.js';

const PAGE = 200;

/** Documents that were looked at, and those that were written anew. */
export interface RenewedDocuments {
  readonly documents: number;
  readonly rewritten: number;
}

/**
 * Writes documents of items anew that are not as they would be written now (`renewedDocument`).
 * Each goes the way of every write, so that the death of the process loses nothing. Vectors are taken from the store.
 */
export async function renewDocuments(
  items: readonly LedgerItem[],
  { from, sealing }: { readonly from: CarriedGeneration; readonly sealing: MetadataSealing },
  targets: WriteTargets,
  run: IndexRun,
): Promise<RenewedDocuments> {
  let documents = 0;
  let rewritten = 0;
  for (const item of items) {
    run.checkAborted();
    const { tenant, source, itemId, version, processingKey } = item;
    const taken = await targets.claims?.take(item, [itemId]);
    // Whoever writes it now writes it as it should be.
    if (taken?.has(itemId) === false) continue;
    const held = await from.reader.documentsOfItems(tenant, source, [itemId]);
    const changed: BatchDocument[] = [];
    for (const document of held)
      changed.push(
        ...[await renewedDocument(document, from, { sealing, signal: targets.signal })].flatMap(
          (renewed) => renewed ?? [],
        ),
      );
    documents += held.length;
    rewritten += changed.length;
    if (changed.length > 0) {
      await writeBatch(changed, targets, run);
      if (version !== undefined && processingKey !== undefined)
        await targets.ledger.completeItems([{ tenant, source, itemId, version, processingKey }]);
    }
    await targets.claims?.release(item, [itemId]);
  }
  return { documents, rewritten };
}

/**
 * Gives the fields of documents that an earlier version kept under `knowledgeMetadata` the names that callers gave them, of every tenant; a push,
 * which somebody waits for, does so with a few.
 */
export async function liftFolded(
  parts: {
    readonly from: CarriedGeneration;
    readonly sealing: MetadataSealing;
    readonly isPush: boolean;
    /** Counts what would be written, and writes nothing. */
    readonly isDry?: boolean;
    /** Sources that are given up: nothing of them is written. */
    readonly givenUp?: ReadonlySet<string> | undefined;
  },
  targets: WriteTargets,
  run: IndexRun,
): Promise<void> {
  const { ledger, giveWay } = targets;
  const itemsOf = remembered((tenant, source) => ledger.items(tenant, source));
  let lifted = 0;
  for (let after: string | undefined; ; ) {
    const page = (await ledger.folded?.({ limit: PAGE, after })) ?? [];
    for (const documentId of page) {
      const document = await ledger.document(documentId);
      if (document === undefined) continue;
      const { tenant, source, itemId } = document;
      const item = (await itemsOf(tenant, source)).get(itemId);
      if (item === undefined || parts.givenUp?.has(source) === true) continue;
      lifted += parts.isDry
        ? Number((await renewedDocument(document, parts.from, { ...parts, ...targets })) !== undefined)
        : (await renewDocuments([item], parts, targets, run)).rewritten;
    }
    if (page.length < PAGE || parts.isPush) break;
    after = page.at(-1);
    await giveWay?.();
  }
  run.documentsRenewed += lifted;
  if (parts.isDry) run.documentsProcessed += lifted;
  const [one, several] = parts.isDry ? ['would be', 'would be'] : ['was', 'were'];
  if (lifted > 0 && !parts.isPush)
    run.notice(
      `${lifted === 1 ? `1 document ${one}` : `${lifted} documents ${several}`} brought in step: fields that an earlier version kept under \`knowledgeMetadata\` have the names that callers gave them.`,
    );
}

type FindItems = (tenant: string, source: string) => Promise<ReadonlyMap<string, LedgerItem>>;

/** The items of a source are read once. */
function remembered(find: FindItems): FindItems {
  const known = new Map<string, ReturnType<FindItems>>();
  return (tenant, source) => {
    const key = JSON.stringify([tenant, source]);
    const items = known.get(key) ?? find(tenant, source);
    known.set(key, items);
    return items;
  };
}
