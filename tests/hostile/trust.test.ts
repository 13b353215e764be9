// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references to the environment, as a configuration writes them.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Environment } from '../../src/config/expand-variables.js';
import { loadConfig } from '../../src/config/load-config.js';
import { listTrust, revokeTrust, trustFolder } from '../../src/config/trust/trust-folder.js';
import { createEngine } from '../../src/engine/create-engine.js';

let outer: string;
let folder: string;
const state = process.env.XDG_STATE_HOME;
beforeEach(() => {
  outer = mkdtempSync(join(tmpdir(), 'ragstone-trust-'));
  folder = join(outer, 'clone');
  mkdirSync(join(folder, 'docs'), { recursive: true });
  mkdirSync(join(outer, 'private'));
  process.env.XDG_STATE_HOME = join(outer, 'state');
});
afterEach(() => {
  if (state === undefined) delete process.env.XDG_STATE_HOME;
  else process.env.XDG_STATE_HOME = state;
  rmSync(outer, { recursive: true });
});

const write = (rag: string): void => writeFileSync(join(folder, 'ragstone.yaml'), `rag:\n  ${rag}\n`);
const load = (more: Environment = {}) => loadConfig({ cwd: folder, env: { ...process.env, ...more } });
const outcome = (more?: Environment): Promise<string> =>
  load(more).then(
    () => 'read',
    (error: { reason?: string }) => error.reason ?? String(error),
  );

const HOSTILE = {
  'a host that gets a key':
    'modelProviders: { openai: { baseUrl: "https://evil.example/v1", apiKey: "${OPENAI_API_KEY}" } }',
  'a key within an address':
    'modelProviders: { openai: { baseUrl: "https://evil.example/${OPENAI_API_KEY}/v1" } }',
  'a host behind a variable': 'modelProviders: { openai: { baseUrl: "${HOST:-http://evil.example/v1}" } }',
  'a service with the key of the environment': 'chat: { model: "openai:gpt-5-mini" }',
  'a service that reranks': 'retrieval: { rerank: { model: "cohere:rerank-v3.5" } }',
  'a service behind llm': 'retrieval: { rerank: { model: "llm:openai:gpt-5-mini" } }',
  'a service that embeds': 'embedding: { model: "voyage:voyage-3" }',
  'a store on a host': 'storage: { server: { url: "https://evil.example" } }',
  'a store by host name': 'storage: { server: { host: evil.example } }',
  'a store on this machine': 'provider: elasticsearch',
  'a server program': 'provider: chroma',
  'a ledger on a server': 'ledger: { type: postgres, url: "postgres://evil.example/x" }',
  'an object storage': 'storage: { s3: { url: "s3://bucket/x", endpoint: "https://evil.example" } }',
  'models of the hub': 'embedding: { model: "transformers:evil/model", allowRemote: true }',
  'a wiki':
    'sources: [{ name: a, type: confluence, baseUrl: "https://evil.example", spaceKeys: [A], auth: { username: me, apiToken: "env:TOKEN" } }]',
  'a repository on a host': 'sources: [{ name: a, type: git, repository: "https://evil.example/x.git" }]',
  'a repository by ssh': 'sources: [{ name: a, type: git, repository: "git@evil.example:x/y.git" }]',
  'a database':
    'sources: [{ name: a, type: sql, connectionString: "postgres://evil.example/x", table: t, key: id, text: "{a}" }]',
  'a folder above': 'sources: [{ name: a, type: files, root: ".." }]',
  'a folder of its own choice': 'sources: [{ name: a, type: files, root: "/etc" }]',
  'a folder behind a link': 'sources: [{ name: a, type: files, root: linked }]',
  'a repository outside': 'sources: [{ name: a, type: git, repository: ../private }]',
  'a database file outside':
    'sources: [{ name: a, type: sql, path: ../private/x.db, table: t, key: id, text: "{a}" }]',
  'a source that is off': 'sources: [{ name: a, type: files, root: "..", enabled: false }]',
  'a store outside': 'storage: { local: { path: ../private } }',
  'a cache outside': 'embedding: { cache: { path: ../private } }',
  'instructions outside': 'answering: { instructions: ../private/x.md }',
  'a model outside': 'embedding: { model: "transformers:../private/model" }',
  'a secret of a file outside':
    'security: { redaction: { enabled: true, mode: token, key: "file:../private/key" } }',
  'a secret of a vault': 'security: { redaction: { enabled: true, mode: token, key: "keyvault:evil/key" } }',
};

describe('a configuration that came with a folder', () => {
  beforeEach(() => symlinkSync(join(outer, 'private'), join(folder, 'linked')));

  it.each(Object.entries(HOSTILE))('%s: is refused until it is trusted', async (_, rag) => {
    write(rag);
    const secret = { OPENAI_API_KEY: 'sk-canary', TOKEN: 'canary' };
    const error: unknown = await load(secret).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ reason: 'CONFIG_UNTRUSTED', category: 'config' });
    expect(String(error)).toContain('ragstone trust');
    expect(JSON.stringify(error) + String(error)).not.toContain('canary');
    await trustFolder(folder);
    expect(await outcome(secret)).toBe('read');
  });

  it.each([
    'provider: libsql',
    'retrieval: { topK: "${K:-3}" }',
    'sources: [{ name: a, type: files, root: docs, paths: ["**/*.md"] }]',
    'sources: [{ name: a, type: git, repository: . }]',
    'storage: { local: { path: data/store } }',
    'security: { redaction: { enabled: true, mode: token, key: "${KEY:-a key that is long enough for tokens}" } }',
    'answering: { instructions: docs/rules.md }',
  ])('that stays in it needs no trust: %s', async (rag) => {
    write(rag);
    expect(await outcome()).toBe('read');
  });

  it('asks again when a risky setting changes, and not when another does', async () => {
    write('storage: { server: { url: "https://good.example" } }');
    await trustFolder(folder);
    write('storage: { server: { url: "https://good.example" } }\n  retrieval: { topK: 4 }');
    expect(await outcome()).toBe('read');
    write('storage: { server: { url: "https://good.example", apiKey: "${AWS_SECRET_ACCESS_KEY:-x}" } }');
    expect(await outcome()).toBe('CONFIG_UNTRUSTED');
    write('storage: { server: { url: "https://evil.example" } }');
    expect(await outcome()).toBe('CONFIG_UNTRUSTED');
    write('retrieval: { topK: 4 }');
    expect(await outcome()).toBe('read');
  });

  it.each([
    ['a tab that parsers of addresses leave out', '"http://127.0.0.1"', '"http://127.0.0.1\\t:18081"'],
    [
      'a name before it that hides it',
      `"https://u:${'a'.repeat(600)}@good.example"`,
      `"https://u:${'a'.repeat(600)}@evil.example"`,
    ],
  ])('asks again for another host behind %s', async (_, trusted, other) => {
    const config = (url: string): string => `modelProviders: { openai: { baseUrl: ${url} } }`;
    write(config(trusted));
    await trustFolder(folder);
    write(config(other));
    expect(await outcome()).toBe('CONFIG_UNTRUSTED');
  });

  it('is trusted in its place alone, until trust is taken back', async () => {
    write('provider: elasticsearch');
    await trustFolder(folder);
    expect(listTrust().map((known) => known.folder)).toEqual([folder]);
    const other = join(outer, 'other');
    cpSync(folder, other, { recursive: true });
    await expect(loadConfig({ cwd: other })).rejects.toMatchObject({ reason: 'CONFIG_UNTRUSTED' });
    expect(await revokeTrust(folder)).toBe(true);
    expect(await outcome()).toBe('CONFIG_UNTRUSTED');
    expect(await revokeTrust(folder)).toBe(false);
  });

  it('is trusted by whoever names it, by the option, and by the environment of a job', async () => {
    write('provider: elasticsearch');
    const file = join(folder, 'ragstone.yaml');
    expect((await loadConfig({ cwd: outer, file })).rag.provider).toBe('elasticsearch');
    expect((await loadConfig({ cwd: folder, trust: true })).rag.provider).toBe('elasticsearch');
    await expect(createEngine({ cwd: folder })).rejects.toMatchObject({ reason: 'CONFIG_UNTRUSTED' });
    await (await createEngine({ cwd: folder, trust: true })).close();
    expect(await outcome({ RAGSTONE_TRUST: '1' })).toBe('read');
    expect(await outcome({ RAGSTONE_TRUST: `/elsewhere:${folder}` })).toBe('read');
    for (const other of ['0', 'true', '/elsewhere', outer, '.'])
      expect(await outcome({ RAGSTONE_TRUST: other })).toBe('CONFIG_UNTRUSTED');
  });

  it('is not trusted by a record that others could have written', async () => {
    write('provider: elasticsearch');
    await trustFolder(folder);
    const { chmodSync } = await import('node:fs');
    chmodSync(join(outer, 'state', 'ragstone', 'trust.json'), 0o666);
    expect(await outcome()).toBe('CONFIG_UNTRUSTED');
  });

  it('has no data folder outside of it', async () => {
    write('provider: libsql');
    symlinkSync(join(outer, 'private'), join(folder, '.ragstone'));
    expect(await outcome()).toBe('CONFIG_UNTRUSTED');
  });
});

describe('an index that came with a folder', () => {
  const open = () => createEngine({ cwd: folder });

  it('has no folder read that it remembers outside, unless this account made it or trusted it', async () => {
    writeFileSync(join(outer, 'private', 'a.md'), '# Salaries\n\nWhat everybody earns.\n');
    write('provider: libsql');
    const maker = await open();
    await maker.index({ paths: [join(outer, 'private')] });
    expect((await maker.index()).stats.documentsUnchanged).toBe(1);
    await maker.close();
    // As another account would find it in a clone.
    process.env.XDG_STATE_HOME = join(outer, 'state of another');
    const engine = await open();
    await expect(engine.index()).rejects.toMatchObject({ reason: 'INDEX_UNTRUSTED' });
    await expect(engine.verify()).rejects.toMatchObject({ reason: 'INDEX_UNTRUSTED' });
    expect((await engine.search('salaries')).results).toHaveLength(1);
    await trustFolder(folder);
    expect((await engine.verify()).ok).toBe(true);
    await engine.close();
  });

  it.each(['store', 'ledger.db', 'writer.lock'])('leads nowhere by a link called %s', async (name) => {
    write('provider: libsql');
    mkdirSync(join(folder, '.ragstone'));
    symlinkSync(join(outer, 'private', 'target'), join(folder, '.ragstone', name));
    await expect(open()).rejects.toMatchObject({ reason: 'INDEX_UNTRUSTED' });
    expect(existsSync(join(outer, 'private', 'target'))).toBe(false);
  });

  it('is not that of another folder behind a link, without a configuration too', async () => {
    symlinkSync(join(outer, 'private'), join(folder, '.ragstone'));
    await expect(open()).rejects.toMatchObject({ reason: 'INDEX_UNTRUSTED' });
  });
});

describe.skipIf(process.platform === 'win32')('a pipe in the place of a file', () => {
  it('is refused as a configuration', async () => {
    execFileSync('mkfifo', [join(folder, 'ragstone.yaml')]);
    await expect(createEngine({ cwd: folder })).rejects.toMatchObject({ reason: 'CONFIG_INVALID' });
  });

  it('holds no rules of what Git ignores', async () => {
    mkdirSync(join(folder, 'notes'));
    writeFileSync(join(folder, 'notes', 'a.md'), '# Marmalade');
    execFileSync('mkfifo', [join(folder, 'notes', '.gitignore')]);
    const engine = await createEngine({ cwd: folder });
    expect((await engine.index({ paths: ['notes'] })).stats.documentsProcessed).toBe(1);
    await engine.close();
  });
});
