import type { ChunkContextualiser } from '../../chunking/contextual/chunk-contextualiser.js';
import type { ResolvedConfig } from '../../config/resolved-config.js';
import { assertLedgerTrusted, hostedModel, modelNamed } from '../../config/trust/index-reach.js';
import type { ChatModel } from '../../core/chat-model.js';
import { OpenedOnce } from '../../core/shared-load.js';
import { type Embedder, fingerprintOf } from '../../embedding/embedder.js';
import type { EmbeddingCache } from '../../embedding/embedding-cache.js';
import type { Generation, Ledger } from '../../ledger/ledger.js';
import { markCalled } from '../../platform/degradation/breakers.js';
import { splitModelName } from '../../platform/providers/provider-table.js';
import type { Reranker } from '../../reranking/reranker.js';
import type { VectorCollection } from '../../stores/vector-store.js';
import { createChatModelFor, createContextualiserFor } from '../assembly/open-chat-model.js';
import { createBackgroundEmbedderFor, createEmbedderFor } from '../assembly/open-embedder.js';
import { openRedisShelf } from '../assembly/open-redis-shelf.js';
import { createRerankerFor } from '../assembly/open-reranker.js';
import { openVectorCacheFor } from '../assembly/open-vector-cache.js';
import { LearningPace, type PushedChunks } from '../learning-pace.js';
import { otherModel } from '../open-collection.js';
import {
  createAdaptationCheck,
  learnFromCollection,
  type QueryEmbedder,
  queryEmbedderOver,
} from '../query-adaptation.js';
import { upgradeRecordOf } from '../upgrade-record.js';
import type { LedgerHandle } from './ledger-handle.js';

/** Longest wait for another host that learns, in milliseconds; it takes seconds. */
const LEARNING_WAIT_MS = 300_000;

/** An embedding model ready for use, with what a person must know of how it was chosen. */
export interface LoadedEmbedder {
  readonly embedder: Embedder;
  readonly notices: readonly string[];
  /** Vectors kept between runs; absent for a model that is cheaper than a cache. */
  readonly cache?: EmbeddingCache | undefined;
  /** The embedder that reads queries over a generation, by what was learnt of it. */
  readonly forQueries: QueryEmbedder;
}

/** A generation, and what says how queries over it are read. */
interface AdaptableIndex {
  readonly facts: Generation;
  readonly ledger: Pick<Ledger, 'learned' | 'reader'>;
}

/** The models of an engine, each opened on first use. */
export class ModelHandle {
  /** The configured reranker. A failure is not remembered: the model may be put in place. */
  readonly reranker: OpenedOnce<Reranker>;
  /** The configured language model; undefined where `rag.chat.model` names none. */
  readonly chatModel: OpenedOnce<ChatModel | undefined>;
  /** What writes contexts of chunks; undefined where it is off. */
  readonly contextualiser: OpenedOnce<ChunkContextualiser | undefined>;
  readonly #config: ResolvedConfig;
  readonly #ledger: LedgerHandle;
  #embedder: Promise<LoadedEmbedder> | undefined;
  readonly #embeddersOf = new Map<string, Promise<LoadedEmbedder>>();
  readonly #openEmbedders = new WeakSet<Promise<LoadedEmbedder>>();
  readonly #checkAdaptation = createAdaptationCheck();
  readonly #learningPace = new LearningPace();

  constructor(config: ResolvedConfig, ledger: LedgerHandle) {
    this.#config = config;
    this.#ledger = ledger;
    this.reranker = new OpenedOnce(() => createRerankerFor(config));
    this.chatModel = new OpenedOnce(() => createChatModelFor(config));
    this.contextualiser = new OpenedOnce(() => createContextualiserFor(config));
  }

  /**
   * The model that the index is written with: the configured one, or the one that an upgrade made the live generation with, for as long
   * as the configuration names what it named then, or that model itself (`rag.embedding.upgrade`).
   */
  async embedder(): Promise<LoadedEmbedder> {
    const configured = await this.configuredEmbedder();
    const facts = (await this.#ledger.live().catch(() => undefined))?.facts;
    if (facts === undefined || !this.#isUpgraded(facts, configured)) return configured;
    return { ...(await this.embedderOf(facts)), notices: [] };
  }

  /** What a new generation made with `embedder` says of itself, where it follows an upgrade. */
  async upgradeFollowed(): Promise<string | undefined> {
    const configured = await this.configuredEmbedder();
    const facts = (await this.#ledger.live().catch(() => undefined))?.facts;
    return facts !== undefined && this.#isUpgraded(facts, configured) ? facts.upgrade : undefined;
  }

  #isUpgraded(facts: Generation, { embedder }: Pick<LoadedEmbedder, 'embedder'>): boolean {
    const fingerprint = fingerprintOf(embedder.identity);
    return facts.fingerprint !== fingerprint && upgradeRecordOf(facts)?.configured === fingerprint;
  }

  /** The configured embedding model, loaded on first use. */
  configuredEmbedder(): Promise<LoadedEmbedder> {
    if (this.#embedder !== undefined) return this.#embedder;
    const loading = this.#loadEmbedder(this.#config);
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
  async embedderOf(facts: Generation): Promise<LoadedEmbedder> {
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

  /**
   * Brings what the model of a generation has learnt of it in step with it; after a push, once enough of its tenant has changed.
   * Hold the writer lock.
   */
  async learnFrom(
    { ledger, facts, collection }: { ledger: Ledger; facts: Generation; collection: VectorCollection },
    {
      signal,
      pushed,
    }: { readonly signal: AbortSignal | undefined; readonly pushed?: PushedChunks | undefined },
  ): Promise<void> {
    if (!this.#config.rag.embedding.adaptQueries) return;
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
    if (!this.#config.rag.embedding.adaptQueries) return [];
    const problem = await this.#checkAdaptation(facts, ledger);
    return problem === undefined ? [] : [problem];
  }

  async #loadEmbedder(config: ResolvedConfig): Promise<LoadedEmbedder> {
    const { embedder: opened, notices } = await createEmbedderFor(config);
    const embedder = notingEmbedder(opened, config);
    const { adaptQueries } = config.rag.embedding;
    const problems: string[] = [];
    const local = embedder.isCheap
      ? undefined
      : await openVectorCacheFor(config, (problem) => problems.push(problem));
    if (local === undefined)
      return { embedder, notices, forQueries: queryEmbedderOver(embedder, { adapt: adaptQueries }) };
    const kept = await sharedBeside(local, config);
    const forQueries = queryEmbedderOver(embedder, { adapt: adaptQueries, kept });
    return { embedder, notices: [...notices, ...problems], cache: kept, forQueries };
  }

  async #loadEmbedderOf(facts: Generation, configured: Embedder): Promise<LoadedEmbedder> {
    const record = upgradeRecordOf(facts);
    const setting = record === undefined ? facts.embedder : record.model;
    if (record === undefined) {
      if (splitModelName(setting) !== undefined) assertLedgerTrusted([hostedModel(setting)], this.#config);
    } else if (setting !== this.#config.rag.embedding.upgrade)
      assertLedgerTrusted(modelNamed(setting), this.#config);
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
   * A model that vectors are made with behind everything else. The caller closes it.
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
    // A cache that cannot be written costs time alone.
    const cache = embedder.isCheap ? undefined : await openVectorCacheFor(config);
    const close = async (): Promise<void> => {
      cache?.close();
      await embedder.close();
    };
    return { embedder, fingerprint: fingerprintOf(embedder.identity), cache, close };
  }

  /** The configuration with another embedding model. */
  #configWith(model: string): ResolvedConfig {
    const { rag } = this.#config;
    // What was set for the configured model says nothing of another one.
    const {
      dimensions: _,
      queryPrefix: _query,
      documentPrefix: _document,
      sha256: _sha256,
      ...embedding
    } = rag.embedding;
    return {
      ...this.#config,
      own: { ...this.#config.own, embedder: undefined },
      rag: { ...rag, embedding: { ...embedding, model, fallback: 'error' } },
    };
  }

  async close(): Promise<void> {
    for (const loading of [this.#embedder, ...this.#embeddersOf.values()]) {
      const loaded = await loading?.catch(() => undefined);
      loaded?.cache?.close();
      await loaded?.embedder.close();
    }
    await (await this.reranker.opened())?.close();
    await (await this.chatModel.opened())?.close();
    await (await this.contextualiser.opened())?.close();
  }
}

/** The cache of this host, before the server that `rag.embedding.cache.redis` names. */
async function sharedBeside(local: EmbeddingCache, config: ResolvedConfig): Promise<EmbeddingCache> {
  const { redis, ttl } = config.rag.embedding.cache;
  if (redis === undefined) return local;
  const { tieredEmbeddingCache } = await import('../../embedding/tiered-embedding-cache.js');
  const place = { path: ['rag', 'embedding', 'cache'], what: 'the cache of vectors', ttl };
  return tieredEmbeddingCache(local, await openRedisShelf(redis, place, config), ttl);
}

/** Tells a search that it asks the model of a service, and not what is kept of its vectors. */
function notingEmbedder(embedder: Embedder, { rag, own }: ResolvedConfig): Embedder {
  if (splitModelName(rag.embedding.model) === undefined && own?.embedder === undefined) return embedder;
  const doEmbed: Embedder['doEmbed'] = (...asked) => {
    markCalled('embedder');
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
