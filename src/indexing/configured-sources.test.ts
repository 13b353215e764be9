import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { loadConfig } from '../config/load-config.js';
import type { ResolvedConfig } from '../config/resolved-config.js';
import { isUnreadable } from '../sources/source.js';
import { pathSource } from './configured-sources.js';
import { rememberedPaths } from './named-folders.js';

let folder: string;
let config: ResolvedConfig;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ragstone-paths-'));
  mkdirSync(join(folder, 'project/docs/inner'), { recursive: true });
  mkdirSync(join(folder, 'outside'));
  writeFileSync(join(folder, 'project/docs/a.md'), '# A\n');
  writeFileSync(join(folder, 'project/docs/[a-z]*.md'), '# Odd\n');
  writeFileSync(join(folder, 'project/docs/inner/b.md'), '# B\n');
  config = await loadConfig({ config: {}, cwd: join(folder, 'project') });
});
afterEach(() => rmSync(folder, { recursive: true }));

const named = async (path: string, cwd = 'project'): Promise<string> =>
  (await pathSource(path, config, join(folder, cwd))).source.name;

async function listed(path: string): Promise<string[]> {
  const ids: string[] = [];
  for await (const item of (await pathSource(path, config, join(folder, 'project'))).source.list())
    if (!isUnreadable(item)) ids.push(item.id);
  return ids.sort();
}

test('a path has one name, however and wherever it is written', async () => {
  expect(await named('docs')).toBe('path:docs');
  expect(await named('./docs/')).toBe('path:docs');
  expect(await named('inner/../', 'project/docs')).toBe('path:docs');
  expect(await named(join(folder, 'project/docs'))).toBe('path:docs');
  expect(await named('.')).toBe('path:.');
  expect(await named('docs/a.md')).toBe('path:docs/a.md');
});

test('a path outside the project is named in full', async () => {
  expect(await named('../outside')).toBe(`path:${join(folder, 'outside')}`);
  mkdirSync(join(folder, 'project/..docs'));
  expect(await named('..docs')).toBe('path:..docs');
});

test('the names of earlier runs lead back to the paths; other sources are none', async () => {
  const names = [
    await named('docs'),
    await named('../outside'),
    await named('.'),
    'handbook',
    'push:documents',
  ];
  expect(rememberedPaths(names, config)).toEqual([
    join(folder, 'project/docs'),
    join(folder, 'outside'),
    join(folder, 'project'),
  ]);
});

test('a folder holds its Markdown; a file is itself alone, even where its name looks like a pattern', async () => {
  expect(await listed('docs')).toEqual(['[a-z]*.md', 'a.md', 'inner/b.md']);
  expect(await listed('docs/a.md')).toEqual(['a.md']);
  expect(await listed('docs/[a-z]*.md')).toEqual(['[a-z]*.md']);
});
