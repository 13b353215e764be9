import { connect } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { waitFor } from '../../../../tests/wait-for.js';
import { testService } from '../test-service.js';

/** Sends a body in chunks of so many bytes, and gives what was answered and whether the connection was closed. */
async function inChunks(
  size: number,
  body: Buffer,
  { url = '/api/ai/rag/index', type = 'application/json' } = {},
) {
  const { app } = await testService();
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as { port: number };
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  onTestFinished(() => void socket.destroy());
  let [said, isClosed] = ['', false];
  socket.on('data', (part) => (said += String(part))).on('close', () => (isClosed = true));
  socket.write(
    `POST ${url} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer acme\r\ncontent-type: ${type}\r\ntransfer-encoding: chunked\r\n\r\n`,
  );
  const chunks: Buffer[] = [];
  for (let at = 0; at < body.length; at += size) {
    const piece = body.subarray(at, at + size);
    chunks.push(Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n'));
  }
  socket.write(Buffer.concat([...chunks, Buffer.from('0\r\n\r\n')]));
  await waitFor(() => expect(said).toMatch(/\r\n\r\n/));
  return { status: Number(said.slice(9, 12)), said, isClosed: () => isClosed };
}

const documentOf = (letters: number): Buffer =>
  Buffer.from(JSON.stringify({ documentId: 'a', content: `Quokkas. ${'é'.repeat(letters)}` }));

const FORM = Buffer.from(
  `--x\r\ncontent-disposition: form-data; name="file"; filename="a.md"\r\n\r\n# Quokkas\n\n${'é'.repeat(2_000)}\r\n--x--\r\n`,
);
const FORM_ROUTE = { url: '/api/ai/rag/upload', type: 'multipart/form-data; boundary=x' };

describe('a body in pieces', () => {
  test.each([1, 7, 1_000, 100_000])('of %d bytes is read whole', async (size) => {
    expect((await inChunks(size, documentOf(2_000))).status).toBe(200);
    expect((await inChunks(size, documentOf(200_000).subarray(0, 4_000))).status).toBe(400);
    expect((await inChunks(size, FORM, FORM_ROUTE)).status).toBe(200);
  });

  test('of a block and more is read whole', async () => {
    expect((await inChunks(50_000, documentOf(200_000))).status).toBe(200);
  });

  test.each([
    ['JSON', documentOf(20_000), {}],
    ['a form', Buffer.concat([FORM, Buffer.alloc(30_000, 'a')]), FORM_ROUTE],
  ])('is refused where they are too many and too small: %s', async (_, body, route) => {
    const { status, said, isClosed } = await inChunks(1, body, route);
    expect([status, said]).toEqual([400, expect.stringContaining('Send it in larger ones.')]);
    await waitFor(() => expect(isClosed()).toBe(true));
  });
});
