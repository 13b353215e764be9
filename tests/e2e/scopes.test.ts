import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { documentOf, runRagstone } from './run-ragstone.js';
import { sharedFolder } from './temporary-folder.js';

const folder = sharedFolder();
const ragstone = (...args: string[]) => runRagstone(args, { cwd: folder, env: {} });

const CONFIG = `rag:
  provider: libsql
  security:
    access:
      defaultLevel: 0
      rules:
        - { paths: ['pay.md'], level: 2, groups: [hr] }
`;

beforeAll(async () => {
  mkdirSync(join(folder, 'docs'));
  writeFileSync(join(folder, 'ragstone.yaml'), CONFIG);
  writeFileSync(join(folder, 'docs/open.md'), '# Hours\n\nThe office opens at nine, quokka.\n');
  writeFileSync(join(folder, 'docs/pay.md'), '# Pay\n\nSalary bands rise in May, quokka.\n');
  expect((await ragstone('index', 'docs')).code).toBe(0);
});

const found = async (...args: string[]): Promise<{ sources: string[]; notices: string }> => {
  const { results, notices } = documentOf<{
    results: { metadata: { source: string } }[];
    notices: string[];
  }>(await ragstone('search', 'quokka', '--json', ...args));
  return { sources: results.map(({ metadata }) => metadata.source).sort(), notices: notices.join('\n') };
};

describe('who asks, on the command line', () => {
  test('a search finds what the flags let it read, and names the flags where there is more', async () => {
    const plain = await found();
    expect(plain.sources).toEqual(['open.md']);
    expect(plain.notices).toMatch(/--tenant.*--group.*--clearance/);
    const hr = await found('--group', 'it', '--group', 'hr', '--clearance', '2');
    expect(hr).toEqual({ sources: ['open.md', 'pay.md'], notices: '' });
    expect((await found('--clearance', '2')).sources).toEqual(['open.md']);
    expect(await found('--tenant', 'acme', '--group', 'hr', '--clearance', '9')).toEqual({
      sources: [],
      notices: expect.stringContaining('for the tenant "acme"'),
    });
  });

  test('ask and explain-miss take them too', async () => {
    const hr = ['--group', 'hr', '--clearance', '2', '--json'];
    const asked = documentOf<{ answer: string }>(await ragstone('ask', 'When do salary bands rise?', ...hr));
    expect(asked.answer).toContain('May');
    const missed = documentOf(await ragstone('explain-miss', 'salary bands', 'pay.md', '--json'));
    expect(missed).toMatchObject({ lostAt: 'scope' });
    expect(documentOf(await ragstone('explain-miss', 'salary bands', 'pay.md', ...hr))).toMatchObject({
      rank: 1,
    });
  });

  test('index, status and verify keep tenants apart', async () => {
    writeFileSync(join(folder, 'docs/other.md'), 'Of another tenant: numbat.');
    expect((await ragstone('index', 'docs/other.md', '--tenant', 'acme', '--project', 'apollo')).code).toBe(
      0,
    );
    const status = documentOf(await ragstone('status', '--tenant', 'acme', '--json'));
    expect(status).toMatchObject({ documents: 1, sources: [{ source: 'path:docs/other.md' }] });
    expect((await ragstone('verify', '--tenant', 'acme')).code).toBe(0);
    expect((await found('--tenant', 'acme', '--project', 'gemini')).sources).toEqual([]);
  });

  test('a clearance that is no level is wrong usage', async () => {
    expect(await ragstone('search', 'x', '--clearance', 'high')).toMatchObject({ code: 2 });
    expect(await ragstone('search', 'x', '--tenant', '')).toMatchObject({ code: 1 });
  });
});
