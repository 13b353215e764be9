import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { testService } from '../test-service.js';

describe.each(['/docs', '/openapi.json'])('%s', (url) => {
  test('is small, and smaller as gzip', async () => {
    const { app } = await testService();
    const plain = await app.inject({ method: 'GET', url });
    const packed = await app.inject({ method: 'GET', url, headers: { 'accept-encoding': 'br, gzip' } });
    const refusing = await app.inject({ method: 'GET', url, headers: { 'accept-encoding': 'gzip;q=0' } });
    expect([plain, packed, refusing].map(({ headers }) => headers['content-encoding'])).toEqual([
      undefined,
      'gzip',
      undefined,
    ]);
    expect(plain.rawPayload.length).toBeLessThan(240_000);
    expect(packed.rawPayload.length).toBeLessThan(30_000);
    expect(gunzipSync(packed.rawPayload).toString()).toBe(plain.body);
  });

  test('is known again by its ETag', async () => {
    const { app } = await testService();
    const first = await app.inject({ method: 'GET', url });
    const etag = String(first.headers.etag);
    expect(first.headers).toMatchObject({ 'cache-control': 'public, max-age=300', vary: 'accept-encoding' });
    const ask = (known: string) => app.inject({ method: 'GET', url, headers: { 'if-none-match': known } });
    for (const known of [etag, `"other", W/${etag}`, '*']) {
      const again = await ask(known);
      expect([again.statusCode, again.body, again.headers.etag]).toEqual([304, '', etag]);
    }
    expect((await ask('"other"')).statusCode).toBe(200);
  });

  test('is one of the requests that may be under way, which the health is not', async () => {
    const gates: (() => void)[] = [];
    const { app, call } = await testService({
      maxRequests: 1,
      authenticate: async () => {
        await new Promise<void>((open) => gates.push(open));
        return { name: 'a', scope: { tenant: 'acme' }, permissions: ['read'] };
      },
    });
    const held = call('acme', 'GET', '/rag/stats');
    while (gates.length < 1) await new Promise(setImmediate);
    expect((await app.inject({ method: 'GET', url })).statusCode).toBe(503);
    expect((await app.inject({ method: 'GET', url: '/health/rag/live' })).statusCode).toBe(200);
    gates[0]?.();
    await held;
  });

  test('is one of the calls that may be made in a minute without a key', async () => {
    const { app, call } = await testService({ requestsPerMinute: 2 });
    const ask = async () => (await app.inject({ method: 'GET', url })).statusCode;
    expect([await ask(), await ask(), await ask()]).toEqual([200, 200, 429]);
    expect((await call('acme', 'GET', url)).status).toBe(200);
    for (let turn = 0; turn < 5; turn += 1)
      expect((await app.inject({ method: 'GET', url: '/health/rag/live' })).statusCode).toBe(200);
  });
});
