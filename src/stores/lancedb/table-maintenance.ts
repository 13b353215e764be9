import type { Index, Table } from '@lancedb/lancedb';
import { throwIfAborted } from '../../core/errors.js';
import { runtime } from '../../core/runtime.js';
import type { LanceDriver } from './lancedb-driver.js';

/** When indexes are built and old versions removed. */
export interface MaintenanceOptions {
  /** Rows from which vectors are searched through a graph. Below it all are visited, which is exact and fast enough. */
  readonly vectorIndexRows: number;
  /** How long a version that was replaced stays for readers that still use it, in milliseconds. */
  readonly keepVersionsMs: number;
}

/** Rows from which vectors lie in an index in memory, all of them visited: twice as fast as reading them from the table. */
const FLAT_INDEX_ROWS = 1_000;

/** Rows from which a lookup by id, and a filter on a value of the metadata, pays for its index. */
const SCALAR_INDEX_ROWS = 5_000;
/** Lists that filters ask for one element: every value of the metadata, and every element of a list in it. */
const FILTERED_LISTS = ['metadata_values', 'metadata_elements'] as const;

/** The column of words, which earlier versions searched by an index that weighed them by the chunks of all tenants. */
const WORDS = 'search_text';

/** Name that Lance gives an index on a column. */
export const indexNameOf = (column: string): string => `${column}_idx`;

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
  const indexed = new Set((await table.listIndices()).flatMap(({ columns }) => columns));
  if (indexed.has(WORDS)) await table.dropIndex(indexNameOf(WORDS));
  await table.optimize({ cleanupOlderThan: new Date(runtime().now() - keepVersionsMs) });
  const rows = await table.countRows();
  throwIfAborted(signal);
  if (rows >= SCALAR_INDEX_ROWS)
    for (const [column, config] of scalarIndexes(driver))
      if (!indexed.has(column)) {
        await table.createIndex(column, { config });
        throwIfAborted(signal);
      }
  await maintainVectorIndex(driver, table, { rows, vectorIndexRows });
}

/**
 * Writes anew what shares a file with deleted rows, and the indexes, whose values outlive their rows; then removes every earlier
 * version. A reader of another process that was at one of them begins again.
 */
export async function purge(
  driver: LanceDriver,
  table: Table,
  { fragments, thorough, signal, ...options }: MaintenanceOptions & PurgeOptions,
): Promise<void> {
  for (const fragment of fragments) {
    throwIfAborted(signal);
    // A row id is the number of its fragment and, in the lower half, its place there.
    const [first, end] = [fragment, fragment + 1].map((number) => BigInt(number) << 32n);
    await table.update({ where: `_rowid >= ${first} AND _rowid < ${end}`, valuesSql: { id: 'id' } });
  }
  const indexed = new Set((await table.listIndices()).flatMap(({ columns }) => columns));
  throwIfAborted(signal);
  if (fragments.length > 0)
    for (const [column, config] of scalarIndexes(driver))
      if (indexed.has(column)) await table.createIndex(column, { config });
  if (thorough && fragments.length > 0) await renewVectorIndex(driver, table);
  await maintain(driver, table, { ...options, keepVersionsMs: 0, signal });
  await table.optimize({ cleanupOlderThan: new Date(runtime().now()) });
}

interface PurgeOptions {
  /** Numbers of the fragments with deleted rows; unknown ones are left out. */
  readonly fragments: readonly number[];
  /** The index of vectors is built anew where there is one. */
  readonly thorough: boolean;
  readonly signal: AbortSignal | undefined;
}

const scalarIndexes = ({ lancedb }: LanceDriver): (readonly [column: string, config: Index])[] => [
  ['id', lancedb.Index.btree()],
  ...FILTERED_LISTS.map((column) => [column, lancedb.Index.labelList()] as const),
];

async function maintainVectorIndex(
  driver: LanceDriver,
  table: Table,
  { rows, vectorIndexRows }: { readonly rows: number; readonly vectorIndexRows: number },
): Promise<void> {
  const present = await table.indexStats(indexNameOf('vector'));
  if (isGraph(present) || rows < Math.min(FLAT_INDEX_ROWS, vectorIndexRows)) return;
  if (rows >= vectorIndexRows) await table.createIndex('vector', { config: graphIndex(driver) });
  else if (present === undefined) await table.createIndex('vector', { config: flatIndex(driver) });
}

async function renewVectorIndex(driver: LanceDriver, table: Table): Promise<void> {
  const present = await table.indexStats(indexNameOf('vector'));
  if (present === undefined) return;
  await table.createIndex('vector', { config: isGraph(present) ? graphIndex(driver) : flatIndex(driver) });
}

/** Whether vectors are searched through a graph over rounded copies of them, and not one by one. */
export const isGraph = (index: { readonly indexType: string } | undefined): boolean =>
  index !== undefined && index.indexType !== 'IVF_FLAT';

// One partition that every search visits: exact.
const flatIndex = ({ lancedb }: LanceDriver): Index =>
  lancedb.Index.ivfFlat({ distanceType: 'cosine', numPartitions: 1 });

// One graph per partition: few partitions keep recall high without probing many.
const graphIndex = ({ lancedb }: LanceDriver): Index =>
  lancedb.Index.hnswSq({ distanceType: 'cosine', numPartitions: 1, m: 20, efConstruction: 300 });
