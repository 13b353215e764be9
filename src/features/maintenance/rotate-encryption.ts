import { runtime } from '../../core/runtime.js';
import { slicesOf } from '../../core/slices.js';
import type { Embedder } from '../../embedding/embedder.js';
import type { CarriedGeneration } from '../../indexing/carry-over.js';
import { finishItems, unfinishedOf } from '../../indexing/finish-pushes.js';
import { IndexRun } from '../../indexing/index-run.js';
import { tenantsOf } from '../../indexing/list-generations.js';
import { type RenewedDocuments, renewDocuments } from '../../indexing/renew-documents.js';
import type { WriteTargets } from '../../indexing/write-batch.js';
import type { Generation, Ledger, LedgerItem } from '../../ledger/ledger.js';
import type { EncryptionRotation } from '../../operations/engine.js';
import type { MetadataSealing } from '../../platform/security/sealed-metadata.js';
import { isWithoutCollection, openForReading } from '../../resources/open-collection.js';
import type { VectorStore } from '../../stores/vector-store.js';
import { readableVersions } from './readable-fields.js';

export interface Rotation {
  readonly sealing: MetadataSealing;
  readonly storeOf: (facts: Generation) => Promise<VectorStore>;
  readonly embedderOf: (facts: Generation) => Promise<Embedder>;
  readonly signal: AbortSignal | undefined;
  readonly now: () => string;
  /** Removes what was made of documents before they were written anew, and leaves nothing of it in files. */
  readonly eraseCopies: (ledger: Ledger) => Promise<void>;
  /** Does work while nobody else writes; between two pieces of it others may. */
  readonly alone: <Outcome>(work: (ledger: Ledger) => Promise<Outcome>) => Promise<Outcome>;
}

/** Items that are worked on without giving others a turn. */
const ITEMS_AT_ONCE = 48;

/**
 * Encrypts by the first key what another one encrypted, and what should be encrypted and is not. Each document goes the way of every
 * write, so that the death of the process loses nothing; what a death left half written is finished or taken back first, and one that is done is
 * left alone, so that the next rotation goes on where this one stopped. Vectors are taken from the store.
 */
export async function rotateEncryption(rotation: Rotation): Promise<EncryptionRotation> {
  const { alone } = rotation;
  const all = await alone(async (ledger) => {
    const found: { readonly facts: Generation; readonly items: readonly LedgerItem[] }[] = [];
    for (const facts of await ledger.generations())
      found.push({ facts, items: await itemsOf(facts, ledger) });
    return found;
  });
  let documents = 0;
  let rewritten = 0;
  const unfinished = new Set<string>();
  for (const { facts, items } of all)
    for (const some of slicesOf(items, ITEMS_AT_ONCE)) {
      const done = await alone(async (ledger) => rotateItems(some, { facts, ledger }, rotation));
      documents += done.documents;
      rewritten += done.rewritten;
      for (const name of done.unfinished) unfinished.add(name);
    }
  if (rotation.sealing.fields.length > 0 || rewritten > 0)
    await alone(async (ledger) => eraseEarlier(ledger, rotation));
  return { documents, rewritten, ...(unfinished.size === 0 ? {} : { unfinished: [...unfinished] }) };
}

/** What was there before documents were written anew: texts of older revisions, past versions that say in clear what is marked, copies. */
async function eraseEarlier(ledger: Ledger, { sealing, eraseCopies }: Rotation): Promise<void> {
  if (sealing.fields.length > 0) {
    await ledger.history?.eraseVersions(await readableVersions(ledger.history, sealing));
    for (const { generation } of await ledger.generations()) {
      const writer = ledger.writer(generation, runtime().uniqueName());
      for (const tenant of await tenantsOf(ledger))
        for (const source of await writer.sourceNames(tenant))
          await writer.pruneVersions(tenant, source, 1, { dryRun: false });
    }
  }
  await eraseCopies(ledger);
}

async function itemsOf({ generation }: Generation, ledger: Ledger): Promise<LedgerItem[]> {
  const reader = ledger.reader(generation);
  const items: LedgerItem[] = [];
  for (const tenant of await tenantsOf(ledger))
    for (const source of await reader.sourceNames(tenant))
      items.push(...(await reader.items(tenant, source)).values());
  return items;
}

async function rotateItems(
  items: readonly LedgerItem[],
  { facts, ledger }: { readonly facts: Generation; readonly ledger: Ledger },
  rotation: Rotation,
): Promise<RenewedDocuments> {
  const { sealing, storeOf, embedderOf, signal, now } = rotation;
  // It may have been dropped between two turns.
  if (!(await ledger.generations()).some(({ generation }) => generation === facts.generation))
    return { documents: 0, rewritten: 0, unfinished: [] };
  const store = await storeOf(facts);
  // Nothing was written to one that was begun and died.
  if (await isWithoutCollection(facts, store)) return { documents: 0, rewritten: 0, unfinished: [] };
  const collection = await openForReading(facts, store);
  const writer = ledger.writer(facts.generation, runtime().uniqueName());
  const targets: WriteTargets = {
    ledger: writer,
    collection,
    embedder: await embedderOf(facts),
    embedding: {},
    signal,
    now,
  };
  const from: CarriedGeneration = { facts, reader: ledger.reader(facts.generation), collection };
  const run = new IndexRun(undefined, signal);
  await finishItems(await unfinishedOf(items, from.reader), targets, run);
  return renewDocuments(items, { from, sealing }, targets, run);
}
