import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { triedFolders } from '../config/find-project.js';
import type { ResolvedConfig } from '../config/resolved-config.js';
import { DATA_FOLDERS } from '../core/data-folder.js';
import { RAGError, toRAGError } from '../core/errors.js';
import { compareText } from '../core/filter.js';
import { contentHash } from '../core/ids.js';
import { runtime } from '../core/runtime.js';
import { type Embedder, fingerprintOf } from '../embedding/embedder.js';
import type { Generation, GenerationWriter, Ledger } from '../ledger/ledger.js';
import { isStoreOut } from '../platform/degradation/breakers.js';
import type { VectorCollection, VectorStore } from '../stores/vector-store.js';

/** What every question to an index is answered before the first `index`. */
export const nothingIndexed = (config: ResolvedConfig): RAGError =>
  new RAGError(
    'INDEX_EMPTY',
    `Nothing is indexed in ${placeOfIndex(config)} yet. Run \`ragstone index FOLDER\` first.${triedBefore(config)}`,
  );

/** After `try`, the folder is expected to be there. */
function triedBefore({ dataDir }: ResolvedConfig): string {
  if (!existsSync(join(dataDir, DATA_FOLDERS.tries))) return '';
  const folders = triedFolders(dataDir);
  const [folder] = folders;
  const named = folders.length === 1 && folder !== undefined ? folder : 'FOLDER';
  return ` \`ragstone try\` keeps what it read${folders.length === 0 ? '' : ` (of ${folders.join(', ')})`} apart: \`ragstone index ${named}\` takes it over, and \`ragstone search\` asks it then.`;
}

function placeOfIndex({ dataDir, rag: { ledger }, own }: ResolvedConfig): string {
  if (own?.ledger !== undefined) return 'the ledger that was handed in';
  return ledger.type === 'sqlite' ? dataDir : `schema "${ledger.namespace}" of PostgreSQL`;
}

/**
 * Opens the collection that the ledger names, for reading; where only a part of the store answers, for what that part can.
 * Throws `STORE_DAMAGED` where it is not there, `STORE_UNAVAILABLE` and `STORE_TIMEOUT` where nothing answers.
 */
export async function openForReading(facts: Generation, store: VectorStore): Promise<VectorCollection> {
  try {
    await assertPresent(facts, store);
    return await store.open(specOf(facts));
  } catch (error) {
    if (store.openForReading === undefined || !isStoreOut(error)) throw error;
    return store.openForReading(specOf(facts));
  }
}

/** A generation that a run writes to. */
export interface WriteTarget {
  readonly facts: Generation;
  readonly collection: VectorCollection;
}

/** What decides which generation is written. */
export interface WriteIntent {
  readonly embedder: Embedder;
  /** Work of this run replaces all that is indexed: it fills a generation beside the live one. */
  readonly rebuild: boolean;
  /** The live generation is known to be damaged: there is nothing to protect. @default false */
  readonly isDamaged?: boolean | undefined;
  /** What a new generation says of itself, where the model is that of an upgrade (`IndexFacts.upgrade`). */
  readonly upgrade?: string | undefined;
  /** Others write the live generation too, so it is not replaced. @default false */
  readonly isShared?: boolean | undefined;
  /** ISO-8601 UTC. */
  readonly at: string;
  /** Stores by the provider that a generation names. */
  readonly storeOf: (facts: Generation) => Promise<VectorStore>;
}

/**
 * Opens the generation that a run writes to. Without `rebuild` that is the live one, made by the present model in the present
 * store: a mismatch is refused with what to do. The first one of an index is live at once, because there is nothing to
 * protect. A rebuild fills another one, which searches do not see before `Ledger.switchTo`; one that was interrupted and is
 * made for the same is taken up again.
 */
export async function openForWriting(
  ledger: Ledger,
  store: VectorStore,
  intent: WriteIntent,
): Promise<WriteTarget> {
  const live = await ledger.live();
  if (live === undefined) {
    const first = await beginFirst(ledger, store, intent);
    assertProvider(first, store);
    assertModel(first, intent.embedder);
    return { facts: first, collection: await store.open(specOf(first)) };
  }
  if (
    intent.isShared !== true &&
    ((await isNothingKept(live, ledger, store)) || (await isLost(live, store, intent)))
  ) {
    const facts = await beginGeneration(ledger, store, intent);
    if (intent.upgrade !== undefined) await ledger.setUpgrade(facts.generation, intent.upgrade);
    await ledger.switchTo(facts.generation, intent.at);
    await dropGeneration(live, ledger, intent.storeOf);
    return { facts: { ...facts, state: 'live' }, collection: await store.open(specOf(facts)) };
  }
  const facts = intent.rebuild ? await buildingFor(ledger, store, intent) : live;
  if (intent.rebuild && intent.upgrade !== undefined)
    await ledger.setUpgrade(facts.generation, intent.upgrade);
  if (!intent.rebuild) {
    assertProvider(live, store);
    assertModel(live, intent.embedder);
    // A run that died before its first chunk has lost nothing with its collection.
    const isHeld = (await ledger.reader(live.generation).allChunks(undefined, 1)).length > 0;
    if (isHeld) await assertPresent(live, store);
  }
  return { facts, collection: await store.open(specOf(facts)) };
}

/**
 * Begins the first generation of an index; of several hosts that do so at once one wins, and the others write into its
 * generation. The store has its collection before a search can ask for it.
 */
async function beginFirst(ledger: Ledger, store: VectorStore, intent: WriteIntent): Promise<Generation> {
  const own = await beginGeneration(ledger, store, intent);
  try {
    await store.open(specOf(own));
  } catch (error) {
    await ledger.drop(own.generation);
    throw error;
  }
  const isFirst = await ledger.makeFirst(own.generation, intent.at);
  if (!isFirst) await dropGeneration(own, ledger, intent.storeOf);
  return (await ledger.live()) ?? own;
}

/** Another store was named and never came to hold a chunk, as where its server could not be reached. */
const isNothingKept = async (
  { provider, generation }: Generation,
  ledger: Ledger,
  store: VectorStore,
): Promise<boolean> =>
  provider !== store.name && (await ledger.reader(generation).allChunks(undefined, 1)).length === 0;

/** A rebuild of what cannot be searched: it takes the place of the live one at once, and what is damaged is removed first. */
async function isLost(
  live: Generation,
  store: VectorStore,
  { rebuild, isDamaged = false }: WriteIntent,
): Promise<boolean> {
  if (!rebuild || live.provider !== store.name) return false;
  if (isDamaged) return true;
  try {
    return (await store.describe(live.collection)) === undefined;
  } catch (error) {
    if (RAGError.isInstance(error) && error.reason === 'STORE_DAMAGED') return true;
    throw error;
  }
}

/** The generation that an interrupted rebuild left, where it was made for the same; any other one is dropped. */
async function buildingFor(ledger: Ledger, store: VectorStore, intent: WriteIntent): Promise<Generation> {
  const fingerprint = fingerprintOf(intent.embedder.identity);
  const building = (await ledger.generations()).filter(({ state }) => state === 'building');
  let found: Generation | undefined;
  for (const facts of building) {
    const isSame = facts.provider === store.name && facts.fingerprint === fingerprint;
    const isThere = isSame && (await store.describe(facts.collection)) !== undefined;
    if (isThere && found === undefined) found = facts;
    else await dropGeneration(facts, ledger, intent.storeOf);
  }
  return found ?? beginGeneration(ledger, store, intent);
}

/** The ledger knows a generation before the store does, so that a death leaves nothing behind that nobody knows. */
const beginGeneration = (
  ledger: Ledger,
  store: VectorStore,
  { embedder, at }: WriteIntent,
): Promise<Generation> =>
  ledger.begin(
    (generation) => ({
      provider: store.name,
      collection: newCollectionName(generation),
      dimensions: embedder.dimensions,
      fingerprint: fingerprintOf(embedder.identity),
      embedder: embedder.identity.model,
    }),
    at,
  );

/** Unlike the name of any other index, so that several can share one server. */
export const newCollectionName = (generation: number): string =>
  `chunks-${contentHash(runtime().uniqueName()).slice(0, 8)}-${generation}`;

/**
 * Whether there is nothing in the store of a generation that is not in use: a death came between the ledger's record of it and its
 * collection, when it was begun or when it was dropped.
 */
export const isWithoutCollection = async (
  { state, collection }: Generation,
  store: VectorStore,
): Promise<boolean> => state !== 'live' && (await store.describe(collection)) === undefined;

/** Removes a generation from its store first, and from the ledger after: a death between leaves it to be dropped again. */
export async function dropGeneration(
  facts: Generation,
  ledger: Ledger,
  storeOf: WriteIntent['storeOf'],
): Promise<void> {
  await (await storeOf(facts)).drop(facts.collection);
  await ledger.drop(facts.generation);
}

/**
 * After a switch one generation is kept to go back to: the one that was live before. Those before it are dropped. What cannot
 * be dropped now (a server that is down) is tried again after the next rebuild.
 */
export async function dropRetired(
  ledger: Ledger,
  storeOf: WriteIntent['storeOf'],
  keep: number,
): Promise<string[]> {
  const retired = (await ledger.generations()).filter(({ state }) => state === 'retired');
  const problems: string[] = [];
  for (const facts of retired.toSorted(byLastUse).slice(keep)) {
    try {
      await dropGeneration(facts, ledger, storeOf);
    } catch (error) {
      const { message } = toRAGError(error, 'STORE_UNAVAILABLE', 'Its store could not be reached.');
      problems.push(
        `Generation ${facts.generation} (${facts.provider}, ${facts.embedder}) is no longer used and could not be removed: ${message}`,
      );
    }
  }
  return problems;
}

/** Opens them when something is deleted. One whose store does not answer is reported and left out. */
export type RetiredGenerations = (run: { notice(text: string): void }) => Promise<
  readonly {
    readonly ledger: GenerationWriter;
    readonly collection: VectorCollection;
    readonly signal: AbortSignal | undefined;
  }[]
>;

/** See `WriteTargets.retired`. */
export function retiredGenerations(
  ledger: Ledger,
  storeOf: WriteIntent['storeOf'],
  { holder, signal }: { readonly holder: string; readonly signal: AbortSignal | undefined },
): RetiredGenerations {
  return async (run) => {
    const retired = (await ledger.generations()).filter(({ state }) => state !== 'live');
    const opened = await Promise.all(
      retired.map(async (facts) => {
        try {
          const store = await storeOf(facts);
          // A death may have come between the ledger's record of a generation and its collection.
          if (facts.state === 'building' && (await store.describe(facts.collection)) === undefined) return [];
          const collection = await openForReading(facts, store);
          return [{ ledger: ledger.writer(facts.generation, holder), collection, signal }];
        } catch (error) {
          const { message } = toRAGError(error, 'STORE_UNAVAILABLE', 'Its store could not be reached.');
          run.notice(
            `What was deleted is still kept in generation ${facts.generation}, which is not in use: ${message} \`ragstone generations drop ${facts.generation}\` removes it.`,
          );
          return [];
        }
      }),
    );
    return opened.flat();
  };
}

/** Newest use first. */
const byLastUse = (a: Generation, b: Generation): number =>
  compareText(b.switchedAt ?? '', a.switchedAt ?? '') || b.generation - a.generation;

/** What a collection of a generation is made for. */
export const specOf = ({ collection, dimensions, fingerprint }: Generation) => ({
  name: collection,
  dimensions,
  fingerprint,
});

/** Refuses to write vectors of another model. */
function assertModel(facts: Generation, embedder: Embedder): void {
  if (facts.fingerprint !== fingerprintOf(embedder.identity)) throw otherModel(facts, embedder);
}

/** What is said where the model that made a generation is not the present one. */
export const otherModel = (facts: Generation, embedder: Embedder): RAGError =>
  new RAGError(
    'STORE_FINGERPRINT_MISMATCH',
    `The index was made with the embedding model "${facts.embedder}" and the configuration now says "${embedder.identity.model}"${facts.embedder === embedder.identity.model ? ' in another revision' : ''}. Vectors of two models cannot be compared: run \`ragstone index --force\` to embed everything again beside it, or set the model back (one that a program brings: createEngine({ embedder })).`,
    { details: { expected: facts.fingerprint, actual: fingerprintOf(embedder.identity) } },
  );

function assertProvider(facts: Generation, store: VectorStore): void {
  if (facts.provider === store.name) return;
  throw new RAGError(
    'CONFIG_INVALID',
    `The index is kept in the store "${facts.provider}" and the configuration now says "${store.name}". Run \`ragstone index --force\` to build it there, or set the provider back.`,
    { details: { expected: facts.provider, actual: store.name } },
  );
}

async function assertPresent(facts: Generation, store: VectorStore): Promise<void> {
  if ((await store.describe(facts.collection)) !== undefined) return;
  throw new RAGError(
    'STORE_DAMAGED',
    `The collection "${facts.collection}" is missing from the store "${store.name}". If the store's settings changed (\`rag.storage\`), set them back; else run \`ragstone index --force\` to build it again from the sources.`,
  );
}
