import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { temporaryFolder, writeFiles } from '../../../../tests/e2e/temporary-folder.js';
import { writeExample } from './write-example.js';

const FILES = {
  'package.json': '{"name":"ragstone","version":"1.2.3"}',
  'examples/README.md': '# Examples',
  'examples/one/package.json': '{"name":"one","dependencies":{"a":"1","ragstone":"0.0.0"}}',
  'examples/one/src/main.ts': 'main();',
  'examples/one/node_modules/a/index.js': 'a',
  'examples/one/.ragstone/ledger.db': 'x',
  'examples/one/package-lock.json': '{}',
};

describe('an example', () => {
  let root: string;
  let target: string;
  beforeEach(() => {
    root = temporaryFolder();
    target = join(root, 'target');
    writeFiles(target, { '.git/HEAD': 'x' });
  });
  const ragstoneOf = () =>
    (JSON.parse(readFileSync(join(target, 'package.json'), 'utf8')) as { dependencies: object }).dependencies;

  test('is written whole, and names the version of the package that wrote it', async () => {
    const installed = join(root, 'node_modules/ragstone');
    writeFiles(installed, FILES);
    expect(await writeExample('one', target, installed)).toEqual(['package.json', 'src']);
    expect(readdirSync(target).sort()).toEqual(['.git', 'package.json', 'src']);
    expect(ragstoneOf()).toEqual({ a: '1', ragstone: '1.2.3' });
  });

  test('names the tarball or the clone where the package is of this machine', async () => {
    const installed = join(root, 'node_modules/ragstone');
    writeFiles(installed, FILES);
    const lock = { packages: { 'node_modules/ragstone': { resolved: 'file:packed/ragstone.tgz' } } };
    writeFiles(root, { 'node_modules/.package-lock.json': JSON.stringify(lock) });
    await writeExample('one', target, installed);
    expect(ragstoneOf()).toMatchObject({ ragstone: `file:${join(root, 'packed/ragstone.tgz')}` });

    const clone = join(root, 'clone');
    writeFiles(clone, FILES);
    target = temporaryFolder();
    await writeExample('one', target, clone);
    expect(ragstoneOf()).toMatchObject({ ragstone: `file:${clone}` });
  });

  test('is not written over what is there, and must be one that there is', async () => {
    writeFiles(root, FILES);
    await expect(writeExample('two', target, root)).rejects.toThrow('Examples: one.');
    writeFiles(target, { 'notes.txt': 'mine' });
    await expect(writeExample('one', target, root)).rejects.toThrow(/not empty.*notes\.txt/);
    expect(readdirSync(target).sort()).toEqual(['.git', 'notes.txt']);
  });
});
