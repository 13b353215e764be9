import { RAGError } from '../../core/errors.js';
import { isoNow } from '../../core/runtime.js';
import { fingerprintOf } from '../../embedding/embedder.js';
import { migrationRecordOf, withMigration } from '../../features/upgrading/migration-record.js';
import type { Generation, Ledger } from '../../ledger/ledger.js';
import type { LiveIndex } from '../../resources/handles/ledger-handle.js';
import { dropGeneration, newCollectionName, specOf } from '../../resources/open-collection.js';
import { upgradeRecordOf } from '../../resources/upgrade-record.js';
import type { VectorStore } from '../../stores/vector-store.js';
import type { CopyPair } from './copy-documents.js';
import type { Migration } from './migration.js';
import { alone, type OpenEnds } from './migration-ends.js';

/** A copy is searched with the vectors of the old index, so the model that reads queries there must be the same. */
export async function assertSameModel(live: Generation, { to }: OpenEnds): Promise<void> {
  const { embedder } = await to.resources.models.configuredEmbedder();
  const fingerprint = fingerprintOf(embedder.identity);
  if (fingerprint === live.fingerprint || upgradeRecordOf(live)?.configured === fingerprint) return;
  throw new RAGError(
    'STORE_FINGERPRINT_MISMATCH',
    `The index was made with the embedding model "${live.embedder}" and the configuration of the copy says "${embedder.identity.model}"${live.embedder === embedder.identity.model ? ' in another revision' : ''}. Vectors are copied and not made anew: name the same model there, migrate, and then run \`ragstone reembed\`.`,
    { details: { expected: live.fingerprint, actual: fingerprint } },
  );
}

/** Whether what is live in the place of the copy is the copy. */
export async function isCopyOf(
  there: Generation,
  live: Generation,
  { store, ends }: { readonly store: VectorStore; readonly ends: OpenEnds },
): Promise<boolean> {
  if (!ends.isOneLedger) return migrationRecordOf(there)?.from === live.collection;
  // An index records the kind of its store and not its address.
  return there.provider === store.name && (await store.describe(there.collection)) !== undefined;
}

export async function assertPlaces(
  { from, isOneLedger }: OpenEnds,
  {
    store,
    there,
    replace,
  }: { readonly store: VectorStore; readonly there: LiveIndex | undefined; readonly replace: boolean },
): Promise<void> {
  if (!store.capabilities.persistent)
    throw new RAGError(
      'USAGE',
      `The store "${store.name}" of the copy forgets what it holds with its process.`,
    );
  if (isOneLedger && there?.facts.provider === store.name)
    throw new RAGError(
      'USAGE',
      `Both configurations keep their index in ${from.resources.config.dataDir}, in a store "${store.name}" at two places, and an index records only the kind of its store. Give the copy a data folder of its own (\`--to-data\`).`,
    );
  const documents =
    isOneLedger || there === undefined ? 0 : (await there.reader.documents(undefined, 1)).length;
  if (documents > 0 && !replace)
    throw new RAGError(
      'USAGE',
      'The place of the copy holds an index already, which searches there would no longer find. Name another data folder (`--to-data`), or say `--replace`: the index there is then kept to go back to.',
    );
}

/** A generation that this copy can go on with: one that was begun for it, or one that was used before and is brought in step. */
export async function begunBefore(
  live: Generation,
  store: VectorStore,
  ledger: Ledger,
): Promise<Generation | undefined> {
  const candidates = (await ledger.generations()).filter(
    (facts) =>
      facts.fingerprint === live.fingerprint &&
      facts.provider === store.name &&
      (facts.state === 'retired' || (facts.state === 'building' && migrationRecordOf(facts) !== undefined)),
  );
  for (const facts of candidates.toSorted(buildingFirst))
    if ((await store.describe(facts.collection)) !== undefined) return facts;
  return undefined;
}

const buildingFirst = (a: Generation, b: Generation): number =>
  Number(b.state === 'building') - Number(a.state === 'building') || b.generation - a.generation;

/** Opens the generation that is copied, and that of the copy: the one that was begun before, or a new one. */
export async function openPair(
  live: Generation,
  { reader, collection, sealing }: Omit<CopyPair['from'], 'facts'>,
  migration: Migration,
): Promise<CopyPair> {
  const { ends, store, signal } = migration;
  const { to } = ends;
  const facts = await alone(to, { subject: 'items', signal }, async (ledger) => {
    const found = await begunBefore(live, store, ledger);
    for (const held of await ledger.generations()) {
      const isLeft = held.state === 'building' && migrationRecordOf(held) !== undefined;
      if (isLeft && held.generation !== found?.generation)
        await dropGeneration(held, ledger, storesOf(live, ends));
    }
    const startedAt = isoNow();
    const begun =
      found ??
      (await ledger.begin(
        (generation) => ({
          ...{ provider: store.name, collection: newCollectionName(generation) },
          ...{ dimensions: live.dimensions, fingerprint: live.fingerprint, embedder: live.embedder },
        }),
        startedAt,
      ));
    const record = { from: live.collection, to: begun.collection, startedAt };
    const upgrade = withMigration(record, live.upgrade);
    await ledger.setUpgrade(begun.generation, upgrade);
    return { ...begun, upgrade };
  });
  return {
    from: { facts: live, reader, collection, sealing },
    to: { facts, collection: await store.open(specOf(facts)) },
    embedder: (await to.resources.models.embedderOf(facts)).embedder,
  };
}

/** Of one ledger that keeps both, each configuration knows the address of its own store. */
export const storesOf =
  (live: Generation, { from, to }: OpenEnds) =>
  (facts: Generation): Promise<VectorStore> =>
    (facts.provider === live.provider ? from : to).resources.stores.of(facts);
