import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { DocumentChunker } from '../chunking/chunker.js';
import { RAGError } from '../core/errors.js';
import { EVERYTHING } from '../core/filter.js';
import { LOCAL_SCOPE } from '../core/scope.js';
import { verifyIndex } from '../features/maintenance/verify-index.js';
import type { Ledger } from '../ledger/ledger.js';
import { openLedger } from '../ledger/sqlite/open-ledger.js';
import { PLAIN_TEXT_PARSER } from '../parsing/plain-text/plain-text-parser.js';
import { createPushSource, type PushedDocument } from '../sources/push/push-source.js';
import { createMemoryStore } from '../stores/memory/memory-store.js';
import type { VectorCollection, VectorStore } from '../stores/vector-store.js';
import { createHashEmbedder } from '../testing/hash-embedder.js';
import type { IndexPipeline } from './index-pipeline.js';
import { runIndex } from './run-index.js';
import type { ConfiguredSource } from './source-task.js';

// One paragraph, one chunk: enough structure to see what a run writes, keeps and deletes.
const PARAGRAPHS: DocumentChunker = {
  strategy: 'recursive',
  chunk: ({ text }) =>
    [...text.matchAll(/[^\n]+/g)].map(({ 0: content, index }) => ({
      content,
      start: index,
      end: index + content.length,
      lines: { start: 1, end: 1 },
      headingPath: [],
      tokenCount: 1,
    })),
};

let folder: string;
let ledger: Ledger;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ragstone-pipeline-'));
  ledger = openLedger({ path: join(folder, 'ledger.db') });
});
afterEach(async () => {
  await ledger.close();
  rmSync(folder, { recursive: true });
});

function configured(documents: readonly PushedDocument[], processingKey = 'k'): ConfiguredSource {
  const parser = PLAIN_TEXT_PARSER;
  return {
    source: createPushSource({ name: 'notes', documents, listing: 'complete' }),
    sourceType: 'note',
    metadata: {},
    preparation: { chunker: PARAGRAPHS, parsers: new Map(parser.mediaTypes.map((type) => [type, parser])) },
    processingKey,
  };
}

function pipeline(
  store: VectorStore,
  documents: readonly PushedDocument[],
  options: Partial<IndexPipeline['options']> = {},
): IndexPipeline {
  return {
    ledger,
    store,
    embedder: createHashEmbedder({ dimensions: 8 }),
    embedding: {},
    sources: [configured(documents)],
    configuredNames: new Set(['notes']),
    options: {
      scope: LOCAL_SCOPE,
      force: false,
      dryRun: false,
      batchSize: 3,
      parallel: 2,
      ...options,
    },
    command: 'index',
    storeOf: async () => store,
    learn: async () => undefined,
    now: () => '2026-01-01T00:00:00.000Z',
  };
}

async function liveFacts() {
  const facts = await ledger.live();
  if (facts === undefined) throw new Error('Nothing is indexed.');
  return facts;
}

const liveReader = async () => ledger.reader((await liveFacts()).generation);

async function contents(store: VectorStore): Promise<string[]> {
  const facts = await ledger.live();
  if (facts === undefined) return [];
  const collection = await store.open({
    name: facts.collection,
    dimensions: 8,
    fingerprint: facts.fingerprint,
  });
  const page = await collection.list({ filter: EVERYTHING, limit: 1000 });
  return page.chunks.map(({ content, metadata }) => `${String(metadata.source)}: ${content}`).sort();
}

const expected = (documents: readonly PushedDocument[]): string[] =>
  documents
    .flatMap(({ id, text = '' }) => [...text.matchAll(/[^\n]+/g)].map(([line]) => `${id}: ${line}`))
    .sort();

/** A store whose n-th write dies before, during or after it is done, as a killed process would leave it. */
function dyingStore(
  store: VectorStore,
  writesLeft: { value: number },
  moment: 'before' | 'half' | 'after',
): VectorStore {
  const die = (): never => {
    throw new RAGError('STORE_UNAVAILABLE', 'killed');
  };
  const wrap = (inner: VectorCollection): VectorCollection => ({
    spec: inner.spec,
    get: (...rest) => inner.get(...rest),
    list: (query) => inner.list(query),
    count: (...rest) => inner.count(...rest),
    searchVector: (query) => inner.searchVector(query),
    optimize: (signal) => inner.optimize(signal),
    stats: () => inner.stats(),
    upsert: async (records) => {
      if (--writesLeft.value > 0) return inner.upsert(records);
      if (moment === 'before') die();
      await inner.upsert(moment === 'half' ? records.slice(0, Math.ceil(records.length / 2)) : records);
      die();
    },
    delete: async (filter) => {
      if (--writesLeft.value > 0) return inner.delete(filter);
      if (moment !== 'before') await inner.delete(filter);
      return die();
    },
  });
  return {
    name: store.name,
    capabilities: store.capabilities,
    describe: (name) => store.describe(name),
    drop: (name) => store.drop(name),
    health: () => store.health(),
    close: () => store.close(),
    open: async (spec) => wrap(await store.open(spec)),
  };
}

describe('runIndex', () => {
  test('a second run reads nothing, and an edit embeds only the new paragraph', async () => {
    const store = createMemoryStore();
    const documents = [
      { id: 'a', text: 'alpha\nbeta' },
      { id: 'b', text: 'gamma' },
    ];
    const first = await runIndex(pipeline(store, documents));
    expect(first.stats).toMatchObject({ documentsProcessed: 2, chunksCreated: 3, embeddingsComputed: 3 });
    const second = await runIndex(pipeline(store, documents));
    expect(second.stats).toMatchObject({ documentsProcessed: 0, documentsUnchanged: 2, vectorsIndexed: 0 });
    expect(second.stats.stages).not.toHaveProperty('embed');
    const edited = [{ id: 'a', text: 'alpha\ndelta\nbeta' }];
    const third = await runIndex(pipeline(store, edited));
    expect(third.stats).toMatchObject({
      documentsProcessed: 1,
      documentsDeleted: 1,
      chunksCreated: 1,
      chunksUnchanged: 2,
      embeddingsComputed: 1,
    });
    expect(await contents(store)).toEqual(expected(edited));
  });

  test('a dry run counts the work and leaves no trace', async () => {
    const store = createMemoryStore();
    const result = await runIndex(pipeline(store, [{ id: 'a', text: 'alpha\nbeta' }], { dryRun: true }));
    expect(result).toMatchObject({ dryRun: true, stats: { documentsProcessed: 1, chunksCreated: 2 } });
    expect(await ledger.generations()).toEqual([]);
  });

  test('another model is refused without force and rebuilds everything with it', async () => {
    const store = createMemoryStore();
    const documents = [{ id: 'a', text: 'alpha' }];
    await runIndex(pipeline(store, documents));
    const other = { ...pipeline(store, documents), embedder: createHashEmbedder({ dimensions: 16 }) };
    await expect(runIndex(other)).rejects.toMatchObject({ reason: 'STORE_FINGERPRINT_MISMATCH' });
    const forced = await runIndex({ ...other, options: { ...other.options, force: true } });
    expect(forced.stats).toMatchObject({ documentsProcessed: 1, embeddingsComputed: 1 });
    expect(await ledger.live()).toMatchObject({ dimensions: 16, generation: 2 });
  });

  test('documents of a source that is given up are deleted', async () => {
    const store = createMemoryStore();
    await runIndex(pipeline(store, [{ id: 'a', text: 'alpha' }]));
    const empty = { ...pipeline(store, []), sources: [], givenUp: new Set(['notes']) };
    expect((await runIndex(empty)).stats.documentsDeleted).toBe(1);
    expect(await contents(store)).toEqual([]);
    expect(await (await liveReader()).sources()).toEqual([]);
  });

  test('a document with a title and no text becomes one empty chunk, one without both none', async () => {
    const store = createMemoryStore();
    const documents = [
      { id: 'a', text: '', title: 'Upgrade Maven' },
      { id: 'b', text: '' },
    ];
    const result = await runIndex(pipeline(store, documents));
    expect(result.stats).toMatchObject({ documentsProcessed: 2, chunksCreated: 1 });
    expect(await contents(store)).toEqual(['a: ']);
  });

  test('half a surrogate pair is replaced and said, and the document is indexed', async () => {
    const store = createMemoryStore();
    const document = {
      id: 'a',
      text: 'alpha \ud800 beta',
      title: 'half \udfff',
      metadata: { note: ['\ud800'] },
    };
    const result = await runIndex(pipeline(store, [document]));
    expect(result).toMatchObject({ success: true, notices: [expect.stringContaining('surrogate')] });
    expect(await contents(store)).toEqual(['a: alpha \ufffd beta']);
  });

  test('a cancelled run throws ABORTED and the next run completes its work', async () => {
    const store = createMemoryStore();
    const controller = new AbortController();
    const documents = Array.from({ length: 20 }, (_, i) => ({ id: `d${i}`, text: `text ${i}` }));
    const cancelled = runIndex({
      ...pipeline(store, documents),
      signal: controller.signal,
      onProgress: ({ chunksWritten }) => {
        if (chunksWritten > 0) controller.abort();
      },
    });
    controller.abort();
    await expect(cancelled).rejects.toMatchObject({ reason: 'ABORTED' });
    await runIndex(pipeline(store, documents));
    expect(await contents(store)).toEqual(expected(documents));
  });

  test('whatever is edited and whenever a run dies, the next run leaves exactly the sources, and verify is clean', async () => {
    const text = fc
      .array(fc.constantFrom('alpha', 'beta', 'gamma', 'delta', 'alpha beta'), { maxLength: 4 })
      .map((lines) => lines.join('\n'));
    const state = fc
      .dictionary(fc.constantFrom('a', 'b', 'c', 'd'), text, { maxKeys: 4 })
      .map((byId) => Object.entries(byId).map(([id, body]) => ({ id, text: body })));
    const step = fc.record({
      state,
      diesAtWrite: fc.integer({ min: 1, max: 6 }),
      moment: fc.constantFrom('before' as const, 'half' as const, 'after' as const),
      force: fc.boolean(),
    });
    let run = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 5 }), async (steps) => {
        await ledger.close();
        ledger = openLedger({ path: join(folder, `ledger-${run++}.db`) });
        const store = createMemoryStore();
        for (const { state: documents, diesAtWrite, moment, force } of steps) {
          const dying = dyingStore(store, { value: diesAtWrite }, moment);
          await runIndex(pipeline(dying, documents, { force })).catch(() => undefined);
        }
        const last = steps.at(-1)?.state ?? [];
        await runIndex(pipeline(store, last));
        expect(await contents(store)).toEqual(expected(last));
        const report = await verifyIndex({
          ledger,
          facts: await liveFacts(),
          reader: await liveReader(),
          store,
          storeOf: async () => store,
          sources: [configured(last)],
          scope: LOCAL_SCOPE,
        });
        expect(report.drift).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });
});
