import { mkdirSync, readdirSync, readFileSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import Database from 'libsql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runRagstone } from './run-ragstone.js';
import { sharedFolder } from './temporary-folder.js';

interface Outcome {
  readonly code: number | null;
  readonly output: string;
}

async function run(
  folder: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Outcome> {
  const { code, stdout, stderr } = await runRagstone(args, { cwd: folder, env: { HOME: folder, ...env } });
  return { code, output: stdout + stderr };
}

describe('ragstone sources', () => {
  const folder = sharedFolder();
  beforeAll(() => {
    const database = new Database(join(folder, 'bugs.db'));
    database.exec(
      "CREATE TABLE bugs (id integer, text text); INSERT INTO bugs VALUES (1, 'one'), (2, 'two')",
    );
    database.close();
    mkdirSync(join(folder, 'docs'));
    writeFileSync(join(folder, 'docs', 'a.md'), '# Title\n\nText\n');
    writeFileSync(
      join(folder, 'ragstone.yaml'),
      `rag:
  provider: libsql
  sources:
    - { name: docs, type: markdown, root: docs, paths: ['**'] }
    - { name: bugs, type: sql, path: bugs.db, table: bugs, key: id, content: text }
    - { name: broken, type: sql, path: bugs.db, table: bugs, key: id, content: nothing, enabled: false }
    - { name: away, type: sql, connectionString: 'env:NOT_SET', table: bugs, key: id, content: text, enabled: false }
`,
    );
  });

  it('lists them', async () => {
    const { code, output } = await run(folder, ['sources', 'list', '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(output)).toMatchObject({
      sources: [
        { name: 'docs', type: 'markdown', enabled: true, place: join(realpathSync(folder), 'docs') },
        {},
        { enabled: false },
        {},
      ],
    });
  });

  it('tests one: count and documents', async () => {
    const { code, output } = await run(folder, ['sources', 'test', 'bugs', '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(output)).toMatchObject({
      ok: true,
      items: 2,
      problems: [],
      documents: [{ id: '1', start: 'one' }, { id: '2' }],
    });
    expect((await run(folder, ['sources', 'test', 'docs'])).output).toContain('# Title Text');
  });

  it.each([
    ['broken', 1, 'no such column: nothing'],
    ['away', 1, 'NOT_SET is not set'],
    ['other', 2, 'Sources: docs, bugs, broken, away'],
  ])('says what is missing in %s', async (name, code, message) => {
    const outcome = await run(folder, ['sources', 'test', name]);
    expect(outcome).toMatchObject({ code, output: expect.stringContaining(message) });
  });
});

describe('a secret', () => {
  const folder = sharedFolder();
  // Refuses everything, and says back what it was sent: the worst that a server can do with a secret.
  const server = createServer((request, response) => {
    response.writeHead(403, { 'content-type': 'text/plain' }).end(JSON.stringify(request.headers));
  });
  const env: Record<string, string> = {};
  const secret = (name: string): string => {
    env[name] = `canary-${name}`;
    return `env:${name}`;
  };

  beforeAll(async () => {
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const address = server.address();
    const port = address !== null && typeof address === 'object' ? address.port : 0;
    env.URL_SECRET = `postgres://someone:canary-in-url@127.0.0.1:${port}/none`;
    env.BAD_URL_SECRET = 'postgres://someone:canary-in-bad-url@[::bad/none';
    mkdirSync(join(folder, 'docs'));
    writeFileSync(join(folder, 'docs', 'a.md'), '# Title\n\nText that can be found\n');
    writeFileSync(join(folder, 'secret.txt'), 'canary-in-file\n');
    writeFileSync(
      join(folder, 'ragstone.yaml'),
      `rag:
  provider: libsql
  modelProviders:
    openai: { apiKey: '${secret('OPENAI')}', baseUrl: 'http://127.0.0.1:${port}/v1' }
    cohere: { apiKey: '\${COHERE}' }
  chat: { model: 'openai:gpt-5' }
  storage: { server: { url: 'http://127.0.0.1:${port}', apiKey: '${secret('STORE')}', password: 'file:secret.txt' } }
  sources:
    - { name: docs, type: markdown, root: docs, paths: ['**'] }
    - { name: url, type: sql, connectionString: 'env:URL_SECRET', table: t, key: id, content: a, timeoutMs: 2000 }
    - { name: badurl, type: sql, connectionString: 'env:BAD_URL_SECRET', table: t, key: id, content: a, timeoutMs: 2000 }
    - { name: parts, type: sql, host: 127.0.0.1, port: 1, database: d, username: u, password: 'file:secret.txt', table: t, key: id, content: a }
    - { name: git, type: git, repository: 'https://127.0.0.1:${port}/x.git', auth: { token: '${secret('GIT')}' } }
    - { name: wiki, type: confluence, baseUrl: 'http://127.0.0.1:${port}', spaceKeys: [A], allowPrivateNetwork: true, auth: { username: me, apiToken: '${secret('CONFLUENCE')}' } }
    - { name: boards, type: azure_devops, enabled: false, baseUrl: 'http://127.0.0.1:${port}', organization: o, project: p, allowPrivateNetwork: true, auth: { pat: '${secret('DEVOPS')}' } }
`,
    );
    env.COHERE = 'canary-COHERE';
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  it('is in no output, error, ledger or store, whatever fails', async () => {
    const commands = [
      ['config', 'show'],
      ['config', 'show', '--json'],
      ['config', 'check', '--json'],
      ['index', '--json', '--log-level', 'trace'],
      ['index'],
      ['status', '--json'],
      ['verify', '--json'],
      ['search', 'text', '--json', '--explain'],
      ['ask', 'what can be found?', '--json'],
      ...['url', 'badurl', 'parts', 'git', 'wiki', 'boards'].map((name) => [
        'sources',
        'test',
        name,
        '--json',
      ]),
    ];
    const outcomes = new Map<string, Outcome>();
    for (const args of commands) outcomes.set(args.join(' '), await run(folder, args, env));
    // The commands did what they are for: something was indexed, and something failed.
    expect(outcomes.get('search text --json --explain')?.output).toContain('can be found');
    expect(outcomes.get('index')?.output).toMatch(/SOURCE_/);
    for (const [command, { output }] of outcomes)
      expect(`${command}: ${leaksIn(output)}`).toBe(`${command}: `);
    for (const file of filesBelow(join(folder, '.ragstone')))
      expect(leaksIn(readFileSync(file, 'latin1'))).toBe('');
  });
});

/** Every canary in a text, also as base64, which is how HTTP sends some. */
const leaksIn = (text: string): string =>
  [...(text.match(/canary-[\w-]+|Y2FuYXJ5|OmNhbmFye|pjYW5hcn/g) ?? [])].join(' ');

const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true })
    .map((name) => join(folder, String(name)))
    .filter((path) => statSync(path).isFile());
