import { expect, test } from 'vitest';
import { testService } from '../test-service.js';

const ACCEPT = { accept: 'application/json, text/event-stream' };
const SEARCH = {
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'search', arguments: { query: 'quokka' } },
};

test('an assistant sees what its key may read, and no one else is answered', async () => {
  const { call, engine } = await testService();
  await engine.push([{ id: 'rota.md', text: 'The quokka rota is on the wall.' }], { tenant: 'acme' });
  const found = await call('acme-reader', 'POST', '/mcp', SEARCH, ACCEPT);
  expect([found.status, found.text.includes('on the wall')]).toEqual([200, true]);
  const other = await call('globex', 'POST', '/mcp', SEARCH, ACCEPT);
  expect([other.status, other.text.includes('on the wall')]).toEqual([200, false]);
  expect((await call('nobody', 'POST', '/mcp', SEARCH, ACCEPT)).status).toBe(401);
  expect((await call('acme', 'GET', '/mcp')).status).toBe(405);
});
