import { RAGError } from '../core/errors.js';

/** Settings of a `KnowledgeStoreConfig`, under either naming. */
export interface KnowledgeStoreSettings {
  /** Host of the Chroma server. @default 'localhost' */
  readonly host?: string;
  /** @default 8000 */
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
  host: 'KNOWLEDGE_STORE_HOST',
  port: 'KNOWLEDGE_STORE_PORT',
  collectionName: 'KNOWLEDGE_STORE_COLLECTION',
  embeddingModel: 'KNOWLEDGE_STORE_EMBEDDING_MODEL',
} as const;

type Environment = Readonly<Record<string, string | undefined>>;

const COLLECTION_NAME = /^[A-Za-z0-9_-]{1,64}$/;

/** Settings of a knowledge store. Frozen; snake case reads the same. Throws `CONFIG_INVALID` naming the setting. */
export class KnowledgeStoreConfig {
  readonly host: string;
  readonly port: number;
  readonly collectionName: string;
  readonly embeddingModel: string;
  /** A server was named, so it is used and not the embedded store; see `getKnowledgeStore`. */
  readonly namesServer: boolean;

  constructor(settings: KnowledgeStoreSettings = {}) {
    this.host = settings.host ?? 'localhost';
    this.port = settings.port ?? 8000;
    this.collectionName = settings.collectionName ?? settings.collection_name ?? 'asdlc_documents';
    this.embeddingModel = settings.embeddingModel ?? settings.embedding_model ?? 'all-MiniLM-L6-v2';
    this.namesServer = settings.host !== undefined || settings.port !== undefined;
    this.#check();
    Object.freeze(this);
  }

  get collection_name(): string {
    return this.collectionName;
  }

  get embedding_model(): string {
    return this.embeddingModel;
  }

  /**
   * Reads `KNOWLEDGE_STORE_HOST`, `_PORT`, `_COLLECTION` and `_EMBEDDING_MODEL`; one that is not set or empty is the default.
   *
   * @param environment @default process.env
   */
  static fromEnv(environment: Environment = process.env): KnowledgeStoreConfig {
    const read = (name: keyof typeof KNOWLEDGE_STORE_VARIABLES): string | undefined =>
      environment[KNOWLEDGE_STORE_VARIABLES[name]] || undefined;
    const [host, port] = [read('host'), read('port')];
    const [collectionName, embeddingModel] = [read('collectionName'), read('embeddingModel')];
    return new KnowledgeStoreConfig({
      ...(host === undefined ? {} : { host }),
      ...(port === undefined ? {} : { port: Number(port) }),
      ...(collectionName === undefined ? {} : { collectionName }),
      ...(embeddingModel === undefined ? {} : { embeddingModel }),
    });
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
    if (this.host === '') fail(names.host, 'host', 'a host name or address');
    if (!Number.isInteger(this.port) || this.port < 1 || this.port > 65_535)
      fail(names.port, 'port', 'a whole number from 1 to 65535');
    if (!COLLECTION_NAME.test(this.collectionName))
      fail(names.collectionName, 'collectionName', '1 to 64 letters, digits, "_" or "-"');
    if (this.embeddingModel === '') fail(names.embeddingModel, 'embeddingModel', 'the name of a model');
  }
}
