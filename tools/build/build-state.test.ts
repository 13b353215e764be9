import { mkdirSync, mkdtempSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { fingerprint, isBuiltOf, markBuilt } from './build-state.mjs';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'ragstone-build-'));
  for (const path of ['package-lock.json', 'tsconfig.json', 'tsconfig.build.json', 'tools/build/build.mjs'])
    write(path, path);
  write('src/index.ts', 'export const one = 1;');
  write('src/core/two.ts', 'export const two = 2;');
  write('console/main.tsx', '');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

test.each<readonly [string, () => void]>([
  ['a source that changed', () => write('src/core/two.ts', 'export const two = 3;')],
  ['a source that came', () => write('src/core/three.ts', '')],
  ['a source that is gone', () => rmSync(join(root, 'src/core/two.ts'))],
  ['a source that moved', () => renameSync(join(root, 'src/core/two.ts'), join(root, 'src/two.ts'))],
  ['the page of the service', () => write('console/main.tsx', 'export {};')],
  ['what is installed', () => write('package-lock.json', '{}')],
  ['the settings of the compiler', () => write('tsconfig.build.json', '{}')],
  ['how it is built', () => write('tools/build/build.mjs', '')],
])('makes a build stale: %s', (_, change) => {
  const before = fingerprint(root);
  change();
  expect(fingerprint(root)).not.toBe(before);
});

test.each<readonly [string, () => void]>([
  ['a test that changed', () => write('src/core/two.test.ts', 'test')],
  ['a file written again as it was', () => utimesSync(join(root, 'src/index.ts'), new Date(), new Date())],
])('leaves a build as it is: %s', (_, change) => {
  const before = fingerprint(root);
  change();
  expect(fingerprint(root)).toBe(before);
});

test('a build is whole only once it is marked, and of the state that it was marked with', () => {
  const dist = join(root, 'dist');
  expect(isBuiltOf(dist, 'a')).toBe(false);
  mkdirSync(dist);
  expect(isBuiltOf(dist, 'a')).toBe(false);
  markBuilt(dist, 'a');
  expect(isBuiltOf(dist, 'a')).toBe(true);
  expect(isBuiltOf(dist, 'b')).toBe(false);
});
