import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runRagstone } from './run-ragstone.js';
import { sharedFolder } from './temporary-folder.js';

const PASSWORD = 'hunter2canary';
const KEY = 'sk-canary-of-a-key';

/** Answers each request with a refusal that repeats what it was sent, as proxies and careless services do. */
let server: Server;
let address: string;
beforeAll(async () => {
  server = createServer((request, response) => {
    const echoed = `no access with ${JSON.stringify(request.headers)}`;
    response
      .writeHead(401, { 'content-type': 'application/json' })
      .end(JSON.stringify({ error: { message: echoed }, message: echoed }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.close();
});

describe('no screen shows', () => {
  const cwd = sharedFolder({
    'ragstone.yaml': `rag:\n  provider: libsql\n  sources:\n    - {name: code, type: git, repository: "https://ada:${PASSWORD}@127.0.0.1:1/x.git"}\n`,
  });
  it.each([
    ['sources list'],
    ['sources list --json'],
    ['sources test code --log-level debug'],
    ['sources test code --json'],
    ['index --log-level debug'],
    ['index --json'],
    ['status --json'],
    ['config show'],
    ['config show --json'],
  ])("the password of a repository's address: %s", async (command) => {
    const { stdout, stderr } = await runRagstone(command.split(' '), { cwd });
    expect(stdout + stderr).not.toBe('');
    expect(stdout + stderr).not.toContain(PASSWORD);
  });

  it.each(['debug'])('what a server repeats of a request, with --log-level %s', async (level) => {
    const folder = sharedFolder({
      'a.md': '# Salaries\n\nWhat everybody earns.\n',
      'ragstone.yaml': `rag:\n  provider: libsql\n  modelProviders: {openai: {baseUrl: "${address}/v1", apiKey: "\${KEY}"}}\n  embedding: {model: openai:text-embedding-3-small}\n`,
    });
    const { stderr, stdout } = await runRagstone(['index', 'a.md', '--log-level', level], {
      cwd: folder,
      env: { KEY },
    });
    expect(stdout + stderr).toContain('EMBEDDING_REJECTED');
    expect(stderr).toMatch(/ at .*\.js:\d+/);
    expect(stdout + stderr).not.toContain(KEY);
  });
});
