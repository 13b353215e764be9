import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { SqliteValues } from '../service/kept/sqlite-values.js';
import { SqliteDatabase } from '../sqlite/sqlite-database.js';
import { filesWith } from '../testing/files-with.js';
import { eraseShown } from './erase-shown.js';

const OPTIONS = { signal: new AbortController().signal, again: 'ragstone again' };

test('questions of one tenant are gone from the file, also while a service has it open', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'shown-'));
  const values = new SqliteValues(folder);
  onTestFinished(() => {
    values.close();
    rmSync(folder, { recursive: true });
  });
  expect(await eraseShown(folder, 'acme', OPTIONS)).toEqual([]);
  const remember = (tenant: string, question: string) =>
    values.set({ kind: 'shown', tenant, key: question }, JSON.stringify({ question }), 3_600_000);
  await remember('acme', 'Where is Quaggadromous?');
  await remember('acme', 'What did Quaggadromous say?');
  await remember('globex', 'Where is Somebody?');
  expect(await filesWith(folder, 'quaggadromous')).not.toEqual([]);
  expect(await eraseShown(folder, 'acme', OPTIONS)).toEqual([
    { place: 'shown results', what: 'requests', count: 2 },
  ]);
  expect(await filesWith(folder, 'quaggadromous')).toEqual([]);
  const kept = { kind: 'shown', tenant: 'globex', key: 'Where is Somebody?' } as const;
  expect(await values.get(kept)).toContain('Somebody');
  expect(await values.get({ ...kept, tenant: 'acme' })).toBeUndefined();
});

test('whoever keeps a read of it open keeps its log from being emptied, which is told', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'shown-'));
  const values = new SqliteValues(folder);
  const reader = SqliteDatabase.open(join(folder, 'service.db'), {
    toError: (_, cause) => new Error(String(cause)),
  });
  onTestFinished(() => {
    reader.close();
    values.close();
    rmSync(folder, { recursive: true });
  });
  await values.set({ kind: 'shown', tenant: 'acme', key: 'x' }, 'Where is Quaggadromous?', 3_600_000);
  reader.exec('BEGIN');
  reader.rows('SELECT count(*) FROM kept');
  await expect(eraseShown(folder, 'acme', OPTIONS)).rejects.toMatchObject({
    reason: 'INDEX_LOCKED',
    message: expect.stringContaining('Run `ragstone again`'),
  });
  reader.exec('COMMIT');
  await eraseShown(folder, 'acme', OPTIONS);
  expect(await filesWith(folder, 'quaggadromous')).toEqual([]);
});
