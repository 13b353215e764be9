import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { FakeApi, type FakeRoute, refuse } from '../../tests/fakes/services/fake-api.js';
import { HttpClient, type HttpClientOptions, retryAfterMs } from './http-client.js';

const TOKEN = 'Bearer top-secret';
const anything = z.record(z.string(), z.unknown());

let other: FakeApi;
let api: FakeApi;

const routes: readonly FakeRoute[] = [
  { method: 'GET', path: /\/ok/, query: ['q'], answer: ({ query }) => ({ body: { q: query.q } }) },
  { method: 'POST', path: /\/ask/, query: [], body: ['a'], answer: ({ body }) => ({ body }) },
  {
    method: 'GET',
    path: /\/status\/(\d+)/,
    query: [],
    answer: (_, [status]) => refuse(Number(status), 'private text'),
  },
  { method: 'GET', path: /\/large/, query: [], answer: () => ({ body: Buffer.alloc(5000) }) },
  {
    method: 'GET',
    path: /\/here/,
    query: [],
    answer: () => ({ status: 302, headers: { location: '/ok?q=moved' } }),
  },
  {
    method: 'GET',
    path: /\/round/,
    query: [],
    answer: () => ({ status: 302, headers: { location: '/round' } }),
  },
  {
    method: 'GET',
    path: /\/away/,
    query: [],
    answer: () => ({ status: 302, headers: { location: `${other.url}/ok` } }),
  },
  {
    method: 'GET',
    path: /\/metadata/,
    query: [],
    answer: () => ({ status: 302, headers: { location: 'http://169.254.169.254/' } }),
  },
];

beforeEach(async () => {
  other = await FakeApi.start({ routes, authorization: TOKEN });
  api = await FakeApi.start({ routes, authorization: TOKEN });
});
afterEach(async () => {
  await Promise.all([api.stop(), other.stop()]);
});

const clientOf = (options: Partial<HttpClientOptions> = {}): HttpClient =>
  new HttpClient({
    source: 'wiki',
    baseUrl: api.url,
    authorization: TOKEN,
    allowPrivateNetwork: true,
    firstDelayMs: 1,
    ...options,
  });

describe('faults', () => {
  test('are waited out, and the answer is whole', async () => {
    api.faults = ['busy', 'busy-date', 'error', 'conflict', 'cut', 'cut-body'];
    expect(await clientOf().json({ path: '/ok', query: { q: 'ü&=' } }, anything)).toEqual({ q: 'ü&=' });
    expect(api.requests).toHaveLength(7);
  });

  test('that do not end are SOURCE_UNREADABLE after the last try', async () => {
    api.faults = Array.from({ length: 9 }, () => 'error');
    await expect(clientOf({ retries: 2 }).fetch({ path: '/ok' })).rejects.toMatchObject({
      reason: 'SOURCE_UNREADABLE',
    });
    expect(api.requests).toHaveLength(3);
  });

  test.each([
    [401, 'SOURCE_DENIED'],
    [403, 'SOURCE_DENIED'],
    [404, 'DOCUMENT_VANISHED'],
    [400, 'SOURCE_REJECTED'],
  ] as const)(
    '%d is %s at once, and nothing of the answer or the token is repeated',
    async (status, reason) => {
      const error: unknown = await clientOf()
        .fetch({ path: `/status/${status}` })
        .catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ reason, details: { status } });
      expect(api.requests).toHaveLength(1);
      expect(JSON.stringify(error) + String(error)).not.toMatch(/private text|top-secret/);
    },
  );

  test('an answer that is too large is cut off', async () => {
    await expect(clientOf({ maxBytes: 4999 }).fetch({ path: '/large' })).rejects.toMatchObject({
      reason: 'DOCUMENT_TOO_LARGE',
    });
    expect((await clientOf({ maxBytes: 5000 }).fetch({ path: '/large' })).body).toHaveLength(5000);
  });

  test('an answer of another shape is SOURCE_REJECTED', async () => {
    const shape = z.object({ q: z.number() });
    await expect(clientOf().json({ path: '/ok', query: { q: 'x' } }, shape)).rejects.toMatchObject({
      reason: 'SOURCE_REJECTED',
    });
  });

  test('an abort ends the waiting', async () => {
    api.faults = ['error'];
    const work = clientOf({ firstDelayMs: 60_000 }).fetch({ path: '/ok', signal: AbortSignal.timeout(20) });
    await expect(work).rejects.toMatchObject({ reason: 'ABORTED' });
  });
});

describe('redirects and names', () => {
  test('a redirect inside the site is followed', async () => {
    expect(await clientOf().json({ path: '/here' }, anything)).toEqual({ q: 'moved' });
  });

  test('a redirect to another private place is refused, and no credentials leave', async () => {
    await expect(clientOf().fetch({ path: '/away' })).rejects.toMatchObject({
      reason: 'SOURCE_ADDRESS_REFUSED',
    });
    await expect(clientOf().fetch({ path: '/metadata' })).rejects.toMatchObject({
      reason: 'SOURCE_ADDRESS_REFUSED',
    });
    expect(other.requests).toEqual([]);
  });

  test('a redirect without end is given up', async () => {
    await expect(clientOf().fetch({ path: '/round' })).rejects.toMatchObject({ reason: 'SOURCE_REJECTED' });
    expect(api.requests).toHaveLength(6);
  });

  test('a private address needs consent', () => {
    expect(() => clientOf({ allowPrivateNetwork: false })).toThrow(
      expect.objectContaining({ reason: 'SOURCE_ADDRESS_REFUSED' }),
    );
  });

  test('a public name that leads into the private network is refused when the connection is opened', async () => {
    const { port } = new URL(api.url);
    const client = clientOf({
      baseUrl: `http://wiki.example:${port}`,
      allowPrivateNetwork: false,
      resolve: async () => [{ address: '127.0.0.1', family: 4 }],
    });
    await expect(client.fetch({ path: '/ok' })).rejects.toMatchObject({ reason: 'SOURCE_ADDRESS_REFUSED' });
    expect(api.requests).toEqual([]);
  });

  test('credentials go to the configured origin alone', async () => {
    const { port } = new URL(api.url);
    // The same machine under two names: consent holds for the first, and the second is another origin.
    const client = clientOf({
      baseUrl: `http://wiki.example:${port}`,
      resolve: async () => [{ address: '127.0.0.1', family: 4 }],
    });
    expect(await client.json({ path: '/ok', query: { q: '1' } }, anything)).toEqual({ q: '1' });
    await expect(client.fetch({ path: '/away' })).rejects.toMatchObject({ reason: 'SOURCE_ADDRESS_REFUSED' });
    await expect(client.fetch({ path: `http://other.example:${port}/ok` })).rejects.toMatchObject({
      reason: 'SOURCE_ADDRESS_REFUSED',
    });
  });
});

test('a rate is kept', async () => {
  const client = clientOf({ requestsPerSecond: 100 });
  const start = performance.now();
  await Promise.all(Array.from({ length: 11 }, () => client.fetch({ path: '/ok' })));
  expect(performance.now() - start).toBeGreaterThanOrEqual(95);
});

test('a body is sent by POST', async () => {
  expect(await clientOf().json({ path: '/ask', body: { a: 1 } }, anything)).toEqual({ a: 1 });
});

test.each([
  ['5', 5000],
  ['0.5', 500],
  ['Wed, 21 Oct 2026 07:28:00 GMT', 60_000],
  ['Wed, 21 Oct 2020 07:28:00 GMT', 0],
  ['soon', undefined],
  ['-1', undefined],
  ['', undefined],
  [undefined, undefined],
])('Retry-After %s', (header, expected) => {
  expect(retryAfterMs(header, Date.parse('Wed, 21 Oct 2026 07:27:00 GMT'))).toBe(expected);
});
