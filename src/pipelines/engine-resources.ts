import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ChatModel } from '../answering/chat-model.js';
import type { ChunkContextualiser } from '../chunking/contextual/chunk-contextualiser.js';
import {
  type ConfiguredStore,
  createChatModelFor,
  createContextualiserFor,
  createEmbedderFor,
  createRerankerFor,
  createStoreFor,
} from '../config/registry.js';
import type { ResolvedConfig } from '../config/resolved-config.js';
import { RAGError } from '../core/errors.js';
import { withQueryCache } from '../embedding/cached-embedder.js';
import type { Embedder } from '../embedding/embedder.js';
import type { EmbeddingCache } from '../embedding/embedding-cache.js';
import type { IndexFacts, Ledger } from '../ledger/ledger.js';
import { discardLedger, openLedger } from '../ledger/open-ledger.js';
import type { Reranker } from '../reranking/reranker.js';
import type { VectorCollection, VectorStore } from '../stores/vector-store.js';
import { nothingIndexed, openForReading } from './open-collection.js';
import {
  type AdaptationCheck,
  createAdaptationCheck,
  learnFromCollection,
  type QueryEmbedder,
  queryEmbedderOver,
} from './query-adaptation.js';

/** An embedding model ready for use, with what a person must know of how it was chosen. */
export interface LoadedEmbedder {
  readonly embedder: Embedder;
  readonly notices: readonly string[];
  /** Vectors kept between runs; absent for a model that is cheaper than a cache. */
  readonly cache?: EmbeddingCache;
  /** The embedder that reads queries over an index, by what was learnt of it. */
  readonly forQueries: QueryEmbedder;
}

/** What an engine opens on first use and closes at the end: ledger, store, collection, model. */
export class EngineResources {
  readonly config: ResolvedConfig;
  readonly #ledgerFolder: string;
  readonly #temporaryFolders: string[] = [];
  #reading: Ledger | undefined;
  #writing: Ledger | undefined;
  #store: Promise<ConfiguredStore> | undefined;
  #embedder: Promise<LoadedEmbedder> | undefined;
  #reranker: Promise<Reranker> | undefined;
  #chatModel: Promise<ChatModel | undefined> | undefined;
  #contextualiser: Promise<ChunkContextualiser | undefined> | undefined;
  readonly #checkAdaptation: AdaptationCheck;
  #collection: { readonly facts: string; readonly open: Promise<VectorCollection> } | undefined;

  constructor(config: ResolvedConfig) {
    this.config = config;
    // A store that forgets needs a ledger that forgets.
    this.#ledgerFolder = this.#isVolatile() ? this.#temporaryFolder() : config.dataDir;
    this.#checkAdaptation = createAdaptationCheck(this.#ledgerFolder);
  }

  #isVolatile(): boolean {
    return this.config.rag.provider === 'memory' || !this.config.rag.storage.local.persist;
  }

  #temporaryFolder(): string {
    const folder = mkdtempSync(join(tmpdir(), 'ragstone-'));
    this.#temporaryFolders.push(folder);
    return folder;
  }

  get #ledgerPath(): string {
    return join(this.#ledgerFolder, 'ledger.db');
  }

  /** The ledger for reading; undefined before the first `index`. */
  readingLedger(): Ledger | undefined {
    if (this.#writing !== undefined) return this.#writing;
    if (this.#reading === undefined && existsSync(this.#ledgerPath)) {
      this.#reading = openLedger({ path: this.#ledgerPath, readOnly: true });
    }
    return this.#reading;
  }

  /**
   * The ledger for writing. Hold the writer lock. Throws `INDEX_DAMAGED` where it cannot be opened, and with `check` also
   * where only a part of the file is unsound.
   */
  writingLedger({ check }: { check: boolean }): Ledger {
    if (this.#writing !== undefined) return this.#writing;
    this.#reading?.close();
    this.#reading = undefined;
    const ledger = openLedger({ path: this.#ledgerPath });
    const problems = check ? ledger.integrity() : [];
    if (problems.length > 0) {
      ledger.close();
      throw new RAGError(
        'INDEX_DAMAGED',
        `The index's ledger ${this.#ledgerPath} is damaged: ${problems.slice(0, 3).join('; ')}`,
      );
    }
    this.#writing = ledger;
    return ledger;
  }

  /** The reading ledger, or an empty one that is thrown away: a dry run leaves no trace. */
  dryLedger(): Ledger {
    const ledger = this.readingLedger();
    if (ledger !== undefined) return ledger;
    this.#reading = openLedger({ path: join(this.#temporaryFolder(), 'ledger.db') });
    return this.#reading;
  }

  /** Forgets the ledger's file, and closes the store, which may be in it. Hold the writer lock. */
  async discardLedger(): Promise<void> {
    this.#closeLedgers();
    const store = await this.#store?.catch(() => undefined);
    this.#store = undefined;
    this.#collection = undefined;
    await store?.store.close();
    discardLedger(this.#ledgerPath);
  }

  /** The configured store. An index that exists keeps its store under `provider: auto`, unless it is being rebuilt. */
  async store({ rebuild = false }: { rebuild?: boolean } = {}): Promise<ConfiguredStore> {
    if (this.#store === undefined || rebuild) {
      const facts = this.readingLedger()?.facts();
      const before = this.#store;
      this.#store = createStoreFor(this.config, {
        ...(rebuild || facts === undefined ? {} : { recorded: facts.provider }),
        owner: { ledgerPath: this.#ledgerPath, recorded: facts },
      });
      this.#collection = undefined;
      await (await before)?.store.close();
    }
    return this.#store;
  }

  /** The collection that the ledger names now; another process may have rebuilt the index since the last call. */
  async collection(): Promise<{
    readonly collection: VectorCollection;
    readonly facts: IndexFacts;
    readonly store: VectorStore;
  }> {
    const ledger = this.readingLedger();
    const facts = ledger?.facts();
    if (facts === undefined) throw nothingIndexed();
    const { store } = await this.store();
    const key = JSON.stringify(facts);
    if (this.#collection?.facts !== key) {
      const open = openForReading(facts, store);
      this.#collection = { facts: key, open };
      open.catch(() => {
        this.#collection = undefined;
      });
    }
    return { collection: await this.#collection.open, facts, store };
  }

  /** The configured embedding model, loaded on first use. */
  embedder(): Promise<LoadedEmbedder> {
    this.#embedder ??= this.#loadEmbedder();
    this.#embedder.catch(() => {
      this.#embedder = undefined;
    });
    return this.#embedder;
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

  /** Brings what the embedder has learnt of the collection in step with it. Hold the writer lock. */
  async learnFromCollection(signal: AbortSignal | undefined): Promise<void> {
    const ledger = this.readingLedger();
    if (ledger?.facts() === undefined || !this.config.rag.embedding.adaptQueries) return;
    const [{ collection }, { embedder }] = await Promise.all([this.collection(), this.embedder()]);
    await learnFromCollection({ ledger, collection, embedder, folder: this.#ledgerFolder, signal });
  }

  /** Says that queries are not read by what was learnt of the index, where they could be. */
  adaptationNotice(): string[] {
    const ledger = this.readingLedger();
    if (ledger === undefined || !this.config.rag.embedding.adaptQueries) return [];
    const problem = this.#checkAdaptation(ledger);
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

  async #loadEmbedder(): Promise<LoadedEmbedder> {
    const { embedder, notices } = await createEmbedderFor(this.config);
    const { cache, adaptQueries } = this.config.rag.embedding;
    const cached = withQueryCache(embedder);
    const forQueries = adaptQueries ? queryEmbedderOver(cached, this.#ledgerFolder) : () => cached;
    if (embedder.isCheap || !cache.enabled) return { embedder: cached, notices, forQueries };
    const { openEmbeddingCache } = await import('../embedding/disk-embedding-cache.js');
    const problems: string[] = [];
    const opened = openEmbeddingCache({
      folder: cache.path,
      maxMegabytes: cache.maxSize,
      onProblem: (problem) => problems.push(problem),
    });
    return { embedder: cached, notices: [...notices, ...problems], cache: opened, forQueries };
  }

  #closeLedgers(): void {
    this.#reading?.close();
    this.#writing?.close();
    this.#reading = undefined;
    this.#writing = undefined;
  }

  async close(): Promise<void> {
    this.#closeLedgers();
    const store = await this.#store?.catch(() => undefined);
    await store?.store.close();
    const loaded = await this.#embedder?.catch(() => undefined);
    loaded?.cache?.close();
    await loaded?.embedder.close();
    await (await this.#reranker?.catch(() => undefined))?.close();
    await (await this.#chatModel?.catch(() => undefined))?.close();
    await (await this.#contextualiser?.catch(() => undefined))?.close();
    for (const folder of this.#temporaryFolders) rmSync(folder, { recursive: true, force: true });
  }
}
