import { numberAt, optionalTextAt, type SqlRow, text, textAt } from '../../sqlite/row.js';
import { SqliteValueError } from '../../sqlite/sqlite-fault.js';
import type { CompletedItem, DocumentStatus, ItemKey, LedgerFailure, LedgerItem } from '../ledger.js';
import { originalText, storableText } from '../ledger-text.js';
import type { Books } from './books.js';

const COLUMNS = `${text('tenant')}, ${text('source')}, ${text('item_id')}, ${text('version')}, ${text('processing_key')},
  ${text('status')}, attempts, ${text('error')}`;

const STATUSES: readonly DocumentStatus[] = ['pending', 'indexed', 'failed', 'outdated'];

export function itemsOfSource(
  { database, generation }: Books,
  { tenant, source, itemIds }: ItemsOfSource,
): Map<string, LedgerItem> {
  if (itemIds !== undefined) {
    const sql = `SELECT ${COLUMNS} FROM item WHERE generation = ? AND tenant = ? AND source = ? AND item_id = ?`;
    const named = new Map<string, LedgerItem>();
    for (const itemId of itemIds) {
      const row = database.row(sql, generation, ...keyOf({ tenant, source, itemId }));
      if (row !== undefined) named.set(itemId, readItem(row));
    }
    return named;
  }
  const rows = database.rows(
    `SELECT ${COLUMNS} FROM item WHERE generation = ? AND tenant = ? AND source = ?`,
    generation,
    storableText(tenant),
    storableText(source),
  );
  return new Map(rows.map(readItem).map((item) => [item.itemId, item]));
}

interface ItemsOfSource {
  readonly tenant: string;
  readonly source: string;
  readonly itemIds?: readonly string[] | undefined;
}

export function hasItems({ database, generation }: Books, tenant: string, source: string): boolean {
  const sql = 'SELECT 1 FROM item WHERE generation = ? AND tenant = ? AND source = ? LIMIT 1';
  return database.row(sql, generation, storableText(tenant), storableText(source)) !== undefined;
}

/** Names of all sources with items, in name order. */
export function sourceNames({ database, generation }: Books, tenant: string): string[] {
  const sql = `SELECT ${text('source')} FROM item WHERE generation = ? AND tenant = ? GROUP BY source ORDER BY source`;
  return database.rows(sql, generation, storableText(tenant)).map((row) => originalText(textAt(row, 0)));
}

/** Items whose last attempt failed, worst first: most attempts, then by key. */
export function failedItems({ database, generation }: Books, limit: number): LedgerItem[] {
  return database
    .rows(
      `SELECT ${COLUMNS} FROM item WHERE generation = ? AND error IS NOT NULL
       ORDER BY attempts DESC, tenant, source, item_id LIMIT ?`,
      generation,
      limit,
    )
    .map(readItem);
}

/** The item was read completely and everything of it is in the store. */
export function completeItem({ database, generation }: Books, item: CompletedItem): void {
  database.run(
    `INSERT INTO item (generation, tenant, source, item_id, version, processing_key, status)
     VALUES (?, ?, ?, ?, ?, ?, 'indexed')
     ON CONFLICT DO UPDATE SET version = excluded.version, processing_key = excluded.processing_key,
       status = 'indexed', attempts = 0, error = NULL`,
    generation,
    ...keyOf(item),
    storableText(item.version),
    item.processingKey,
  );
}

/** Counts the attempt, from one again where another version failed before. */
export function failItem({ database, generation }: Books, item: ItemKey, failure: LedgerFailure): void {
  database.run(
    `INSERT INTO item (generation, tenant, source, item_id, status, attempts, error) VALUES (?, ?, ?, ?, 'failed', 1, ?)
     ON CONFLICT DO UPDATE SET status = 'failed', error = excluded.error,
       attempts = iif(error ->> 'version' IS excluded.error ->> 'version', attempts, 0) + 1`,
    generation,
    ...keyOf(item),
    JSON.stringify(failure),
  );
}

export function forgetItem({ database, generation }: Books, item: ItemKey): void {
  const sql = 'DELETE FROM item WHERE generation = ? AND tenant = ? AND source = ? AND item_id = ?';
  database.run(sql, generation, ...keyOf(item));
}

/** Reads a status column. */
export function readStatus(row: SqlRow, column: number): DocumentStatus {
  const text = textAt(row, column);
  const status = STATUSES.find((candidate) => candidate === text);
  if (status === undefined) throw new SqliteValueError('a status', column);
  return status;
}

/** The columns of an item's key. */
export const keyOf = ({ tenant, source, itemId }: ItemKey): [string, string, string] => [
  storableText(tenant),
  storableText(source),
  storableText(itemId),
];

function readItem(row: SqlRow): LedgerItem {
  const version = optionalTextAt(row, 3);
  const processingKey = optionalTextAt(row, 4);
  const error = optionalTextAt(row, 7);
  return {
    tenant: originalText(textAt(row, 0)),
    source: originalText(textAt(row, 1)),
    itemId: originalText(textAt(row, 2)),
    ...(version === undefined ? {} : { version: originalText(version) }),
    ...(processingKey === undefined ? {} : { processingKey }),
    status: readStatus(row, 5),
    attempts: numberAt(row, 6),
    ...(error === undefined ? {} : { error: JSON.parse(error) as LedgerFailure }),
  };
}
