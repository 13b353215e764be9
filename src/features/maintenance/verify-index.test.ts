import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { DocumentChunker } from '../../chunking/chunker.js';
import type { ChunkRecord } from '../../core/chunk.js';
import { RAGError } from '../../core/errors.js';
import { EVERYTHING, eq } from '../../core/filter.js';
import { LOCAL_SCOPE } from '../../core/scope.js';
import { runIndex } from '../../indexing/run-index.js';
import type { ConfiguredSource } from '../../indexing/source-task.js';
import type { Generation, Ledger } from '../../ledger/ledger.js';
import { openLedger } from '../../ledger/sqlite/open-ledger.js';
import type { Drift } from '../../operations/engine.js';
import { PLAIN_TEXT_PARSER } from '../../parsing/plain-text/plain-text-parser.js';
import { createSealing } from '../../platform/security/sealed-metadata.js';
import { createPushSource, type PushedDocument } from '../../sources/push/push-source.js';
import { collectionOf as collectionOfMembers, membersOf } from '../../stores/collection-members.js';
import { createMemoryStore } from '../../stores/memory/memory-store.js';
import type { VectorCollection, VectorStore } from '../../stores/vector-store.js';
import { createHashEmbedder } from '../../testing/hash-embedder.js';
import { prepareRepair, type VerifyContext, verifyIndex } from './verify-index.js';

const WHOLE: DocumentChunker = {
  strategy: 'whole',
  chunk: ({ text }) => [
    {
      content: text,
      start: 0,
      end: text.length,
      lines: { start: 1, end: 1 },
      headingPath: [],
      tokenCount: 1,
    },
  ],
};

const DOCUMENTS: readonly PushedDocument[] = [
  { id: 'a', text: 'alpha' },
  { id: 'b', text: 'beta' },
  { id: 'c', text: 'gamma' },
];

let folder: string;
let ledger: Ledger;
let store: VectorStore;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ragstone-verify-'));
  ledger = openLedger({ path: join(folder, 'ledger.db') });
  store = createMemoryStore();
  await index(DOCUMENTS);
});
afterEach(async () => {
  await ledger.close();
  rmSync(folder, { recursive: true });
});

function configured(documents: readonly PushedDocument[]): ConfiguredSource {
  const parser = PLAIN_TEXT_PARSER;
  return {
    source: createPushSource({ name: 'notes', documents, listing: 'complete' }),
    sourceType: 'note',
    metadata: {},
    preparation: { chunker: WHOLE, parsers: new Map(parser.mediaTypes.map((type) => [type, parser])) },
    processingKey: 'k',
  };
}

const index = (documents: readonly PushedDocument[]) =>
  runIndex({
    ledger,
    store,
    embedder: createHashEmbedder({ dimensions: 8 }),
    embedding: {},
    sources: [configured(documents)],
    configuredNames: new Set(['notes']),
    options: { scope: LOCAL_SCOPE, force: false, dryRun: false, batchSize: 10, parallel: 2 },
    command: 'index',
    storeOf: async () => store,
    learn: async () => undefined,
    now: () => '2026-01-01T00:00:00.000Z',
  });

async function liveFacts(): Promise<Generation> {
  const facts = await ledger.live();
  if (facts === undefined) throw new Error('Nothing is indexed.');
  return facts;
}

const writer = async () => ledger.writer((await liveFacts()).generation, 'test');

const context = async (documents: readonly PushedDocument[] = DOCUMENTS): Promise<VerifyContext> => ({
  ledger,
  facts: await liveFacts(),
  reader: await writer(),
  store,
  storeOf: async () => store,
  sources: [configured(documents)],
  scope: LOCAL_SCOPE,
});

const driftOf = async (documents?: readonly PushedDocument[]): Promise<Pick<Drift, 'kind' | 'source'>[]> =>
  (await verifyIndex(await context(documents))).drift.map(({ kind, source }) => ({ kind, source }));

async function collectionOf(): Promise<VectorCollection> {
  const facts = await liveFacts();
  return store.open({ name: facts.collection, dimensions: 8, fingerprint: facts.fingerprint });
}

/** The record of a document's chunk, as it could be written again. */
async function recordOf(source: string): Promise<ChunkRecord> {
  const { chunks } = await (await collectionOf()).list({ filter: EVERYTHING, limit: 10 });
  const id = chunks.find(({ metadata }) => metadata.source === source)?.id ?? '';
  const [chunk] = await (await collectionOf()).get([id], { includeVectors: true });
  if (chunk?.vector === undefined) throw new Error(`No chunk of ${source}.`);
  return { ...chunk, vector: chunk.vector, searchText: chunk.content };
}

/** Repairs as the engine does, and expects that nothing differs any more. */
async function repair(documents: readonly PushedDocument[] = DOCUMENTS): Promise<void> {
  const target = { facts: await liveFacts(), store, writer: await writer() };
  await prepareRepair(await verifyIndex(await context(documents)), target);
  await index(documents);
  expect(await driftOf(documents)).toEqual([]);
}

describe('verify', () => {
  test('an index that is in step has no drift', async () => {
    expect(await verifyIndex(await context())).toEqual({
      drift: [],
      missingChunkIds: [],
      orphanedChunkIds: [],
      damaged: false,
    });
  });

  test('names a chunk that the store lacks; repair writes that one alone', async () => {
    const { id } = await recordOf('b');
    await (await collectionOf()).delete(eq('$chunkId', id));
    expect(await driftOf()).toEqual([{ kind: 'chunk-missing', source: 'b' }]);
    await prepareRepair(await verifyIndex(await context()), {
      facts: await liveFacts(),
      store,
      writer: await writer(),
    });
    expect((await index(DOCUMENTS)).stats).toMatchObject({ documentsProcessed: 1, embeddingsComputed: 1 });
    expect(await driftOf()).toEqual([]);
  });

  test.each<[string, (record: ChunkRecord) => Partial<ChunkRecord>]>([
    ['content', () => ({ content: 'tampered' })],
    ['metadata', ({ metadata }) => ({ metadata: { ...metadata, title: 'tampered' } })],
    ['access', () => ({ access: { groups: ['tampered'], level: 0 } })],
    ['source', () => ({ source: 'tampered' })],
  ])('names a chunk whose %s differs; repair restores it', async (_, change) => {
    const record = await recordOf('b');
    await (await collectionOf()).upsert([{ ...record, ...change(record) }]);
    expect(await driftOf()).toEqual([{ kind: 'chunk-different', source: 'b' }]);
    await repair();
    expect(await recordOf('b')).toEqual(record);
  });

  test('names a chunk that the ledger does not know; repair deletes it', async () => {
    const record = await recordOf('b');
    await (await collectionOf()).upsert([{ ...record, id: 'foreign', documentId: 'foreign' }]);
    expect(await driftOf()).toEqual([{ kind: 'chunk-orphaned', source: 'b' }]);
    await repair();
    expect(await (await collectionOf()).count(EVERYTHING)).toBe(3);
  });

  test('names what is new, changed and deleted in the sources; repair brings it in step', async () => {
    const now = [
      { id: 'a', text: 'alpha, edited' },
      { id: 'b', text: 'beta' },
      { id: 'd', text: 'delta' },
    ];
    expect(await driftOf(now)).toEqual([
      { kind: 'source-changed', source: 'a' },
      { kind: 'source-new', source: 'd' },
      { kind: 'source-deleted', source: 'c' },
    ]);
    await repair(now);
  });

  test('names a document that an interrupted run left pending; repair finishes it', async () => {
    const books = await writer();
    const document = (await books.documents(undefined, 10)).find(({ externalId }) => externalId === 'b');
    if (document === undefined) throw new Error('No document b.');
    await books.planDeletion([document.documentId]);
    expect(await driftOf()).toEqual(expect.arrayContaining([{ kind: 'document-pending', source: 'b' }]));
    await repair();
  });

  test('a ledger that does not answer is no damage of the store, for which a repair would drop the index', async () => {
    const whole = await context();
    const allChunks = () => Promise.reject(new RAGError('INDEX_UNAVAILABLE', 'No answer.'));
    const reader = Object.create(whole.reader, { allChunks: { value: allChunks } }) as typeof whole.reader;
    await expect(verifyIndex({ ...whole, reader })).rejects.toMatchObject({ reason: 'INDEX_UNAVAILABLE' });
  });

  test.each(['STORE_UNAVAILABLE', 'STORE_TIMEOUT'] as const)(
    'a store that does not answer (%s) is no damage, which a repair would mend by dropping the index',
    async (reason) => {
      const silent = { ...store, describe: () => Promise.reject(new RAGError(reason, 'No answer.')) };
      await expect(verifyIndex({ ...(await context()), store: silent })).rejects.toMatchObject({ reason });
    },
  );

  test('says of an earlier generation whose store does not answer that fields may be readable there', async () => {
    const whole = await context();
    const earlier = { ...whole.facts, generation: 0, state: 'retired' as const };
    const other: Ledger = {
      ...ledger,
      history: undefined,
      integrity: () => ledger.integrity(),
      reader: (generation) => (generation === 0 ? emptyReader : ledger.reader(generation)),
      generations: async () => [whole.facts, earlier],
    };
    const emptyReader = Object.create(whole.reader, {
      documents: { value: async () => [] },
    }) as typeof whole.reader;
    const sealing = createSealing({
      fields: ['salary'],
      keys: [{ id: 'k', key: Buffer.alloc(32, 7).toString('base64') }],
    });
    const storeOf = () => Promise.reject(new RAGError('STORE_UNAVAILABLE', 'It is down.'));
    const { drift, damaged } = await verifyIndex({ ...whole, ledger: other, storeOf, sealing });
    expect([drift.map(({ kind }) => kind), damaged]).toEqual([['field-readable'], false]);
    expect(drift[0]?.detail).toMatch(/generation 0.*It is down.*generations drop 0/);
    expect((await verifyIndex({ ...whole, ledger: other, storeOf })).drift).toEqual([]);
  });

  test('names a collection that is not there', async () => {
    await store.drop((await liveFacts()).collection);
    const report = await verifyIndex(await context());
    expect(report).toMatchObject({
      damaged: true,
      drift: [{ kind: 'store-damaged', source: 'memory', detail: expect.stringContaining('index --force') }],
    });
  });

  test('a source that cannot be listed is drift, not the end', async () => {
    const [source] = (await context()).sources;
    if (source === undefined) throw new Error('No source.');
    const broken = {
      ...source.source,
      // biome-ignore lint/correctness/useYield: it fails before it yields.
      async *list(): AsyncGenerator<never> {
        throw new Error('gone');
      },
    };
    const report = await verifyIndex({ ...(await context()), sources: [{ ...source, source: broken }] });
    expect(report.drift).toMatchObject([{ kind: 'source-unreadable', source: 'notes' }]);
  });

  test('stops when it is cancelled', async () => {
    const signal = AbortSignal.abort();
    await expect(verifyIndex({ ...(await context()), signal })).rejects.toMatchObject({ reason: 'ABORTED' });
  });
});

describe('what a listing does not show', () => {
  /** A store whose answers are changed as damage would change them. */
  const answering = (change: (collection: VectorCollection) => Partial<VectorCollection>): VectorStore => ({
    name: store.name,
    capabilities: store.capabilities,
    describe: (name) => store.describe(name),
    drop: (name) => store.drop(name),
    health: () => store.health(),
    close: () => store.close(),
    open: async (spec) => {
      const inner = await store.open(spec);
      return collectionOfMembers({ ...membersOf(inner), ...change(inner) });
    },
  });

  test.each<[string, RegExp, (collection: VectorCollection) => Partial<VectorCollection>]>([
    [
      'a vector of noise',
      /no usable vector/,
      (inner) => ({
        get: async (...rest) =>
          (await inner.get(...rest)).map((chunk) => ({ ...chunk, vector: new Float32Array(8).fill(7) })),
      }),
    ],
    [
      'a vector that is not a number',
      /no usable vector/,
      (inner) => ({
        get: async (...rest) =>
          (await inner.get(...rest)).map((chunk) => ({
            ...chunk,
            vector: new Float32Array(8).fill(Number.NaN),
          })),
      }),
    ],
    ['an empty vector index', /nothing near the vector/, () => ({ searchVector: async () => [] })],
    ['an empty text index', /nothing for the words/, () => ({ searchText: async () => [] })],
    ['filter fields that are off', /contradict the records of 1 chunks/, () => ({ count: async () => 2 })],
    [
      'a text index that cannot be read',
      /could not be read/,
      () => ({ searchText: () => Promise.reject(new Error('bad page')) }),
    ],
  ])('%s is a damaged store', async (_, detail, change) => {
    const report = await verifyIndex({ ...(await context()), store: answering(change) });
    expect(report.damaged).toBe(true);
    expect(report.drift).toEqual([
      { kind: 'store-damaged', source: 'memory', detail: expect.stringMatching(detail) },
    ]);
  });
});
