import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { RAGError } from '../core/errors.js';
import type { Embedder } from '../embedding/embedder.js';
import { createMemoryStore } from '../stores/memory/memory-store.js';
import { createUsearchStore } from '../stores/usearch-store.js';
import type { VectorStore } from '../stores/vector-store.js';
import { createHashEmbedder } from '../testing/index.js';
import {
  BackendConnectionError,
  Document,
  DocumentNotFoundError,
  EmbeddingError,
  getKnowledgeStore,
  IndexingError,
  type KnowledgeStore,
  KnowledgeStoreConfig,
  KnowledgeStoreError,
  SearchError,
} from './index.js';

const LONG = Array.from(
  { length: 60 },
  (_, i) => `## Part ${i}\n\n${`Paragraph ${i} about topic${i} and its many details. `.repeat(12)}\n\n`,
).join('');

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ragstone-knowledge-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const openWith = (store: VectorStore, embedder: Embedder = createHashEmbedder()): Promise<KnowledgeStore> =>
  getKnowledgeStore({ store, embedder, config: new KnowledgeStoreConfig(), cwd: folder });

const backends: Record<string, () => Promise<VectorStore>> = {
  memory: async () => createMemoryStore(),
  usearch: async () => createUsearchStore({ path: await mkdtemp(join(tmpdir(), 'ragstone-knowledge-')) }),
};

describe.each(Object.keys(backends))('a knowledge store over %s', (name) => {
  let store: KnowledgeStore;
  beforeEach(async () => {
    store = await openWith((await backends[name]?.()) ?? createMemoryStore());
  });
  afterEach(() => store.close());

  test('refuses an option that it does not know, in place of ignoring a filter', async () => {
    const bareFilter = { type: 'spec' };
    await expect(store.search('login', bareFilter as object)).rejects.toMatchObject({
      name: 'SearchError',
      reason: 'QUERY_INVALID',
      message: expect.stringContaining('"type"'),
    });
  });

  test('says of itself that it is closed', async () => {
    await store.close();
    await expect(store.search('login')).rejects.toMatchObject({ reason: 'USAGE' });
    await expect(store.indexDocument('a', 'text')).rejects.toBeInstanceOf(KnowledgeStoreError);
    expect(await store.healthCheck()).toBe(false);
  });

  test('gives a document back as it was indexed', async () => {
    const metadata = { type: 'spec', epic: 7, ratio: 0.5, draft: false, 'a.b': 'dotted' };
    expect(await store.indexDocument('spec/a.md', '# Login\n\nUsers log in.', metadata)).toBe(true);
    const document = await store.getById('spec/a.md');
    expect(document).toBeInstanceOf(Document);
    expect(document).toMatchObject({ docId: 'spec/a.md', content: '# Login\n\nUsers log in.', metadata });
    expect(document?.doc_id).toBe('spec/a.md');
    expect(document?.embedding).toHaveLength(createHashEmbedder().dimensions);
    expect(await store.getById('spec/b.md')).toBeNull();
  });

  test('keeps a long document whole, cuts it inside, and shows it once', async () => {
    await store.indexDocument('long.md', LONG);
    await store.indexDocument('short.md', 'A note about topic9.');
    expect((await store.getById('long.md'))?.content).toBe(LONG);
    expect((await store.getById('long.md'))?.embedding).toBeNull();
    const results = await store.search('topic41 details', 10);
    expect(results.map(({ docId }) => docId).sort()).toEqual(['long.md', 'short.md']);
    expect(results[0]?.content).toBe(LONG);
    expect(results[0]?.passage).toContain('topic41');
    expect(results[0]?.passage.length).toBeLessThan(LONG.length / 4);
  });

  test('finds as many documents as asked for, though one has very many chunks', async () => {
    await store.indexDocument('long.md', LONG.replaceAll(/topic\d+/g, 'subject'));
    await store.indexDocuments(
      Array.from({ length: 20 }, (_, i) => ({ docId: `d${i}`, content: `subject ${'x'.repeat(i)} other` })),
    );
    for (const topK of [1, 5, 20]) expect(await store.search('subject', topK)).toHaveLength(topK);
    const scores = (await store.search('subject', 20)).map(({ score }) => score);
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
    expect(scores.every((score) => score >= 0 && score <= 1)).toBe(true);
  });

  test('indexing again replaces the document, its facts and all of its chunks', async () => {
    await store.indexDocument('a', LONG, { state: 'old' });
    await store.indexDocument('a', 'Short now.', { state: 'new' });
    expect(await store.getById('a')).toMatchObject({ content: 'Short now.', metadata: { state: 'new' } });
    expect(await store.search('topic30', 5, { state: 'old' })).toEqual([]);
    await Promise.all([store.indexDocument('a', LONG), store.indexDocument('a', 'The last one.')]);
    expect((await store.getById('a'))?.content).toBe('The last one.');
  });

  test('deletes a document once, and only that one', async () => {
    await store.indexDocuments([
      { docId: 'a', content: LONG },
      { docId: 'b', content: 'Stays.' },
    ]);
    expect(await store.delete('a')).toBe(true);
    expect(await store.delete('a')).toBe(false);
    expect(await store.getById('a')).toBeNull();
    expect((await store.search('topic3 stays')).map(({ docId }) => docId)).toEqual(['b']);
  });

  test('filters by scalars, by type and value, all of them', async () => {
    await store.indexDocuments([
      { docId: 'one', content: 'A text.', metadata: { n: 1, ok: true, kind: 'x' } },
      { docId: 'text', content: 'A text.', metadata: { n: '1', ok: true, kind: 'x' } },
      { docId: 'none', content: 'A text.' },
    ]);
    const find = async (filters: Record<string, string | number | boolean>) =>
      (await store.search('text', { filters })).map(({ docId }) => docId);
    expect(await find({ n: 1 })).toEqual(['one']);
    expect(await find({ n: '1' })).toEqual(['text']);
    expect((await find({ ok: true, kind: 'x' })).sort()).toEqual(['one', 'text']);
    expect(await find({ ok: true, kind: 'y' })).toEqual([]);
    expect(await find({ n: 1.5 })).toEqual([]);
  });

  test('the names of the seed do the same', async () => {
    expect(
      await store.index_document({ doc_id: 'a', content: 'Alpha.', metadata: { source: 'wiki/a' } }),
    ).toBe(true);
    expect(await store.index_documents([{ doc_id: 'b', content: 'Beta.' }])).toBe(1);
    const [result] = await store.search({ query: 'alpha', top_k: 1, filters: { source: 'wiki/a' } });
    expect(result).toMatchObject({ docId: 'a', content: 'Alpha.', passage: 'Alpha.', source: 'wiki/a' });
    expect(result?.doc_id).toBe('a');
    expect((await store.search('beta', 5)).find(({ docId }) => docId === 'b')?.source).toBe('b');
    expect((await store.get_by_id('b'))?.doc_id).toBe('b');
    expect((await store.require_by_id('b')).docId).toBe('b');
    expect(await store.health_check()).toBe(true);
  });

  test('refuses what is wrong, with its own error classes, and writes nothing', async () => {
    const cases: [() => Promise<unknown>, new (...parts: never[]) => Error, string][] = [
      [() => store.indexDocument('', 'text'), IndexingError, 'DOCUMENT_INVALID'],
      [() => store.indexDocument('a', '  '), IndexingError, 'DOCUMENT_INVALID'],
      [() => store.indexDocument('a', 'half \ud800'), IndexingError, 'DOCUMENT_INVALID'],
      [() => store.indexDocument('a', 'text', { $tenant: 'x' }), IndexingError, 'DOCUMENT_INVALID'],
      [() => store.indexDocument('a', 'text', { n: Number.NaN }), IndexingError, 'DOCUMENT_INVALID'],
      [() => store.indexDocument('a', 'text', { n: [1] as never }), IndexingError, 'DOCUMENT_INVALID'],
      [
        () =>
          store.indexDocuments([
            { docId: 'good', content: 'Good.' },
            { docId: 'bad', content: '' },
          ]),
        IndexingError,
        'DOCUMENT_INVALID',
      ],
      [() => store.search(' '), SearchError, 'QUERY_EMPTY'],
      [() => store.search('x', 0), SearchError, 'QUERY_INVALID'],
      [() => store.search('x', 101), SearchError, 'QUERY_INVALID'],
      [() => store.search('x', 5, { $tenant: 'other' }), SearchError, 'QUERY_INVALID'],
      [() => store.search('x', 5, { a: null as never }), SearchError, 'QUERY_INVALID'],
      [() => store.requireById('nobody'), DocumentNotFoundError, 'DOCUMENT_NOT_FOUND'],
    ];
    for (const [call, errorClass, reason] of cases) {
      const error = await call().catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(errorClass);
      expect(error).toBeInstanceOf(KnowledgeStoreError);
      expect(RAGError.isInstance(error) && error.reason).toBe(reason);
    }
    expect(await store.getById('good')).toBeNull();
  });
});

test('any text comes back unchanged', async () => {
  const store = await openWith(createMemoryStore());
  const line = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.constantFrom(
      '# Title',
      '',
      '- item',
      '```',
      '| a | b |',
      '|---|---|',
      '---',
      'key: value',
      '\ufeff',
      '\r',
      '   ',
    ),
  );
  const text = fc
    .array(line, { minLength: 1, maxLength: 40 })
    .map((lines) => lines.join('\n'))
    .filter((content) => content.trim() !== '' && content.isWellFormed() && !content.includes('\0'));
  await fc.assert(
    fc.asyncProperty(text, async (content) => {
      await store.indexDocument('a', content);
      expect((await store.getById('a'))?.content).toBe(content);
    }),
    { numRuns: 150 },
  );
});

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
