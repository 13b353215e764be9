import { expect, test } from 'vitest';
import { runRagstone } from './run-ragstone.js';
import { temporaryFolder } from './temporary-folder.js';

test('explain-miss ends with 1 for what the index does not hold, and with 0 for what it holds, found or not', async () => {
  const cwd = temporaryFolder({
    'ragstone.yaml': 'rag: { provider: libsql }\n',
    'docs/logs.md': '# Logs\n\nAudit logs are kept for 30 days.\n',
    'docs/pay.md': '# Pay\n\nSalary bands rise in May.\n',
  });
  await runRagstone(['index', 'docs'], { cwd });
  const explained = async (document: string) => {
    const args = ['explain-miss', 'how long are audit logs kept', document, '--top-k', '1', '--json'];
    const { code, stdout, stderr } = await runRagstone(args, { cwd });
    const { found, lostAt } = JSON.parse(stdout) as { found: boolean; lostAt?: string };
    return { code, found, lostAt, stderr };
  };
  const absent = { code: 1, found: false, lostAt: 'not-indexed', stderr: '' };
  expect(await explained('docs/logs.md')).toMatchObject({ code: 0, found: true });
  expect(await explained('docs/logs.md:3')).toMatchObject({ code: 0, found: true });
  expect(await explained('docs/pay.md')).toMatchObject({ code: 0, found: false });
  expect(await explained('docs/none.md')).toEqual(absent);
  expect(await explained('docs/none.md:3')).toEqual(absent);
  expect(await explained('docs/logs.md:90-95')).toEqual(absent);
});
