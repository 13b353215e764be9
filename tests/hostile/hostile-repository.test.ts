import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createGitSource } from '../../src/sources/git/git-source.js';
import { isUnreadable } from '../../src/sources/source.js';
import { plantHostileRepository } from './hostile-repository.js';

// Invariant: Git works with settings of ours alone, whatever a repository or a calling process says. Kept by
// src/sources/git/foreign-repository.ts.
it.each([
  ['a folder', (folder: string) => folder],
  ['a folder below its root', (folder: string) => `${folder}/docs`],
  ['its Git folder', (folder: string) => `${folder}/.git`],
  ['a file address', (folder: string) => `file://${folder}`],
])('a repository given as %s runs no program, and what it lacks is reported', async (_, address) => {
  const home = mkdtempSync(join(tmpdir(), 'ragstone-hostile-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const { folder, environment, ran } = plantHostileRepository(home);
  const source = createGitSource({
    name: 'code',
    repository: address(folder),
    baseFolder: home,
    cacheFolder: join(home, 'cache'),
    environment: { ...environment, PATH: process.env.PATH, HOME: home },
  });
  const states: Record<string, string> = {};
  try {
    for await (const item of source.list()) {
      if (isUnreadable(item)) states[item.id] = item.error.reason;
      else {
        const { documents } = await source.read(item);
        states[item.id] = Buffer.from(documents[0]?.content ?? '').toString();
      }
    }
  } finally {
    expect(ran()).toEqual([]);
  }
  expect(states).toMatchObject({
    'kept.md': expect.stringContaining('This file is here.'),
    'changed.md': expect.stringContaining('The new text'),
    'missing.md': 'DOCUMENT_UNREADABLE',
  });
  expect(source.listingNotices?.()).toEqual([expect.stringContaining('The history was not read')]);
});
