import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { SqliteDatabase } from '../../platform/sqlite/sqlite-database.js';
import { LedgerGenerationReader } from '../rows/generation-reader.js';
import { openLedger } from './open-ledger.js';
import { sqlitePrograms } from './run-program.js';

test('the documents of an item are found by their item, without a look at those of others', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ragstone-documents-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'ledger.db');
  await openLedger({ path }).close();
  const database = SqliteDatabase.open(path, { toError: (_, cause) => new Error(String(cause)) });
  onTestFinished(() => database.close());
  const rows = vi.spyOn(database, 'rows');
  const reader = new LedgerGenerationReader({ programs: sqlitePrograms(database), generation: 1 });
  await reader.documentsOfItems('default', 'issues', ['MESOS-1', 'MESOS-2']);
  const [sql = '', ...values] = rows.mock.calls[0] ?? [];
  const plan = database.rows(`EXPLAIN QUERY PLAN ${sql}`, ...values).map((row) => String(row[3]));
  expect(plan[0]).toContain('document_by_item (generation=? AND tenant=? AND source=? AND item_id=?)');
});
