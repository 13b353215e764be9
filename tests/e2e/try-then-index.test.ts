import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { IndexResult, SearchResponse } from '../../src/index.js';
import { ragstoneJson, runRagstone } from './run-ragstone.js';

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'ragstone-tried-'));
  mkdirSync(join(cwd, 'guide'));
  for (const page of ['retries', 'exit', 'logs'])
    writeFileSync(join(cwd, 'guide', `${page}.md`), `# Page of ${page}\n\nThis page tells of ${page}.\n`);
});
afterEach(() => rmSync(cwd, { recursive: true }));

const run = (...args: string[]) => runRagstone(args, { cwd });
const indexed = async (...args: string[]) =>
  (await ragstoneJson<IndexResult>(['index', ...args], { cwd })).document.stats;

describe('index after try', () => {
  test('takes over what was tried, and reads what changed since', async () => {
    await run('try', 'guide', 'retries');
    const { stderr } = await run('search', 'retries');
    expect(stderr).toContain('`ragstone index guide` takes it over, and `ragstone search` asks it then.');
    writeFileSync(join(cwd, 'guide', 'new.md'), '# New page\n\nThis page tells of backups.\n');
    writeFileSync(join(cwd, 'guide', 'logs.md'), '# Page of logs\n\nThis page tells of audit logs.\n');
    rmSync(join(cwd, 'guide', 'exit.md'));
    expect(await indexed('guide', '--allow-shrink')).toMatchObject({
      documentsProcessed: 2,
      documentsUnchanged: 1,
      documentsDeleted: 1,
    });
    const { document } = await ragstoneJson<SearchResponse>(['search', 'retries'], { cwd });
    expect(document.results[0]?.metadata.source).toBe('retries.md');
    expect((await run('verify')).code).toBe(0);
    expect(await indexed()).toMatchObject({ documentsProcessed: 0, documentsUnchanged: 3 });
  });

  test('says so, and leaves what was tried where it is', async () => {
    await run('try', 'guide', 'retries');
    expect((await run('index', 'guide')).stderr).toContain('What "try" read of guide is taken over.');
    expect((await run('try', 'guide', 'retries')).stderr).toContain('nothing re-indexed');
    expect((await run('index', 'guide')).stderr).not.toContain('taken over');
  });

  test.each([
    ['another folder', ['other'], {}],
    ['a configuration file', ['guide'], { 'ragstone.yaml': 'rag: { provider: libsql }\n' }],
    ['all work again', ['guide', '--force'], {}],
    ['another tenant', ['guide', '--tenant', 'acme'], {}],
  ])('begins anew with %s', async (_, args, files) => {
    await run('try', 'guide', 'retries');
    mkdirSync(join(cwd, 'other'));
    writeFileSync(join(cwd, 'other', 'a.md'), '# A\n\nThis is the page of another folder.\n');
    for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text);
    expect((await indexed(...args)).documentsProcessed).toBeGreaterThan(0);
  });

  test('begins anew with what was stopped half way', async () => {
    await run('try', 'guide', 'retries');
    mkdirSync(join(cwd, '.ragstone', '.taking-over'));
    mkdirSync(join(cwd, '.ragstone', 'store'));
    writeFileSync(join(cwd, '.ragstone', 'store', 'half'), '');
    expect(await indexed('guide')).toMatchObject({ documentsProcessed: 0, documentsUnchanged: 3 });
    expect(existsSync(join(cwd, '.ragstone', '.taking-over'))).toBe(false);
    expect((await run('verify')).code).toBe(0);
  });
});
