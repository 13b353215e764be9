import { numberAt, text, textAt } from '../../sqlite/row.js';
import type { SqliteDatabase } from '../../sqlite/sqlite-database.js';
import { hashesByKey } from '../kept-out-hash.js';
import type { ForgottenNames, KeptOutNames } from '../ledger.js';
import { originalText, storableText } from '../ledger-text.js';

export function keptOut(database: SqliteDatabase, tenant: string): KeptOutNames[] {
  const sql = `SELECT ${text('hash_key')}, ${text('hash')} FROM kept_out WHERE tenant = ?`;
  const rows = database.rows(sql, storableText(tenant));
  return hashesByKey(rows.map((row) => ({ key: textAt(row, 0), hash: textAt(row, 1) })));
}

export function keepOut(
  database: SqliteDatabase,
  tenant: string,
  { key, hashes, receipt }: Parameters<ForgottenNames['keepOut']>[1],
): void {
  for (const hash of hashes)
    database.run(
      'INSERT OR REPLACE INTO kept_out (tenant, hash, hash_key, receipt) VALUES (?, ?, ?, ?)',
      ...[storableText(tenant), hash, key, storableText(receipt)],
    );
}

export function letIn(database: SqliteDatabase, tenant: string, receipt: string): number {
  const names = [storableText(tenant), storableText(receipt)] as const;
  const lifted = database.run('DELETE FROM kept_out WHERE tenant = ? AND receipt = ?', ...names);
  if (lifted > 0) database.run('DELETE FROM source_cursor WHERE tenant = ?', storableText(tenant));
  return lifted;
}

export function editRuns(database: SqliteDatabase, edit: (stats: string) => string): number {
  const rows = database.rows(`SELECT run_id, ${text('stats')} FROM run WHERE stats IS NOT NULL`);
  let edited = 0;
  for (const row of rows) {
    const before = originalText(textAt(row, 1));
    const after = edit(before);
    if (after === before) continue;
    database.run('UPDATE run SET stats = ? WHERE run_id = ?', storableText(after), numberAt(row, 0));
    edited++;
  }
  return edited;
}
