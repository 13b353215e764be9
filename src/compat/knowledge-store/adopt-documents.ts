import { existsSync } from 'node:fs';
import type { ResolvedConfig } from '../../config/resolved-config.js';
import { RAGError } from '../../core/errors.js';
import { and, EVERYTHING, eq, oneOf } from '../../core/filter.js';
import { slicesOf } from '../../core/slices.js';
import { acquireWriterLock } from '../../ledger/writer-lock.js';
import type { Engine } from '../../operations/engine.js';
import { createStoreFor } from '../../resources/assembly/choose-store.js';
import { listAll, listPages } from '../../stores/list-pages.js';
import type { VectorCollection, VectorStore } from '../../stores/vector-store.js';
import { documentsOf } from './document-chunks.js';
import { pushed, toPushed } from './engine-shelf.js';

/** Documents that are read and pushed together. */
const BATCH = 200;
/** Longest wait for another process that adopts the same documents, in milliseconds. */
const WAIT_MS = 600_000;

export interface Adoption {
  /** Of the project whose store held documents alone. */
  readonly project: ResolvedConfig;
  readonly collectionName: string;
  /** The engine's own folder; its lock is for one process at a time. */
  readonly lockFolder: string;
  readonly engine: Engine;
}

/**
 * Earlier versions kept documents in the project's store with nothing beside it. Here the engine takes them over, once; a death
 * in the middle begins again, and until the end nobody reads or writes the new ones.
 *
 * @returns what was done, in words for the user
 * @throws RAGError `CONFIG_INVALID` where other hosts may still write to the old ones.
 */
export async function adoptDocuments({
  project,
  collectionName,
  lockFolder,
  engine,
}: Adoption): Promise<string[]> {
  const { ledger, storage } = project.rag;
  const isShared = ledger.type === 'postgres';
  if (!isShared && !existsSync(storage.local.path)) return [];
  const { store, provider } = await createStoreFor(project);
  try {
    if ((await store.describe(collectionName)) === undefined) return [];
    if (isShared) throw heldBefore(collectionName, provider);
    const holder = { command: `adopt the documents of ${collectionName}` };
    const lock = await acquireWriterLock({ folder: lockFolder, holder, waitMs: WAIT_MS });
    try {
      const count = await adoptAll(store, collectionName, engine);
      return count === 0 ? [] : [`${count} documents that an earlier version kept are now kept here.`];
    } finally {
      await lock.release();
    }
  } finally {
    await store.close();
  }
}

const heldBefore = (collectionName: string, provider: string): RAGError =>
  new RAGError(
    'CONFIG_INVALID',
    `The collection "${collectionName}" of the store "${provider}" holds documents that were written without a ledger, perhaps by other hosts too. Leave rag.ledger out to go on with them, or name another collection and index the documents again.`,
    { details: { key: 'rag.ledger.type', collection: collectionName } },
  );

/** How many documents there were; none where another process was first. */
async function adoptAll(store: VectorStore, name: string, engine: Engine): Promise<number> {
  const spec = await store.describe(name);
  if (spec === undefined) return 0;
  const collection = await store.open(spec);
  let count = 0;
  for (const { scope, ids } of (await ownersOf(collection)).values())
    for (const some of slicesOf(ids, BATCH)) {
      const filter = and(eq('$tenant', scope.tenant), oneOf('$documentId', some));
      const chunks = await listAll(collection, { filter });
      const documents = documentsOf(chunks.filter(({ project }) => project === scope.project));
      await pushed(engine.as(scope), { documents: [...documents.values()].map(toPushed) });
      count += documents.size;
    }
  await store.drop(name);
  return count;
}

interface Owned {
  readonly scope: { readonly tenant: string; readonly project: string | undefined };
  readonly ids: readonly string[];
}

async function ownersOf(collection: VectorCollection): Promise<Map<string, Owned>> {
  const owners = new Map<string, { scope: Owned['scope']; ids: Set<string> }>();
  for await (const page of listPages(collection, { filter: EVERYTHING }))
    for (const { tenant, project, documentId } of page) {
      const key = JSON.stringify([tenant, project]);
      const owner = owners.get(key) ?? { scope: { tenant, project }, ids: new Set() };
      owner.ids.add(documentId);
      owners.set(key, owner);
    }
  return new Map([...owners].map(([key, { scope, ids }]) => [key, { scope, ids: [...ids] }]));
}
