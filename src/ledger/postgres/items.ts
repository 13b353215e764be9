import type { SqlRow } from '../../postgres/postgres-session.js';
import type { CompletedItem, DocumentStatus, ItemKey, LedgerFailure, LedgerItem } from '../ledger.js';
import { hexOf, keyOf, storableText } from '../ledger-text.js';
import type { Books, OpenBooks } from './books.js';
import { numberOf, oneOf, optionalTextOf, storedTextOf, textOf } from './row.js';

const COLUMNS = 'tenant, source, item_id, version, processing_key, status, attempts, error';

export const STATUSES: readonly DocumentStatus[] = ['pending', 'indexed', 'failed', 'outdated'];

export const sourceKeyOf = (tenant: string, source: string): Buffer => keyOf(tenant, source);

export const itemKeyOf = ({ tenant, source, itemId }: ItemKey): Buffer => keyOf(tenant, source, itemId);

export async function itemsOfSource(
  { database, generation }: Books,
  {
    tenant,
    source,
    itemIds,
  }: { readonly tenant: string; readonly source: string; readonly itemIds: readonly string[] | undefined },
): Promise<Map<string, LedgerItem>> {
  const named = itemIds?.map((itemId) => itemKeyOf({ tenant, source, itemId }));
  const rows = await database.rows(
    `SELECT ${COLUMNS} FROM ragstone_ledger_item
     WHERE generation = $1 AND ${named === undefined ? 'source_key = $2' : 'item_key = ANY($2::bytea[])'} ORDER BY item_id`,
    [generation, named ?? sourceKeyOf(tenant, source)],
    { action: 'read the items of a source' },
  );
  return new Map(rows.map(readItem).map((item) => [item.itemId, item]));
}

export async function hasItems(
  { database, generation }: Books,
  tenant: string,
  source: string,
): Promise<boolean> {
  const rows = await database.rows(
    'SELECT 1 FROM ragstone_ledger_item WHERE generation = $1 AND source_key = $2 LIMIT 1',
    [generation, sourceKeyOf(tenant, source)],
    { action: 'look for a source' },
  );
  return rows.length > 0;
}

/** Names of all sources with items, in name order; jumps from source to source in the index. */
export async function sourceNames({ database, generation }: Books, tenant: string): Promise<string[]> {
  const next = 'SELECT source_key, tenant, source FROM ragstone_ledger_item WHERE generation = $1';
  const rows = await database.rows(
    `WITH RECURSIVE known AS (
       (${next} ORDER BY source_key LIMIT 1)
       UNION ALL
       SELECT following.* FROM known,
         LATERAL (${next} AND source_key > known.source_key ORDER BY source_key LIMIT 1) AS following
     )
     SELECT source FROM known WHERE tenant = $2 ORDER BY source`,
    [generation, storableText(tenant)],
    { action: 'list its sources' },
  );
  return rows.map((row) => textOf(row, 'source'));
}

/** Items whose last attempt failed, worst first: most attempts, then by key. */
export async function failedItems({ database, generation }: Books, limit: number): Promise<LedgerItem[]> {
  const rows = await database.rows(
    `SELECT ${COLUMNS} FROM ragstone_ledger_item WHERE generation = $1 AND error IS NOT NULL
     ORDER BY attempts DESC, tenant, source, item_id LIMIT $2`,
    [generation, limit],
    { action: 'read its failures' },
  );
  return rows.map(readItem);
}

/** Makes items known, and `pending`. */
export async function setItemsPending(
  { run, generation }: OpenBooks,
  items: readonly ItemKey[],
): Promise<void> {
  const distinct = distinctItems(items);
  await run(
    `INSERT INTO ragstone_ledger_item (generation, item_key, source_key, tenant, source, item_id, status)
     SELECT $1, item_key, source_key, tenant, source, item_id, 'pending'
     FROM ${NAMES} ORDER BY item_key
     ON CONFLICT (generation, item_key) DO UPDATE SET status = 'pending'`,
    [generation, ...namesOf(distinct)],
  );
}

/** Makes items known, and `pending`, that are not known yet. */
export async function announceItems(
  { run, generation }: OpenBooks,
  items: readonly ItemKey[],
): Promise<void> {
  await run(
    `INSERT INTO ragstone_ledger_item (generation, item_key, source_key, tenant, source, item_id, status)
     SELECT $1, item_key, source_key, tenant, source, item_id, 'pending' FROM ${NAMES} ORDER BY item_key
     ON CONFLICT DO NOTHING`,
    [generation, ...namesOf(distinctItems(items))],
  );
}

/** Items were read completely, and everything of them is in the store. */
export async function completeItems(
  { run, generation }: OpenBooks,
  items: readonly CompletedItem[],
): Promise<void> {
  const distinct = distinctItems(items);
  await run(
    `INSERT INTO ragstone_ledger_item (generation, item_key, source_key, tenant, source, item_id, version, processing_key,
       status)
     SELECT $1, item_key, source_key, tenant, source, item_id, version, processing_key, 'indexed'
     FROM unnest($2::bytea[], $3::bytea[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[])
       AS named (item_key, source_key, tenant, source, item_id, version, processing_key) ORDER BY item_key
     ON CONFLICT (generation, item_key) DO UPDATE SET version = EXCLUDED.version,
       processing_key = EXCLUDED.processing_key, status = 'indexed', attempts = 0, error = NULL, error_version = NULL`,
    [
      generation,
      ...namesOf(distinct),
      distinct.map(({ version }) => storableText(version)),
      distinct.map(({ processingKey }) => storableText(processingKey)),
    ],
  );
}

/** Counts the attempt, from one again where another version failed before. */
export async function failItem(
  { run, generation }: OpenBooks,
  item: ItemKey,
  failure: LedgerFailure,
): Promise<void> {
  await run(
    `INSERT INTO ragstone_ledger_item AS item (generation, item_key, source_key, tenant, source, item_id, status, attempts,
       error, error_version)
     SELECT $1, item_key, source_key, tenant, source, item_id, 'failed', 1, $7, $8 FROM ${NAMES}
     ON CONFLICT (generation, item_key) DO UPDATE SET status = 'failed', error = EXCLUDED.error,
       error_version = EXCLUDED.error_version,
       attempts = 1 + CASE WHEN item.error_version IS NOT DISTINCT FROM EXCLUDED.error_version THEN item.attempts ELSE 0 END`,
    [
      generation,
      ...namesOf([item]),
      JSON.stringify(failure),
      failure.version === undefined ? null : storableText(failure.version),
    ],
  );
}

export async function forgetItems({ run, generation }: OpenBooks, items: readonly ItemKey[]): Promise<void> {
  await run('DELETE FROM ragstone_ledger_item WHERE generation = $1 AND item_key = ANY($2::bytea[])', [
    generation,
    items.map(itemKeyOf),
  ]);
}

const NAMES = `unnest($2::bytea[], $3::bytea[], $4::text[], $5::text[], $6::text[])
  AS named (item_key, source_key, tenant, source, item_id)`;

/** Parameters of `NAMES`. */
const namesOf = (items: readonly ItemKey[]) =>
  [
    items.map(itemKeyOf),
    items.map(({ tenant, source }) => sourceKeyOf(tenant, source)),
    items.map(({ tenant }) => storableText(tenant)),
    items.map(({ source }) => storableText(source)),
    items.map(({ itemId }) => storableText(itemId)),
  ] as const;

/** The last of each item: one statement cannot write a row twice. */
const distinctItems = <T extends ItemKey>(items: readonly T[]): T[] => [
  ...new Map(items.map((item) => [hexOf(itemKeyOf(item)), item])).values(),
];

function readItem(row: SqlRow): LedgerItem {
  const version = optionalTextOf(row, 'version');
  const processingKey = optionalTextOf(row, 'processing_key');
  const error = row.error === null ? undefined : (JSON.parse(storedTextOf(row, 'error')) as LedgerFailure);
  return {
    tenant: textOf(row, 'tenant'),
    source: textOf(row, 'source'),
    itemId: textOf(row, 'item_id'),
    ...(version === undefined ? {} : { version }),
    ...(processingKey === undefined ? {} : { processingKey }),
    status: oneOf(row, 'status', STATUSES),
    attempts: numberOf(row, 'attempts'),
    ...(error === undefined ? {} : { error }),
  };
}
