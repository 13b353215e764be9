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
}

/**
 * Opens the collection for writing, made by the present model in the present store: makes the first one, refuses a
 * mismatch with what to do, or begins a new generation where a rebuild was asked for.
 */
export async function openForWriting(
  ledger: Ledger,
  store: VectorStore,
  { embedder, rebuild }: WriteIntent,
): Promise<VectorCollection> {
  const before = ledger.facts();
  if (before === undefined) return openGeneration(1, ledger, store, embedder);
  if (rebuild) {
    const collection = await openGeneration(before.generation + 1, ledger, store, embedder);
    if (before.provider !== store.name) return collection;
    await store.drop(before.collection);
    // A store may have had to throw away a damaged file with both in it.
    return store.open(collection.spec);
  }
  assertProvider(before, store);
  assertModel(before, embedder);
  await assertPresent(before, store);
  return store.open(specOf(before));
}

async function openGeneration(
  generation: number,
  ledger: Ledger,
  store: VectorStore,
  embedder: Embedder,
): Promise<VectorCollection> {
  const facts: IndexFacts = {
    provider: store.name,
    generation,
    collection: `chunks-${generation}`,
    dimensions: embedder.dimensions,
    fingerprint: fingerprintOf(embedder.identity),
    embedder: embedder.identity.model,
  };
  // What a killed earlier attempt may have left under this name was never in the ledger.
  await store.drop(facts.collection);
  const collection = await store.open(specOf(facts));
  ledger.setFacts(facts);
  return collection;
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
    `The collection "${facts.collection}" is missing from the store "${store.name}". Run \`ragstone index --force\` to build it again from the sources.`,
  );
}
