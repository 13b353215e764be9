import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sharedFolder } from '../../../tests/e2e/temporary-folder.js';
import { createEngine, type Engine, type ScopeInput } from '../../index.js';
import { handleMcpRequest } from './handle-request.js';
import { answerOf } from './test-client.js';

const URL_OF_IT = new URL('http://localhost/mcp');
const HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

let engine: Engine;
beforeAll(async () => {
  engine = await createEngine({ config: { provider: 'memory' }, cwd: sharedFolder() });
  await engine.push([
    { id: 'open.md', text: 'The quokka office opens at nine.' },
    { id: 'pay.md', text: 'The quokka bonus is 9,000.', access: { groups: ['hr'], level: 0 } },
  ]);
});
afterAll(() => engine.close());

const post = (body: unknown, init: RequestInit = {}): Promise<Response> =>
  handleMcpRequest(
    new Request(URL_OF_IT, { method: 'POST', headers: HEADERS, body: JSON.stringify(body), ...init }),
    engine,
    { version: '0.0.0' },
  );

const toolCall = (query: string) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'search', arguments: { query } },
});

describe('the protocol over HTTP', () => {
  test.each([
    [{ tenant: 'default' }, ['open.md']],
    [{ tenant: 'default', groups: ['hr'] }, ['open.md', 'pay.md']],
    [{ tenant: 'acme', groups: ['hr'] }, []],
  ] satisfies [ScopeInput, string[]][])('a client with the scope %j reads %j', async (scope, expected) => {
    const client = new Client({ name: 'test', version: '0.0.0' });
    const view = engine.as(scope);
    await client.connect(
      new StreamableHTTPClientTransport(URL_OF_IT, {
        fetch: (url, init) => handleMcpRequest(new Request(url, init), view, { version: '0.0.0' }),
      }),
    );
    const { structured } = answerOf(
      (await client.callTool({ name: 'search', arguments: { query: 'quokka' } })) as CallToolResult,
    );
    expect(structured.results.map(({ source }: { source: string }) => source).sort()).toEqual(expected);
    await client.close();
  });

  test('needs no session, and tells no path', async () => {
    const response = await post(toolCall('quokka office'));
    expect(response.status).toBe(200);
    expect(response.headers.get('mcp-session-id')).toBeNull();
    const { result } = (await response.json()) as { result: CallToolResult };
    expect(answerOf(result).structured.results[0]).not.toHaveProperty('path');
  });

  test('takes a body that was read before', async () => {
    const request = new Request(URL_OF_IT, { method: 'POST', headers: HEADERS });
    const response = await handleMcpRequest(request, engine, { version: '0.0.0', body: toolCall('quokka') });
    expect(response.status).toBe(200);
  });

  test.each(['GET', 'DELETE', 'PUT'])('%s is refused', async (method) => {
    const response = await handleMcpRequest(new Request(URL_OF_IT, { method }), engine, { version: '0.0.0' });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST']);
  });

  test.each([
    ['no JSON', '{', 400],
    ['no message', '{"a":1}', 400],
    ['too much', `"${'x'.repeat(5 * 1024 * 1024)}"`, 413],
  ])('%s is an error of the client', async (_, body, status) => {
    expect((await post(undefined, { body })).status).toBe(status);
  });

  test('work stops when the client goes away', async () => {
    let stopped = false;
    const call = new AbortController();
    const waiting = {
      ...engine,
      search: ({ signal }: { signal: AbortSignal }) =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => {
            stopped = true;
            reject(new Error('aborted'));
          });
          call.abort();
        }),
    };
    const request = new Request(URL_OF_IT, {
      method: 'POST',
      headers: HEADERS,
      body: JSON.stringify(toolCall('x')),
      signal: call.signal,
    });
    const response = await handleMcpRequest(request, waiting as never, { version: '0.0.0' });
    expect([response.status, stopped]).toEqual([499, true]);
  });
});
