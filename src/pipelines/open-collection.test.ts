import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ChunkRecord } from '../core/chunk.js';
import { EVERYTHING } from '../core/filter.js';
import { OPEN_ACCESS } from '../core/scope.js';
import type { Ledger } from '../ledger/ledger.js';
import { openLedger } from '../ledger/open-ledger.js';
import { createMemoryStore } from '../stores/memory/memory-store.js';
import type { VectorStore } from '../stores/vector-store.js';
import { createHashEmbedder } from '../testing/hash-embedder.js';
import { openForReading, openForWriting } from './open-collection.js';

let folder: string;
let ledger: Ledger;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ragstone-open-'));
  ledger = openLedger({ path: join(folder, 'ledger.db') });
});
afterEach(() => {
  ledger.close();
  rmSync(folder, { recursive: true });
});

const embedder = createHashEmbedder({ dimensions: 2 });

const RECORD: ChunkRecord = {
  id: 'c',
  documentId: 'd',
  tenant: 'default',
  source: 'docs',
  access: OPEN_ACCESS,
  content: 'text',
  searchText: 'text',
  identifiers: [],
  vector: Float32Array.of(1, 0),
  metadata: {},
};

const facts = () => {
  const found = ledger.facts();
  if (found === undefined) throw new Error('Nothing is indexed.');
  return found;
};

test('a rebuild begins a new generation and drops the one before', async () => {
  const store = createMemoryStore();
  await (await openForWriting(ledger, store, { embedder, rebuild: false })).upsert([RECORD]);
  const first = facts().collection;
  const rebuilt = await openForWriting(ledger, store, { embedder, rebuild: true });
  expect(facts()).toMatchObject({
    generation: 2,
    collection: expect.stringMatching(/^chunks-[0-9a-f]{8}-2$/),
  });
  expect(facts()).not.toHaveProperty('obsoleteCollection');
  expect(await rebuilt.count(EVERYTHING)).toBe(0);
  expect(await store.describe(first)).toBeUndefined();
});

test('a store that throws everything away with the generation before still gets the new one', async () => {
  const store = createMemoryStore();
  const fragile: VectorStore = {
    name: store.name,
    capabilities: store.capabilities,
    open: (spec) => store.open(spec),
    describe: (name) => store.describe(name),
    // As a damaged file that can only be deleted as a whole.
    drop: async (name) => {
      await store.drop(name);
      await store.drop(facts().collection);
    },
    health: () => store.health(),
    close: () => store.close(),
  };
  await openForWriting(ledger, fragile, { embedder, rebuild: false });
  const rebuilt = await openForWriting(ledger, fragile, { embedder, rebuild: true });
  await rebuilt.upsert([RECORD]);
  expect(await (await openForReading(facts(), fragile)).count(EVERYTHING)).toBe(1);
});

test('another model, another store and a missing collection are refused with what to do', async () => {
  const store = createMemoryStore();
  await openForWriting(ledger, store, { embedder, rebuild: false });
  const intent = { embedder: createHashEmbedder({ dimensions: 3 }), rebuild: false };
  await expect(openForWriting(ledger, store, intent)).rejects.toMatchObject({
    reason: 'STORE_FINGERPRINT_MISMATCH',
    message: expect.stringContaining('ragstone index --force'),
  });
  const other: VectorStore = { ...createMemoryStore(), name: 'other' };
  await expect(openForReading(facts(), other)).rejects.toMatchObject({
    reason: 'CONFIG_INVALID',
    message: expect.stringContaining('ragstone index --force'),
  });
  await store.drop(facts().collection);
  await expect(openForReading(facts(), store)).rejects.toMatchObject({
    reason: 'STORE_DAMAGED',
    message: expect.stringContaining('ragstone index --force'),
  });
});

test('a store that never came to hold anything can be left without force', async () => {
  const unreachable: VectorStore = {
    ...createMemoryStore(),
    name: 'other',
    open: () => Promise.reject(new Error('no server')),
  };
  await expect(openForWriting(ledger, unreachable, { embedder, rebuild: false })).rejects.toThrow();
  const opened = await openForWriting(ledger, createMemoryStore(), { embedder, rebuild: false });
  expect(await opened.count(EVERYTHING)).toBe(0);
  expect(facts().provider).toBe('memory');
});

test('a death between ledger and store leaves nothing behind, and nothing to force', async () => {
  const store = createMemoryStore();
  const dying: VectorStore = { ...store, open: () => Promise.reject(new Error('killed')) };
  await expect(openForWriting(ledger, dying, { embedder, rebuild: false })).rejects.toThrow('killed');
  await openForWriting(ledger, store, { embedder, rebuild: false });
  const first = facts().collection;
  const undropped: VectorStore = { ...store, drop: () => Promise.reject(new Error('killed')) };
  await expect(openForWriting(ledger, undropped, { embedder, rebuild: true })).rejects.toThrow('killed');
  expect(await store.describe(first)).toBeDefined();
  await openForWriting(ledger, store, { embedder, rebuild: false });
  expect(await store.describe(first)).toBeUndefined();
  expect(await store.describe(facts().collection)).toBeDefined();
});

test('two indexes in one store never share a collection', async () => {
  const store = createMemoryStore();
  await openForWriting(ledger, store, { embedder, rebuild: false });
  const mine = facts().collection;
  const theirs = openLedger({ path: join(folder, 'theirs.db') });
  await openForWriting(theirs, store, { embedder, rebuild: false });
  expect(theirs.facts()?.collection).not.toBe(mine);
  expect(await store.describe(mine)).toBeDefined();
  theirs.close();
});
