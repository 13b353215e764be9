import { createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { RAGError } from '../../core/errors.js';
import { PostgresDatabase } from './postgres-database.js';

/** A message of the server: https://www.postgresql.org/docs/16/protocol-message-formats.html */
function message(type: string, body: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.write(type);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

const LOGIN_OK = message('R', Buffer.alloc(4));
const READY = message('Z', Buffer.from('I'));
const SHUTDOWN = message('E', Buffer.from('SFATAL\0C57P01\0Mterminating connection\0\0'));

test('a server that ends as a connection is made is an outage, and not the end of this process', async () => {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.on('error', () => undefined);
    // In one packet, so that nothing can be done between the two.
    socket.once('data', () => socket.end(Buffer.concat([LOGIN_OK, READY, SHUTDOWN])));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  const database = new PostgresDatabase({
    settings: {
      connectionString: `postgres://tester@127.0.0.1:${typeof address === 'object' ? address?.port : 0}/test`,
      ssl: false,
      schema: 'test',
      poolSize: 2,
      timeoutMs: 5_000,
      maintenanceTimeoutMs: 5_000,
      retries: 1,
    },
    toError: (error) => new RAGError('STORE_UNAVAILABLE', String(error)),
    closedError: () => new RAGError('STORE_UNAVAILABLE', 'closed'),
  });
  onTestFinished(() => database.close());
  await expect(database.query('SELECT 1', [], { action: 'ask' })).rejects.toMatchObject({
    reason: 'STORE_UNAVAILABLE',
  });
  expect(connections).toBe(2);
});
