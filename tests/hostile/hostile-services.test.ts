import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { RAGError } from '../../src/core/errors.js';
import { AnswerTrail } from '../../src/sources/answer-trail.js';
import { AzureDevOpsApi } from '../../src/sources/azure-devops/azure-devops-api.js';
import { WikiApi } from '../../src/sources/azure-devops/wiki-api.js';
import { findItems } from '../../src/sources/azure-devops/work-item-query.js';
import { CloudApi } from '../../src/sources/confluence/cloud-api.js';
import { DataCenterApi } from '../../src/sources/confluence/data-center-api.js';
import { HttpClient } from '../../src/sources/http-client.js';

/** More than any list that leads in a circle is asked for; a test that asks so often would ask without end. */
const MOST_REQUESTS = 300;

interface Asked {
  readonly path: string;
  readonly query: URLSearchParams;
  /** 1 for the first request. */
  readonly count: number;
}

interface Said {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

async function hostile(answer: (asked: Asked) => Said): Promise<HttpClient> {
  let count = 0;
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    request.resume();
    count += 1;
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
    const said =
      count > MOST_REQUESTS ? { status: 418 } : answer({ path: pathname, query: searchParams, count });
    response.writeHead(said.status ?? 200, said.headers).end(JSON.stringify(said.body ?? {}));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const client = new HttpClient({
    source: 'wiki',
    baseUrl: `http://127.0.0.1:${port}`,
    allowPrivateNetwork: true,
    retries: 1,
    firstDelayMs: 1,
    timeoutMs: 2_000,
  });
  onTestFinished(async () => {
    await client.close();
    server.closeAllConnections();
    server.close();
  });
  return client;
}

async function all<T>(found: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const each of found) list.push(each);
  return list;
}

const ENDLESS = { reason: 'SOURCE_REJECTED', message: expect.stringMatching(/leads in a circle/) };
/** Two positions that name each other. */
const turning = (count: number): string => (count % 2 === 0 ? 'a' : 'b');
const version = { number: 1, createdAt: '2026-01-01T00:00:00.000Z' };

it('Confluence Cloud: cursors in a circle', async () => {
  const client = await hostile(({ count }) => ({
    body: {
      results: [{ id: `${count}`, key: `K${count}` }],
      _links: { next: `/x?cursor=${turning(count)}` },
    },
  }));
  await expect(all(new CloudApi(client, []).pages(undefined, undefined))).rejects.toMatchObject(ENDLESS);
});

it('Confluence Cloud: a comment that answers itself', async () => {
  const client = await hostile(() => ({
    body: { results: [{ id: '7', version, body: { storage: { value: 'x' } } }] },
  }));
  await expect(new CloudApi(client, []).comments('1', undefined)).rejects.toMatchObject(ENDLESS);
});

it('Confluence Cloud: the next page at what is no address is the end', async () => {
  const client = await hostile(() => ({ body: { results: [], _links: { next: 'http://[' } } }));
  await expect(new CloudApi(client, []).attachments('1', undefined)).resolves.toEqual([]);
});

it('Confluence: a search for comments that begins anew', async () => {
  const client = await hostile(() => ({ body: { results: [], _links: { next: '/x' } } }));
  const api = new DataCenterApi(client, ['K']);
  await expect(all(api.pagesWithNewComments('2026-01-01', undefined))).rejects.toMatchObject(ENDLESS);
});

it('Azure DevOps: comments in a circle', async () => {
  const comment = { text: 'x', createdBy: { displayName: 'x' }, createdDate: '2026-01-01' };
  const client = await hostile(({ count }) => ({
    body: { comments: [comment], continuationToken: turning(count) },
  }));
  await expect(new AzureDevOpsApi(client).comments('p', 1, undefined)).rejects.toMatchObject(ENDLESS);
});

it('Azure DevOps: pages of a wiki in a circle', async () => {
  const client = await hostile(({ count }) => ({
    headers: { 'x-ms-continuationtoken': turning(count) },
    body: { value: [{ id: count, path: '/../../etc' }] },
  }));
  await expect(new WikiApi(client, 'p').pages('w', undefined)).rejects.toMatchObject(ENDLESS);
});

it('a list without end is given up', () => {
  const trail = new AnswerTrail('/pages', 100);
  const followAll = () => {
    for (let position = 0; ; position++) trail.follow(position);
  };
  expect(followAll).toThrow('/pages takes more than 100 answers');
});

it('Azure DevOps: a query that always finds too much is given up', async () => {
  let queries = 0;
  const api = {
    query: async (wiql: string) => {
      queries += 1;
      if (queries > 50_000) throw new Error('asked without end');
      if (wiql.includes('<=')) return [1];
      throw new RAGError('SOURCE_REJECTED', 'too many');
    },
  } as unknown as AzureDevOpsApi;
  const selection = { project: 'p', workItemTypes: [] };
  await expect(findItems(api, selection, { signal: undefined })).rejects.toMatchObject({
    reason: 'SOURCE_REJECTED',
    message: expect.stringContaining('takes more than 10000 answers'),
  });
});
