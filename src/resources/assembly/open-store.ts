import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { originOf, type ResolvedConfig } from '../../config/resolved-config.js';
import { resolveSecrets } from '../../config/secret-resolver.js';
import type { StoredChunk } from '../../core/chunk.js';
import { DATA_FOLDERS } from '../../core/data-folder.js';
import { guardedStore } from '../../stores/guarded-store.js';
import type { StoreContext, StoreDefinition, StoreOwner } from '../../stores/store-definition.js';
import type { VectorStore } from '../../stores/vector-store.js';

/** A store, and what a person must know about its opening. */
export interface OpenedStore {
  readonly store: VectorStore;
  /** Words of the index are kept on this host, and found while the store does not answer. */
  readonly hasWordsHere: boolean;
  /** Those words are a copy of what a server keeps (`rag.degradation.localWords`). */
  readonly copiesWords: boolean;
  readonly notices: readonly string[];
}

/** Opens a store with its settings; loads its driver and no other. Without an owner it keeps files of its own. */
export async function openStore(
  definition: StoreDefinition,
  config: ResolvedConfig,
  owner?: StoreOwner,
  confirm?: ConfirmChunks,
): Promise<OpenedStore> {
  const { server } = config.rag.storage;
  const { store: opened, notices: told } = await openBare(definition, config, owner);
  const notices = [...told];
  const store = IN_PROCESS.has(definition.name)
    ? opened
    : guardedStore(opened, { isRemote: server !== undefined || definition.reads === 'cloud' });
  const lane = await withLexicalLane(store, config);
  const isCopied = definition.reads === 'server' && lane === store;
  const { localWords = isCopied } = config.rag.degradation;
  if (lane === store) notices.push(...(await forgetLocalWords(definition.name, config, owner)));
  const worded = localWords && isCopied ? await withLocalWords(lane, config, confirm) : lane;
  return { store: worded, hasWordsHere: worded !== store, copiesWords: worded !== lane, notices };
}

/** A store alone, with nothing around it. */
export async function openBare(
  definition: StoreDefinition,
  config: ResolvedConfig,
  owner?: StoreOwner,
): Promise<Pick<OpenedStore, 'store' | 'notices'>> {
  const notices: string[] = [];
  const context = await storeContext(definition, config);
  const store = await definition.open({ ...context, owner, notice: (text) => notices.push(text) });
  return { store, notices };
}

/** What a store is opened with, its secrets fetched. */
export async function storeContext(
  { reads }: StoreDefinition,
  config: ResolvedConfig,
): Promise<StoreContext> {
  if (reads !== undefined) await resolveSecrets(config.rag.storage[reads], ['rag', 'storage', reads], config);
  return contextAsWritten(config);
}

/** The same, with references to secrets that were not followed yet. */
export function contextAsWritten(config: ResolvedConfig): StoreContext {
  const { local, server, s3, cloud } = config.rag.storage;
  return {
    path: local.path,
    isPathStated: originOf(config, 'rag.storage.local.path').kind !== 'default',
    localType: local.type,
    collection: local.collection,
    server,
    s3,
    cloud,
    notice: () => undefined,
  };
}

/** Reads of these are work of this process: leaving them alone would help nobody. */
const IN_PROCESS: ReadonlySet<string> = new Set(['libsql', 'memory']);

/** A store that ranks no text gets the lane from an index beside the ledger. */
export async function withLexicalLane(store: VectorStore, config: ResolvedConfig): Promise<VectorStore> {
  if (store.capabilities.lexical !== 'none') return store;
  const { createLibsqlStore } = await import('../../stores/libsql/libsql-store.js');
  const { withLexicalIndex } = await import('../../stores/with-lexical-index.js');
  const path = lexicalFile(config);
  const lexical = createLibsqlStore({ path, fileKey: await config.fileKey?.() });
  return withLexicalIndex(store, lexical, (work) => whileLocked(dirname(path), work));
}

/** Of chunks those that are of the index as it is now. */
export type ConfirmChunks = (chunks: readonly StoredChunk[]) => Promise<readonly StoredChunk[]>;

/** A store on a server with a copy beside the ledger, where that is of this host alone. */
export async function withLocalWords(
  store: VectorStore,
  config: ResolvedConfig,
  confirm: ConfirmChunks | undefined,
): Promise<VectorStore> {
  const { ledger, degradation, retrieval } = config.rag;
  const isOfThisHost = ledger.type === 'sqlite' && config.own?.ledger === undefined;
  if (confirm === undefined || !isOfThisHost || store.capabilities.lexical === 'none') return store;
  const { createLibsqlStore } = await import('../../stores/libsql/libsql-store.js');
  const { withWordCopy } = await import('../../stores/with-word-copy.js');
  const path = join(config.dataDir, DATA_FOLDERS.words, 'store.db');
  return withWordCopy(store, {
    copy: createLibsqlStore({ path, fileKey: await config.fileKey?.() }),
    confirm,
    // Of the time that a lane has, some is left for the copy.
    patienceMs: Math.min(degradation.slowStoreMs, retrieval.laneDeadlineMs / 2),
    exclusively: (work) => whileLocked(dirname(path), work),
  });
}

/** Copying the words of a large index takes minutes. */
const COPY_WAIT_MS = 3_600_000;

export async function whileLocked<T>(
  folder: string,
  work: () => Promise<T>,
  { command = 'copy the words of the index', waitMs = COPY_WAIT_MS } = {},
): Promise<T> {
  const { acquireWriterLock } = await import('../../ledger/writer-lock.js');
  const lock = await acquireWriterLock({ folder, holder: { command }, waitMs });
  try {
    return await work();
  } finally {
    await lock.release();
  }
}

/** A store that keeps the words of an index itself, and whose words an earlier version kept beside the ledger. */
async function forgetLocalWords(
  provider: string,
  config: ResolvedConfig,
  { recorded }: Partial<StoreOwner> = {},
): Promise<string[]> {
  const path = lexicalFile(config);
  if (recorded?.provider !== provider || !existsSync(path)) return [];
  const { removeFromFile } = await import('../../stores/libsql/adopt-collection.js');
  return removeFromFile(path, recorded.collection, await config.fileKey?.())
    ? [
        `The words of this index are now kept in the store "${provider}", made from its chunks; the index of words in ${path} was removed.`,
      ]
    : [];
}

const lexicalFile = ({ dataDir }: ResolvedConfig): string => join(dataDir, DATA_FOLDERS.lexical, 'store.db');
