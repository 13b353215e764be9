import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type ErrorDocument, ragstoneJson, runRagstone } from './run-ragstone.js';
import { openService } from './start-service.js';
import { temporaryFolder } from './temporary-folder.js';

interface Health {
  readonly status: string;
  readonly ready: boolean;
  readonly checks: Readonly<Record<string, string>>;
  readonly problems?: Readonly<Record<string, string>>;
  readonly chunks?: number;
}

test('ragstone health ends with 0 where the parts answer and with 1 where one does not, here and of a service', async () => {
  const cwd = temporaryFolder({
    'ragstone.yaml': 'rag: { provider: libsql, server: { maxDelayMs: 0 } }\n',
    'docs/a.md': '# Audit\n\nLogs are kept.\n',
  });
  const elsewhere = temporaryFolder();
  expect((await runRagstone(['index', 'docs'], { cwd })).code).toBe(0);
  const service = await openService(cwd);
  onTestFinished(async () => void (await service.stop()));
  const here = () => ragstoneJson<Health>(['health'], { cwd });
  const there = (...args: string[]) =>
    ragstoneJson<Health & ErrorDocument>(['health', '--server', service.url, ...args], { cwd: elsewhere });

  const healthy = { status: 'healthy', ready: true, checks: { ledger: 'ok', store: 'ok' } };
  expect(await here()).toMatchObject({ code: 0, document: { ...healthy, chunks: 1 } });
  expect(await there()).toMatchObject({ code: 0, document: healthy });
  expect(await there('--endpoint', '/health/rag/ready')).toMatchObject({ code: 0, document: healthy });
  expect((await there('--endpoint', '/nothing')).code).toBe(1);

  // The disk holds something else where the index was.
  const data = join(cwd, '.ragstone');
  renameSync(data, `${data}.away`);
  mkdirSync(data);
  writeFileSync(join(data, 'ledger.db'), 'no database at all'.repeat(500));
  const failed = { status: 'unhealthy', ready: false, checks: { ledger: 'failed' } };
  expect(await here()).toMatchObject({
    code: 1,
    document: { ...failed, problems: { ledger: expect.stringContaining('damaged') } },
  });
  // The service looks once a second at most.
  await expect.poll(async () => (await there()).code).toBe(1);
  expect((await there()).document).toMatchObject(failed);
  expect((await runRagstone(['health'], { cwd })).stdout).toMatch(/^unhealthy\n {2}ledger: failed: /);
  rmSync(data, { recursive: true });
  renameSync(`${data}.away`, data);
  await expect.poll(async () => (await there()).code).toBe(0);

  await service.stop();
  expect(await there()).toMatchObject({ code: 1, document: { error: { reason: 'SERVER_UNREACHABLE' } } });
});

test.each([
  [1, 'without the reranker'],
  [3, 'by words alone'],
  [4, 'static texts alone'],
])('what searches can still do at level %i is said in words', async (degradationLevel, words) => {
  const checks = { ledger: 'ok', store: 'failed' };
  const server = createServer((_, reply) => {
    reply.setHeader('content-type', 'application/json');
    reply.end(JSON.stringify({ status: 'degraded', live: true, ready: true, degradationLevel, checks }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { stdout } = await runRagstone(['health', '--server', url], { cwd: temporaryFolder() });
  expect(stdout).toMatch(new RegExp(`^degraded: .*${words}.* at best$`, 'm'));
});
