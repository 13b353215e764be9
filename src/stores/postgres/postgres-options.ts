import { RAGError } from '../../core/errors.js';
import {
  assertIdentifier,
  assertInteger,
  connectionSettings,
  type PostgresConnectionOptions,
  withoutUndefined,
} from '../../platform/postgres/connection-settings.js';
import { PostgresDatabase } from '../../platform/postgres/postgres-database.js';
import { postgresError } from './postgres-errors.js';

/** Where the server is and how it is searched. Shared by both layouts. */
export interface PostgresServerOptions extends PostgresConnectionOptions {
  /**
   * Candidates that HNSW visits per search, 1 to 1000: more is slower and nearer to exact. Over 20,000 chunks of real text
   * 100 found .94 of the ten nearest, 200 .966, 400 .979 to .985.
   * @default 600
   */
  readonly efSearch?: number | undefined;
}

/** Options of `createPostgresStore`. */
export interface PostgresStoreOptions extends PostgresServerOptions {
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

/** How the vector index of a collection is made and when. */
export interface VectorIndexSettings {
  readonly vectorIndexRows: number;
  readonly hnswM: number;
  readonly hnswEfConstruction: number;
  readonly halfvec: boolean;
}

const INDEX_DEFAULTS: VectorIndexSettings = {
  vectorIndexRows: 2_000,
  hnswM: 16,
  hnswEfConstruction: 64,
  halfvec: false,
};

const DEFAULT_EF_SEARCH = 600;

/**
 * Rows that HNSW offers to a filter before it gives up. A filter that admits fewer than one in some hundred is then
 * answered by exact search, which is faster for it than walking on.
 */
const MAX_SCANNED_ROWS = 4_000;

/**
 * The pool of connections of a store. Search asks HNSW again while filters leave hits wanting; hits are sorted afterwards,
 * so the relaxed order, which finds more, is right. Throws `CONFIG_INVALID` for an option out of its range.
 */
export function storeDatabase(options: PostgresServerOptions): PostgresDatabase {
  const { efSearch = DEFAULT_EF_SEARCH, ...connection } = options;
  assertInteger('efSearch', efSearch, [1, 1_000]);
  return new PostgresDatabase({
    settings: connectionSettings(connection),
    prepareSession: `SELECT set_config('hnsw.ef_search', '${efSearch}', false),
      set_config('hnsw.iterative_scan', 'relaxed_order', false),
      set_config('hnsw.max_scan_tuples', '${MAX_SCANNED_ROWS}', false)`,
    toError: postgresError,
    closedError: () => new RAGError('STORE_UNAVAILABLE', 'The PostgreSQL store is closed; create a new one.'),
  });
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

/** Options of `createRagDocumentsStore`. */
export interface RagDocumentsStoreOptions extends PostgresServerOptions {
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
