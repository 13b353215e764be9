import { RAGError } from '../../core/errors.js';
import { numberAt, text, textAt } from '../../platform/sqlite/row.js';
import type { ItemKey } from '../ledger.js';
import { originalText, storableText } from '../ledger-text.js';
import { generationLost } from '../still-live.js';
import type { GenerationDatabase } from './generation-database.js';
import { keyOf } from './items.js';

/** Leases that ended this long ago are forgotten, in milliseconds: no process sleeps that long and then goes on writing. */
const FORGET_AFTER_MS = 7 * 24 * 3_600_000;

/** Takes an item for `holder`; the token it is now held by, or undefined where another one holds it. */
export function claimItem(
  { database, generation }: GenerationDatabase,
  item: ItemKey,
  { holder, now, until }: { readonly holder: string; readonly now: number; readonly until: number },
): number | undefined {
  const row = database.row(
    `INSERT INTO lease (generation, tenant, source, item_id, holder, token, expires_at) VALUES (?1, ?2, ?3, ?4, ?5, 1, ?6)
     ON CONFLICT DO UPDATE SET expires_at = excluded.expires_at, holder = excluded.holder,
       token = token + (lease.holder <> excluded.holder OR lease.expires_at <= ?7)
     WHERE lease.holder = excluded.holder OR lease.expires_at <= ?7
     RETURNING token`,
    generation,
    ...keyOf(item),
    holder,
    until,
    now,
  );
  return row === undefined ? undefined : numberAt(row, 0);
}

/** Makes a lease longer that is still held by this token; whether it is. */
export function renewLease(
  { database, generation }: GenerationDatabase,
  item: ItemKey,
  { holder, token, until }: { readonly holder: string; readonly token: number; readonly until: number },
): boolean {
  const changed = database.run(
    `UPDATE lease SET expires_at = ?
     WHERE generation = ? AND tenant = ? AND source = ? AND item_id = ? AND holder = ? AND token = ?`,
    until,
    generation,
    ...keyOf(item),
    holder,
    token,
  );
  return changed > 0;
}

/** Ends a lease before its time; its token stays known. */
export function releaseItem(
  { database, generation }: GenerationDatabase,
  item: ItemKey,
  holder: string,
): void {
  database.run(
    `UPDATE lease SET expires_at = 0 WHERE generation = ? AND tenant = ? AND source = ? AND item_id = ? AND holder = ?`,
    generation,
    ...keyOf(item),
    holder,
  );
}

export function forgetOldLeases({ database }: GenerationDatabase, now: number): void {
  database.run('DELETE FROM lease WHERE expires_at < ?', now - FORGET_AFTER_MS);
}

/**
 * Throws `INDEX_LEASE_LOST` where somebody else holds the item, or has held it since it was claimed by `token` (the fencing
 * token of M. Kleppmann, "How to do distributed locking", 2016). Without a token an item that nobody holds is free.
 */
export function assertHeld(
  { database, generation }: GenerationDatabase,
  item: ItemKey,
  {
    holder,
    token,
    now,
  }: { readonly holder: string; readonly token: number | undefined; readonly now: number },
): void {
  if (database.row('SELECT 1 FROM generation WHERE generation = ?', generation) === undefined)
    throw generationLost(generation);
  const row = database.row(
    `SELECT ${text('holder')}, token, expires_at FROM lease
     WHERE generation = ? AND tenant = ? AND source = ? AND item_id = ?`,
    generation,
    ...keyOf(item),
  );
  if (row === undefined) return;
  const isOwn = textAt(row, 0) === holder && (token === undefined || numberAt(row, 1) === token);
  const isFree = token === undefined && numberAt(row, 2) <= now;
  if (!isOwn && !isFree) throw leaseLost(item);
}

const leaseLost = ({ source, itemId }: ItemKey): RAGError =>
  new RAGError(
    'INDEX_LEASE_LOST',
    `Another process took over "${itemId}" of "${source}" while it was being written here, because this one was silent for too long. The other one finishes it; nothing is lost.`,
  );

/** Item of a document, for the check of its lease. */
export function itemOfDocument(
  { database, generation }: GenerationDatabase,
  documentId: string,
): ItemKey | undefined {
  const sql = `SELECT ${text('tenant')}, ${text('source')}, ${text('item_id')} FROM document
    WHERE generation = ? AND document_id = ?`;
  const row = database.row(sql, generation, storableText(documentId));
  return row === undefined
    ? undefined
    : {
        tenant: originalText(textAt(row, 0)),
        source: originalText(textAt(row, 1)),
        itemId: originalText(textAt(row, 2)),
      };
}
