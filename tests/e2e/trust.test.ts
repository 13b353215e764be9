import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DIST, ragstoneJson, runRagstone } from './run-ragstone.js';
import { sharedFolder, temporaryFolder, writeFiles } from './temporary-folder.js';
import { runs } from './unprivileged.js';

let asked = 0;
let server: Server;
let address: string;
beforeAll(async () => {
  server = createServer((_, response) => {
    asked++;
    response.writeHead(401).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.close();
});

const KEY = 'sk-canary-of-a-key';
const hostile = (): Record<string, string> => ({
  'a.md': '# Salaries\n\nWhat everybody earns.\n',
  'ragstone.yaml': `rag:\n  provider: libsql\n  modelProviders: {openai: {baseUrl: "${address}/v1", apiKey: "\${OPENAI_API_KEY}"}}\n  embedding: {model: "openai:text-embedding-3-small"}\n`,
});

describe('a configuration that came with a repository', () => {
  const state = sharedFolder();
  const env = { OPENAI_API_KEY: KEY, XDG_STATE_HOME: state, RAGSTONE_TRUST: '' };

  it('sends nothing to anybody until its folder is trusted, and says what to do', async () => {
    const cwd = temporaryFolder(hostile());
    for (const command of ['index a.md', 'search salaries', 'status', 'config check', 'sources test x']) {
      const { code, stdout, stderr } = await runRagstone(command.split(' '), { cwd, env });
      expect([command, code]).toEqual([command, 2]);
      expect(stderr).toContain('error CONFIG_UNTRUSTED');
      expect(stderr).toContain(`ragstone trust ${cwd}`);
      expect(stdout + stderr).not.toContain(KEY);
    }
    expect(asked).toBe(0);
    const { document } = await ragstoneJson<{ risks: readonly { key: string }[] }>(['trust'], { cwd, env });
    expect(document.risks.map(({ key }) => key)).toContain('rag.modelProviders.openai.baseUrl');
    await runRagstone(['index', 'a.md'], { cwd, env });
    expect(asked).toBeGreaterThan(0);
    expect((await runRagstone(['trust', '--list'], { cwd, env })).stdout).toContain(cwd);
    expect((await runRagstone(['trust', '--revoke'], { cwd, env })).stdout).toContain('no longer');
    expect((await runRagstone(['status'], { cwd, env })).code).toBe(2);
  });

  it('is trusted once with --trust, and where the user names the file', async () => {
    const cwd = temporaryFolder(hostile());
    const before = asked;
    expect((await runRagstone(['index', 'a.md', '--trust'], { cwd, env })).stderr).not.toContain('UNTRUSTED');
    expect(asked).toBeGreaterThan(before);
    const named = await runRagstone(['status', '--config', 'ragstone.yaml'], { cwd, env });
    expect(named.stderr).not.toContain('UNTRUSTED');
    expect((await runRagstone(['status'], { cwd, env })).code).toBe(2);
  });

  it('that init wrote needs no question', async () => {
    const cwd = temporaryFolder({ 'a.md': '# Salaries\n' });
    expect((await runRagstone(['init', '--no-lancedb'], { cwd, env })).code).toBe(0);
    expect((await runRagstone(['index'], { cwd, env })).code).toBe(0);
  });

  it('is not trusted by an init beside it', async () => {
    const { 'ragstone.yaml': config = '' } = hostile();
    const cwd = temporaryFolder({ 'a.md': '# Salaries\n', 'config/rag-config.yaml': config });
    expect((await runRagstone(['init', '--no-lancedb'], { cwd, env })).code).toBe(0);
    expect((await runRagstone(['status'], { cwd, env })).stderr).toContain('CONFIG_UNTRUSTED');
  });

  it.skipIf(!runs('script', '--version'))('is a question on a terminal', async () => {
    // Its own folder above it: the configuration reaches that, and `config check` looks there.
    const cwd = join(temporaryFolder({}), 'project');
    writeFiles(cwd, {
      'ragstone.yaml': 'rag:\n  provider: libsql\n  sources: [{ name: a, type: files, root: .. }]\n',
    });
    const main = new URL('faces/cli/main.js', DIST).pathname;
    const answer = async (said: string) => {
      const under = ['script', '-qec', `${process.execPath} ${main} config check`, join(cwd, 'typescript')];
      // `runRagstone` appends Node.js and the command, which become names that the shell of `script` never reads.
      const { stdout } = await runRagstone([], {
        cwd,
        env,
        under: ['sh', '-c', `printf '%s\\n' ${said} | ${under.map((part) => `'${part}'`).join(' ')}`],
      });
      return stdout;
    };
    expect(await answer('n')).toContain('CONFIG_UNTRUSTED');
    expect(await answer('y')).not.toContain('error');
    expect((await runRagstone(['config', 'check'], { cwd, env })).code).toBe(0);
  });
});
