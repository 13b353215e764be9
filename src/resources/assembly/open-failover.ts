import { join } from 'node:path';
import type { ResolvedConfig, ValueOrigin } from '../../config/resolved-config.js';
import { DATA_FOLDERS } from '../../core/data-folder.js';
import { RAGError } from '../../core/errors.js';
import { STORES } from '../../stores/definitions.js';
import type { VectorStoreManager } from '../../stores/failover/store-manager.js';
import { guardedStore } from '../../stores/guarded-store.js';
import type { StoreDefinition, StoreOwner } from '../../stores/store-definition.js';
import type { CollectionSpec, VectorStore } from '../../stores/vector-store.js';
import {
  type ConfirmChunks,
  type OpenedStore,
  openBare,
  whileLocked,
  withLexicalLane,
  withLocalWords,
} from './open-store.js';
import { borrowed } from './own-parts.js';

/** Several stores as one, and what keeps them in step. */
export interface OpenedFailover extends OpenedStore {
  readonly manager: VectorStoreManager;
}

export interface FailoverContext {
  /** What the index calls its store: the provider of one of the two. */
  readonly name: string;
  /** Provider of the store that is asked first. */
  readonly first: string;
  readonly owner?: StoreOwner | undefined;
  readonly confirm?: ConfirmChunks | undefined;
  /** Every collection of the index. */
  readonly known?: (() => Promise<readonly CollectionSpec[]>) | undefined;
}

/** In the data folder. */
/** Writes of other processes take seconds, and a page of a copy too. */
const WRITE_WAIT_MS = 120_000;
const MEGABYTE = 1024 * 1024;

/** Opens both stores of `rag.failover`. Neither has to answer. */
export async function openFailover(
  config: ResolvedConfig,
  { name, first: provider, owner, confirm, known }: FailoverContext,
): Promise<OpenedFailover> {
  const { failover, degradation, retrieval } = config.rag;
  if (failover === undefined) throw new TypeError('There is no rag.failover.');
  const { secondary, primaryName, dualWrite, maxJournalMb } = failover;
  const { VectorStoreManager } = await import('../../stores/failover/store-manager.js');
  const firstName = primaryName ?? provider;
  if (firstName === secondary.name) throw sameNames(firstName);
  const first = await openFirst(provider, config, owner);
  const second = await openMember(secondary.provider, secondConfig(config));
  const folder = join(config.dataDir, DATA_FOLDERS.failover);
  const manager = new VectorStoreManager({
    stores: {
      [firstName]: first.store,
      [secondary.name]: second.store,
    },
    ...{ folder, name, dualWrite, known },
    maxJournalBytes: maxJournalMb * MEGABYTE,
    failures: degradation.failures,
    retryAfterMs: degradation.retryAfterMs,
    // Of the time that a search has for its store, most is left for the other one.
    patienceMs: Math.ceil(Math.min(degradation.slowStoreMs / 2, retrieval.laneDeadlineMs / 4)),
    exclusively: (what, work) =>
      whileLocked(what === 'write' ? folder : join(folder, what), work, {
        command: 'keep the stores in step',
        waitMs: what === 'write' ? WRITE_WAIT_MS : 0,
      }),
  });
  const guarded = guardedStore(manager.store, { isRemote: true });
  const store = degradation.localWords === true ? await withLocalWords(guarded, config, confirm) : guarded;
  const hasWordsHere = store !== guarded || first.hasWordsHere || second.hasWordsHere;
  return {
    ...{ store, hasWordsHere, manager },
    copiesWords: store !== guarded,
    notices: [...first.notices, ...second.notices],
  };
}

/** What `rag.provider` stands for shows when the index is looked at. */
const sameNames = (name: string): RAGError =>
  new RAGError(
    'CONFIG_INVALID',
    `Both stores of rag.failover are called "${name}": the index is kept in the store "${name}", and rag.failover.secondary is another of that name. Name another kind of store, or give the second one a name: secondary: { provider: ..., name: second }.`,
    { details: { key: 'rag.failover.secondary', value: name } },
  );

async function openFirst(
  provider: string,
  config: ResolvedConfig,
  owner: StoreOwner | undefined,
): Promise<OpenedStore> {
  const own: VectorStore | undefined = config.own?.store;
  if (own !== undefined) return withWords(borrowed(own), config, []);
  const stated = withOriginsOf('rag.failover.primary.storage', config);
  return openMember(provider, stated.origins.size === 0 ? config : stated, owner);
}

async function openMember(
  provider: string,
  config: ResolvedConfig,
  owner?: StoreOwner,
): Promise<OpenedStore> {
  const definition: StoreDefinition | undefined = STORES.find((one) => one.name === provider);
  if (definition === undefined) throw new TypeError(`There is no store "${provider}".`);
  const { store, notices } = await openBare(definition, config, owner);
  return withWords(store, config, notices);
}

async function withWords(
  store: VectorStore,
  config: ResolvedConfig,
  notices: readonly string[],
): Promise<OpenedStore> {
  const lane = await withLexicalLane(store, config);
  return { store: lane, hasWordsHere: lane !== store, copiesWords: false, notices };
}

/** The configuration as it is for the second store: what is kept beside it has a folder of its own. */
function secondConfig(config: ResolvedConfig): ResolvedConfig {
  const { failover } = config.rag;
  if (failover === undefined) throw new TypeError('There is no rag.failover.');
  const { provider, name, storage } = failover.secondary;
  return {
    ...withOriginsOf('rag.failover.secondary.storage', config),
    dataDir: join(config.dataDir, DATA_FOLDERS.failover, name),
    rag: { ...config.rag, provider, storage },
  };
}

/** Stores ask which of their settings are stated. */
function withOriginsOf(place: string, config: ResolvedConfig): ResolvedConfig {
  const origins = new Map<string, ValueOrigin>();
  for (const [path, origin] of config.origins)
    if (path.startsWith(`${place}.`)) origins.set(`rag.storage${path.slice(place.length)}`, origin);
  return { ...config, origins };
}
