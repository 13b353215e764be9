import { chmodSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ragstoneJson, runRagstone } from './run-ragstone.js';
import { temporaryFolder, writeFiles } from './temporary-folder.js';
import { UNPRIVILEGED } from './unprivileged.js';

interface Doctor {
  readonly ok: boolean;
  readonly findings: readonly {
    readonly check: string;
    readonly state: string;
    readonly detail: string;
    readonly nextStep?: string;
  }[];
  readonly nextStep?: string;
}

test('ragstone doctor says what is wrong and what to do, from an empty folder to a damaged index', async () => {
  const cwd = temporaryFolder({ 'docs/a.md': '# Audit\n\nLogs are kept.\n' });
  const doctor = async () => {
    const { code, document } = await ragstoneJson<Doctor>(['doctor'], { cwd });
    const states = Object.fromEntries(document.findings.map(({ check, state }) => [check, state]));
    return { code, states, document };
  };

  const empty = await doctor();
  expect(empty).toMatchObject({
    code: 0,
    states: { node: 'ok', configuration: 'ok', disk: 'ok', ledger: 'ok', model: 'ok', index: 'warning' },
    document: { ok: true, nextStep: expect.stringContaining('index') },
  });

  expect((await runRagstone(['index', 'docs'], { cwd })).code).toBe(0);
  const well = await doctor();
  expect(Object.values(well.states)).toEqual(Object.values(well.states).map(() => 'ok'));
  expect(Object.keys(well.states)).toEqual([
    'node',
    'configuration',
    'packages and models',
    'permissions',
    'disk',
    'ledger',
    'store',
    'model',
    'index',
  ]);
  expect(well.document).not.toHaveProperty('nextStep');

  const data = join(cwd, '.ragstone');
  renameSync(data, `${data}.away`);
  mkdirSync(data, { mode: 0o700 });
  writeFileSync(join(data, 'ledger.db'), 'no database at all'.repeat(500));
  expect(await doctor()).toMatchObject({
    code: 1,
    states: { permissions: 'ok', ledger: 'failed' },
    document: { ok: false, nextStep: expect.stringContaining('restore') },
  });

  writeFiles(cwd, { 'ragstone.yaml': 'rag:\n  provider: nothing-of-the-kind\n' });
  expect(await doctor()).toMatchObject({ code: 1, states: { node: 'ok', configuration: 'failed' } });
  const { stdout } = await runRagstone(['doctor'], { cwd });
  expect(stdout).toMatch(/^ok {1}node: .*\nx {2}configuration: [\s\S]*\nNext: /);
});

test.skipIf(UNPRIVILEGED === undefined)('a folder that nothing can be written to', async () => {
  const cwd = temporaryFolder();
  chmodSync(cwd, 0o555);
  const { code, document } = await ragstoneJson<Doctor>(['doctor'], { cwd, ...UNPRIVILEGED });
  chmodSync(cwd, 0o755);
  expect(code).toBe(1);
  expect(document.findings).toContainEqual(
    expect.objectContaining({
      check: 'permissions',
      state: 'failed',
      nextStep: expect.stringContaining('--data'),
    }),
  );
});
