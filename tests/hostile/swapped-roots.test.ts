// biome-ignore-all lint/suspicious/noTemplateCurlyInString: a reference to the environment, as a configuration writes it.
import { existsSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'libsql';
import { beforeEach, describe, expect, test } from 'vitest';
import { loadConfig } from '../../src/config/load-config.js';
import { trustFolder } from '../../src/engine/trust-folder.js';
import { createSourceNamed } from '../../src/resources/assembly/open-sources.js';
import { isUnreadable } from '../../src/sources/source.js';
import { temporaryFolder } from '../e2e/temporary-folder.js';

// Invariant: a configuration that was found reads what it was checked with, whatever takes the place of its roots before they are read.

let outer: string;
let folder: string;
beforeEach(() => {
  outer = temporaryFolder({
    'private/a.md': '# Salaries\n',
    'private/a.json': '{"id": "1", "title": "Salaries"}',
    'beside/a.md': '# Kiln\n',
    'clone/docs/a.md': '# Kiln\n',
    'clone/docs/a.json': '{"id": "1", "title": "Kiln"}',
    'clone/other/a.md': '# Kiln\n',
  });
  folder = join(outer, 'clone');
  for (const [path, word] of [
    ['private/a.db', 'Salaries'],
    ['clone/docs/a.db', 'Kiln'],
  ] as const) {
    const database = new Database(join(outer, path));
    database.exec(`CREATE TABLE t (id INTEGER PRIMARY KEY, word TEXT); INSERT INTO t VALUES (1, '${word}')`);
    database.close();
  }
});

const env = (more = {}) => ({ RAGSTONE_TRUST: '', XDG_STATE_HOME: join(outer, 'state'), ...more });

/** What is listed and read, in one text, of a configuration whose folder is swapped after it was checked. */
async function readAfter(source: string, swap: () => void, more = {}): Promise<string> {
  writeFileSync(join(folder, 'ragstone.yaml'), `rag:\n  sources: [{ name: docs, ${source} }]\n`);
  const config = await loadConfig({ cwd: folder, env: env(more) });
  swap();
  try {
    const { source } = await createSourceNamed('docs', config);
    const seen: string[] = [];
    for await (const item of source.list()) {
      if ('error' in item && isUnreadable(item)) throw item.error;
      if (!('version' in item)) continue;
      const { documents } = await source.read(item);
      seen.push(item.id, ...documents.map(({ content }) => Buffer.from(content as Uint8Array).toString()));
    }
    return seen.join('\n');
  } catch (error) {
    return String((error as { reason?: unknown }).reason ?? error);
  }
}

function swapped(path: string, target: string): () => void {
  return () => {
    if (existsSync(path)) renameSync(path, join(outer, 'moved away'));
    symlinkSync(target, path);
  };
}

const SOURCES = {
  files: 'type: files, root: docs',
  markdown: 'type: markdown, root: docs, paths: ["**"]',
  'files below': 'type: files, root: docs/sub/..',
  'one file': 'type: files, root: docs/a.md',
  'what is named below the root': 'type: files, root: ., paths: [docs/a.md], followSymlinks: true',
  pbi_json: 'type: pbi_json, root: docs, paths: ["*.json"]',
  sql: 'type: sql, path: docs/a.db, table: t, key: id, text: "{word}"',
  'by a variable': 'type: files, root: "${DOCS:-docs}"',
};

describe.each(Object.entries(SOURCES))('%s', (_, source) => {
  test('of a folder that becomes a link out of the project is not read', async () => {
    const seen = await readAfter(source, swapped(join(folder, 'docs'), join(outer, 'private')));
    expect(seen).not.toContain('Salaries');
    expect(seen).not.toContain('a.md');
  });

  test('is read where nothing was swapped', async () => {
    expect(await readAfter(source, () => {})).toContain('Kiln');
  });
});

test('the refusal says that it is not trusted', async () => {
  const swap = swapped(join(folder, 'docs'), join(outer, 'private'));
  expect(await readAfter(SOURCES.files, swap)).toBe('CONFIG_UNTRUSTED');
  await expect(readAfter(SOURCES.files, () => {})).rejects.toMatchObject({ reason: 'CONFIG_UNTRUSTED' });
});

test('a link that leads to another folder of the project is followed', async () => {
  expect(await readAfter(SOURCES.files, swapped(join(folder, 'docs'), join(folder, 'other')))).toContain(
    'Kiln',
  );
});

test('a root that is trusted to lie outside is read there', async () => {
  const source = 'type: files, root: ../beside';
  writeFileSync(join(folder, 'ragstone.yaml'), `rag:\n  sources: [{ name: docs, ${source} }]\n`);
  await trustFolder(folder, { env: env() });
  expect(await readAfter(source, () => {})).toContain('Kiln');
});

test('a job that trusts everything reads whatever is there', async () => {
  const swap = swapped(join(folder, 'docs'), join(outer, 'beside'));
  expect(await readAfter(SOURCES.files, swap, { RAGSTONE_TRUST: '1' })).toContain('Kiln');
});
