import { existsSync, renameSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { StoresStatus } from '../../src/index.js';
import { type ErrorDocument, ragstoneJson, runRagstone } from './run-ragstone.js';
import { temporaryFolder, writeFiles } from './temporary-folder.js';

const QUESTION = 'how long are logs kept?';

const project = (failover: string): string =>
  temporaryFolder({
    'docs/audit.md': '# Audit\n\nLogs are kept for thirty days.\n',
    'ragstone.yaml': `rag:\n  provider: libsql\n  failover: ${failover}\n`,
  });

const statesOf = ({ active, stores }: StoresStatus): object => ({
  active,
  ...Object.fromEntries(stores.map(({ name, state, lag }) => [name, `${state} ${lag}`])),
});

async function stores(cwd: string, ...args: readonly string[]) {
  const { code, document } = await ragstoneJson<StoresStatus>(['stores', ...args], { cwd });
  return { code, ...statesOf(document) };
}

const sourcesOf = async (cwd: string): Promise<readonly unknown[]> => {
  const { document } = await ragstoneJson<{ results: { metadata: { source: string } }[] }>(
    ['search', QUESTION],
    { cwd },
  );
  return document.results.map(({ metadata }) => metadata.source);
};

describe('ragstone stores', () => {
  test('lists both, uses the other one first, and copies one anew', async () => {
    const cwd = project('{ secondary: lancedb }');
    expect(await stores(cwd)).toEqual({ code: 0, active: 'libsql', libsql: 'ready 0', lancedb: 'behind 0' });
    expect((await runRagstone(['index', 'docs'], { cwd })).code).toBe(0);
    expect(await stores(cwd, 'list')).toEqual({
      ...{ code: 0, active: 'libsql' },
      ...{ libsql: 'ready 0', lancedb: 'ready 0' },
    });
    const listed = await runRagstone(['stores'], { cwd });
    expect(listed.stdout).toMatch(
      /^store +asked +state +lacks +since\nlibsql +first +ready\nlancedb +second +ready\n/,
    );
    expect(listed.stdout).toContain('The journal keeps 0 writes');

    expect(await stores(cwd, 'use', 'lancedb')).toMatchObject({ code: 0, active: 'lancedb' });
    const used = await runRagstone(['stores', 'use', 'libsql'], { cwd });
    expect(used).toMatchObject({ code: 0, stdout: expect.stringContaining('"libsql" first') as string });
    expect((await runRagstone(['status'], { cwd })).stdout).toMatch(
      /stores +libsql ready, asked first; lancedb ready/,
    );

    expect(await ragstoneJson(['stores', 'rebuild', 'lancedb'], { cwd })).toMatchObject({
      ...{ code: 0, document: { rebuilt: 'lancedb' } },
    });
    expect(await stores(cwd, 'sync')).toEqual({
      ...{ code: 0, active: 'libsql' },
      ...{ libsql: 'ready 0', lancedb: 'ready 0' },
    });
  });

  test('a store that was lost with its folder is noticed, and copied', async () => {
    const cwd = project('{ secondary: lancedb }');
    await runRagstone(['index', 'docs'], { cwd });
    const copy = join(cwd, '.ragstone', 'failover', 'lancedb');
    expect(existsSync(copy)).toBe(true);
    renameSync(copy, join(cwd, 'away'));
    expect(await stores(cwd)).toMatchObject({ code: 0, lancedb: expect.stringMatching(/^foreign|^copying/) });
    expect(await stores(cwd, 'sync')).toMatchObject({ code: 0, lancedb: 'ready 0' });
    expect(await stores(cwd, 'use', 'lancedb')).toMatchObject({ code: 0, active: 'lancedb' });
    expect(await sourcesOf(cwd)).toEqual(['audit.md']);
  });

  test('a second store that does not answer: everything goes on, and each command says so', async () => {
    // Nobody listens there.
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : 0;
    await new Promise((resolve) => server.close(resolve));
    const cwd = project(
      `{ secondary: { provider: chroma, storage: { server: { url: "http://127.0.0.1:${port}" } } } }`,
    );
    expect((await runRagstone(['index', 'docs'], { cwd })).code).toBe(0);
    expect(await sourcesOf(cwd)).toEqual(['audit.md']);
    expect(await stores(cwd)).toMatchObject({
      code: 0,
      libsql: 'ready 0',
      chroma: expect.stringMatching(/^out [1-9]/),
    });
    expect(await stores(cwd, 'sync')).toMatchObject({ code: 1, active: 'libsql' });
    const used = await ragstoneJson<ErrorDocument>(['stores', 'use', 'chroma'], { cwd });
    expect(used.document.error).toMatchObject({
      reason: 'STORE_UNAVAILABLE',
      message: expect.stringContaining('is not switched to') as string,
    });
    expect(used.code).not.toBe(0);
    expect(await stores(cwd)).toMatchObject({ active: 'libsql' });
    const doctor = await ragstoneJson<{ findings: readonly object[] }>(['doctor'], { cwd });
    expect(doctor.code).toBe(0);
    expect(doctor.document.findings).toContainEqual(
      expect.objectContaining({
        ...{
          check: 'store',
          state: 'warning',
          detail: expect.stringContaining('"chroma" of rag.failover is out'),
        },
        nextStep: expect.stringContaining('ragstone stores sync') as string,
      }),
    );
  });

  test('what is wrong is refused with what to do', async () => {
    const cwd = project('{ secondary: lancedb }');
    await runRagstone(['index', 'docs'], { cwd });
    const refused = async (...args: readonly string[]) => {
      const { code, document } = await ragstoneJson<ErrorDocument>(['stores', ...args], { cwd });
      return { code, message: document.error.message };
    };
    expect(await refused('use', 'nothing')).toEqual({
      ...{ code: 2, message: expect.stringContaining('name one of libsql, lancedb') as string },
    });
    expect(await refused('rebuild', 'nothing')).toMatchObject({ code: 2 });
    expect(await refused('use')).toEqual({
      ...{ code: 2, message: expect.stringContaining("missing required argument 'name'") as string },
    });
    expect(await refused('frobnicate')).toMatchObject({ code: 2 });
    writeFiles(cwd, { 'ragstone.yaml': 'rag:\n  provider: libsql\n' });
    expect(await refused()).toEqual({
      ...{ code: 2, message: expect.stringContaining('`rag.failover`') as string },
    });
    writeFiles(cwd, { 'ragstone.yaml': 'rag:\n  provider: libsql\n  failover: { secondary: libsql }\n' });
    expect((await refused()).message).toContain('Give the second one a name');
  });

  test('doctor names what the second store needs and this machine lacks', async () => {
    const cwd = project('{ secondary: { provider: chroma, storage: { local: { type: chroma } } } }');
    const doctor = await ragstoneJson<{ findings: readonly object[] }>(['doctor'], {
      cwd,
      env: { PATH: join(cwd, 'no-programs') },
    });
    expect(doctor.code).toBe(1);
    expect(doctor.document.findings).toContainEqual({
      ...{ check: 'packages and models', state: 'failed' },
      detail: expect.stringMatching(/^rag\.failover\.secondary: The program `chroma`/) as string,
    });
  });

  test('help names every command, with examples', async () => {
    const cwd = temporaryFolder();
    const { code, stdout } = await runRagstone(['stores', '--help'], { cwd });
    expect(code).toBe(0);
    for (const part of ['list', 'use <name>', 'sync', 'rebuild <name>', '$ ragstone stores use chroma'])
      expect(stdout).toContain(part);
  });
});
