import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { loadConfig } from '../../config/load-config.js';
import { SqliteValues } from '../../faces/service/retained/sqlite-values.js';
import { SqliteDatabase } from '../../platform/sqlite/sqlite-database.js';
import { filesWith } from '../../testing/files-with.js';
import { eraseRetained } from './erase-retained.js';

const OPTIONS = { signal: new AbortController().signal, again: 'ragstone again' };

const removed = (shown: number, writes: number) => [
  { place: 'shown results', what: 'requests', count: shown },
  { place: 'outcomes of writes', what: 'requests', count: writes },
];

test('questions and outcomes of one tenant are gone from the file, also while a service has it open', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'shown-'));
  const config = await loadConfig({ cwd: folder, dataDir: folder });
  const values = new SqliteValues(folder);
  onTestFinished(() => {
    values.close();
    rmSync(folder, { recursive: true });
  });
  expect(await eraseRetained(config, 'acme', OPTIONS)).toEqual(removed(0, 0));
  const remember = (tenant: string, question: string) =>
    values.set({ kind: 'shown', tenant, key: question }, JSON.stringify({ question }), 3_600_000);
  await remember('acme', 'Where is Quaggadromous?');
  await remember('acme', 'What did Quaggadromous say?');
  await remember('globex', 'Where is Somebody?');
  const done = (id: string) => JSON.stringify({ fingerprint: 'f', isDone: true, outcome: [{ id }] });
  const begun = JSON.stringify({ fingerprint: 'f', isDone: false });
  const write = (tenant: string, key: string) => ({ kind: 'write', tenant, key }) as const;
  await values.set(write('acme', 'upload'), done('quaggadromous.md'), 3_600_000);
  await values.set(write('acme', 'under way'), begun, 3_600_000);
  await values.set(write('globex', 'upload'), done('other.md'), 3_600_000);
  expect(await filesWith(folder, 'quaggadromous')).not.toEqual([]);
  expect(await eraseRetained(config, 'acme', OPTIONS)).toEqual(removed(2, 1));
  expect(await filesWith(folder, 'quaggadromous')).toEqual([]);
  const kept = { kind: 'shown', tenant: 'globex', key: 'Where is Somebody?' } as const;
  expect(await values.get(kept)).toContain('Somebody');
  expect(await values.get({ ...kept, tenant: 'acme' })).toBeUndefined();
  expect(await values.get(write('acme', 'upload'))).toBeUndefined();
  expect(await values.get(write('acme', 'under way'))).toBe(begun);
  expect(await values.get(write('globex', 'upload'))).toBe(done('other.md'));
});

test('an open read keeps its log from being emptied, which is told', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'shown-'));
  const config = await loadConfig({ cwd: folder, dataDir: folder });
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
  await expect(eraseRetained(config, 'acme', OPTIONS)).rejects.toMatchObject({
    reason: 'INDEX_LOCKED',
    message: expect.stringContaining('Run `ragstone again`'),
  });
  reader.exec('COMMIT');
  await eraseRetained(config, 'acme', OPTIONS);
  expect(await filesWith(folder, 'quaggadromous')).toEqual([]);
});
