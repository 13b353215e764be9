import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { documentOf, type ErrorDocument, ragstoneJson, runRagstone } from './run-ragstone.js';
import { temporaryFolder } from './temporary-folder.js';

interface Found {
  readonly asOf?: { readonly at: string; readonly begins: string };
  readonly results: readonly { readonly content: string }[];
}

it('asks the index as it was, on the command line', async () => {
  const cwd = temporaryFolder();
  mkdirSync(join(cwd, 'docs'));
  const path = join(cwd, 'docs', 'rota.md');
  writeFileSync(
    join(cwd, 'ragstone.yaml'),
    'rag:\n  provider: libsql\n  history:\n    keep: 90d\n  sources:\n    - name: docs\n      type: markdown\n      paths: [docs]\n',
  );
  const write = async (text: string): Promise<string> => {
    writeFileSync(path, text);
    await ragstoneJson(['index'], { cwd });
    return new Date().toISOString();
  };
  const first = await write('The lighthouse is kept by Ada.');
  await write('The lighthouse is kept by Grace.');
  const search = async (...args: string[]) =>
    (await ragstoneJson<Found>(['search', 'lighthouse keeper', ...args], { cwd })).document;
  expect((await search()).results[0]?.content).toContain('Grace');
  const past = await search('--as-of', first);
  expect(past.asOf?.at).toBe(first);
  expect(past.results.map(({ content }) => content)).toEqual(['The lighthouse is kept by Ada.']);
  const asked = await runRagstone(['ask', 'Who keeps the lighthouse?', '--as-of', first], { cwd });
  expect(asked.stdout).toContain('Ada');
  expect(asked.stdout).not.toContain('Grace');
  expect(asked.stderr).toContain(`as it was at ${first}`);
  const tooEarly = await runRagstone(['search', 'lighthouse', '--as-of', '2020-01-01', '--json'], { cwd });
  expect(documentOf<ErrorDocument>(tooEarly).error).toMatchObject({ reason: 'QUERY_INVALID' });
  const status = await runRagstone(['status'], { cwd });
  expect(status.stdout).toMatch(/history +since .*90d are kept.*1 past version/);
});
