import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../../../tests/e2e/temporary-folder.js';
import { DATA_FILES } from '../../../core/data-folder.js';
import { RagDeploymentModel } from '../../../index.js';
import { IdempotentWrites } from '../requests/idempotent-writes.js';
import {
  MemoryValues,
  RETENTION_LIMITS,
  type RetainedPlace,
  type RetainedValues,
} from './retained-values.js';
import { SqliteValues } from './sqlite-values.js';

const SHARED = { deploymentId: 'shared', deploymentModel: RagDeploymentModel.Shared };

const HOUR = 3_600_000;
const place = (key: string, tenant = 'acme'): RetainedPlace => ({ kind: 'write', tenant, key });

function sqlite(folder = temporaryFolder()): SqliteValues {
  const values = new SqliteValues(folder);
  onTestFinished(() => values.close());
  return values;
}

describe.each([
  ['memory', (): RetainedValues => new MemoryValues()],
  ['a file', (): RetainedValues => sqlite()],
])('what is kept in %s', (_, open) => {
  test('is found by its tenant, kind and key alone, and claimed by one', async () => {
    const values = open();
    await values.set(place('k'), 'one', HOUR);
    expect(await values.get(place('k'))).toBe('one');
    expect(await values.get(place('k', 'globex'))).toBeUndefined();
    expect(await values.get({ ...place('k'), kind: 'shown' })).toBeUndefined();
    expect(await values.claim(place('k'), 'two', HOUR)).toBe('one');
    expect(await values.claim(place('new'), 'two', HOUR)).toBeUndefined();
    expect(await values.claim(place('new'), 'three', HOUR)).toBe('two');
    await values.remove(place('k'));
    expect(await values.claim(place('k'), '\0€', HOUR)).toBeUndefined();
    expect(await values.get(place('k'))).toBe('\0€');
  });

  test('is bounded for each tenant, and what is too large is not kept', async () => {
    const values = open();
    await values.set(place('first', 'globex'), 'x', HOUR);
    const large = 'x'.repeat(500_000);
    for (let n = 0; n < 130; n++) await values.set(place(`${n}`), large, HOUR);
    expect(await values.get(place('0'))).toBeUndefined();
    expect(await values.get(place('129'))).toBe(large);
    expect(await values.get(place('first', 'globex'))).toBe('x');
    await values.set(place('huge'), 'x'.repeat(RETENTION_LIMITS.write.characters + 1), HOUR);
    expect(await values.get(place('huge'))).toBeUndefined();
  });
});

describe('a file of the data folder', () => {
  test('is shared by processes, outlives them, and forgets what is over', async () => {
    const folder = temporaryFolder();
    const [one, other] = [sqlite(folder), sqlite(folder)];
    await one.set(place('k', 'a tenant'), 'value', HOUR);
    expect(await other.get(place('k', 'a tenant'))).toBe('value');
    one.close();
    expect(await sqlite(folder).get(place('k', 'a tenant'))).toBe('value');
    await other.set(place('over'), 'x', -1);
    expect(await other.get(place('over'))).toBeUndefined();
    expect(await other.claim(place('over'), 'next', HOUR)).toBeUndefined();
    expect(readFileSync(join(folder, DATA_FILES.serviceValues), 'latin1')).not.toContain('a tenant');
    if (process.platform !== 'win32')
      expect(statSync(join(folder, DATA_FILES.serviceValues)).mode & 0o077).toBe(0);
  });

  test('has a write done once by all, and its outcome known after a restart', async () => {
    const folder = temporaryFolder();
    const processes = [1, 2, 3].map(() => new IdempotentWrites(sqlite(folder)));
    let done = 0;
    const write = (writes: IdempotentWrites, content = 'body') =>
      writes.run({
        tenant: 'acme',
        deployment: SHARED,
        key: 'k',
        content,
        work: async () => {
          await new Promise((resolve) => setTimeout(resolve, 20));
          done += 1;
          return { id: `${done}` };
        },
      });
    const outcomes = await Promise.all([...processes, ...processes].map((writes) => write(writes)));
    expect([done, new Set(outcomes.map((outcome) => outcome.id))]).toEqual([1, new Set(['1'])]);
    const restarted = new IdempotentWrites(sqlite(folder));
    expect(await write(restarted)).toEqual({ id: '1' });
    await expect(write(restarted, 'another body')).rejects.toMatchObject({
      reason: 'IDEMPOTENCY_KEY_REUSED',
    });
  });

  test('has what failed done again, and what a process left that died', async () => {
    const folder = temporaryFolder();
    const values = sqlite(folder);
    const writes = new IdempotentWrites(values);
    const run = (work: () => Promise<string>) =>
      writes.run({ tenant: 'acme', deployment: SHARED, key: 'k', content: 1, work });
    await expect(run(() => Promise.reject(new Error('disk full')))).rejects.toThrow('disk full');
    await values.claim(place('k'), JSON.stringify({ fingerprint: 'of the dead', isDone: false }), -1);
    expect(await run(async () => 'done')).toBe('done');
  });

  test('that cannot be opened stops writes with keys, and is told', async () => {
    const folder = join(temporaryFolder(), 'ledger.db');
    const blocked = new SqliteValues(join(sqliteFile(folder), 'below a file'));
    const writes = new IdempotentWrites(blocked);
    const run = (key: string | undefined) =>
      writes.run({ tenant: 'acme', deployment: SHARED, key, content: 1, work: async () => 'done' });
    await expect(run('k')).rejects.toMatchObject({ reason: 'SERVICE_UNAVAILABLE' });
    expect(await run(undefined)).toBe('done');
  });
});

/** The path of a file. */
function sqliteFile(path: string): string {
  writeFileSync(path, 'no folder');
  return path;
}
