import { chownSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
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

it.each(['ragstone.yaml', 'config', '.ragstone'])(
  'a link called %s above the folder makes no project',
  (name) => {
    const elsewhere = mkdtempSync(join(tmpdir(), 'ragstone-elsewhere-'));
    try {
      for (const file of ['rag-config.yaml', 'ledger.db']) writeFileSync(join(elsewhere, file), '');
      symlinkSync(
        name === 'ragstone.yaml' ? join(elsewhere, 'rag-config.yaml') : elsewhere,
        join(root, name),
      );
      expect(findProject(join(root, 'docs'))).toBe(join(root, 'docs'));
    } finally {
      rmSync(elsewhere, { recursive: true });
    }
  },
);

it('a configuration beside a data folder that is a link makes no project', () => {
  writeFileSync(join(root, 'ragstone.yaml'), '');
  symlinkSync(join(root, 'docs'), join(root, '.ragstone'));
  expect(findProject(join(root, 'docs'))).toBe(join(root, 'docs'));
});

it.skipIf(process.getuid?.() !== 0)('nor does what another account made, also for the system account', () => {
  writeFileSync(join(root, 'ragstone.yaml'), '');
  chownSync(join(root, 'ragstone.yaml'), 65_534, 65_534);
  expect(findProject(join(root, 'docs'))).toBe(join(root, 'docs'));
});
