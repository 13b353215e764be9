import { numberAt, optionalTextAt, originalText, type SqlRow, storableText, textAt } from '../sqlite/row.js';
import type { SqliteDatabase } from '../sqlite/sqlite-database.js';
import { SqliteValueError } from '../sqlite/sqlite-fault.js';
import type { DocumentStatus, LedgerFailure, LedgerItem } from './ledger.js';

const COLUMNS = 'tenant, source, item_id, version, processing_key, status, attempts, error';

const STATUSES: readonly DocumentStatus[] = ['pending', 'indexed', 'failed', 'outdated'];

type ItemKey = Pick<LedgerItem, 'tenant' | 'source' | 'itemId'>;

export function itemsOfSource(
  database: SqliteDatabase,
  tenant: string,
  source: string,
): Map<string, LedgerItem> {
  const rows = database.rows(
    `SELECT ${COLUMNS} FROM item WHERE tenant = ? AND source = ?`,
    storableText(tenant),
    storableText(source),
  );
  return new Map(rows.map(readItem).map((item) => [item.itemId, item]));
}

/** Items whose last attempt failed, worst first: most attempts, then by key. */
export function failedItems(database: SqliteDatabase, limit: number): LedgerItem[] {
  return database
    .rows(
      `SELECT ${COLUMNS} FROM item WHERE error IS NOT NULL
       ORDER BY attempts DESC, tenant, source, item_id LIMIT ?`,
      limit,
    )
    .map(readItem);
}

/** The item was read completely and everything of it is in the store. */
export function completeItem(
  database: SqliteDatabase,
  item: ItemKey & { readonly version: string; readonly processingKey: string },
): void {
  database.run(
    `INSERT INTO item (tenant, source, item_id, version, processing_key, status) VALUES (?, ?, ?, ?, ?, 'indexed')
     ON CONFLICT DO UPDATE SET version = excluded.version, processing_key = excluded.processing_key,
       status = 'indexed', attempts = 0, error = NULL`,
    ...keyOf(item),
    storableText(item.version),
    item.processingKey,
  );
}

/** Counts the attempt, from one again where another version failed before. */
export function failItem(database: SqliteDatabase, item: ItemKey, failure: LedgerFailure): void {
  database.run(
    `INSERT INTO item (tenant, source, item_id, status, attempts, error) VALUES (?, ?, ?, 'failed', 1, ?)
     ON CONFLICT DO UPDATE SET status = 'failed', error = excluded.error,
       attempts = iif(error ->> 'version' IS excluded.error ->> 'version', attempts, 0) + 1`,
    ...keyOf(item),
    JSON.stringify(failure),
  );
}

export function forgetItem(database: SqliteDatabase, item: ItemKey): void {
  database.run('DELETE FROM item WHERE tenant = ? AND source = ? AND item_id = ?', ...keyOf(item));
}

/** Reads a status column. */
export function readStatus(row: SqlRow, column: number): DocumentStatus {
  const text = textAt(row, column);
  const status = STATUSES.find((candidate) => candidate === text);
  if (status === undefined) throw new SqliteValueError('a status', column);
  return status;
}

const keyOf = ({ tenant, source, itemId }: ItemKey): [string, string, string] => [
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
