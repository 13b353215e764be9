import type { Table } from '@lancedb/lancedb';
import { throwIfAborted } from '../../core/errors.js';
import type { LanceDriver } from './lancedb-driver.js';

/** When indexes are built and old versions removed. */
export interface MaintenanceOptions {
  /** Rows from which vectors are searched through an index. Below it a flat scan is exact and fast enough. */
  readonly vectorIndexRows: number;
  /** How long a version that was replaced stays for readers that still use it, in milliseconds. */
  readonly keepVersionsMs: number;
}

/** Rows from which a lookup by id pays for its index. */
const ID_INDEX_ROWS = 5_000;

/** Name that Lance gives an index on a column. */
export const indexNameOf = (column: string): string => `${column}_idx`;

/**
 * BM25 over terms that the analyzer made: split at spaces and otherwise left as they are. Without positions the index is
 * smaller and quicker to build; phrases are not asked for.
 */
export async function createTextIndex({ lancedb }: LanceDriver, table: Table): Promise<void> {
  const config = lancedb.Index.fts({
    baseTokenizer: 'whitespace',
    lowercase: false,
    stem: false,
    removeStopWords: false,
    asciiFolding: false,
    withPosition: false,
    maxTokenLength: 2 ** 31 - 1,
  });
  await table.createIndex('search_text', { config });
}

/** Builds the indexes that are due, brings the others up to date, compacts, and removes versions nobody reads any more. */
export async function maintain(
  driver: LanceDriver,
  table: Table,
  {
    vectorIndexRows,
    keepVersionsMs,
    signal,
  }: MaintenanceOptions & { readonly signal?: AbortSignal | undefined },
): Promise<void> {
  throwIfAborted(signal);
  await table.optimize({ cleanupOlderThan: new Date(Date.now() - keepVersionsMs) });
  const rows = await table.countRows();
  const indexed = new Set((await table.listIndices()).flatMap(({ columns }) => columns));
  throwIfAborted(signal);
  if (rows >= ID_INDEX_ROWS && !indexed.has('id'))
    await table.createIndex('id', { config: driver.lancedb.Index.btree() });
  throwIfAborted(signal);
  if (rows >= vectorIndexRows && !indexed.has('vector')) await createVectorIndex(driver, table);
}

async function createVectorIndex({ lancedb }: LanceDriver, table: Table): Promise<void> {
  // One graph per partition: few partitions keep recall high without probing many.
  const config = lancedb.Index.hnswSq({
    distanceType: 'cosine',
    numPartitions: 1,
    m: 20,
    efConstruction: 300,
  });
  await table.createIndex('vector', { config });
}
