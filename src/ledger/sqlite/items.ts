import type { CompletedItem, ItemKey } from '../ledger.js';
import { storableText } from '../ledger-text.js';
import type { LedgerFailure } from '../source-state.js';
import type { GenerationDatabase } from './generation-database.js';

/** The item was read completely and everything of it is in the store. */
export function completeItem({ database, generation }: GenerationDatabase, item: CompletedItem): void {
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
export function failItem(
  { database, generation }: GenerationDatabase,
  item: ItemKey,
  failure: LedgerFailure,
): void {
  database.run(
    `INSERT INTO item (generation, tenant, source, item_id, status, attempts, error) VALUES (?, ?, ?, ?, 'failed', 1, ?)
     ON CONFLICT DO UPDATE SET status = 'failed', error = excluded.error,
       attempts = iif(error ->> 'version' IS excluded.error ->> 'version', attempts, 0) + 1`,
    generation,
    ...keyOf(item),
    JSON.stringify(failure),
  );
}

export function forgetItem({ database, generation }: GenerationDatabase, item: ItemKey): void {
  const sql = 'DELETE FROM item WHERE generation = ? AND tenant = ? AND source = ? AND item_id = ?';
  database.run(sql, generation, ...keyOf(item));
}

/** The columns of an item's key. */
export const keyOf = ({ tenant, source, itemId }: ItemKey): [string, string, string] => [
  storableText(tenant),
  storableText(source),
  storableText(itemId),
];
