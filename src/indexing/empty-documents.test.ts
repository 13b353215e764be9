import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { createEngine } from '../engine/create-engine.js';

const folder = mkdtempSync(join(tmpdir(), 'empty-documents-'));
afterAll(() => rmSync(folder, { recursive: true }));

it.each([
  ['a.txt', ''],
  ['a.txt', ' \n\n'],
  ['a.html', ''],
  ['a.md', ''],
  ['a.rst', '\n'],
  ['a.adoc', ''],
  ['a.org', ''],
])('a document without text is named: %s (%j)', async (name, content) => {
  const cwd = mkdtempSync(join(folder, 'run-'));
  mkdirSync(join(cwd, 'docs'));
  writeFileSync(join(cwd, 'docs', name), content);
  const engine = await createEngine({ cwd, config: { provider: 'libsql' } });
  try {
    const { notices } = await engine.index({ paths: ['docs'] });
    expect(notices.join('\n')).toMatch(/holds no text/);
    expect(notices.join('\n')).toContain(name);
  } finally {
    await engine.close();
  }
});
