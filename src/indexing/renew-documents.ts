import { slicesOf } from '../core/slices.js';
import type { LedgerDocument, LedgerItem } from '../ledger/ledger.js';
import type { MetadataSealing } from '../platform/security/sealed-metadata.js';
import { type CarriedGeneration, readWhole, type WholeDocument } from './carry-over.js';
import type { IndexRun } from './index-run.js';
import { bySource } from './item-claims.js';
import { renewedDocument } from './renewed-document.js';
import { type BatchDocument, type WriteTargets, writeBatch } from './write-batch.js';

const PAGE = 200;

/** Documents that were looked at, and those that were written anew. */
export interface RenewedDocuments {
  readonly documents: number;
  readonly rewritten: number;
  /** Names of those that could not be looked at: they are half written, or their text is no longer there. */
  readonly unfinished: readonly string[];
}

export interface RenewalParts {
  readonly from: CarriedGeneration;
  readonly sealing: MetadataSealing;
  /** Counts what would be written, and writes nothing. @default false */
  readonly isDry?: boolean | undefined;
}

/**
 * Writes documents of items anew that are not as they would be written now (`renewedDocument`), many in one write: some stores make a version of
 * all they hold at each. What was left half written stays. Each write goes the way of every other, so that the death of the process loses
 * nothing. Vectors are taken from the store.
 */
export async function renewDocuments(
  items: readonly LedgerItem[],
  { from, sealing, isDry = false }: RenewalParts,
  targets: WriteTargets,
  run: IndexRun,
): Promise<RenewedDocuments> {
  let documents = 0;
  let rewritten = 0;
  const unfinished: string[] = [];
  for (const { key, items: ofSource } of bySource(items))
    for (const some of slicesOf(ofSource, PAGE)) {
      run.checkAborted();
      const { tenant, source } = key;
      const ids = some.map(({ itemId }) => itemId);
      // A writer of one of them now writes it as it should be.
      const taken = await targets.claims?.take(key, ids);
      const own = ids.filter((id) => taken?.has(id) !== false);
      const held = await from.reader.documentsOfItems(tenant, source, own);
      const changed = new Set<string>();
      for (const group of groupsOf(held)) {
        const whole = await readWhole(group, from, targets.signal);
        unfinished.push(
          ...group.flatMap(({ documentId, externalId }) => (whole.has(documentId) ? [] : externalId)),
        );
        const batch = await renewedGroup(group, whole, sealing);
        if (!isDry) await writeBatch(batch, targets, run);
        for (const { itemId } of batch) changed.add(itemId);
        rewritten += batch.length;
      }
      documents += held.length;
      const complete = some.flatMap(({ itemId, version, processingKey }) =>
        changed.has(itemId) && version !== undefined && processingKey !== undefined
          ? [{ tenant, source, itemId, version, processingKey }]
          : [],
      );
      if (!isDry && complete.length > 0) await targets.ledger.completeItems(complete);
      await targets.claims?.release(key, own);
    }
  return { documents, rewritten, unfinished };
}

/** Chunks of documents that are read together, whole documents apart. */
const CHUNKS_AT_ONCE = 1_000;

function* groupsOf(documents: readonly LedgerDocument[]): Generator<readonly LedgerDocument[]> {
  let group: LedgerDocument[] = [];
  let chunks = 0;
  for (const document of documents) {
    if (group.length > 0 && chunks + document.chunkCount > CHUNKS_AT_ONCE) {
      yield group;
      group = [];
      chunks = 0;
    }
    group.push(document);
    chunks += document.chunkCount;
  }
  if (group.length > 0) yield group;
}

async function renewedGroup(
  documents: readonly LedgerDocument[],
  whole: ReadonlyMap<string, WholeDocument>,
  sealing: MetadataSealing,
): Promise<BatchDocument[]> {
  const changed: BatchDocument[] = [];
  for (const document of documents) {
    const held = whole.get(document.documentId);
    const renewed = held && (await renewedDocument(document, held, sealing));
    if (renewed !== undefined) changed.push(renewed);
  }
  return changed;
}

/**
 * Gives the fields of documents that an earlier version kept under `knowledgeMetadata` the names that callers gave them, of every tenant; a push,
 * which somebody waits for, does so with a few.
 */
export async function liftFolded(
  parts: RenewalParts & {
    readonly isPush: boolean;
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
    const items = new Set<LedgerItem>();
    for (const documentId of page) {
      const document = await ledger.document(documentId);
      if (document === undefined) continue;
      const { tenant, source, itemId } = document;
      const item = (await itemsOf(tenant, source)).get(itemId);
      if (item !== undefined && parts.givenUp?.has(source) !== true) items.add(item);
    }
    lifted += (await renewDocuments([...items], parts, targets, run)).rewritten;
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
