import type { ResolvedConfig } from '../../config/resolved-config.js';
import { resolveSecrets } from '../../config/secret-resolver.js';
import { assertLedgerTrusted, storeAbroad } from '../../config/trust/index-reach.js';
import type { StoredChunk } from '../../core/chunk.js';
import { OpenedOnce } from '../../core/shared-load.js';
import type { Generation } from '../../ledger/ledger.js';
import {
  createSealing,
  type MetadataSealing,
  NO_SEALING,
  overFolded,
} from '../../platform/security/sealed-metadata.js';
import type { VectorStoreManager } from '../../stores/failover/store-manager.js';
import type { VectorCollection, VectorStore } from '../../stores/vector-store.js';
import { type ConfiguredStore, chooseProvider, createStoreFor } from '../assembly/choose-store.js';
import { storedDigest } from '../chunk-digests.js';
import { sealingSettings } from '../document-protection.js';
import { nothingIndexed, openForReading, specOf } from '../open-collection.js';
import type { LedgerHandle, LiveIndex } from './ledger-handle.js';

/** The live generation in its store. */
export interface LiveCollection extends LiveIndex {
  readonly collection: VectorCollection;
  readonly store: VectorStore;
  /** Decrypts what is encrypted of it. */
  readonly sealing: MetadataSealing;
}

/** The stores of an engine by provider: the configured one, and those that hold other generations. Each is opened on first use. */
export class StoreHandle {
  readonly #config: ResolvedConfig;
  readonly #ledger: LedgerHandle;
  readonly #stores = new Map<string, Promise<ConfiguredStore>>();
  /** Of a ledger that was replaced; closed at the end, because somebody may still be reading. */
  readonly #outdated: Promise<ConfiguredStore>[] = [];
  /** Encryption as it is configured, with its keys. */
  readonly sealing: OpenedOnce<MetadataSealing>;
  /** Generations without fields under `knowledgeMetadata`. */
  readonly #unfolded = new Set<number>();
  #collection: { readonly key: string; readonly open: Promise<VectorCollection> } | undefined;

  constructor(config: ResolvedConfig, ledger: LedgerHandle) {
    this.#config = config;
    this.#ledger = ledger;
    this.sealing = new OpenedOnce(() => openSealing(config));
  }

  /** The configured store. An index that exists keeps its store under `provider: auto`, unless it is being rebuilt; where there are two, also then. */
  async configured({ rebuild = false }: { rebuild?: boolean } = {}): Promise<ConfiguredStore> {
    const isKept = !rebuild || this.#config.rag.failover !== undefined;
    const live = isKept ? await this.#ledger.live() : undefined;
    const { provider, origin } = chooseProvider(this.#config, live?.facts.provider);
    return { ...(await this.#openStore(provider)), origin };
  }

  /** What keeps the stores of `rag.failover` in step; undefined where there is one store, or the index is kept elsewhere. */
  async manager(): Promise<VectorStoreManager | undefined> {
    if (this.#config.rag.failover === undefined) return undefined;
    const live = await this.#ledger.live();
    if (live !== undefined) return (await this.#openStore(live.facts.provider)).manager;
    return (await this.#openStore(chooseProvider(this.#config).provider)).manager;
  }

  /** The store that holds a generation, whatever the configuration names. */
  async of({ provider }: Generation): Promise<VectorStore> {
    return (await this.#openStore(provider)).store;
  }

  /** Whether words of a generation are copied from its server to this host. */
  async copiesWords({ provider }: Generation): Promise<boolean> {
    return (await this.#openStore(provider)).copiesWords;
  }

  /** Says that the index is searched in another store than the configuration names. */
  notice({ provider }: Generation): string[] {
    const configured = chooseProvider(this.#config, provider).provider;
    if (configured === provider) return [];
    return [
      `The index is kept in the store "${provider}" and is searched there; the configuration names "${configured}". \`ragstone index --force\` builds it there, beside the present one.`,
    ];
  }

  /** The collection that the ledger names now; another process may have rebuilt the index since the last call. */
  async collection(): Promise<LiveCollection> {
    const live = await this.#ledger.live();
    if (live === undefined) throw nothingIndexed(this.#config);
    const { facts } = live;
    const store = await this.of(facts);
    const key = `${facts.generation} ${facts.provider} ${facts.collection}`;
    if (this.#collection?.key !== key) {
      const open = openForReading(facts, store);
      this.#collection = { key, open };
      open.catch(() => {
        this.#collection = undefined;
      });
    }
    const sealing = await this.sealing.open();
    return {
      ...live,
      collection: await this.#collection.open,
      store,
      sealing: (await this.#hasFolded(live)) ? overFolded(sealing) : sealing,
    };
  }

  /** What brings documents of earlier versions in step; undefined where there are none. */
  async sealingOfFolded(): Promise<MetadataSealing | undefined> {
    const live = await this.#ledger.live();
    return live !== undefined && (await this.#hasFolded(live)) ? this.sealing.open() : undefined;
  }

  /** Whether documents of earlier versions have fields under `knowledgeMetadata`. Once a generation holds none, none comes again. */
  async #hasFolded({ facts, reader }: LiveIndex): Promise<boolean> {
    if (this.#unfolded.has(facts.generation)) return false;
    const found = (await reader.folded?.({ limit: 1 })) ?? [];
    if (found.length === 0) this.#unfolded.add(facts.generation);
    return found.length > 0;
  }

  #openStore(provider: string): Promise<ConfiguredStore> {
    let store = this.#stores.get(provider);
    if (store === undefined) {
      store = this.#createStore(provider);
      this.#stores.set(provider, store);
      store.catch(() => this.#stores.delete(provider));
    }
    return store;
  }

  async #createStore(provider: string): Promise<ConfiguredStore> {
    if (provider !== chooseProvider(this.#config).provider)
      assertLedgerTrusted(storeAbroad(provider), this.#config);
    const recorded = (await this.#ledger.live())?.facts;
    const owner = { ledgerPath: this.#ledger.path, recorded };
    return createStoreFor(this.#config, {
      holds: provider,
      owner,
      confirm: (chunks) => this.#ofThisIndex(chunks),
      known: async () => ((await (await this.#ledger.reading())?.generations()) ?? []).map(specOf),
    });
  }

  /** Of chunks those that the ledger holds as they are: live, and with every word, fact and access rule that it recorded. */
  async #ofThisIndex(chunks: readonly StoredChunk[]): Promise<readonly StoredChunk[]> {
    if (chunks.length === 0) return [];
    const live = await this.#ledger.live();
    if (live === undefined) return [];
    const digests = new Map<string, string>();
    for (const document of new Set(chunks.map(({ documentId }) => documentId)))
      for (const { chunkId, digest, state } of await live.reader.chunks(document))
        if (state === 'live') digests.set(chunkId, digest);
    return chunks.filter((chunk) => digests.get(chunk.id)?.startsWith(storedDigest(chunk)) === true);
  }

  /** Forgets what is open, because what it was opened for is gone; it is closed at the end. */
  letGo(): void {
    this.#outdated.push(...this.#stores.values());
    this.#stores.clear();
    this.#collection = undefined;
  }

  /** Lets go of all, and closes them. */
  async close(): Promise<void> {
    this.letGo();
    for (const opened of this.#outdated.splice(0)) await (await opened.catch(() => undefined))?.store.close();
  }
}

async function openSealing(config: ResolvedConfig): Promise<MetadataSealing> {
  const { encryption } = config.rag.security;
  if (encryption.keys.length === 0) return NO_SEALING;
  await resolveSecrets(encryption, ['rag', 'security', 'encryption'], config);
  return createSealing(sealingSettings(config));
}
