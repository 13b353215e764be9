import { BUILT_PROVIDERS } from '../../config/schema/storage.js';
import { RAGError } from '../../core/errors.js';
import { withoutUndefined } from '../../core/without-undefined.js';

/** Settings of a `KnowledgeStoreConfig`, under either naming. */
export interface KnowledgeStoreSettings {
  /**
   * What keeps the documents: `embedded`, or any `rag.provider` (`chroma`, `postgres`, `elasticsearch`, `opensearch`, ...). @default see
   * `getKnowledgeStore`
   */
  readonly backend?: string;
  /** Address of the backend's server, in place of `host` and `port`; it may hold a password. */
  readonly url?: string;
  /** Host of the server, a Chroma server where no `backend` is named. @default 'localhost' */
  readonly host?: string;
  /** @default 8000, or the usual one of the backend's server */
  readonly port?: number;
  /** 1 to 64 letters, digits, `_` or `-`. @default 'asdlc_documents' */
  readonly collectionName?: string;
  readonly collection_name?: string;
  /** As `rag.embedding.model`; a model that is not on this machine is replaced by the built-in one, with a notice. @default 'all-MiniLM-L6-v2' */
  readonly embeddingModel?: string;
  readonly embedding_model?: string;
}

/** Variables that `fromEnv` reads. */
export const KNOWLEDGE_STORE_VARIABLES = {
  backend: 'KNOWLEDGE_STORE_BACKEND',
  url: 'KNOWLEDGE_STORE_URL',
  host: 'KNOWLEDGE_STORE_HOST',
  port: 'KNOWLEDGE_STORE_PORT',
  collectionName: 'KNOWLEDGE_STORE_COLLECTION',
  embeddingModel: 'KNOWLEDGE_STORE_EMBEDDING_MODEL',
} as const;

/** Stores that a knowledge store can be kept in, by the names of `rag.provider`. */
const BACKENDS: readonly string[] = ['embedded', ...BUILT_PROVIDERS];
/** Other names that they go by. */
const ALIASES: Readonly<Record<string, string>> = {
  chromadb: 'chroma',
  pgvector: 'postgres',
  postgresql: 'postgres',
};

/** Usual ports of servers other than Chroma. */
const PORTS: Readonly<Record<string, number>> = {
  postgres: 5432,
  elasticsearch: 9200,
  opensearch: 9200,
  weaviate: 8080,
  qdrant: 6333,
};

type Environment = Readonly<Record<string, string | undefined>>;

const COLLECTION_NAME = /^[A-Za-z0-9_-]{1,64}$/;

/** Settings of a knowledge store. Frozen; snake case reads the same. Throws `CONFIG_INVALID` naming the setting. */
export class KnowledgeStoreConfig {
  /** Undefined where none is named. */
  readonly backend: string | undefined;
  /** Shown by nothing: it may hold a password. */
  readonly #url: string | undefined;
  readonly host: string;
  readonly port: number;
  readonly collectionName: string;
  readonly embeddingModel: string;
  /** A server was named, so it is used and not the embedded store; see `getKnowledgeStore`. */
  readonly namesServer: boolean;

  constructor(settings: KnowledgeStoreSettings = {}) {
    this.backend =
      settings.backend === undefined ? undefined : (ALIASES[settings.backend] ?? settings.backend);
    this.#url = settings.url;
    this.host = settings.host ?? 'localhost';
    this.port = settings.port ?? PORTS[this.backend ?? ''] ?? 8000;
    this.collectionName = settings.collectionName ?? settings.collection_name ?? 'asdlc_documents';
    this.embeddingModel = settings.embeddingModel ?? settings.embedding_model ?? 'all-MiniLM-L6-v2';
    this.namesServer = settings.host !== undefined || settings.port !== undefined;
    this.#check();
    Object.freeze(this);
  }

  /** Address of the backend's server, where it is stated. */
  get url(): string | undefined {
    return this.#url;
  }

  get collection_name(): string {
    return this.collectionName;
  }

  get embedding_model(): string {
    return this.embeddingModel;
  }

  /**
   * Reads `KNOWLEDGE_STORE_BACKEND`, `_URL`, `_HOST`, `_PORT`, `_COLLECTION` and `_EMBEDDING_MODEL`; one that is not set or empty is the default.
   *
   * @param environment @default process.env
   */
  static fromEnv(environment: Environment = process.env): KnowledgeStoreConfig {
    const read = (name: keyof typeof KNOWLEDGE_STORE_VARIABLES): string | undefined =>
      environment[KNOWLEDGE_STORE_VARIABLES[name]] || undefined;
    const port = read('port');
    return new KnowledgeStoreConfig(
      withoutUndefined({
        backend: read('backend'),
        url: read('url'),
        host: read('host'),
        port: port === undefined ? undefined : Number(port),
        collectionName: read('collectionName'),
        embeddingModel: read('embeddingModel'),
      }),
    );
  }

  /** As `fromEnv`. */
  static from_env(environment?: Environment): KnowledgeStoreConfig {
    return KnowledgeStoreConfig.fromEnv(environment);
  }

  #check(): void {
    const fail = (variable: string, setting: string, rule: string): never => {
      throw new RAGError('CONFIG_INVALID', `${setting} (${variable}) must be ${rule}.`, {
        details: { key: setting },
      });
    };
    const names = KNOWLEDGE_STORE_VARIABLES;
    if (this.backend !== undefined && !BACKENDS.includes(this.backend))
      fail(names.backend, 'backend', `one of ${BACKENDS.join(', ')}`);
    if (this.#url !== undefined && this.backend === undefined)
      fail(names.backend, 'backend', `named where ${names.url} is: the kind of the server at that address`);
    if (this.#url !== undefined && this.namesServer)
      fail(names.url, 'url', `stated alone, or ${names.host} and ${names.port} in its place`);
    if (this.host === '') fail(names.host, 'host', 'a host name or address');
    if (!Number.isInteger(this.port) || this.port < 1 || this.port > 65_535)
      fail(names.port, 'port', 'a whole number from 1 to 65535');
    if (!COLLECTION_NAME.test(this.collectionName))
      fail(names.collectionName, 'collectionName', '1 to 64 letters, digits, "_" or "-"');
    if (this.embeddingModel === '') fail(names.embeddingModel, 'embeddingModel', 'the name of a model');
  }
}
