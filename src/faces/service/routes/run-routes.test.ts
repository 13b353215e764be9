import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../../../tests/e2e/temporary-folder.js';
import {
  createEngine,
  type Engine,
  type EngineView,
  type IndexResult,
  indexesOf,
  type TenantIndexes,
} from '../../../index.js';
import { RagstoneClient } from '../../client/ragstone-client.js';
import type { ServiceError } from '../../client/service-error.js';
import type { ServiceOptions } from '../ragstone-plugin.js';
import { testService } from '../test-service.js';

const RAG = '/api/ai/rag';

/** An engine over two sources, one of them without its folder. */
async function engineOfTwo(): Promise<Engine> {
  const cwd = temporaryFolder({ 'docs/a.md': '# A\n\nOne.', 'docs/b.png': 'x', 'docs/.hidden.md': 'x' });
  const sources = [
    { name: 'manual', type: 'files' as const, root: 'docs' },
    { name: 'gone', type: 'markdown' as const, root: 'away', paths: ['**/*.md'] },
  ];
  return createEngine({ config: { provider: 'memory', sources }, cwd });
}

/** An engine with some calls of its views in other words. */
const withCalls = (engine: Engine, calls: Partial<EngineView>): TenantIndexes => {
  const indexes = indexesOf(engine);
  return {
    ...indexes,
    of: async (scope) => {
      const { view, deployment } = await indexes.of(scope);
      return { view: { ...view, ...calls }, deployment };
    },
  };
};

/** An engine whose runs end when they are told to, or are stopped. */
async function engineThatWaits() {
  const engine = await createEngine({ config: { provider: 'memory' }, cwd: temporaryFolder() });
  let begun = 0;
  const ends: (() => void)[] = [];
  const stats = (await engine.index({ documents: [] })).stats;
  const index: EngineView['index'] = (request) =>
    new Promise<IndexResult>((resolve, reject) => {
      begun += 1;
      const { signal, onProgress } = request as { signal: AbortSignal; onProgress: (p: object) => void };
      onProgress({
        ...{
          stage: 'indexing',
          source: 'manual',
          sourceNumber: 1,
          sourcesTotal: 1,
          itemsTotal: 4,
          itemsDone: 1,
        },
        ...{ sourceItemsTotal: 4, sourceItemsDone: 1, itemsListed: 4, itemsPerSecond: 2, chunksWritten: 3 },
        chunksPerSecond: 6,
      });
      signal.addEventListener('abort', () => reject(signal.reason as Error));
      ends.push(() => resolve({ success: true, stats, notices: [], dryRun: false }));
    });
  return { indexes: withCalls(engine, { index }), begun: () => begun, end: () => ends.shift()?.() };
}

async function listening(options: Partial<ServiceOptions>, key = 'acme') {
  const { app } = await testService(options);
  const url = await app.listen({ port: 0, host: '127.0.0.1' });
  return { app, url, client: new RagstoneClient({ url, key }) };
}

test('a run goes on without its request, and its end is told with what was skipped and what failed', async () => {
  const { client } = await listening({ engine: await engineOfTwo() });
  const begun = await client.startRun();
  expect(begun).toMatchObject({ by: 'request', id: expect.any(String) });
  for await (const { runs } of client.runEvents()) {
    if (runs[0]?.finishedAt === undefined) continue;
    expect(runs).toMatchObject([
      {
        id: begun.id,
        success: false,
        stats: { documentsProcessed: 1, skipped: { manual: { hidden: 1 } } },
        failed: [{ source: 'gone', reason: 'SOURCE_NOT_FOUND' }],
      },
    ]);
    break;
  }
  expect((await client.runs()).lastRun).toMatchObject({
    success: false,
    stats: { documentsProcessed: 1, skipped: { manual: { hidden: 1 } } },
  });
});

test('one source is read where it is named, and an unknown one ends the run with its reason', async () => {
  const { client } = await listening({ engine: await engineOfTwo() });
  await client.startRun({ sources: ['manual'] });
  await client.startRun({ sources: ['nobody'] });
  for await (const { runs } of client.runEvents()) {
    if (runs.some(({ finishedAt }) => finishedAt === undefined)) continue;
    expect(runs).toMatchObject([
      { sources: ['nobody'], success: false, error: { reason: 'USAGE' } },
      { sources: ['manual'], success: true },
    ]);
    break;
  }
});

test('the same run is begun once, and stopped with the permission', async () => {
  const waiting = await engineThatWaits();
  const { client } = await listening({ indexes: waiting.indexes });
  const [one, two] = [await client.startRun(), await client.startRun()];
  expect([two.id, waiting.begun()]).toEqual([one.id, 1]);
  expect(await client.stopRuns()).toEqual({ stopped: 1 });
  for await (const { runs } of client.runEvents()) {
    if (runs[0]?.finishedAt === undefined) continue;
    expect(runs).toMatchObject([{ success: false, error: { reason: 'ABORTED' } }]);
    break;
  }
});

describe('who sees a run', () => {
  test('is its own tenant alone', async () => {
    const waiting = await engineThatWaits();
    const { client, url } = await listening({ indexes: waiting.indexes });
    await client.startRun();
    for await (const { runs } of new RagstoneClient({ url, key: 'globex' }).runEvents()) {
      expect(runs).toEqual([]);
      break;
    }
    expect(await new RagstoneClient({ url, key: 'globex' }).stopRuns()).toEqual({ stopped: 0 });
  });

  test.each([
    ['POST', 'runs'],
    ['DELETE', 'runs'],
    ['GET', 'runs/events'],
    ['GET', 'failures'],
  ] as const)('is no caller that may only read: %s %s', async (method, path) => {
    const { call } = await testService();
    const { status, json } = await call(
      'acme-reader',
      method,
      `${RAG}/${path}`,
      method === 'POST' ? {} : undefined,
    );
    expect([status, json().reason]).toEqual([403, 'FORBIDDEN']);
  });
});

test('a client that follows runs follows those of a service that was started anew', async () => {
  const waiting = await engineThatWaits();
  const first = await listening({ indexes: waiting.indexes });
  const { port } = new URL(first.url);
  const seen: number[] = [];
  const lost: string[] = [];
  const onLost = ({ reason }: ServiceError): number => lost.push(reason);
  const stop = new AbortController();
  const following = (async () => {
    for await (const { runs } of first.client.runEvents({ signal: stop.signal, onLost })) {
      seen.push(runs.length);
      if (runs[0]?.progress !== undefined && seen.includes(0)) stop.abort();
    }
  })();
  await expect.poll(() => seen).toContain(0);
  await first.app.close();
  await expect.poll(() => lost).toContain('SERVER_UNREACHABLE');
  seen.length = 0;
  const second = await testService({ indexes: (await engineThatWaits()).indexes });
  await second.app.listen({ port: Number(port), host: '127.0.0.1' });
  await expect.poll(() => seen, { timeout: 10_000 }).toContain(0);
  await second.call('acme', 'POST', `${RAG}/runs`, {});
  await following;
  expect(seen.at(-1)).toBe(1);
});

test('following ends with what is refused for good', async () => {
  const server = createServer((_, response) => {
    response.writeHead(403, { 'content-type': 'application/problem+json' });
    response.end(
      JSON.stringify({ reason: 'FORBIDDEN', detail: 'No.', status: 403, retryable: false, code: 'E005' }),
    );
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await expect(new RagstoneClient({ url }).runEvents().next()).rejects.toMatchObject({ reason: 'FORBIDDEN' });
});

test('failures are listed a page at a time, without places of the machine', async () => {
  const failure = (item: string) => ({
    ...{
      source: 'manual',
      item,
      reason: 'DOCUMENT_UNREADABLE' as const,
      message: `/srv/docs/${item} is damaged.`,
    },
    ...{
      path: `/srv/docs/${item}`,
      attempts: 1,
      failedAt: '2026-01-01T00:00:00.000Z',
      state: 'due' as const,
    },
  });
  const engine = await createEngine({ config: { provider: 'memory' }, cwd: temporaryFolder() });
  const indexes = withCalls(engine, { failures: async () => [failure('a.pdf'), failure('b.pdf')] });
  const { client } = await listening({ indexes });
  const page = await client.failures({ limit: 1 });
  expect(page).toMatchObject({
    failures: [{ item: 'a.pdf', attempts: 1, state: 'due' }],
    total: 2,
    cursor: '1',
  });
  expect(JSON.stringify(page)).not.toContain('/srv');
  expect(await client.failures({ limit: 1, cursor: '1' })).toMatchObject({ failures: [{ item: 'b.pdf' }] });
  expect(await client.failures({ source: 'other' })).toEqual({ failures: [], total: 0 });
});
