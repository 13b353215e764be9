import { statSync } from 'node:fs';
import { join } from 'node:path';
import { type ConfiguredStore, chooseProvider, createStoreFor } from '../assembly/choose-store.js';
import { createChatModelFor, createContextualiserFor } from '../assembly/open-chat-model.js';
import { createBackgroundEmbedderFor, createEmbedderFor } from '../assembly/open-embedder.js';
import { openQueueFor } from '../assembly/open-queue.js';
import { openRedisShelf } from '../assembly/open-redis-shelf.js';
import { createRerankerFor } from '../assembly/open-reranker.js';
import type { ChunkContextualiser } from '../chunking/contextual/chunk-contextualiser.js';
import { packConfig } from '../config/packed-config.js';
import type { ResolvedConfig } from '../config/resolved-config.js';
import { resolveSecrets } from '../config/secret-resolver.js';
import { assertLedgerTrusted, hostedModel, modelNamed, storeAbroad } from '../config/trust/index-reach.js';
import type { ChatModel } from '../core/chat-model.js';
import type { StoredChunk } from '../core/chunk.js';
import { DATA_FILES } from '../core/data-folder.js';
import { DegradationLevel } from '../core/degradation.js';
import { noteAsked, Parts, reach } from '../degradation/parts.js';
import { type Embedder, fingerprintOf } from '../embedding/embedder.js';
import type { EmbeddingCache } from '../embedding/embedding-cache.js';
import { storedDigest } from '../indexing/chunk-digests.js';
import { sealingSettings } from '../indexing/document-protection.js';
import { nothingIndexed, openForReading, otherModel, specOf } from '../indexing/open-collection.js';
import { guardedLedger } from '../ledger/guarded-ledger.js';
import type { GenerationReader, IndexFacts, Ledger } from '../ledger/ledger.js';
import type { LockRequest, WriterLock } from '../ledger/lock.js';
import { Planner } from '../planning/planner.js';
import { ProfileFile } from '../planning/search-profile.js';
import { splitModelName } from '../providers/provider-table.js';
import type { WorkQueue } from '../queue/work-queue.js';
import type { Reranker } from '../reranking/reranker.js';
import { RolloutFile, RolloutMemory, type RolloutTotals } from '../rollout/rollout-totals.js';
import { settingsDigest } from '../searching/cache/cache-key.js';
import { KeptResults, removeKeptResults } from '../searching/cache/kept-results.js';
import { QueryCache } from '../searching/cache/query-cache.js';
import { SemanticIndex } from '../searching/cache/semantic-index.js';
import type { RemoteIndex } from '../searching/found-passages.js';
import { LearningPace, type PushedChunks } from '../searching/learning-pace.js';
import type { SearchProcesses } from '../searching/processes/search-processes.js';
import {
  createAdaptationCheck,
  learnFromCollection,
  type QueryEmbedder,
  queryEmbedderOver,
} from '../searching/query-adaptation.js';
import { createSealing, type MetadataSealing, NO_SEALING, overFolded } from '../security/sealed-metadata.js';
import type { VectorStoreManager } from '../stores/failover/store-manager.js';
import type { VectorCollection, VectorStore } from '../stores/vector-store.js';
import { upgradeRecordOf } from '../upgrading/upgrade-record.js';
import { type LedgerConnections, openConnections } from './ledger-connections.js';
import { SearchTraffic } from './search-traffic.js';
import { Turns } from './turns.js';

/** Longest wait for another host that learns, in milliseconds; it takes seconds. */
const LEARNING_WAIT_MS = 300_000;

/** In the data folder. */

/** An embedding model ready for use, with what a person must know of how it was chosen. */
export interface LoadedEmbedder {
  readonly embedder: Embedder;
  readonly notices: readonly string[];
  /** Vectors kept between runs; absent for a model that is cheaper than a cache. */
  readonly cache?: EmbeddingCache | undefined;
  /** The embedder that reads queries over a generation, by what was learnt of it. */
  readonly forQueries: QueryEmbedder;
}

/** The live generation, as the ledger says now. */
export interface LiveIndex {
  readonly ledger: Ledger;
  readonly facts: IndexFacts;
  readonly reader: GenerationReader;
}

/** A generation, and what says how queries over it are read. */
interface AdaptableIndex {
  readonly facts: IndexFacts;
  readonly ledger: Pick<Ledger, 'learned' | 'reader'>;
}

/** Searching in other processes. */
export interface RemoteSearch {
  /** Closed with the resources. */
  readonly processes?: SearchProcesses | undefined;
  /** @default the index of the configuration in `processes` */
  readonly remote?: RemoteIndex | undefined;
}

/** What an engine opens on first use and closes at the end: ledger, stores, collection, models. */
export class EngineResources {
  readonly config: ResolvedConfig;
  /** The index as other processes search it; absent where this one does. */
  readonly remote: RemoteIndex | undefined;
  readonly processes: SearchProcesses | undefined;
  /** Questions that are being answered with these resources. */
  readonly traffic = new SearchTraffic();
  /** Counts of items that are rolled out. */
  readonly rolloutTotals: RolloutTotals;
  /** What searches can do without for a while. */
  readonly parts: Parts;
  /** What searches with a deadline do. */
  readonly planner: Planner;
  readonly #ledgers: LedgerConnections;
  /** A ledger on a server, and the same for searches. */
  #guarded: { readonly ledger: Ledger; readonly reader: Ledger } | undefined;
  /** By provider: the configured one, and those that hold other generations. */
  readonly #stores = new Map<string, Promise<ConfiguredStore>>();
  /** Of a ledger that was replaced; closed at the end, because somebody may still be reading. */
  readonly #outdatedStores: Promise<ConfiguredStore>[] = [];
  #embedder: Promise<LoadedEmbedder> | undefined;
  readonly #embeddersOf = new Map<string, Promise<LoadedEmbedder>>();
  readonly #openEmbedders = new WeakSet<Promise<LoadedEmbedder>>();
  #reranker: Promise<Reranker> | undefined;
  #queue: Promise<WorkQueue> | undefined;
  readonly #forgets: boolean;
  #queryCache: Promise<QueryCache | undefined> | undefined;
  #chatModel: Promise<ChatModel | undefined> | undefined;
  #contextualiser: Promise<ChunkContextualiser | undefined> | undefined;
  readonly #checkAdaptation = createAdaptationCheck();
  readonly #learningPace = new LearningPace();
  #sealing: Promise<MetadataSealing> | undefined;
  /** Generations without fields under `knowledgeMetadata`. */
  readonly #unfolded = new Set<number>();
  readonly #lockTurns = new Turns();
  #collection: { readonly key: string; readonly open: Promise<VectorCollection> } | undefined;

  constructor(config: ResolvedConfig, { processes, remote = processes?.index(config) }: RemoteSearch = {}) {
    this.config = config;
    this.processes = processes;
    this.remote = remote;
    const { failures, retryAfterMs, slowStoreMs } = config.rag.degradation;
    const limitMs = config.rag.retrieval.laneDeadlineMs;
    this.parts = new Parts({ failures, retryAfterMs, slowStoreMs, limitMs });
    // A store that forgets needs a ledger that forgets.
    const store = config.own?.store;
    const { dataDir, rag } = config;
    const forgets =
      store === undefined
        ? rag.provider === 'memory' || !rag.storage.local.persist
        : !store.capabilities.persistent;
    this.#forgets = forgets;
    this.rolloutTotals = forgets
      ? new RolloutMemory()
      : new RolloutFile(join(dataDir, DATA_FILES.rolloutTotals));
    this.planner = new Planner(new ProfileFile(join(dataDir, DATA_FILES.searchProfile)));
    this.#ledgers = openConnections(config, { dataDir, forgets }, () => this.#letGoOfStores());
  }

  /** The ledger for reading; undefined before the first `index`. */
  async readingLedger(): Promise<Ledger | undefined> {
    const ledger = await this.#ledgers.reading();
    if (ledger === undefined || !this.isShared) return ledger;
    if (this.#guarded?.ledger !== ledger) this.#guarded = { ledger, reader: guardedLedger(ledger) };
    return this.#guarded.reader;
  }

  /** See `LedgerConnections.writing`. */
  writingLedger(options: { readonly check: boolean }): Promise<Ledger> {
    return this.#ledgers.writing(options);
  }

  /** See `LedgerConnections.dry`. */
  dryLedger(): Promise<Ledger> {
    return this.#ledgers.dry();
  }

  /** Other hosts may have the same ledger. */
  get isShared(): boolean {
    const own = this.config.own?.ledger;
    return own === undefined ? this.config.rag.ledger.type === 'postgres' : own.lock !== undefined;
  }

  /**
   * See `LedgerConnections.lock`. Who asks here waits for whoever else of this process holds it, however long: only other processes
   * are told to wait or to come again.
   */
  async lock(request: LockRequest): Promise<WriterLock> {
    if (this.isShared || ['learning', 'upgrading', 'extracting'].includes(request.subject))
      return this.#ledgers.lock(request);
    const leave = await this.#lockTurns.enter(request.signal);
    try {
      const lock = await this.#ledgers.lock(request);
      const release = async (): Promise<void> => {
        try {
          await lock.release();
        } finally {
          leave();
        }
      };
      return { ...lock, release };
    } catch (error) {
      leave();
      throw error;
    }
  }

  /** Whether this process writes the index now, or is about to. */
  get isBeingWritten(): boolean {
    return this.#lockTurns.isTaken;
  }

  /** See `LedgerConnections.assertSame`. */
  assertSameLedger(): void {
    this.#ledgers.assertSame();
  }

  /** See `LedgerConnections.assertThere`. */
  assertLedgerThere(): void {
    this.#ledgers.assertThere();
  }

  /** Removes the ledger's file and lets go of the stores, which may be in it. Hold the writer lock. */
  async discardLedger(): Promise<void> {
    this.#letGoOfStores();
    for (const store of this.#outdatedStores.splice(0))
      await (await store.catch(() => undefined))?.store.close();
    await this.#ledgers.discard();
  }

  /** What searches read now; undefined before the first `index`. */
  live(): Promise<LiveIndex | undefined> {
    return this.isShared ? reach('ledger', () => this.#live()) : this.#live();
  }

  async #live(): Promise<LiveIndex | undefined> {
    const ledger = await this.readingLedger();
    const facts = await ledger?.live();
    if (ledger === undefined || facts === undefined) return undefined;
    return { ledger, facts, reader: ledger.reader(facts.generation) };
  }

  /** The configured store. An index that exists keeps its store under `provider: auto`, unless it is being rebuilt. */
  async store({ rebuild = false }: { rebuild?: boolean } = {}): Promise<ConfiguredStore> {
    const live = rebuild ? undefined : await this.live();
    const { provider, origin } = chooseProvider(this.config, live?.facts.provider);
    return { ...(await this.#openStore(provider)), origin };
  }

  /** What keeps the stores of `rag.failover` in step; undefined where there is one store, or the index is kept elsewhere. */
  async storeManager(): Promise<VectorStoreManager | undefined> {
    if (this.config.rag.failover === undefined) return undefined;
    const live = await this.live();
    if (live !== undefined) return (await this.#openStore(live.facts.provider)).manager;
    return (await this.#openStore(chooseProvider(this.config).provider)).manager;
  }

  /** The store that holds a generation, whatever the configuration names. */
  async storeOf({ provider }: IndexFacts): Promise<VectorStore> {
    return (await this.#openStore(provider)).store;
  }

  /** Says that the index is searched in another store than the configuration names. */
  storeNotice({ provider }: IndexFacts): string[] {
    const configured = chooseProvider(this.config, provider).provider;
    if (configured === provider) return [];
    return [
      `The index is kept in the store "${provider}" and is searched there; the configuration names "${configured}". \`ragstone index --force\` builds it there, beside the present one.`,
    ];
  }

  /** The collection that the ledger names now; another process may have rebuilt the index since the last call. */
  async collection(): Promise<
    LiveIndex & {
      readonly collection: VectorCollection;
      readonly store: VectorStore;
      /** Decrypts what is encrypted of it. */
      readonly sealing: MetadataSealing;
    }
  > {
    const live = await this.live();
    if (live === undefined) throw nothingIndexed(this.config);
    const { facts } = live;
    const store = await this.storeOf(facts);
    const key = `${facts.generation} ${facts.provider} ${facts.collection}`;
    if (this.#collection?.key !== key) {
      const open = openForReading(facts, store);
      this.#collection = { key, open };
      open.catch(() => {
        this.#collection = undefined;
      });
    }
    const sealing = await this.sealing();
    return {
      ...live,
      collection: await this.#collection.open,
      store,
      sealing: (await this.#hasFolded(live)) ? overFolded(sealing) : sealing,
    };
  }

  /** What brings documents of earlier versions in step; undefined where there are none. */
  async sealingOfFolded(): Promise<MetadataSealing | undefined> {
    const live = await this.live();
    return live !== undefined && (await this.#hasFolded(live)) ? this.sealing() : undefined;
  }

  /** Whether documents of earlier versions have fields under `knowledgeMetadata`. Once a generation holds none, none comes again. */
  async #hasFolded({ facts, reader }: LiveIndex): Promise<boolean> {
    if (this.#unfolded.has(facts.generation)) return false;
    const found = (await reader.folded?.({ limit: 1 })) ?? [];
    if (found.length === 0) this.#unfolded.add(facts.generation);
    return found.length > 0;
  }

  /** Encryption as it is configured, its keys fetched on first use. */
  sealing(): Promise<MetadataSealing> {
    this.#sealing ??= openSealing(this.config);
    this.#sealing.catch(() => {
      this.#sealing = undefined;
    });
    return this.#sealing;
  }

  /**
   * The model that the index is written with: the configured one, or the one that an upgrade made the live generation with, for as long
   * as the configuration names what it named then, or that model itself (`rag.embedding.upgrade`).
   */
  async embedder(): Promise<LoadedEmbedder> {
    const configured = await this.configuredEmbedder();
    const facts = (await this.live().catch(() => undefined))?.facts;
    if (facts === undefined || !this.#isUpgraded(facts, configured)) return configured;
    return { ...(await this.embedderOf(facts)), notices: [] };
  }

  /** What a new generation made with `embedder` says of itself, where it follows an upgrade. */
  async upgradeFollowed(): Promise<string | undefined> {
    const configured = await this.configuredEmbedder();
    const facts = (await this.live().catch(() => undefined))?.facts;
    return facts !== undefined && this.#isUpgraded(facts, configured) ? facts.upgrade : undefined;
  }

  #isUpgraded(facts: IndexFacts, { embedder }: Pick<LoadedEmbedder, 'embedder'>): boolean {
    const fingerprint = fingerprintOf(embedder.identity);
    return facts.fingerprint !== fingerprint && upgradeRecordOf(facts)?.configured === fingerprint;
  }

  /** The configured embedding model, loaded on first use. */
  configuredEmbedder(): Promise<LoadedEmbedder> {
    if (this.#embedder !== undefined) return this.#embedder;
    const loading = this.#loadEmbedder(this.config);
    this.#embedder = loading;
    loading.then(
      () => this.#openEmbedders.add(loading),
      () => {
        if (this.#embedder === loading) this.#embedder = undefined;
      },
    );
    return loading;
  }

  /**
   * Models that are still being opened are opened anew when they are next needed: what a service was asked while it was out it may never
   * answer.
   */
  forgetOpening(): void {
    const forget = (loading: Promise<LoadedEmbedder>): boolean => {
      if (this.#openEmbedders.has(loading)) return false;
      loading
        .then(async ({ embedder, cache }) => {
          cache?.close();
          await embedder.close();
        })
        .catch(() => undefined);
      return true;
    };
    if (this.#embedder !== undefined && forget(this.#embedder)) this.#embedder = undefined;
    for (const [fingerprint, loading] of this.#embeddersOf)
      if (forget(loading)) this.#embeddersOf.delete(fingerprint);
  }

  /**
   * The model that made a generation: the configured one, or else the one that the ledger names, with a notice. Throws
   * `STORE_FINGERPRINT_MISMATCH` where neither can be had.
   */
  async embedderOf(facts: IndexFacts): Promise<LoadedEmbedder> {
    const configured = await this.configuredEmbedder();
    if (fingerprintOf(configured.embedder.identity) === facts.fingerprint) return configured;
    let loading = this.#embeddersOf.get(facts.fingerprint);
    if (loading === undefined) {
      const begun = this.#loadEmbedderOf(facts, configured.embedder);
      loading = begun;
      this.#embeddersOf.set(facts.fingerprint, begun);
      begun.then(
        () => this.#openEmbedders.add(begun),
        () => {
          if (this.#embeddersOf.get(facts.fingerprint) === begun) this.#embeddersOf.delete(facts.fingerprint);
        },
      );
    }
    return loading;
  }

  /** The configured reranker, opened on first use. A failure is not remembered: the model may be put in place. */
  reranker(): Promise<Reranker> {
    this.#reranker ??= createRerankerFor(this.config);
    this.#reranker.catch(() => {
      this.#reranker = undefined;
    });
    return this.#reranker;
  }

  /**
   * The configured language model, opened on first use; undefined where `rag.chat.model` names none. A failure (a missing key
   * or package) is not remembered.
   */
  chatModel(): Promise<ChatModel | undefined> {
    this.#chatModel ??= createChatModelFor(this.config);
    this.#chatModel.catch(() => {
      this.#chatModel = undefined;
    });
    return this.#chatModel;
  }

  /**
   * Brings what the model of a generation has learnt of it in step with it; after a push, once enough of its tenant has changed.
   * Hold the writer lock.
   */
  async learnFrom(
    { ledger, facts, collection }: { ledger: Ledger; facts: IndexFacts; collection: VectorCollection },
    {
      signal,
      pushed,
    }: { readonly signal: AbortSignal | undefined; readonly pushed?: PushedChunks | undefined },
  ): Promise<void> {
    if (!this.config.rag.embedding.adaptQueries) return;
    const { embedder } = await this.embedderOf(facts);
    if (embedder.adaptation === undefined) return;
    if (pushed !== undefined && !(await this.#learningPace.isDue(pushed, { ledger, facts }))) return;
    // In turn, so that the last one learns of all that was written before.
    const lock = await ledger.lock?.({
      subject: 'learning',
      command: 'ragstone index: learning',
      waitMs: LEARNING_WAIT_MS,
      signal,
    });
    try {
      await learnFromCollection({ ledger, facts, collection, embedder, signal, only: pushed?.tenant });
      this.#learningPace.learnt(pushed?.tenant);
    } finally {
      await lock?.release();
    }
  }

  /** Says that queries are not read by what was learnt of the index, where they could be. */
  async adaptationNotice({ facts, ledger }: AdaptableIndex): Promise<string[]> {
    if (!this.config.rag.embedding.adaptQueries) return [];
    const problem = await this.#checkAdaptation(facts, ledger);
    return problem === undefined ? [] : [problem];
  }

  /** What writes contexts of chunks, opened on first use; undefined where it is off. */
  contextualiser(): Promise<ChunkContextualiser | undefined> {
    this.#contextualiser ??= createContextualiserFor(this.config);
    this.#contextualiser.catch(() => {
      this.#contextualiser = undefined;
    });
    return this.#contextualiser;
  }

  /** Another text after every change that a search may show; undefined where the ledger cannot tell, or there is none. */
  revision(): Promise<string | undefined> {
    return this.isShared ? reach('ledger', () => this.#revision()) : this.#revision();
  }

  async #revision(): Promise<string | undefined> {
    const ledger = await this.readingLedger();
    const revision = await ledger?.revision?.();
    if (revision === undefined) return undefined;
    // A file that a backup was put back into counts on from an earlier number.
    const file = statSync(this.#ledgers.path, { throwIfNoEntry: false });
    return `${revision}.${file?.ino ?? ''}.${file?.birthtimeMs ?? ''}`;
  }

  /** Results of searches, as `rag.retrieval.cache` says; undefined where none are kept. Opened on first use. */
  queryCache(): Promise<QueryCache | undefined> {
    this.#queryCache ??= openQueryCache(this.config, {
      isForgetful: this.#forgets,
      isDegraded: () => this.parts.level >= DegradationLevel.CACHED_ONLY,
    });
    this.#queryCache.catch(() => {
      this.#queryCache = undefined;
    });
    return this.#queryCache;
  }

  /** Leaves nothing on disk of what searches found before the index changed. A failure is the next search's to deal with. */
  async dropOldResults(): Promise<void> {
    if (!this.config.rag.retrieval.cache.enabled) return;
    try {
      (await this.queryCache())?.dropOld(await this.revision());
    } catch {
      // The revision is read again before anything that is kept is shown.
    }
  }

  /** What hands work to workers, opened on first use. */
  queue(): Promise<WorkQueue> {
    this.#queue ??= openQueueFor(this.config);
    this.#queue.catch(() => {
      this.#queue = undefined;
    });
    return this.#queue;
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
    if (provider !== chooseProvider(this.config).provider)
      assertLedgerTrusted(storeAbroad(provider), this.config);
    const recorded = (await this.live())?.facts;
    const owner = { ledgerPath: this.#ledgers.path, recorded };
    return createStoreFor(this.config, {
      holds: provider,
      owner,
      confirm: (chunks) => this.#ofThisIndex(chunks),
      known: async () => ((await (await this.readingLedger())?.generations()) ?? []).map(specOf),
    });
  }

  /** Of chunks those that the ledger holds as they are: live, and with every word, fact and access rule that it recorded. */
  async #ofThisIndex(chunks: readonly StoredChunk[]): Promise<readonly StoredChunk[]> {
    if (chunks.length === 0) return [];
    const live = await this.live();
    if (live === undefined) return [];
    const digests = new Map<string, string>();
    for (const document of new Set(chunks.map(({ documentId }) => documentId)))
      for (const { chunkId, digest, state } of await live.reader.chunks(document))
        if (state === 'live') digests.set(chunkId, digest);
    return chunks.filter((chunk) => digests.get(chunk.id)?.startsWith(storedDigest(chunk)) === true);
  }

  #letGoOfStores(): void {
    this.#outdatedStores.push(...this.#stores.values());
    this.#stores.clear();
    this.#collection = undefined;
  }

  async #loadEmbedder(config: ResolvedConfig): Promise<LoadedEmbedder> {
    const { embedder: opened, notices } = await createEmbedderFor(config);
    const embedder = notingEmbedder(opened, config);
    const { cache, adaptQueries } = config.rag.embedding;
    if (embedder.isCheap || !cache.enabled)
      return { embedder, notices, forQueries: queryEmbedderOver(embedder, { adapt: adaptQueries }) };
    const { openEmbeddingCache } = await import('../embedding/disk-embedding-cache.js');
    const problems: string[] = [];
    const local = openEmbeddingCache({
      folder: cache.path,
      maxMegabytes: cache.maxSize,
      onProblem: (problem) => problems.push(problem),
    });
    const kept = await sharedBeside(local, config);
    const forQueries = queryEmbedderOver(embedder, { adapt: adaptQueries, kept });
    return { embedder, notices: [...notices, ...problems], cache: kept, forQueries };
  }

  async #loadEmbedderOf(facts: IndexFacts, configured: Embedder): Promise<LoadedEmbedder> {
    const record = upgradeRecordOf(facts);
    const setting = record === undefined ? facts.embedder : record.model;
    if (record === undefined) {
      if (splitModelName(setting) !== undefined) assertLedgerTrusted([hostedModel(setting)], this.config);
    } else if (setting !== this.config.rag.embedding.upgrade)
      assertLedgerTrusted(modelNamed(setting), this.config);
    const loaded = await this.#loadEmbedder(this.#configWith(setting)).catch((error: unknown) => {
      if (record !== undefined) throw error;
    });
    if (loaded === undefined || fingerprintOf(loaded.embedder.identity) !== facts.fingerprint) {
      await loaded?.embedder.close();
      throw otherModel(facts, configured);
    }
    if (this.#isUpgraded(facts, { embedder: configured })) return { ...loaded, notices: [] };
    const notice = `The index was made with the embedding model "${facts.embedder}" and is searched with it; the configuration names "${configured.identity.model}". \`ragstone index --force\` builds it again with that one, beside the present one.`;
    return { ...loaded, notices: [notice] };
  }

  /**
   * A model that vectors are made with behind everything else. Whoever opens it closes it.
   *
   * @param key what names it, for errors
   * @throws RAGError `MODEL_NOT_FOUND` and others of `createBackgroundEmbedderFor`
   */
  async openUpgradeModel(
    setting: string,
    key: string,
  ): Promise<{
    readonly embedder: Embedder;
    readonly fingerprint: string;
    readonly cache: EmbeddingCache | undefined;
    readonly close: () => Promise<void>;
  }> {
    const config = this.#configWith(setting);
    const embedder = await createBackgroundEmbedderFor(config, key);
    const { cache: settings } = config.rag.embedding;
    const isCached = !embedder.isCheap && settings.enabled;
    const { openEmbeddingCache } = await import('../embedding/disk-embedding-cache.js');
    const cache = isCached
      ? openEmbeddingCache({
          folder: settings.path,
          maxMegabytes: settings.maxSize,
          // A cache that cannot be written costs time alone.
          onProblem: () => undefined,
        })
      : undefined;
    const close = async (): Promise<void> => {
      cache?.close();
      await embedder.close();
    };
    return { embedder, fingerprint: fingerprintOf(embedder.identity), cache, close };
  }

  /** The configuration with another embedding model. */
  #configWith(model: string): ResolvedConfig {
    const { rag } = this.config;
    // What was set for the configured model says nothing of another one.
    const { dimensions: _, queryPrefix: _query, documentPrefix: _document, ...embedding } = rag.embedding;
    return {
      ...this.config,
      own: { ...this.config.own, embedder: undefined },
      rag: { ...rag, embedding: { ...embedding, model, fallback: 'error' } },
    };
  }

  async close(): Promise<void> {
    this.remote?.close();
    await this.processes?.close();
    await (await this.#queue?.catch(() => undefined))?.close();
    (await this.#queryCache?.catch(() => undefined))?.close();
    this.#letGoOfStores();
    const stores = await Promise.all(this.#outdatedStores.map((store) => store.catch(() => undefined)));
    for (const opened of stores) await opened?.store.close();
    await this.#ledgers.close();
    const embedders = [this.#embedder, ...this.#embeddersOf.values()];
    for (const loading of embedders) {
      const loaded = await loading?.catch(() => undefined);
      loaded?.cache?.close();
      await loaded?.embedder.close();
    }
    await (await this.#reranker?.catch(() => undefined))?.close();
    await (await this.#chatModel?.catch(() => undefined))?.close();
    await (await this.#contextualiser?.catch(() => undefined))?.close();
  }
}

/** Decrypted metadata, and what only this process finds by parts of its own, stays in its memory. */
async function openQueryCache(
  config: ResolvedConfig,
  { isForgetful, isDegraded }: { readonly isForgetful: boolean; readonly isDegraded: () => boolean },
): Promise<QueryCache | undefined> {
  const { enabled, ttl, maxEntries, redis, semantic: near } = config.rag.retrieval.cache;
  // An earlier configuration kept what is encrypted now.
  if (config.rag.security.encryption.keys.length > 0 || config.keepsNoText === true)
    removeKeptResults(config.dataDir);
  if (!enabled) return undefined;
  const isShared =
    config.rag.security.encryption.keys.length === 0 &&
    config.keepsNoText !== true &&
    packConfig(config) !== undefined;
  const place = { path: ['rag', 'retrieval', 'cache'], what: 'the cache of results' };
  const shared = redis === undefined || !isShared ? undefined : await openRedisShelf(redis, place, config);
  const kept = isShared && !isForgetful ? new KeptResults({ folder: config.dataDir, maxEntries }) : undefined;
  const semantic = near.enabled
    ? new SemanticIndex({ threshold: near.threshold, maxEntries, ttl })
    : undefined;
  return new QueryCache({
    ttl,
    maxEntries,
    settings: settingsDigest(config),
    shared,
    kept,
    isDegraded,
    semantic,
  });
}

/** The cache of this host, before the server that `rag.embedding.cache.redis` names. */
async function sharedBeside(local: EmbeddingCache, config: ResolvedConfig): Promise<EmbeddingCache> {
  const { redis, ttl } = config.rag.embedding.cache;
  if (redis === undefined) return local;
  const { tieredEmbeddingCache } = await import('../embedding/tiered-embedding-cache.js');
  const place = { path: ['rag', 'embedding', 'cache'], what: 'the cache of vectors' };
  return tieredEmbeddingCache(local, await openRedisShelf(redis, place, config), ttl);
}

async function openSealing(config: ResolvedConfig): Promise<MetadataSealing> {
  const { encryption } = config.rag.security;
  if (encryption.keys.length === 0) return NO_SEALING;
  await resolveSecrets(encryption, ['rag', 'security', 'encryption'], config);
  return createSealing(sealingSettings(config));
}

/** Tells a search that it asks the model of a service, and not what is kept of its vectors. */
function notingEmbedder(embedder: Embedder, { rag, own }: ResolvedConfig): Embedder {
  if (splitModelName(rag.embedding.model) === undefined && own?.embedder === undefined) return embedder;
  const doEmbed: Embedder['doEmbed'] = (...asked) => {
    noteAsked('embedder');
    return embedder.doEmbed(...asked);
  };
  return new Proxy(embedder, {
    get: (target, name) => {
      if (name === 'doEmbed') return doEmbed;
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === 'function' ? (member.bind(target) as unknown) : member;
    },
  });
}
