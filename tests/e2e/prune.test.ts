import { chmodSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { beforeEach, describe, expect, test } from 'vitest';
import type { runCli } from '../../src/faces/cli/run-cli.js';
import type { IndexResult, SearchResponse } from '../../src/index.js';
import { waitFor } from '../wait-for.js';
import { DIST, type ErrorDocument, ragstoneJson, runRagstone } from './run-ragstone.js';
import { temporaryFolder } from './temporary-folder.js';
import { UNPRIVILEGED } from './unprivileged.js';

let folder: string;
let data: string;
beforeEach(async () => {
  folder = temporaryFolder({
    'input/docs/a.md': '# A\n\nThe kiln burns at 900 degrees.\n',
    'input/docs/b.md': '# B\n\nThe glaze dries in two days.\n',
    'other/c.md': '# C\n\nThe wheel turns.\n',
  });
  data = join(folder, 'data');
  await index('input', 'docs', '../other');
});

const run = <T>(cwd: string, ...args: string[]) =>
  ragstoneJson<T>([...args, '--data', data], { cwd: join(folder, cwd) });
const index = (cwd: string, ...args: string[]) => run<IndexResult>(cwd, 'index', ...args);
const kilns = async (): Promise<number> =>
  (await run<SearchResponse>('other', 'search', 'kiln', '--mode', 'lexical')).document.results.length;

const remove = (): void => rmSync(join(folder, 'input/docs'), { recursive: true });

test('a run in another folder reads what was named, and its advice deletes nothing', async () => {
  const { code, document, stderr } = await index('other');
  expect({ code, stats: document.stats }).toMatchObject({ code: 0, stats: { documentsUnchanged: 3 } });
  expect(stderr).not.toContain('--prune');
  expect((await index('other', '--prune')).document.stats.documentsDeleted).toBe(0);
  const { document: found } = await run<SearchResponse>('other', 'search', 'kiln');
  expect(found.results[0]?.origin.path).toBe(join(folder, 'input/docs/a.md'));
});

test.runIf(UNPRIVILEGED).each(['input', 'input/docs'])(
  'a folder that may not be looked into (%s) is kept by --prune --yes, and its passages are found',
  async (path) => {
    const closed = join(folder, path);
    chmodSync(closed, 0);
    const options = { cwd: join(folder, 'other'), ...UNPRIVILEGED };
    const command = <T>(...args: string[]) => ragstoneJson<T>([...args, '--data', data], options);
    try {
      const { document: pruned } = await command<IndexResult>('index', '.', '--prune', '--yes');
      expect(pruned.stats).toMatchObject({ documentsUnchanged: 1, documentsDeleted: 0 });
      const { document, code } = await command<SearchResponse>('search', 'kiln', '--mode', 'lexical');
      expect(code).toBe(0);
      expect(document.results).toHaveLength(1);
      expect((await command('status')).code).toBe(0);
      expect((await command('ask', 'At how many degrees does the kiln burn?')).code).toBe(0);
    } finally {
      chmodSync(closed, 0o755);
    }
  },
);

describe('a whole source, without a terminal,', () => {
  test.each([
    ['--prune', []],
    ['--prune-source', ['SOURCE']],
  ])('is not deleted by %s alone: exit 2, and the error says what to say', async (option, names) => {
    remove();
    const source = `path:${join(folder, 'input/docs')}`;
    const args = [option, ...names.map(() => source)];
    const { code, document } = await run<ErrorDocument>('other', 'index', ...args);
    expect(code).toBe(2);
    expect(document.error).toMatchObject({
      reason: 'USAGE',
      message: `This deletes 2 documents of "${source}"; say --yes to do it without being asked.`,
    });
    const { code: plain, stderr } = await runRagstone(['index', ...args, '--data', data], {
      cwd: join(folder, 'other'),
    });
    expect(plain).toBe(2);
    expect(stderr).toContain('--yes');
    expect(await kilns()).toBe(1);
    expect((await index('other', ...args, '--yes')).document.stats.documentsDeleted).toBe(2);
    expect(await kilns()).toBe(0);
  });

  test('is shown by --dry-run', async () => {
    remove();
    const { code, document } = await index('other', '--prune', '--dry-run');
    expect(code).toBe(0);
    expect(document.stats.documentsDeleted).toBe(2);
    expect(await kilns()).toBe(1);
  });
});

describe('a whole source, on a terminal,', () => {
  /** A command with a person before it, who presses keys once it asks. */
  async function asked(args: readonly string[], question: string, keys: string) {
    const [stdin, stdout, stderr] = [0, 1, 2].map(() => Object.assign(new PassThrough(), { isTTY: true }));
    if (stdin === undefined || stdout === undefined || stderr === undefined) return expect.fail();
    let told = '';
    stderr.on('data', (part: Buffer) => {
      told += part.toString();
    });
    stdout.resume();
    const built = (await import(new URL('faces/cli/run-cli.js', DIST).href)) as {
      readonly runCli: typeof runCli;
    };
    const env = {
      HOME: process.env.HOME ?? '',
      XDG_STATE_HOME: process.env.XDG_STATE_HOME ?? '',
      NO_COLOR: '1',
    };
    const place = { cwd: join(folder, 'other'), env, stdin, stdout, stderr };
    const ended = built.runCli([...args, '--data', data], place);
    await waitFor(() => expect(told).toContain(question));
    stdin.write(keys);
    return { code: await ended, told, kilns: await kilns() };
  }

  async function answered(answer: string): Promise<number> {
    remove();
    const outcome = await asked(['index', '--prune'], 'Delete 2 documents of', `${answer}\n`);
    expect(outcome.code).toBe(0);
    return outcome.kilns;
  }

  test('is deleted after yes', async () => expect(await answered('y')).toBe(0));
  test('stays after no', async () => expect(await answered('')).toBe(1));

  test.each([
    [['index', '--prune'], 'Delete 2 documents of', 0],
    [['clear'], 'Delete the whole index', undefined],
    [['forget', '--source', 'SOURCE'], 'for good?', undefined],
  ])('stays after Ctrl-C and Ctrl-D (%j)', async (args, question, declined) => {
    const command = args.map((arg) => (arg === 'SOURCE' ? `path:${join(folder, 'input/docs')}` : arg));
    remove();
    const no = await asked(command, question, '\n');
    expect(no.kilns).toBe(1);
    if (declined !== undefined) expect(no.code).toBe(declined);
    const { told, ...ended } = await asked(command, question, '\u0004');
    expect({ ...ended, told: told.includes('INTERNAL') }).toEqual({ code: no.code, kilns: 1, told: false });
    const stopped = await asked(command, question, '\u0003');
    expect(stopped).toMatchObject({ code: 130, kilns: 1, told: expect.stringContaining('Stopped') });
    expect(stopped.told).not.toContain('INTERNAL');
  });
});
