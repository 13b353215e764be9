import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { temporaryFolder, writeFiles } from '../../tests/e2e/temporary-folder.js';
import { contentHash } from './content-hash.js';
import { STORES, type StoreUnderTest } from './stores.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const SUITE: StoreUnderTest = {
  name: 'mine',
  tests: 'src/stores/mine/',
  about: ['docs/mine.md'],
  packages: ['driver'],
  kind: 'real',
};
const lock = (version: string): string =>
  JSON.stringify({ packages: { 'node_modules/driver': { version } } });
const FILES = {
  'package-lock.json': lock('1.0.0'),
  'docs/mine.md': 'a page',
  'docs/other.md': 'a page',
  'src/stores/vector-store.ts': 'interface',
  'src/stores/other/store.ts': 'other',
  'src/stores/mine/store.ts': 'mine',
  'src/stores/mine/deeper/words.ts': 'words',
  'src/testing/vector-store/suite.ts': 'contract',
  'tests/with-test-server.ts': 'helper',
};

const hashAfter = (changes: Readonly<Record<string, string>>): string => {
  const root = temporaryFolder({ ...FILES, ...changes });
  return contentHash(SUITE, root);
};

it.each([
  ['its store', { 'src/stores/mine/deeper/words.ts': 'other words' }],
  ['a new file of it', { 'src/stores/mine/new.ts': '' }],
  ['what it is about', { 'docs/mine.md': 'another page' }],
  ['a test of it', { 'src/stores/mine/store.test.ts': 'tests' }],
  ['the interface', { 'src/stores/vector-store.ts': 'another' }],
  ['the contract', { 'src/testing/vector-store/suite.ts': 'another' }],
  ['its driver', { 'package-lock.json': lock('1.0.1') }],
])('a change of %s changes the hash', (_, changes) => {
  expect(hashAfter(changes)).not.toBe(hashAfter({}));
});

it.each([
  ['another store', { 'src/stores/other/store.ts': 'changed' }],
  ['a daily test of all stores', { 'src/stores/rows.test.ts': 'changed' }],
  ['another page', { 'docs/other.md': 'changed' }],
  ['what Python leaves behind', { 'src/stores/mine/__pycache__/server.pyc': 'x' }],
])('a change of %s does not', (_, changes) => {
  expect(hashAfter(changes)).toBe(hashAfter({}));
});

it('a file that is renamed or gone changes it', () => {
  const root = temporaryFolder(FILES);
  rmSync(join(root, 'src/stores/mine/deeper/words.ts'));
  expect(contentHash(SUITE, root)).not.toBe(hashAfter({}));
  writeFiles(root, { 'src/stores/mine/deeper/terms.ts': 'words' });
  expect(contentHash(SUITE, root)).not.toBe(hashAfter({}));
});

it.each(STORES)('what $name is about is there', (store) => {
  expect(contentHash(store, ROOT)).toMatch(/^[0-9a-f]{16}$/);
});
