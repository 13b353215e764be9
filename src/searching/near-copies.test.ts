import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createEngine } from '../engine/create-engine.js';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

const OTHERS = ['The canteen opens at eleven.', 'Parking is behind the hall.'];

async function search(text: string, pages: readonly string[], options = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'copies-'));
  folders.push(folder);
  const engine = await createEngine({ config: { provider: 'libsql' }, dataDir: folder });
  await engine.push([...pages, ...OTHERS].map((page, i) => ({ id: `p${i}`, text: page })));
  const { results } = await engine.search({ text, options: { topK: 10, ...options } });
  await engine.close();
  return results;
}

const twelve = (page: (at: number) => string): string[] => Array.from({ length: 12 }, (_, i) => page(i));

describe('near copies', () => {
  it.each([
    [
      'release notes',
      'bug fixes',
      twelve((i) => `Release 1.${i}.0: bug fixes and performance improvements.`),
    ],
    [
      'dated releases',
      'bug fixes',
      twelve((i) => `Version 2.0.${i} of 2024-05-${10 + i}: bug fixes and smaller changes.`),
    ],
    ['the same text', 'licence', twelve(() => 'This page is under the licence of the project.')],
    [
      'other punctuation and case',
      'licence',
      twelve((i) => `This page is under the ${i % 2 === 0 ? 'licence' : 'LICENCE,'} of the project`),
    ],
    [
      'a template with a number',
      'meeting template',
      twelve(
        (i) =>
          `Meeting template ${i + 1}: agenda, people who are there, decisions, next steps, date of the next one.`,
      ),
    ],
    [
      'a template with a name',
      'runbook template',
      twelve(
        (i) =>
          `Runbook template of team ${'abcdefghijkl'[i]}x: what breaks, whom to call, how to restart, how to roll back, where logs are.`,
      ),
    ],
    [
      'a long text',
      'backup',
      twelve(
        (i) =>
          `${'The backup runs every night and is copied to the second site, where it is kept for a year and restored once a month to prove it. '.repeat(2)}Copy ${i}.`,
      ),
    ],
    ['Chinese', '备份', twelve((i) => `第${i + 1}版：修复错误并改进备份的性能和稳定性，更新文档。`)],
  ])('are one result that says how many are like it: %s', async (_, text, pages) => {
    const results = await search(text, pages);
    const copies = results.filter(({ metadata }) => pages[Number(metadata.source.slice(1))] !== undefined);
    expect(copies).toHaveLength(1);
    expect(copies[0]?.more).toEqual({ passages: 0, copies: 0, alike: 11 });
  });

  it('are all results where they are kept', async () => {
    const pages = twelve((i) => `Release 1.${i}.0: bug fixes and performance improvements.`);
    const results = await search('bug fixes', pages, { nearDuplicates: 'keep' });
    expect(results.length).toBeGreaterThanOrEqual(10);
    expect(results[0]?.more).toBeUndefined();
  });

  it.each([
    [
      'two that differ in a number',
      'audit logs',
      ['Audit logs are kept on the server for 30 days.', 'Audit logs are kept on the server for 90 days.'],
    ],
    [
      'facts of several things',
      'port',
      [
        'Service alpha listens on port 8001.',
        'Service beta listens on port 8002.',
        'Service gamma listens on port 8003.',
        'Service delta listens on port 8004.',
      ],
    ],
    [
      'short notes about one thing',
      'pool',
      ['The pool opens at six.', 'The pool closes at nine.', 'The pool is heated.', 'The pool has a slide.'],
    ],
  ])('are not: %s', async (_, text, pages) => {
    const results = await search(text, pages);
    const own = results.filter(({ metadata }) => pages[Number(metadata.source.slice(1))] !== undefined);
    expect(own).toHaveLength(pages.length);
    expect(own.every(({ more }) => more === undefined)).toBe(true);
  });

  it('leave what holds an identifier of the question', async () => {
    const pages = twelve((i) => `Release 1.${i}.0: bug fixes and performance improvements.`);
    const results = await search('1.4.0 1.7.0', pages);
    const first = results.slice(0, 2).map(({ content }) => content);
    expect(first.toSorted()).toEqual([pages[4], pages[7]]);
  });
});
