import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../../tests/e2e/temporary-folder.js';
import { examineDisk, examineNode, examinePermissions } from './examinations.js';

test.each([
  ['20.19.0', 'ok'],
  ['22.1.0', 'ok'],
  ['20.18.9', 'failed'],
  ['18.20.4', 'failed'],
])('Node %s is %s', (version, state) => {
  expect(examineNode(version, '>=20.19')).toMatchObject({ check: 'node', state });
});

test.each([
  [5_000_000_000, 'ok'],
  [900_000_000, 'warning'],
  [90_000_000, 'failed'],
])('%d free bytes are %s', async (bytes, state) => {
  const finding = await examineDisk('/', bytes);
  expect(finding).toMatchObject({ check: 'disk', state });
  expect(finding.nextStep === undefined).toBe(state === 'ok');
});

test('the space of a folder that is not made yet is that of the folder around it', async () => {
  expect((await examineDisk(join(temporaryFolder(), 'a', 'b'))).detail).toMatch(/^[1-9]\d* MB are free/);
});

test.skipIf(process.platform === 'win32')('a data folder that others may reach is a warning', async () => {
  const folder = temporaryFolder();
  chmodSync(folder, 0o755);
  expect(await examinePermissions(folder)).toMatchObject({
    state: 'warning',
    nextStep: expect.stringContaining('chmod 700'),
  });
  chmodSync(folder, 0o700);
  expect(await examinePermissions(folder)).toMatchObject({ state: 'ok' });
  expect(await examinePermissions(join(folder, 'later'))).toMatchObject({ state: 'ok' });
});

// The administrator may write everywhere.
test.skipIf(process.platform === 'win32' || process.getuid?.() === 0)(
  'a folder that cannot be written fails',
  async () => {
    const folder = temporaryFolder();
    chmodSync(folder, 0o500);
    expect(await examinePermissions(join(folder, 'data'))).toMatchObject({ state: 'failed' });
    chmodSync(folder, 0o700);
  },
);
