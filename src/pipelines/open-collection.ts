import { randomBytes } from 'node:crypto';
import { RAGError } from '../core/errors.js';
import { type Embedder, fingerprintOf } from '../embedding/embedder.js';
import type { IndexFacts, Ledger } from '../ledger/ledger.js';
import type { VectorCollection, VectorStore } from '../stores/vector-store.js';

/** What every question to an index is answered before the first `index`. */
export const nothingIndexed = (): RAGError =>
  new RAGError('INDEX_EMPTY', 'Nothing is indexed yet. Run `ragstone index FOLDER` first.');

/** Opens the collection that the ledger names, for reading. Throws `STORE_DAMAGED` where it is not there. */
export async function openForReading(facts: IndexFacts, store: VectorStore): Promise<VectorCollection> {
  assertProvider(facts, store);
  await assertPresent(facts, store);
  return store.open(specOf(facts));
}

/** What decides whether the present collection can be written to. */
export interface WriteIntent {
  readonly embedder: Embedder;
  /** Work of this run replaces all that is indexed, so a collection that cannot be used may be dropped. */
  readonly rebuild: boolean;
  /** Facts of a ledger that was lost: the new index follows it, and its collection is dropped. */
  readonly abandoned?: IndexFacts | undefined;
}

/**
 * Opens the collection for writing, made by the present model in the present store: makes the first one, refuses a
 * mismatch with what to do, or begins a new generation where a rebuild was asked for.
 */
export async function openForWriting(
  ledger: Ledger,
  store: VectorStore,
  { embedder, rebuild, abandoned }: WriteIntent,
): Promise<VectorCollection> {
  const before = ledger.facts();
  if (before === undefined || rebuild || isNothingKept(before, ledger, store))
    return beginGeneration(ledger, store, { embedder, before: before ?? abandoned });
  assertProvider(before, store);
  assertModel(before, embedder);
  await dropObsolete(before, ledger, store);
  // A run that died before its first chunk has lost nothing with its collection.
  if (ledger.allChunks(undefined, 1).length > 0) await assertPresent(before, store);
  return store.open(specOf(before));
}

/** Another store was named and never came to hold a chunk, as where its server could not be reached. */
const isNothingKept = ({ provider }: IndexFacts, ledger: Ledger, store: VectorStore): boolean =>
  provider !== store.name && ledger.allChunks(undefined, 1).length === 0;

/** The ledger knows a collection before the store does, and knows what is left to drop, so that a death leaves nothing behind. */
async function beginGeneration(
  ledger: Ledger,
  store: VectorStore,
  { embedder, before }: { readonly embedder: Embedder; readonly before: IndexFacts | undefined },
): Promise<VectorCollection> {
  const generation = (before?.generation ?? 0) + 1;
  const facts: IndexFacts = {
    provider: store.name,
    generation,
    collection: newCollectionName(generation),
    dimensions: embedder.dimensions,
    fingerprint: fingerprintOf(embedder.identity),
    embedder: embedder.identity.model,
    ...(before?.provider === store.name ? { obsoleteCollection: before.collection } : {}),
  };
  ledger.setFacts(facts);
  await dropObsolete(facts, ledger, store);
  return store.open(specOf(facts));
}

/** Unlike the name of any other index, so that several can share one server. */
const newCollectionName = (generation: number): string =>
  `chunks-${randomBytes(4).toString('hex')}-${generation}`;

async function dropObsolete(
  { obsoleteCollection, ...facts }: IndexFacts,
  ledger: Ledger,
  store: VectorStore,
): Promise<void> {
  if (obsoleteCollection === undefined) return;
  await store.drop(obsoleteCollection);
  ledger.setFacts(facts);
}

const specOf = ({ collection, dimensions, fingerprint }: IndexFacts) => ({
  name: collection,
  dimensions,
  fingerprint,
});

/** Refuses to compare vectors of two models. */
export function assertModel(facts: IndexFacts, embedder: Embedder): void {
  const fingerprint = fingerprintOf(embedder.identity);
  if (facts.fingerprint === fingerprint) return;
  throw new RAGError(
    'STORE_FINGERPRINT_MISMATCH',
    `The index was made with the embedding model "${facts.embedder}" and the configuration now says "${embedder.identity.model}"${facts.embedder === embedder.identity.model ? ' in another revision' : ''}. Vectors of two models cannot be compared: run \`ragstone index --force\` to embed everything again, or set the model back.`,
    { details: { expected: facts.fingerprint, actual: fingerprint } },
  );
}

function assertProvider(facts: IndexFacts, store: VectorStore): void {
  if (facts.provider === store.name) return;
  throw new RAGError(
    'CONFIG_INVALID',
    `The index is kept in the store "${facts.provider}" and the configuration now says "${store.name}". Run \`ragstone index --force\` to build it there, or set the provider back.`,
    { details: { expected: facts.provider, actual: store.name } },
  );
}

async function assertPresent(facts: IndexFacts, store: VectorStore): Promise<void> {
  if ((await store.describe(facts.collection)) !== undefined) return;
  throw new RAGError(
    'STORE_DAMAGED',
    `The collection "${facts.collection}" is missing from the store "${store.name}". If the store's settings changed (\`rag.storage\`), set them back; else run \`ragstone index --force\` to build it again from the sources.`,
  );
}
