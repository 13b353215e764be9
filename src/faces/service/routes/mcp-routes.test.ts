import { expect, test, vi } from 'vitest';
import { temporaryFolder } from '../../../../tests/e2e/temporary-folder.js';
import { createEngine, RAGError } from '../../../index.js';
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

test.each([
  ['{"jsonrpc": "2.0", ', -32_700],
  ['no JSON', -32_700],
  ['{"jsonrpc": "2.0"} {}', -32_700],
  ['\u0000', -32_700],
  ['', -32_700],
  ['{"a": 1}', -32_600],
  ['7', -32_600],
  ['null', -32_600],
  ['{"jsonrpc": "1.0", "id": 5, "method": "ping"}', -32_600],
])('what is no message is answered as the protocol says: %j', async (payload, code) => {
  const { app } = await testService();
  const answer = await app.inject({
    ...{ method: 'POST', url: '/mcp', payload },
    headers: { authorization: 'Bearer acme', 'content-type': 'application/json', ...ACCEPT },
  });
  expect([answer.statusCode, answer.headers['content-type']]).toEqual([
    400,
    expect.stringMatching(/^application\/json/),
  ]);
  const id = payload.includes('"id": 5') ? 5 : null;
  expect(answer.json()).toEqual({
    jsonrpc: '2.0',
    id,
    error: { code, message: expect.any(String) as string },
  });
});

test('batches and HEAD are refused', async () => {
  const { call } = await testService();
  const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } };
  for (const batch of [[SEARCH, cancel], []]) {
    const { status, text } = await call('acme', 'POST', '/mcp', batch, ACCEPT);
    expect([status, text]).toEqual([400, expect.stringContaining('one message')]);
  }
  expect((await call('acme', 'HEAD', '/mcp')).status).toBe(404);
});

test('what fails inside is told to the log alone', async () => {
  const engine = await createEngine({ config: { provider: 'memory' }, cwd: temporaryFolder() });
  const failing = async () => {
    throw new RAGError(
      'STORE_DAMAGED',
      'The collection secret-7 is damaged: run `ragstone verify --repair`.',
    );
  };
  const view = engine.as({ tenant: 'acme' });
  vi.spyOn(engine, 'as').mockReturnValue({ ...view, search: failing });
  const logged: string[] = [];
  const { call } = await testService({ engine }, (line) => logged.push(line));
  const { text } = await call('acme', 'POST', '/mcp', SEARCH, ACCEPT);
  expect(text).toContain('STORE_DAMAGED');
  expect(text).not.toMatch(/secret-7|verify/);
  expect(logged.join('')).toContain('secret-7');
});
