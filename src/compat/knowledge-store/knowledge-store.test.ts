import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { RAGSettingsInput } from '../../config/schema/index.js';
import { RAGError } from '../../core/errors.js';
import type { Scope } from '../../core/scope.js';
import type { Embedder } from '../../embedding/embedder.js';
import { createEngine } from '../../engine/create-engine.js';
import { openLedger } from '../../ledger/sqlite/open-ledger.js';
import { createLibsqlStore } from '../../stores/libsql/libsql-store.js';
import { createMemoryStore } from '../../stores/memory/memory-store.js';
import type { VectorStore } from '../../stores/vector-store.js';
import { filesWith } from '../../testing/files-with.js';
import { createHashEmbedder } from '../../testing/index.js';
import {
  ASDLCError,
  BackendConnectionError,
  EmbeddingError,
  getKnowledgeStore,
  type KnowledgeStore,
  KnowledgeStoreConfig,
  KnowledgeStoreError,
  type KnowledgeStoreOptions,
} from './index.js';
import { LONG, testKnowledgeStore } from './test-knowledge-store.js';
import { openStoreOfProject } from './test-project.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ragstone-knowledge-'));
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true, force: true });
});

const openProject = (settings: RAGSettingsInput, options?: KnowledgeStoreOptions): Promise<KnowledgeStore> =>
  openStoreOfProject(folder, settings, options);

const openWith = (store: VectorStore, embedder: Embedder = createHashEmbedder()): Promise<KnowledgeStore> =>
  getKnowledgeStore({ store, embedder, config: new KnowledgeStoreConfig(), cwd: folder });

testKnowledgeStore('memory, alone', () => openWith(createMemoryStore()));
testKnowledgeStore('libsql, by an engine', () => openProject({ provider: 'libsql' }));

test('an unchanged document is not embedded again', async () => {
  const embedder = createHashEmbedder();
  const embedded: string[] = [];
  const counting: Embedder = {
    ...embedder,
    countTokens: (text) => embedder.countTokens(text),
    doEmbed: (texts, kind, signal) => {
      embedded.push(...texts);
      return embedder.doEmbed(texts, kind, signal);
    },
    close: () => embedder.close(),
  };
  const store = await openWith(createMemoryStore(), counting);
  await store.indexDocument('a', LONG);
  const first = embedded.length;
  await store.indexDocument('a', `${LONG}One more line.`);
  expect(first).toBeGreaterThan(10);
  expect(embedded.length - first).toBeLessThan(5);
});

test('a backend or a model that fails has its own class, and a failed start is tried again', async () => {
  const memory = createMemoryStore();
  let isUp = false;
  const flaky: VectorStore = {
    name: 'memory',
    capabilities: memory.capabilities,
    open: async (spec) => {
      if (!isUp) throw new RAGError('STORE_UNAVAILABLE', 'The server is down.');
      return memory.open(spec);
    },
    describe: (collection) => memory.describe(collection),
    drop: (collection) => memory.drop(collection),
    health: () => memory.health(),
    close: () => memory.close(),
  };
  const store = await openWith(flaky);
  expect(await store.healthCheck()).toBe(false);
  await expect(store.search('x')).rejects.toBeInstanceOf(BackendConnectionError);
  isUp = true;
  expect(await store.healthCheck()).toBe(true);

  const broken: Embedder = {
    ...createHashEmbedder(),
    countTokens: () => 1,
    doEmbed: async () => {
      throw new RAGError('MODEL_INVALID', 'The model is broken.');
    },
    close: async () => undefined,
  };
  const other = await openWith(createMemoryStore(), broken);
  await expect(other.indexDocument('a', 'text')).rejects.toBeInstanceOf(EmbeddingError);
});

test('writes keep their order, though a ledger on a server answers the first one last', async () => {
  const ledger = openLedger({ path: join(folder, `${randomUUID()}.db`) });
  const store = await getKnowledgeStore({
    store: createMemoryStore(),
    ledger,
    embedder: createHashEmbedder(),
    config: new KnowledgeStoreConfig(),
    cwd: folder,
  });
  await store.indexDocument('a', 'The one before.');
  const live = ledger.live.bind(ledger);
  let asked = 0;
  vi.spyOn(ledger, 'live').mockImplementation(async () => {
    const isFirst = asked++ === 0;
    if (isFirst) for (let i = 0; i < 100; i++) await new Promise((resolve) => setImmediate(resolve));
    return live();
  });
  const removed = store.delete('a');
  await Promise.all([removed, store.indexDocument('a', 'The last one.')]);
  expect(await removed).toBe(true);
  expect((await store.getById('a'))?.content).toBe('The last one.');
  await store.close();
});

test('another model than the collection was made with is refused with what to do', async () => {
  const memory = createMemoryStore();
  const keepOpen: VectorStore = {
    name: 'memory',
    capabilities: memory.capabilities,
    open: (spec) => memory.open(spec),
    describe: (name) => memory.describe(name),
    drop: (name) => memory.drop(name),
    health: () => memory.health(),
    close: async () => undefined,
  };
  await (await openWith(keepOpen)).indexDocument('a', 'text');
  const store = await openWith(keepOpen, createHashEmbedder({ dimensions: 7 }));
  const error = await store.search('x').catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(KnowledgeStoreError);
  expect(error).toMatchObject({ reason: 'STORE_DIMENSION_MISMATCH' });
  expect(String(error)).toContain('another collection');
});

test('scopes never see each other', async () => {
  const memory = createMemoryStore();
  const config = new KnowledgeStoreConfig();
  const openFor = (tenant: string) =>
    getKnowledgeStore({
      store: memory,
      embedder: createHashEmbedder(),
      config,
      cwd: folder,
      scope: { tenant, groups: [], clearance: 0 },
    });
  const [acme, other] = [await openFor('acme'), await openFor('other')];
  await acme.indexDocument('a', 'The secret of acme.');
  await other.indexDocument('a', 'The secret of the other.');
  expect((await acme.getById('a'))?.content).toBe('The secret of acme.');
  expect((await other.search('secret')).map(({ content }) => content)).toEqual(['The secret of the other.']);
  expect(await other.delete('a')).toBe(true);
  expect(await acme.getById('a')).not.toBeNull();
});

describe('a knowledge store by an engine', () => {
  const openAgain = async (options: KnowledgeStoreOptions = {}) => {
    const config = new KnowledgeStoreConfig({ collectionName: 'Notes' });
    return openProject({ provider: 'libsql' }, { cwd: project, config, ...options });
  };
  let project: string;
  beforeEach(async () => {
    project = await mkdtemp(join(folder, 'project-'));
  });

  test('keeps documents between programs, apart from the index of the project and from other collections', async () => {
    const before = await openAgain();
    await before.indexDocument('a', 'Alpha.', { title: 'of the caller' });
    await before.close();
    const engine = await createEngine({ cwd: project });
    await expect(engine.search('alpha')).rejects.toMatchObject({ reason: 'INDEX_EMPTY' });
    await engine.close();
    const after = await openAgain();
    expect(await after.getById('a')).toMatchObject({ metadata: { title: 'of the caller' } });
    expect(after.notices).toEqual(['Documents are kept in the store "libsql" (rag.provider is libsql).']);
    await after.close();
    const other = await openAgain({ config: new KnowledgeStoreConfig({ collectionName: 'notes' }) });
    expect(await other.search('alpha')).toEqual([]);
    await other.close();
  });

  test('two programs write at the same time, and neither loses anything', async () => {
    const [one, two] = [await openAgain(), await openAgain()];
    const write = (store: KnowledgeStore, name: string) =>
      Promise.all([1, 2, 3].map((i) => store.indexDocument(`${name}${i}`, `Text ${i} of ${name}.`)));
    await Promise.all([write(one, 'x'), write(two, 'y')]);
    for (const store of [one, two]) {
      expect(await store.search('text', 10)).toHaveLength(6);
      await store.close();
    }
  });

  test('refuses another model than that of the collection in all that it does', async () => {
    const before = await openAgain();
    await before.indexDocument('a', 'Alpha.');
    await before.close();
    const store = await openAgain({ embedder: createHashEmbedder({ dimensions: 7 }) });
    for (const call of [
      () => store.search('alpha'),
      () => store.getById('a'),
      () => store.delete('a'),
      () => store.indexDocument('b', 'Beta.'),
    ])
      await expect(call()).rejects.toMatchObject({
        reason: 'STORE_FINGERPRINT_MISMATCH',
        message: expect.stringContaining('another collection'),
      });
    await store.close();
  });

  test('a document says nothing of itself: front matter is text, and facts are those of the caller', async () => {
    const store = await openAgain();
    const content = '---\nteam: red\npbi_id: 7\n---\n\n# Same title\n\nAlpha.';
    await store.indexDocuments([
      { docId: 'a', content, metadata: { team: 'blue' } },
      { docId: 'b', content: `${content} Beta.` },
    ]);
    expect((await store.getById('a'))?.metadata).toEqual({ team: 'blue' });
    expect(await store.search('alpha', { filters: { team: 'red' } })).toEqual([]);
    expect(await store.search('alpha')).toHaveLength(2);
    await store.close();
  });

  test('takes over what an earlier version kept in the store alone, for every scope, and says so', async () => {
    const alone = async (scope?: Scope) => {
      const store = createLibsqlStore({ path: join(project, '.ragstone', 'store', 'store.db') });
      return openAgain({ store, ...(scope === undefined ? {} : { scope }) });
    };
    const acme: Scope = { tenant: 'acme', groups: [], clearance: 0 };
    const roof: Scope = { tenant: 'default', project: 'roof', groups: [], clearance: 0 };
    const [mine, theirs, ofRoof] = [await alone(), await alone(acme), await alone(roof)];
    await mine.indexDocuments([
      { docId: 'a', content: LONG, metadata: { n: 1 } },
      { docId: 'b', content: 'Beta.' },
    ]);
    await theirs.indexDocument('a', 'Of acme.');
    await ofRoof.indexDocument('a', 'Of the roof.');
    for (const store of [mine, theirs, ofRoof]) await store.close();

    const store = await openAgain();
    expect(await store.getById('a')).toMatchObject({ content: LONG, metadata: { n: 1 } });
    expect(store.notices).toContain('4 documents that an earlier version kept are now kept here.');
    await store.indexDocument('a', 'Changed.');
    await store.close();
    for (const [scope, content] of [
      [acme, 'Of acme.'],
      [roof, 'Of the roof.'],
    ] as const) {
      const again = await openAgain({ scope });
      expect((await again.getById('a'))?.content).toBe(content);
      expect(again.notices).toHaveLength(1);
      await again.close();
    }
  });
});

describe('KnowledgeStoreConfig', () => {
  test('has the defaults of the seed under both namings', () => {
    const config = KnowledgeStoreConfig.fromEnv({});
    expect({ ...config }).toEqual({
      host: 'localhost',
      port: 8000,
      collectionName: 'asdlc_documents',
      embeddingModel: 'all-MiniLM-L6-v2',
      namesServer: false,
    });
    expect([config.collection_name, config.embedding_model]).toEqual(['asdlc_documents', 'all-MiniLM-L6-v2']);
    expect(Object.isFrozen(config)).toBe(true);
  });

  test('reads the environment', () => {
    const config = KnowledgeStoreConfig.from_env({
      KNOWLEDGE_STORE_HOST: 'chroma.internal',
      KNOWLEDGE_STORE_PORT: '9000',
      KNOWLEDGE_STORE_COLLECTION: 'notes',
      KNOWLEDGE_STORE_EMBEDDING_MODEL: 'builtin',
    });
    expect({ ...config }).toEqual({
      host: 'chroma.internal',
      port: 9000,
      collectionName: 'notes',
      embeddingModel: 'builtin',
      namesServer: true,
    });
  });

  test('refuses what cannot be, naming the variable', () => {
    for (const port of ['0', 'http', '70000', '1.5'])
      expect(() => KnowledgeStoreConfig.fromEnv({ KNOWLEDGE_STORE_PORT: port })).toThrow(
        /KNOWLEDGE_STORE_PORT/,
      );
    expect(() => new KnowledgeStoreConfig({ collection_name: 'a/b' })).toThrow(/KNOWLEDGE_STORE_COLLECTION/);
  });
});

describe('a backend that is named', () => {
  const open = (environment: Record<string, string>) =>
    getKnowledgeStore({
      config: KnowledgeStoreConfig.fromEnv({
        KNOWLEDGE_STORE_COLLECTION: `t-${randomUUID()}`,
        ...environment,
      }),
      embedder: createHashEmbedder(),
      cwd: folder,
    });

  test('goes over the configuration of the project, under its own names and those that people use', async () => {
    const store = await open({ KNOWLEDGE_STORE_BACKEND: 'embedded' });
    await store.indexDocument('a', 'A lamp.');
    expect(store.notices.join()).toContain('"libsql" (the backend is embedded)');
    await store.close();
    expect(new KnowledgeStoreConfig({ backend: 'pgvector' }).backend).toBe('postgres');
    expect(new KnowledgeStoreConfig({ backend: 'chromadb' }).backend).toBe('chroma');
  });

  test.each([
    [{ KNOWLEDGE_STORE_BACKEND: 'mongodb' }, /embedded, .*chroma/],
    [{ KNOWLEDGE_STORE_URL: 'http://localhost:9200' }, /KNOWLEDGE_STORE_BACKEND/],
    [
      { KNOWLEDGE_STORE_BACKEND: 'opensearch', KNOWLEDGE_STORE_URL: 'http://h:1', KNOWLEDGE_STORE_PORT: '2' },
      /alone/,
    ],
  ])('is refused where it cannot be: %o', (environment, message) => {
    expect(() => KnowledgeStoreConfig.fromEnv(environment)).toThrow(message);
  });

  test('has no server where it is embedded', async () => {
    const store = await open({ KNOWLEDGE_STORE_BACKEND: 'embedded', KNOWLEDGE_STORE_PORT: '9200' });
    await expect(store.search('lamp')).rejects.toThrow(/has no server/);
    await store.close();
  });

  test('that does not answer is a BackendConnectionError, and an ASDLCError', async () => {
    const store = await open({
      KNOWLEDGE_STORE_BACKEND: 'opensearch',
      KNOWLEDGE_STORE_URL: 'http://127.0.0.1:1',
    });
    expect(await store.healthCheck()).toBe(false);
    const error = await store.search('lamp').catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(BackendConnectionError);
    expect(error).toBeInstanceOf(ASDLCError);
    await store.close();
  });

  test('keeps the password of its address to itself', () => {
    const config = new KnowledgeStoreConfig({ backend: 'postgres', url: 'postgres://me:geheim@db/x' });
    expect(JSON.stringify(config)).not.toContain('geheim');
  });
});

describe('a fact that is marked as a field to encrypt', () => {
  const encryption = { fields: ['salary'], keys: [{ id: 'k', key: Buffer.alloc(32, 7).toString('base64') }] };
  const FACTS = { salary: 'zirconflorin', 'salary.base': 'zirconflorin base', team: 'red' };
  const openMarked = (settings: RAGSettingsInput, cwd: string, collectionName: string) =>
    openProject(
      { provider: 'libsql', ...settings },
      { cwd, config: new KnowledgeStoreConfig({ collectionName }) },
    );

  test.each(['as', 'after'])(
    'is in no file and given to readers of the document, %s it is marked',
    async (when) => {
      const cwd = await mkdtemp(join(folder, 'marked-'));
      const dataDir = join(cwd, '.ragstone', 'knowledge', 'facts');
      const before = await openMarked(when === 'as' ? { security: { encryption } } : {}, cwd, 'facts');
      await before.indexDocument('a', 'Walls are built of stone.', FACTS);
      await before.indexDocument('b', '---\nsalary: zirconflorin\n---\n\nRoofs are built of slate.');
      await before.close();
      const engine = await createEngine({
        config: { provider: 'libsql', security: { encryption } },
        cwd,
        dataDir,
        embedder: createHashEmbedder(),
      });
      if (when === 'after') {
        expect((await engine.verify()).drift).toContainEqual(
          expect.objectContaining({ kind: 'field-readable', source: 'salary' }),
        );
        await engine.rotateEncryption();
      }
      expect((await engine.verify()).drift).toEqual([]);
      await engine.close();
      expect(await filesWith(dataDir, 'zirconflorin')).toEqual([]);
      const store = await openMarked({ security: { encryption } }, cwd, 'facts');
      expect((await store.getById('a'))?.metadata).toEqual(FACTS);
      expect((await store.search('walls', 5, { team: 'red' }))[0]?.metadata).toEqual(FACTS);
      expect((await store.getById('b'))?.content).toContain('Roofs');
      await expect(store.search('walls', 5, { salary: 'zirconflorin' })).rejects.toMatchObject({
        reason: 'QUERY_INVALID',
        message: expect.stringContaining('"salary"'),
      });
      await store.close();
    },
  );
});
