import type { PostgresDatabase } from '../../postgres/postgres-database.js';
import { hashesByKey } from '../kept-out-hash.js';
import type { ForgottenNames, KeptOutNames } from '../ledger.js';
import { keyOf, storableText } from '../ledger-text.js';
import { numberOf, textOf } from './row.js';
import { TABLES } from './schema.js';

export async function keptOut(database: PostgresDatabase, tenant: string): Promise<KeptOutNames[]> {
  const rows = await database.rows(
    'SELECT hash, hash_key FROM ragstone_ledger_kept_out WHERE tenant_key = $1',
    [keyOf(tenant)],
    { action: 'read what is kept out' },
  );
  return hashesByKey(rows.map((row) => ({ key: textOf(row, 'hash_key'), hash: textOf(row, 'hash') })));
}

export async function keepOut(
  database: PostgresDatabase,
  tenant: string,
  { key, hashes, receipt }: Parameters<ForgottenNames['keepOut']>[1],
): Promise<void> {
  await database.query(
    `INSERT INTO ragstone_ledger_kept_out (tenant_key, hash, hash_key, receipt)
     SELECT $1, hash, $2, $3 FROM unnest($4::text[]) AS hash ORDER BY hash
     ON CONFLICT (tenant_key, hash) DO UPDATE SET hash_key = EXCLUDED.hash_key, receipt = EXCLUDED.receipt`,
    [keyOf(tenant), key, storableText(receipt), [...new Set(hashes)]],
    { action: 'record what is kept out' },
  );
}

export async function letIn(database: PostgresDatabase, tenant: string, receipt: string): Promise<number> {
  return database.transaction({ action: 'let in what was kept out' }, async (run) => {
    const { count } = await run(
      'DELETE FROM ragstone_ledger_kept_out WHERE tenant_key = $1 AND receipt = $2',
      [keyOf(tenant), storableText(receipt)],
    );
    // Cursors do not say whose they are; a listing too many costs a little time.
    if (count > 0) await run('DELETE FROM ragstone_ledger_source_cursor');
    return count;
  });
}

export async function editRuns(database: PostgresDatabase, edit: (stats: string) => string): Promise<number> {
  return database.transaction({ action: 'edit its runs' }, async (run) => {
    const { rows } = await run(
      'SELECT run_id, stats FROM ragstone_ledger_run WHERE stats IS NOT NULL ORDER BY run_id FOR UPDATE',
    );
    let edited = 0;
    for (const row of rows) {
      const before = textOf(row, 'stats');
      const after = edit(before);
      if (after === before) continue;
      await run('UPDATE ragstone_ledger_run SET stats = $2 WHERE run_id = $1', [
        numberOf(row, 'run_id'),
        storableText(after),
      ]);
      edited++;
    }
    return edited;
  });
}

/** Dead rows are removed, and the pages that they leave at the end of a table given back. The bytes of others are written over in time. */
export async function reclaim(database: PostgresDatabase): Promise<void> {
  await database.maintain({ action: 'give up dead rows' }, 'ragstone ledger reclaim', async (run) => {
    await run(`VACUUM ${TABLES.join(', ')}`);
  });
}
