import { connect, type Socket } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { waitFor } from '../../../tests/wait-for.js';
import { type TestService, testService } from '../test-service.js';

const SEARCH = '/api/ai/rag/search';
const FORM = 'multipart/form-data; boundary=x';

interface Sender {
  readonly said: () => string;
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
  const begin = (caller: string, path = SEARCH, type = 'application/json'): Sender => {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined);
    sockets.push(socket);
    let text = '';
    socket.on('data', (part) => (text += String(part)));
    socket.write(
      `POST ${path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${caller}\r\ncontent-type: ${type}\r\ncontent-length: ${body.length}\r\n\r\n`,
    );
    return { said: () => text, finish: () => socket.write(body), leave: () => socket.destroy() };
  };
  const ask = async (caller: string, path = SEARCH) =>
    (
      await fetch(`http://127.0.0.1:${port}${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${caller}`, 'content-type': 'application/json' },
        body: JSON.stringify({ query: 'quokka', tenantId: caller }),
      })
    ).status;
  const stats = async (caller: string) =>
    (await fetch(`http://127.0.0.1:${port}/rag/stats`, { headers: { authorization: `Bearer ${caller}` } }))
      .status;
  return { begin, ask, stats };
}

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

  test('of forms with files keep no other tenant out', async () => {
    const service = await testService({ maxUploads: 8, maxUploadsPerTenant: 4 });
    const { begin } = await listening(service);
    const of = (caller: string) => begin(caller, '/api/ai/rag/upload', FORM);
    const held = ['acme', 'globex'].flatMap((caller) => Array.from({ length: 10 }, () => of(caller)));
    await waitFor(() =>
      expect(held.filter(({ said }) => said().startsWith('HTTP/1.1 429'))).toHaveLength(20 - 7),
    );
  });
});
