import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { RagstoneClient } from './ragstone-client.js';

const PIECE = Buffer.alloc(1_048_576, 'a');

/** Sends a beginning, and then the same piece for ever. */
function endlessly(response: ServerResponse, type: string, beginning: string): void {
  response.writeHead(200, { 'content-type': type, 'x-ragstone-api': '1' });
  response.write(beginning);
  const go = (): void => {
    while (!response.destroyed && response.write(PIECE));
    if (!response.destroyed) response.once('drain', go);
  };
  go();
}

const server = createServer();
afterEach(() => {
  server.removeAllListeners('request');
  server.closeAllConnections();
  server.close();
});

async function clientOf(answer: (response: ServerResponse) => void): Promise<RagstoneClient> {
  server.on('request', (_, response) => answer(response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return new RagstoneClient({ url: `http://127.0.0.1:${port}`, retries: 0, timeoutMs: 600_000 });
}

describe('an answer without an end is given up, before it fills the memory', () => {
  test('as JSON', async () => {
    const client = await clientOf((response) => endlessly(response, 'application/json', '{"results":["'));
    await expect(client.search({ query: 'x' })).rejects.toMatchObject({ reason: 'SERVER_INCOMPATIBLE' });
  });

  test('as a problem', async () => {
    const client = await clientOf((response) =>
      endlessly(response, 'application/problem+json', '{"detail":"'),
    );
    await expect(client.search({ query: 'x' })).rejects.toMatchObject({ reason: 'SERVER_INCOMPATIBLE' });
  });

  test.each([
    ['one line', 'data: '],
    ['one event', `data: ${'a'.repeat(100)}\n`.repeat(200_000)],
  ])('as %s of a stream', async (_, beginning) => {
    const client = await clientOf((response) => endlessly(response, 'text/event-stream', beginning));
    const events = client.answerEvents({ question: 'x' })[Symbol.asyncIterator]();
    await expect(events.next()).rejects.toMatchObject({ reason: 'SERVER_INCOMPATIBLE' });
  });
});
