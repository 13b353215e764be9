import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createEngine } from '../../engine/create-engine.js';
import { SqliteDatabase } from '../../platform/sqlite/sqlite-database.js';
import { filesWith } from '../../testing/files-with.js';

test('a log of the second store that a reader holds is named, and emptied when it has ended', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'held-log-'));
  const config = { provider: 'usearch', failover: { secondary: 'libsql' } } as const;
  const engine = await createEngine({ config, dataDir, cwd: dataDir });
  onTestFinished(async () => {
    await engine.close();
    rmSync(dataDir, { recursive: true });
  });
  await engine.push([{ id: 'ann', text: 'Said Quaggadromous himself.' }]);
  const file = join(dataDir, 'failover', 'libsql', 'store.db');
  const reader = SqliteDatabase.open(file, {
    readOnly: true,
    toError: (_, cause) => new Error(String(cause)),
  });
  reader.exec('BEGIN');
  reader.row('SELECT count(*) FROM store_chunk');
  await expect(engine.forget({ documents: ['ann'] })).rejects.toMatchObject({
    reason: 'INDEX_LOCKED',
    message: expect.stringContaining(`${file}-wal`) as string,
  });
  // The driver keeps what a closed connection has open until its statements are collected.
  reader.exec('COMMIT');
  reader.close();
  expect(await engine.resumeForgetting()).toEqual([]);
  expect(await filesWith(dataDir, 'quaggadromous')).toEqual([]);
});
