// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references to the environment, as a configuration writes them.
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import Database from 'libsql';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Environment } from '../../src/config/expand-variables.js';
import { loadConfig } from '../../src/config/load-config.js';
import { createEngine } from '../../src/engine/create-engine.js';
import { listTrust, revokeTrust, trustFolder } from '../../src/engine/trust-folder.js';

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

  it('is trusted where it is named, by the option, and by the environment of a job', async () => {
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
    const records = join(outer, 'state', 'ragstone', 'trusted');
    for (const name of readdirSync(records)) chmodSync(join(records, name), 0o666);
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
    const inTry = join(folder, '.ragstone', 'try');
    mkdirSync(join(folder, '.ragstone'));
    symlinkSync(join(outer, 'private'), inTry);
    const config = { provider: 'libsql' } as const;
    const trial = createEngine({ cwd: folder, config, dataDir: join(inTry, 'new') });
    await expect(trial).rejects.toMatchObject({ reason: 'INDEX_UNTRUSTED' });
    rmSync(join(folder, '.ragstone'), { recursive: true });
    symlinkSync(join(outer, 'private'), join(folder, '.ragstone'));
    await expect(open()).rejects.toMatchObject({ reason: 'INDEX_UNTRUSTED' });
  });
});

// Invariant: what a data folder says reaches beyond the project only where this account named the same for it, which is recorded
// outside of it. Kept by src/config/trust/index-reach.ts.
describe('an index that this account made and a pull replaced', () => {
  const open = () => createEngine({ cwd: folder });
  const ledger = () => join(folder, '.ragstone', 'ledger.db');
  const change = (sql: string): void => {
    const database = new Database(ledger());
    database.exec(sql);
    database.close();
  };
  const refused = { reason: 'INDEX_UNTRUSTED' };

  beforeEach(async () => {
    write('provider: libsql');
    writeFileSync(join(folder, 'docs', 'a.md'), '# Logs\n\nLogs are kept for a week.\n');
    writeFileSync(join(outer, 'private', 'a.md'), '# Salaries\n\nWhat everybody earns.\n');
    const engine = await open();
    await engine.index({ paths: ['docs'] });
    await engine.close();
  });

  it('has no folder read that another ledger in its place remembers', async () => {
    process.env.XDG_STATE_HOME = join(outer, 'state of another');
    const other = await createEngine({ cwd: join(outer, 'elsewhere'), config: { provider: 'libsql' } });
    await other.index({ paths: [join(outer, 'private')] });
    await other.close();
    process.env.XDG_STATE_HOME = join(outer, 'state');
    for (const suffix of ['-wal', '-shm']) rmSync(ledger() + suffix, { force: true });
    cpSync(join(outer, 'elsewhere', '.ragstone', 'ledger.db'), ledger());
    const engine = await open();
    await expect(engine.index()).rejects.toMatchObject(refused);
    await expect(engine.index({ options: { force: true } })).rejects.toMatchObject(refused);
    await expect(engine.verify({ repair: true })).rejects.toMatchObject(refused);
    await engine.close();
  });

  it('has no folder read that was written into its own ledger', async () => {
    change(`INSERT INTO remembered_source VALUES ('default', 'path:${join(outer, 'private')}')`);
    const engine = await open();
    await expect(engine.index()).rejects.toMatchObject(refused);
    expect((await engine.search('logs')).results).toHaveLength(1);
    await engine.close();
    const { risks } = await trustFolder(folder);
    expect(risks.map(({ what }) => what)).toEqual([
      `remembers ${join(outer, 'private')}, outside of the project`,
    ]);
    const trusting = await open();
    expect((await trusting.index()).stats.documentsProcessed).toBe(1);
    await trusting.close();
  });

  it('has no folder read behind a link that took the place of one that it remembers', async () => {
    rmSync(join(folder, 'docs'), { recursive: true });
    symlinkSync(join(outer, 'private'), join(folder, 'docs'));
    const engine = await open();
    await expect(engine.index()).rejects.toMatchObject(refused);
    // Who names it means it.
    expect((await engine.index({ paths: ['docs'] })).stats.documentsProcessed).toBe(1);
    await engine.index();
    await engine.close();
  });

  it.each([
    [
      'hosted model',
      "UPDATE generation SET embedder = 'openai:text-embedding-3-small', fingerprint = 'other'; UPDATE store_collection SET fingerprint = 'other'",
    ],
    ['server program', "UPDATE generation SET provider = 'chroma'"],
    ['server', "UPDATE generation SET provider = 'elasticsearch'"],
  ])('asks no %s of its choice', async (_, sql) => {
    change(sql);
    const engine = await open();
    await expect(engine.search('logs')).rejects.toMatchObject(refused);
    await engine.close();
  });

  it.each([
    'store/deep/part',
    'cache/embeddings/live.log',
    'git/a.git/objects',
    'lexical',
    'cache/contexts/ab',
  ])('leads nowhere by a link at %s', async (path) => {
    mkdirSync(dirname(join(folder, '.ragstone', path)), { recursive: true });
    symlinkSync(join(outer, 'private'), join(folder, '.ragstone', path));
    await expect(open()).rejects.toMatchObject(refused);
    await trustFolder(folder);
    await (await open()).close();
    // Trust in a link is for where it leads.
    rmSync(join(folder, '.ragstone', path));
    symlinkSync(outer, join(folder, '.ragstone', path));
    await expect(open()).rejects.toMatchObject(refused);
  });

  it('goes on with a backup of it, and asks once where it was moved', async () => {
    const named = await open();
    await named.index({ paths: [join(outer, 'private')] });
    await named.close();
    cpSync(join(folder, '.ragstone'), join(outer, 'backup'), { recursive: true });
    rmSync(join(folder, '.ragstone'), { recursive: true });
    cpSync(join(outer, 'backup'), join(folder, '.ragstone'), { recursive: true });
    const engine = await open();
    expect((await engine.index()).stats.documentsUnchanged).toBe(2);
    await engine.close();
    const moved = join(outer, 'moved');
    cpSync(folder, moved, { recursive: true });
    const there = await createEngine({ cwd: moved });
    expect((await there.search('salaries')).results).not.toHaveLength(0);
    await expect(there.index()).rejects.toMatchObject({
      ...refused,
      message: expect.stringContaining('ragstone trust'),
    });
    await trustFolder(moved);
    expect((await there.index()).stats.documentsUnchanged).toBe(2);
    await there.close();
    expect(await revokeTrust(moved)).toBe(true);
    expect(listTrust().map((known) => known.folder)).toEqual([join(folder, '.ragstone')]);
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
