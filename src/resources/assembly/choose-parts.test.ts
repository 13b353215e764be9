import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { loadConfig } from '../../config/load-config.js';
import { addModel, listModels } from '../../config/models.js';
import type { ResolvedConfig } from '../../config/resolved-config.js';
import type { RAGSettingsInput } from '../../config/schema/index.js';
import { createLibsqlStore } from '../../stores/libsql/libsql-store.js';
import { chooseProvider, createStoreFor } from './choose-store.js';
import { createEmbedderFor } from './open-embedder.js';
import { createSourcesFor } from './open-sources.js';
import { resolveEmbeddingModel } from './resolve-model.js';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ragstone-registry-'));
});

afterEach(() => rm(folder, { recursive: true, force: true }));

const configure = (config: RAGSettingsInput): Promise<ResolvedConfig> =>
  loadConfig({ cwd: folder, env: {}, config });

async function makeModel(name: string): Promise<string> {
  const path = join(folder, 'elsewhere', name);
  await mkdir(join(path, 'onnx'), { recursive: true });
  for (const file of ['config.json', 'tokenizer.json', 'onnx/model.onnx'])
    await writeFile(join(path, file), '{}');
  return path;
}

describe('the store', () => {
  test.each([
    ['libsql', 'libsql', 'bm25'],
    ['memory', 'memory', 'bm25'],
    ['usearch', 'usearch', 'bm25'],
    ['faiss', 'usearch', 'bm25'],
    ['postgres', 'postgres', 'bm25'],
    ['chroma', 'chroma', 'bm25'],
    // With nothing beside the ledger.
    ['elasticsearch', 'elasticsearch', 'bm25'],
    ['opensearch', 'opensearch', 'bm25'],
    ['weaviate', 'weaviate', 'bm25'],
    ['qdrant', 'qdrant', 'bm25'],
  ] as const)('one line chooses %s, and every store then ranks words', async (provider, name, lexical) => {
    const { store } = await createStoreFor(await configure({ provider }));
    expect(store.name).toBe(name);
    expect(store.capabilities.lexical).toBe(lexical);
    await store.close();
  });

  test('an index of words that PostgreSQL once needed beside the ledger is removed, and it is said', async () => {
    const path = join(folder, '.ragstone', 'lexical', 'store.db');
    await mkdir(join(folder, '.ragstone', 'lexical'), { recursive: true });
    const local = createLibsqlStore({ path });
    await local.open({ name: 'chunks-1', dimensions: 1, fingerprint: 'none' });
    await local.close();
    const config = await configure({ provider: 'postgres' });
    const recorded = { provider: 'postgres', collection: 'chunks-1' };
    const owner = { ledgerPath: join(folder, '.ragstone', 'ledger.db'), recorded };
    const opened = [await createStoreFor(config, { owner }), await createStoreFor(config, { owner })];
    expect(opened.map(({ notices }) => notices)).toEqual([
      [expect.stringContaining('the store "postgres"')],
      [],
    ]);
    expect(existsSync(path)).toBe(false);
    for (const { store } of opened) await store.close();
  });

  test('a server that is not there is named with its address and never with its password', async () => {
    const urls = {
      postgres: 'postgres://me:sesame@127.0.0.1:9/db',
      chroma: 'http://me:sesame@127.0.0.1:9',
      elasticsearch: 'http://me:sesame@127.0.0.1:9',
    } as const;
    for (const [provider, url] of Object.entries(urls) as [keyof typeof urls, string][]) {
      const config = await configure({ provider, storage: { server: { url } } });
      const { store } = await createStoreFor(config);
      const error = await store.describe('chunks-1').catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ reason: 'STORE_UNAVAILABLE' });
      expect(String(error)).toContain('127.0.0.1:9');
      expect(String(error)).not.toContain('sesame');
      expect(JSON.stringify(config.rag)).not.toContain('sesame');
      await store.close();
    }
  });

  test('an address that is none is refused without being shown', async () => {
    for (const provider of ['chroma', 'elasticsearch'] as const) {
      const config = await configure({ provider, storage: { server: { url: 'sesame' } } });
      const error = await createStoreFor(config).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ reason: 'CONFIG_INVALID' });
      expect(String(error)).not.toContain('sesame');
    }
  });

  test.each([
    ['postgres', 'postgres://ann:sesa@me/secret@127.0.0.1:9/db'],
    ['postgres', 'postgres://ann:sesame#secret@127.0.0.1:9/db'],
    ['opensearch', 'https://ann:sesa@me/secret@127.0.0.1:9'],
    ['postgres', 'http://127.0.0.1:9/sesame'],
  ] as const)(
    '%s refuses %s: a password with bare marks, or the server of another kind',
    async (provider, url) => {
      const config = await configure({ provider, storage: { server: { url } } });
      const error = await createStoreFor(config).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ reason: 'CONFIG_INVALID' });
      expect(String(error)).toMatch(/percent-encoded|postgres:\/\//);
      expect(String(error)).not.toMatch(/sesa|secret/);
    },
  );

  test('a server is named by host and port as well as by url, and not by both', async () => {
    for (const provider of [
      'postgres',
      'chroma',
      'elasticsearch',
      'opensearch',
      'weaviate',
      'qdrant',
    ] as const) {
      const server = { host: '127.0.0.1', port: 9, namespace: 'asdlc_documents' };
      const { store } = await createStoreFor(await configure({ provider, storage: { server } }));
      const error = await store.describe('chunks-1').catch((thrown: unknown) => thrown);
      expect(String(error), provider).toContain('127.0.0.1:9');
      await store.close();
      const both = { ...server, url: 'http://127.0.0.1:9' };
      await expect(
        createStoreFor(await configure({ provider, storage: { server: both } })),
      ).rejects.toMatchObject({ reason: 'CONFIG_INVALID' });
    }
  });

  test('a hosted service is named by its address, and words are ranked beside it', async () => {
    const url = 'https://team.search.windows.net';
    const { store } = await createStoreFor(
      await configure({ provider: 'azure_ai_search', storage: { server: { url, apiKey: 'sesame' } } }),
    );
    expect([store.name, store.capabilities.lexical]).toEqual(['azure_ai_search', 'bm25']);
    await store.close();
    await expect(createStoreFor(await configure({ provider: 'azure_ai_search' }))).rejects.toMatchObject({
      reason: 'CONFIG_INVALID',
      message: expect.stringContaining('rag.storage.server.url'),
    });
  });

  test('auto keeps to what the index was made with', async () => {
    const config = await configure({});
    expect(chooseProvider(config, 'libsql').provider).toBe('libsql');
    expect(chooseProvider(config, 'lancedb').provider).toBe('lancedb');
    expect(['lancedb', 'libsql']).toContain(chooseProvider(config).provider);
  });

  test('nothing is kept where persist is false', async () => {
    const { store, origin } = await createStoreFor(
      await configure({ storage: { local: { persist: false } } }),
    );
    expect(store.name).toBe('memory');
    expect(origin).toContain('persist');
    await store.close();
  });
});

describe('the embedding model', () => {
  test('a bare name that is nowhere becomes the built-in model, and says so', async () => {
    const config = await configure({ embedding: { model: 'all-MiniLM-L6-v2', dimensions: 384 } });
    const { embedder, notices } = await createEmbedderFor(config);
    expect(embedder.identity.model).toBe('builtin');
    expect(notices).toEqual([expect.stringContaining('all-MiniLM-L6-v2')]);
    await embedder.close();
  });

  test.each([
    ['transformers:nowhere', {}],
    ['all-MiniLM-L6-v2', { fallback: 'error' as const }],
  ])('%s with %j that is nowhere is refused', async (model, more) => {
    const config = await configure({ embedding: { model, ...more } });
    await expect(resolveEmbeddingModel(config)).rejects.toMatchObject({ reason: 'MODEL_NOT_FOUND' });
  });

  test('a service that is not built is said to be so', async () => {
    const config = await configure({ embedding: { model: 'mistral:mistral-embed' } });
    await expect(resolveEmbeddingModel(config)).rejects.toMatchObject({ reason: 'CONFIG_NOT_BUILT' });
  });

  test('a folder of the project, an added model, and an id with its owner are found', async () => {
    const path = await makeModel('mini');
    const modelOf = async (model: string) => resolveEmbeddingModel(await configure({ embedding: { model } }));
    expect(await modelOf('./elsewhere/mini')).toEqual({ kind: 'transformers', model: path, isRemote: false });
    expect(await modelOf('mini')).toMatchObject({ kind: 'builtin' });
    await addModel(join(folder, '.ragstone'), path);
    expect(await modelOf('mini')).toEqual({ kind: 'transformers', model: path, isRemote: false });
    expect(await modelOf('transformers:owner/mini')).toMatchObject({ model: path });
    expect(await modelOf('onnx:owner/mini')).toEqual({ kind: 'onnx', model: path, isRemote: false });
  });

  test('a bare name is an id of sentence-transformers where downloads are allowed', async () => {
    const config = await configure({ embedding: { model: 'all-MiniLM-L6-v2', allowRemote: true } });
    expect(await resolveEmbeddingModel(config)).toEqual({
      kind: 'transformers',
      model: 'sentence-transformers/all-MiniLM-L6-v2',
      isRemote: true,
    });
  });

  test('stated dimensions that the chosen model does not have are refused', async () => {
    const config = await configure({ embedding: { model: 'builtin', dimensions: 7 } });
    await expect(createEmbedderFor(config)).rejects.toMatchObject({
      reason: 'CONFIG_INVALID',
      details: expect.objectContaining({ expected: 7 }),
    });
  });
});

describe('model folders', () => {
  test('one that lacks a part is refused, naming it', async () => {
    const path = await makeModel('mini');
    await rm(join(path, 'tokenizer.json'));
    await expect(addModel(folder, path)).rejects.toMatchObject({
      reason: 'MODEL_INVALID',
      message: expect.stringContaining('tokenizer.json'),
    });
    await expect(addModel(folder, join(folder, 'none'))).rejects.toMatchObject({ reason: 'MODEL_NOT_FOUND' });
  });

  test('one that is gone is listed as not usable', async () => {
    const path = await makeModel('mini');
    await addModel(folder, path);
    expect(await listModels(folder)).toEqual([{ name: 'mini', path, isUsable: true }]);
    await rm(path, { recursive: true });
    expect(await listModels(folder)).toEqual([{ name: 'mini', path, isUsable: false }]);
  });
});

type SourceInput = NonNullable<RAGSettingsInput['sources']>[number];

describe('the sources', () => {
  const markdown: SourceInput = {
    name: 'docs',
    type: 'markdown',
    paths: ['*.md'],
    metadata: { sourceType: 'documentation' },
  };

  test('an enabled source that lacks a setting is refused by its name; a disabled one is left out', async () => {
    const items: SourceInput = { name: 'kb', type: 'azure_devops', organization: 'o', project: 'p' };
    await expect(createSourcesFor(await configure({ sources: [markdown, items] }))).rejects.toMatchObject({
      reason: 'SECRET_MISSING',
      message: expect.stringContaining('rag.sources[1].auth.pat'),
    });
    const wiki: SourceInput = { name: 'wiki', type: 'confluence', auth: { personalAccessToken: 't' } };
    await expect(createSourcesFor(await configure({ sources: [wiki] }))).rejects.toMatchObject({
      reason: 'CONFIG_INVALID',
      message: expect.stringContaining('rag.sources[0].baseUrl'),
    });
    const setups = await createSourcesFor(
      await configure({ sources: [markdown, { ...items, enabled: false }] }),
    );
    expect(setups.map(({ source, sourceType }) => [source.name, sourceType])).toEqual([
      ['docs', 'documentation'],
    ]);
  });

  test('work items are chunked as such unless their own source says otherwise', async () => {
    const items: SourceInput = { name: 'items', type: 'pbi_json', paths: ['*.json'] };
    const strategyOf = async (config: RAGSettingsInput) =>
      (await createSourcesFor(await configure(config)))[0]?.chunking.strategy;
    expect(await strategyOf({ chunking: { strategy: 'recursive' }, sources: [items] })).toBe('pbi_aware');
    expect(await strategyOf({ sources: [{ ...items, chunking: { strategy: 'fixed' } }] })).toBe('fixed');
    expect(await strategyOf({ chunking: { strategy: 'recursive' }, sources: [markdown] })).toBe('recursive');
  });
});
