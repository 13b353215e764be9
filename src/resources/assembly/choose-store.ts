import { isInstalled } from '../../config/models.js';
import type { ResolvedConfig } from '../../config/resolved-config.js';
import { RAGError } from '../../core/errors.js';
import { STORES } from '../../stores/definitions.js';
import type { VectorStoreManager } from '../../stores/failover/store-manager.js';
import { guardedStore } from '../../stores/guarded-store.js';
import type { StoreDefinition, StoreOwner } from '../../stores/store-definition.js';
import type { CollectionSpec, VectorStore } from '../../stores/vector-store.js';
import { openFailover } from './open-failover.js';
import {
  type ConfirmChunks,
  type OpenedStore,
  openStore,
  withLexicalLane,
  withLocalWords,
} from './open-store.js';
import { borrowed } from './own-parts.js';

/** Which store a configuration comes down to on this machine, and why, in words. */
export interface ProviderChoice {
  readonly provider: string;
  readonly origin: string;
}

/** A store, how it was chosen, and what a person must know about its opening. */
export interface ConfiguredStore extends ProviderChoice, OpenedStore {
  /** What keeps several stores in step, where `rag.failover` names a second one. */
  readonly manager?: VectorStoreManager | undefined;
}

/** A built-in store by its name. */
export const storeDefinition = (name: string): StoreDefinition | undefined =>
  STORES.find((definition) => definition.name === name);

/**
 * Chooses the store. `auto` keeps to what an existing index was made with, else takes LanceDB where it is installed, else
 * libSQL, which always is.
 *
 * @param recorded provider of the existing index, where there is one.
 * @throws RAGError `CONFIG_INVALID` for a store that cannot be shared as the ledger is.
 */
export function chooseProvider(config: ResolvedConfig, recorded?: string): ProviderChoice {
  const choice = providerOf(config, recorded);
  if (config.rag.ledger.type === 'postgres' && !canBeShared(choice, config))
    throw new RAGError(
      'CONFIG_INVALID',
      `rag.ledger.type is \`postgres\`, for hosts that share one index, and the store "${choice.provider}" (${choice.origin}) keeps chunks or words in files of this host. Set rag.provider to one of ${sharedStores.join(', ')}, or leave rag.ledger out.`,
      { details: { key: 'rag.provider', value: choice.provider } },
    );
  return choice;
}

const sharedStores = STORES.filter(({ isShared = false }: StoreDefinition) => isShared).map(
  ({ name }) => name,
);

/** A store of one's own is taken where nothing has to be kept beside it. */
function canBeShared({ provider }: ProviderChoice, { own }: ResolvedConfig): boolean {
  if (own?.store?.name !== provider) return sharedStores.some((name) => name === provider);
  const { persistent, lexical } = own.store.capabilities;
  return persistent && lexical !== 'none';
}

function providerOf(config: ResolvedConfig, recorded: string | undefined): ProviderChoice {
  const isManaged = recorded !== undefined && firstManaged(recorded, config, recorded) !== undefined;
  return isManaged
    ? { provider: recorded, origin: 'it is one of the stores of rag.failover' }
    : firstOf(config, recorded);
}

/**
 * The store of `rag.failover` that is asked first, where an index whose store has this name is kept in both of them.
 *
 * @param recorded provider of the index that is searched now
 */
function firstManaged(
  provider: string,
  config: ResolvedConfig,
  recorded: string | undefined,
): string | undefined {
  const { failover } = config.rag;
  if (failover === undefined) return undefined;
  const first = firstOf(config, recorded).provider;
  return provider === first || provider === failover.secondary.provider ? first : undefined;
}

/** The configured store, and the first one where there are two. */
function firstOf(config: ResolvedConfig, recorded: string | undefined): ProviderChoice {
  const { provider, storage } = config.rag;
  const own = config.own?.store?.name;
  if (own !== undefined) return { provider: own, origin: 'it was handed to createEngine' };
  const named = provider === 'auto' ? undefined : storeDefinition(provider);
  if (!storage.local.persist) return { provider: 'memory', origin: 'rag.storage.local.persist is false' };
  if (named !== undefined)
    return { provider: named.standsFor ?? named.name, origin: `rag.provider is ${provider}` };
  if (recorded !== undefined) return { provider: recorded, origin: 'auto: the index was made with it' };
  return isInstalled('@lancedb/lancedb')
    ? { provider: 'lancedb', origin: 'auto: @lancedb/lancedb is installed' }
    : { provider: 'libsql', origin: 'auto: @lancedb/lancedb is not installed' };
}

/**
 * Opens the configured store (see `chooseProvider`), or the one that `holds` an index. Loads its driver and no other.
 *
 * @throws RAGError `CONFIG_INVALID` where the one that holds an index was handed in by a program, and is not now.
 */
export async function createStoreFor(
  config: ResolvedConfig,
  options: {
    recorded?: string | undefined;
    holds?: string | undefined;
    owner?: StoreOwner;
    /** Needed for a copy of the store's words beside the ledger. @default no copy */
    confirm?: ConfirmChunks;
    /** Every collection of the index, for a second store. */
    known?: () => Promise<readonly CollectionSpec[]>;
  } = {},
): Promise<ConfiguredStore> {
  const { holds } = options;
  const choice: ProviderChoice =
    holds === undefined
      ? chooseProvider(config, options.recorded)
      : { provider: holds, origin: 'the index is kept in it' };
  const { owner, confirm, known } = options;
  const first = firstManaged(choice.provider, config, owner?.recorded?.provider ?? options.recorded);
  if (first !== undefined) {
    const { provider: name } = choice;
    return { ...choice, ...(await openFailover(config, { name, first, owner, confirm, known })) };
  }
  const own = config.own?.store;
  if (own?.name === choice.provider)
    return { ...choice, ...(await ownStore(own, config, options.confirm)), notices: [] };
  const definition = storeDefinition(choice.provider);
  if (definition === undefined) throw notHandedIn(choice.provider);
  return { ...choice, ...(await openStore(definition, config, options.owner, options.confirm)) };
}

async function ownStore(
  own: VectorStore,
  config: ResolvedConfig,
  confirm: ConfirmChunks | undefined,
): Promise<Omit<OpenedStore, 'notices'>> {
  const store = guardedStore(borrowed(own), { isRemote: true });
  const lane = await withLexicalLane(store, config);
  const wantsCopy = lane === store && config.rag.degradation.localWords === true;
  const worded = wantsCopy ? await withLocalWords(store, config, confirm) : lane;
  return { store: worded, hasWordsHere: worded !== store, copiesWords: worded !== lane };
}

const notHandedIn = (provider: string): RAGError =>
  new RAGError(
    'CONFIG_INVALID',
    `The index is kept in the store "${provider}", which is none of Ragstone's own: the program that made the index handed it in. Open it with createEngine({ store }) and a store of that name, or build the index anew in the configured store: \`ragstone index --force\`.`,
    { details: { provider } },
  );
