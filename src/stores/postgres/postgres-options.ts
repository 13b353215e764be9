import { RAGError } from '../../core/errors.js';

/** Encryption of the connection; what is absent is Node's default. */
export interface PostgresTlsOptions {
  /** Certificate authority in PEM. */
  readonly ca?: string;
  /** Client certificate in PEM. */
  readonly cert?: string;
  /** Private key of the client certificate in PEM. */
  readonly key?: string;
  /** Refuse a server whose certificate cannot be verified. @default true */
  readonly rejectUnauthorized?: boolean;
}

/** Where the server is and how it is spoken to. Shared by both layouts. */
export interface PostgresConnectionOptions {
  /** `postgres://user:password@host:5432/database`; what it names wins over the parts below. Never shown in errors. */
  readonly connectionString?: string;
  /** Host name, or the folder of a Unix socket. @default localhost */
  readonly host?: string;
  /** @default 5432 */
  readonly port?: number;
  readonly database?: string;
  readonly user?: string;
  /** Never shown in errors. */
  readonly password?: string;
  /** `true` encrypts and verifies the server. @default what the connection string says, else false */
  readonly ssl?: boolean | PostgresTlsOptions;
  /**
   * Schema of our own tables, made where it is missing: letters, digits, `_`, up to 48, no digit first.
   * @default ragstone
   */
  readonly schema?: string;
  /** Most connections at a time. @default 10 */
  readonly poolSize?: number;
  /** Longest wait for a connection and for each statement, in milliseconds. @default 30_000 */
  readonly timeoutMs?: number;
  /** Longest wait for building an index or vacuuming in `optimize`, in milliseconds. @default 3_600_000 */
  readonly maintenanceTimeoutMs?: number;
  /** How often an idempotent call is tried again after a fault that may pass. @default 2 */
  readonly retries?: number;
  /**
   * Candidates that HNSW visits per search, 1 to 1000: more is slower and nearer to exact. Over 20,000 chunks of real text
   * 100 found .94 of the ten nearest, 200 .966, 400 .979 to .985.
   * @default 600
   */
  readonly efSearch?: number;
}

/** Options of `createPostgresStore`. */
export interface PostgresStoreOptions extends PostgresConnectionOptions {
  /** Rows from which `optimize` builds the HNSW index; below it search is exact. @default 2_000 */
  readonly vectorIndexRows?: number;
  /** Links of a node in the HNSW index, 2 to 100. @default 16 */
  readonly hnswM?: number;
  /** Candidates while the HNSW index is built, 4 to 1000 and at least twice `hnswM`. @default 64 */
  readonly hnswEfConstruction?: number;
  /**
   * Index vectors in half precision: half the index, up to 4,000 dimensions instead of 2,000. Vectors are kept, and hits
   * scored, in full precision. @default false
   */
  readonly halfvec?: boolean;
}

/** Connection settings with every default filled in. */
export interface ConnectionSettings
  extends Omit<PostgresConnectionOptions, keyof ConnectionDefaults>,
    ConnectionDefaults {}

interface ConnectionDefaults {
  readonly schema: string;
  readonly poolSize: number;
  readonly timeoutMs: number;
  readonly maintenanceTimeoutMs: number;
  readonly retries: number;
  readonly efSearch: number;
}

/** How the vector index of a collection is made and when. */
export interface VectorIndexSettings {
  readonly vectorIndexRows: number;
  readonly hnswM: number;
  readonly hnswEfConstruction: number;
  readonly halfvec: boolean;
}

const CONNECTION_DEFAULTS: ConnectionDefaults = {
  schema: 'ragstone',
  poolSize: 10,
  timeoutMs: 30_000,
  maintenanceTimeoutMs: 3_600_000,
  retries: 2,
  efSearch: 600,
};

const INDEX_DEFAULTS: VectorIndexSettings = {
  vectorIndexRows: 2_000,
  hnswM: 16,
  hnswEfConstruction: 64,
  halfvec: false,
};

const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_]{0,47}$/;

/** Fills in defaults. Throws `CONFIG_INVALID` naming the option, what it may be and what it is. */
export function connectionSettings(options: PostgresConnectionOptions): ConnectionSettings {
  const settings: ConnectionSettings = { ...CONNECTION_DEFAULTS, ...withoutUndefined(options) };
  assertIdentifier('schema', settings.schema);
  assertInteger('poolSize', settings.poolSize, [1, 1_000]);
  assertInteger('timeoutMs', settings.timeoutMs, [1, 2 ** 31 - 1]);
  assertInteger('maintenanceTimeoutMs', settings.maintenanceTimeoutMs, [1, 2 ** 31 - 1]);
  assertInteger('retries', settings.retries, [0, 10]);
  assertInteger('efSearch', settings.efSearch, [1, 1_000]);
  return settings;
}

/** Fills in defaults. Throws `CONFIG_INVALID` naming the option, what it may be and what it is. */
export function vectorIndexSettings(options: PostgresStoreOptions): VectorIndexSettings {
  const { vectorIndexRows, hnswM, hnswEfConstruction, halfvec } = {
    ...INDEX_DEFAULTS,
    ...withoutUndefined(options),
  };
  assertInteger('vectorIndexRows', vectorIndexRows, [0, Number.MAX_SAFE_INTEGER]);
  assertInteger('hnswM', hnswM, [2, 100]);
  assertInteger('hnswEfConstruction', hnswEfConstruction, [Math.max(4, 2 * hnswM), 1_000]);
  return { vectorIndexRows, hnswM, hnswEfConstruction, halfvec };
}

/** Throws `CONFIG_INVALID` for a name that is no plain SQL identifier. */
export function assertIdentifier(option: string, value: string): void {
  if (!IDENTIFIER.test(value))
    throw new RAGError(
      'CONFIG_INVALID',
      `PostgreSQL ${option} ${JSON.stringify(value)} is not valid: use 1 to 48 letters, digits or "_", no digit first.`,
    );
}

function assertInteger(option: string, value: number, [least, most]: readonly [number, number]): void {
  if (!Number.isInteger(value) || value < least || value > most)
    throw new RAGError(
      'CONFIG_INVALID',
      `PostgreSQL ${option} must be an integer from ${least} to ${most}, not ${value}.`,
    );
}

// An option that is given as undefined must not hide its default.
function withoutUndefined<T extends object>(options: T): T {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as T;
}

/** Options of `createRagDocumentsStore`. */
export interface RagDocumentsStoreOptions extends PostgresConnectionOptions {
  /** The table to adopt. @default rag_documents */
  readonly table?: string;
  /** Schema of the table. @default public */
  readonly tableSchema?: string;
  /** The one tenant whose documents the table holds. @default default */
  readonly tenant?: string;
  /**
   * Model that the rows already there were embedded with; the embedder's fingerprint must name it, so that vectors of two
   * models never meet. @default all-MiniLM-L6-v2
   */
  readonly model?: string;
}

/** What of a table is adopted, with every default filled in. */
export interface AdoptionSettings {
  readonly table: string;
  readonly tableSchema: string;
  readonly tenant: string;
  readonly model: string;
}

/** Fills in defaults. Throws `CONFIG_INVALID` naming the option. */
export function adoptionSettings(options: RagDocumentsStoreOptions): AdoptionSettings {
  const {
    table = 'rag_documents',
    tableSchema = 'public',
    tenant = 'default',
    model = 'all-MiniLM-L6-v2',
  } = options;
  assertIdentifier('table', table);
  assertIdentifier('tableSchema', tableSchema);
  return { table, tableSchema, tenant, model };
}
