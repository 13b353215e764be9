import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { originOf, type ResolvedConfig } from '../config/resolved-config.js';
import { resolveSecrets } from '../config/secret-resolver.js';
import type { StoreDefinition, StoreOwner } from '../stores/store-definition.js';
import type { VectorStore } from '../stores/vector-store.js';

/** A store, and what a person must know about its opening. */
export interface OpenedStore {
  readonly store: VectorStore;
  readonly notices: readonly string[];
}

/** Opens a store with its settings; loads its driver and no other. Without an owner it keeps files of its own. */
export async function openStore(
  definition: StoreDefinition,
  config: ResolvedConfig,
  owner?: StoreOwner,
): Promise<OpenedStore> {
  const { local, server, s3 } = config.rag.storage;
  const { reads } = definition;
  if (reads !== undefined) await resolveSecrets(config.rag.storage[reads], ['rag', 'storage', reads], config);
  const notices: string[] = [];
  const store = await definition.open({
    path: local.path,
    isPathStated: originOf(config, 'rag.storage.local.path').kind !== 'default',
    localType: local.type,
    collection: local.collection,
    server,
    s3,
    owner,
    notice: (text) => notices.push(text),
  });
  const lane = await withLexicalLane(store, config);
  if (lane === store) notices.push(...(await forgetLocalWords(definition.name, config, owner)));
  return { store: lane, notices };
}

/** A store that ranks no text gets the lane from an index beside the ledger. */
export async function withLexicalLane(store: VectorStore, config: ResolvedConfig): Promise<VectorStore> {
  if (store.capabilities.lexical !== 'none') return store;
  const { createLibsqlStore } = await import('../stores/libsql/libsql-store.js');
  const { withLexicalIndex } = await import('../stores/with-lexical-index.js');
  return withLexicalIndex(store, createLibsqlStore({ path: lexicalFile(config) }), (work) =>
    whileLocked(dirname(lexicalFile(config)), work),
  );
}

/** Copying the words of a large index takes minutes. */
const COPY_WAIT_MS = 3_600_000;

async function whileLocked<T>(folder: string, work: () => Promise<T>): Promise<T> {
  const { acquireWriterLock } = await import('../ledger/writer-lock.js');
  const holder = { command: 'copy the words of the index' };
  const lock = await acquireWriterLock({ folder, holder, waitMs: COPY_WAIT_MS });
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
  const { removeFromFile } = await import('../stores/libsql/adopt-collection.js');
  return removeFromFile(path, recorded.collection)
    ? [
        `The words of this index are now kept in the store "${provider}", made from its chunks; the index of words in ${path} was removed.`,
      ]
    : [];
}

const lexicalFile = ({ dataDir }: ResolvedConfig): string => join(dataDir, 'lexical', 'store.db');
