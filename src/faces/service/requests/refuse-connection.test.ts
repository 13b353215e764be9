import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { refuseConnection } from './refuse-connection.js';

test.each([
  ['ERR_HTTP_REQUEST_TIMEOUT', 408],
  ['HPE_INVALID_CONSTANT', 400],
])('who is refused (%s) and never closes its side is told why, and cut off', async (code, status) => {
  // As the server of HTTP does.
  const server = createServer({ allowHalfOpen: true });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const caller = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  onTestFinished(() => {
    caller.destroy();
    server.close();
  });
  const [accepted] = (await once(server, 'connection')) as [Socket];
  const cut = once(accepted, 'close');
  let said = '';
  caller.on('error', () => undefined).on('data', (data) => (said += String(data)));
  refuseConnection({ code }, accepted);
  await once(caller, 'end');
  expect(said).toContain(`HTTP/1.1 ${status} `);
  await cut;
});
