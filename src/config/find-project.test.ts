import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { findProject } from './find-project.js';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'ragstone-project-'));
  mkdirSync(join(root, 'docs/guides'), { recursive: true });
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

it.each(['ragstone.yaml', 'config/rag-config.yaml', '.ragstone/ledger.db'])(
  'a folder below %s belongs to its project',
  (mark) => {
    mkdirSync(join(root, mark, '..'), { recursive: true });
    writeFileSync(join(root, mark), '');
    expect(findProject(join(root, 'docs/guides'))).toBe(root);
    expect(findProject(root)).toBe(root);
  },
);

it('the nearest project counts, and a folder without one is its own', () => {
  expect(findProject(join(root, 'docs/guides'))).toBe(join(root, 'docs/guides'));
  writeFileSync(join(root, 'ragstone.yaml'), '');
  writeFileSync(join(root, 'docs/ragstone.yaml'), '');
  expect(findProject(join(root, 'docs/guides'))).toBe(join(root, 'docs'));
  mkdirSync(join(root, 'docs/guides/.ragstone'));
  expect(findProject(join(root, 'docs/guides'))).toBe(join(root, 'docs'));
});
