import { connect, type Socket } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { waitFor } from '../../../../tests/wait-for.js';
import { type TestService, testService } from '../test-service.js';

const SEARCH = '/api/ai/rag/search';
const FORM = 'multipart/form-data; boundary=x';

interface Sender {
  readonly said: () => string;
  readonly send: (part: Buffer) => void;
  readonly finish: () => void;
  readonly leave: () => void;
}

/** Sends the heads of requests, and not their bodies. */
async function listening({ app }: TestService) {
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as { port: number };
  const sockets: Socket[] = [];
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  const body = JSON.stringify({ query: 'quokka' });
  const begin = (
    caller: string,
    { path = SEARCH, type = 'application/json', length = body.length } = {},
  ): Sender => {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined);
    sockets.push(socket);
    let text = '';
    socket.on('data', (part) => (text += String(part)));
    socket.write(
      `POST ${path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${caller}\r\ncontent-type: ${type}\r\ncontent-length: ${length}\r\n\r\n`,
    );
    return {
      said: () => text,
      send: (part) => socket.write(part),
      finish: () => socket.write(body),
      leave: () => socket.destroy(),
    };
  };
  const ask = async (caller: string, path = SEARCH) =>
    (
      await fetch(`http://127.0.0.1:${port}${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${caller}`, 'content-type': 'application/json' },
        body: JSON.stringify({ query: 'quokka', tenantId: caller }),
      })
    ).status;
  const push = async (caller: string, content: string) =>
    (
      await fetch(`http://127.0.0.1:${port}/api/ai/rag/index`, {
        method: 'POST',
        headers: { authorization: `Bearer ${caller}`, 'content-type': 'application/json' },
        body: JSON.stringify({ documentId: 'a', content }),
      })
    ).status;
  const stats = async (caller: string) =>
    (await fetch(`http://127.0.0.1:${port}/rag/stats`, { headers: { authorization: `Bearer ${caller}` } }))
      .status;
  return { begin, ask, push, stats };
}

/** The beginning of a form, with so many bytes of a file. */
const partOfFile = (bytes: number): Buffer =>
  Buffer.concat([
    Buffer.from('--x\r\ncontent-disposition: form-data; name="file"; filename="a.md"\r\n\r\n'),
    Buffer.alloc(bytes, ' '),
  ]);

describe('bodies that do not come', () => {
  test('of two tenants keep no third out, of requests with bodies or without', async () => {
    const service = await testService({
      maxRequests: 16,
      maxRequestsPerTenant: 8,
      authenticate: async ({ headers }) => {
        const tenant = headers.authorization?.replace('Bearer ', '') ?? '';
        return { name: tenant, scope: { tenant }, permissions: ['read'] };
      },
    });
    const { begin, ask, stats } = await listening(service);
    const held = ['acme', 'globex'].flatMap((caller) => Array.from({ length: 20 }, () => begin(caller)));
    await waitFor(() => {
      const refused = held.filter(({ said }) => said().startsWith('HTTP/1.1 429'));
      expect(refused).toHaveLength(40 - 14);
    });
    // Nothing is indexed.
    expect(await ask('initech')).toBe(409);
    expect([await stats('initech'), await stats('acme')]).toEqual([200, 200]);
    for (const { leave } of held) leave();
    await waitFor(async () => expect(await ask('acme')).toBe(409));
  });

  test('are answered when they come', async () => {
    const service = await testService({ maxRequests: 2 });
    const { begin } = await listening(service);
    const held = [begin('acme'), begin('acme')];
    for (const { finish } of held) finish();
    await waitFor(() => expect(held.every(({ said }) => /^HTTP\/1\.1 [24]/.test(said()))).toBe(true));
    const next = begin('acme');
    next.finish();
    await waitFor(() => expect(next.said()).toMatch(/^HTTP\/1\.1 [24]/));
  });

  test.each([
    ['JSON', '/api/ai/rag/index/batch', 'application/json', Buffer.alloc(24 * 2 ** 20, ' ')],
    ['forms', '/api/ai/rag/upload', FORM, partOfFile(24 * 2 ** 20)],
  ])(
    'of %s hold so many bytes of a tenant; more are refused, and others get in',
    async (_, path, type, part) => {
      const service = await testService({ maxUploads: 0, maxUploadsPerTenant: 0 });
      const { begin, ask, push } = await listening(service);
      const held = Array.from({ length: 6 }, () => begin('acme', { path, type, length: part.length + 1 }));
      for (const { send } of held) send(part);
      await waitFor(() => expect(held.filter(({ said }) => said() !== '').length).toBeGreaterThanOrEqual(2));
      const refused = held.filter(({ said }) => said() !== '');
      expect(refused.length).toBeLessThanOrEqual(3);
      for (const { said } of refused) expect(said()).toMatch(/^HTTP\/1\.1 503[\s\S]*retry-after: \d/i);
      expect(await push('globex', 'x'.repeat(1_000_000))).toBe(200);
      expect(await ask('acme')).toBe(200);
      expect(await push('acme', 'x'.repeat(100_000))).toBe(200);
      for (const { leave } of held) leave();
      await waitFor(async () => expect(await push('acme', 'x'.repeat(4_000_000))).toBe(200));
    },
  );

  test('of forms with files keep no other tenant out', async () => {
    const service = await testService({ maxUploads: 8, maxUploadsPerTenant: 4 });
    const { begin } = await listening(service);
    const of = (caller: string) => begin(caller, { path: '/api/ai/rag/upload', type: FORM });
    const held = ['acme', 'globex'].flatMap((caller) => Array.from({ length: 10 }, () => of(caller)));
    await waitFor(() =>
      expect(held.filter(({ said }) => said().startsWith('HTTP/1.1 429'))).toHaveLength(20 - 7),
    );
  });
});
