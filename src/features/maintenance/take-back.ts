import { RAGError } from '../../core/errors.js';
import { EVERYTHING } from '../../core/filter.js';
import { runtime } from '../../core/runtime.js';
import type { Embedder } from '../../embedding/embedder.js';
import { carryOver } from '../../indexing/carry-over.js';
import { deleteItems } from '../../indexing/delete-documents.js';
import { IndexRun } from '../../indexing/index-run.js';
import type { WriteTargets } from '../../indexing/write-batch.js';
import type { Generation, GenerationReader, Ledger, LedgerItem } from '../../ledger/ledger.js';
import { openForReading } from '../../resources/open-collection.js';
import { listPages } from '../../stores/list-pages.js';
import type { VectorCollection, VectorStore } from '../../stores/vector-store.js';
import { migrationRecordOf } from '../upgrading/migration-record.js';

const PAGE = 500;

export interface TakeBack {
  readonly ledger: Ledger;
  readonly storeOf: (facts: Generation) => Promise<VectorStore>;
  /** The model of the generation that is taken back. */
  readonly embedder: Embedder;
  readonly tenants: readonly string[];
  readonly signal: AbortSignal | undefined;
  readonly now: () => string;
}

/** @throws RAGError `USAGE` where there is none. */
export async function findGeneration(ledger: Ledger, generation: number): Promise<Generation> {
  const facts = (await ledger.generations()).find((candidate) => candidate.generation === generation);
  if (facts !== undefined) return facts;
  throw new RAGError('USAGE', `There is no generation ${generation}: \`ragstone generations\` lists them.`);
}

/** The generation of a number, if it can be switched to. Throws `USAGE` where it cannot, and says why. */
export async function findRetired(ledger: Ledger, generation: number): Promise<Generation> {
  const facts = await findGeneration(ledger, generation);
  if (facts.state === 'live')
    throw new RAGError('USAGE', `Generation ${generation} is the live one already.`);
  if (facts.state === 'building')
    throw new RAGError(
      'USAGE',
      migrationRecordOf(facts) !== undefined
        ? `Generation ${generation} is a copy that is being made: \`ragstone migrate\` goes on with it and switches to it.`
        : facts.upgrade === undefined
          ? `Generation ${generation} is not complete: \`ragstone index --force\` goes on with it.`
          : `Generation ${generation} is one of an upgrade: \`ragstone reembed\` goes on with it, and with \`--switch always\` switches to it.`,
    );
  return facts;
}

/**
 * Makes a generation the live one again. Before the switch it is brought to what the live one knows: documents deleted since
 * go, and whatever was changed since, its text or who may read it, is copied. Killed at any point, the live one stays.
 */
export async function takeBack(facts: Generation, context: TakeBack): Promise<void> {
  const { ledger, storeOf, embedder, signal, now } = context;
  const live = await ledger.live();
  if (live !== undefined) {
    const collection = await openForReading(facts, await storeOf(facts));
    const writer = ledger.writer(facts.generation, runtime().uniqueName());
    const targets: WriteTargets = { ledger: writer, collection, embedder, embedding: {}, signal, now };
    const from = {
      facts: live,
      reader: ledger.reader(live.generation),
      collection: await openForReading(live, await storeOf(live)),
    };
    const run = new IndexRun(undefined, signal);
    const access = { live: await accessOf(from.collection, signal), old: await accessOf(collection, signal) };
    for (const tenant of context.tenants) {
      const { gone, changed } = await compareItems(tenant, { old: writer, live: from.reader, access });
      for (const [source, itemIds] of gone)
        await deleteItems({ tenant, source, itemIds, dryRun: false }, targets, run);
      await carryOver(from, changed, targets, run);
    }
    await collection.optimize(signal);
  }
  await ledger.switchTo(facts.generation, now(), live?.generation);
}

/** Who may read each document, by its id. */
type AccessOfDocuments = ReadonlyMap<string, string>;

async function accessOf(
  collection: VectorCollection,
  signal: AbortSignal | undefined,
): Promise<AccessOfDocuments> {
  const access = new Map<string, string>();
  for await (const page of listPages(collection, { filter: EVERYTHING, limit: PAGE, signal }))
    for (const chunk of page)
      access.set(chunk.documentId, JSON.stringify([chunk.access.level, [...chunk.access.groups].sort()]));
  return access;
}

interface Compared {
  readonly old: GenerationReader;
  readonly live: GenerationReader;
  readonly access: { readonly live: AccessOfDocuments; readonly old: AccessOfDocuments };
}

/** What of a tenant the live generation no longer holds, or holds otherwise than the old one. */
async function compareItems(
  tenant: string,
  { old, live, access }: Compared,
): Promise<{ gone: Map<string, string[]>; changed: LedgerItem[] }> {
  const gone = new Map<string, string[]>();
  const changed: LedgerItem[] = [];
  const sources = new Set([...(await old.sourceNames(tenant)), ...(await live.sourceNames(tenant))]);
  for (const source of sources) {
    const before = await old.items(tenant, source);
    const now = await live.items(tenant, source);
    gone.set(
      source,
      [...before.keys()].filter((itemId) => !now.has(itemId)),
    );
    for (const item of now.values()) {
      const [held, wanted] = await Promise.all(
        [old, live].map((reader) => reader.documentsOfItems(tenant, source, [item.itemId])),
      );
      const revisions = new Map((held ?? []).map(({ documentId, revision }) => [documentId, revision]));
      const isSame =
        before.get(item.itemId)?.version === item.version &&
        revisions.size === wanted?.length &&
        wanted.every(
          ({ documentId, revision }) =>
            revisions.get(documentId) === revision &&
            access.live.get(documentId) === access.old.get(documentId),
        );
      if (!isSame) changed.push(item);
    }
  }
  return { gone, changed };
}
