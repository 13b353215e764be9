import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ChunkRecord } from '../core/chunk.js';
import { EVERYTHING } from '../core/filter.js';
import { OPEN_ACCESS } from '../core/scope.js';
import type { Embedder } from '../embedding/embedder.js';
import type { Ledger } from '../ledger/ledger.js';
import { openLedger } from '../ledger/sqlite/open-ledger.js';
import { createMemoryStore } from '../stores/memory/memory-store.js';
import type { VectorStore } from '../stores/vector-store.js';
import { createHashEmbedder } from '../testing/hash-embedder.js';
import { dropRetired, openForReading, openForWriting } from './open-collection.js';

let folder: string;
let ledger: Ledger;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ragstone-open-'));
  ledger = openLedger({ path: join(folder, 'ledger.db') });
});
afterEach(async () => {
  await ledger.close();
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

const AT = '2026-01-01T00:00:00.000Z';

async function facts() {
  const found = await ledger.live();
  if (found === undefined) throw new Error('Nothing is indexed.');
  return found;
}

const open = (
  store: VectorStore,
  given: { rebuild?: boolean; isDamaged?: boolean; embedder?: Embedder; ledger?: Ledger } = {},
) =>
  openForWriting(given.ledger ?? ledger, store, {
    embedder,
    rebuild: false,
    at: AT,
    storeOf: async () => store,
    ...given,
  });

/** A store of which some methods do something else. */
const changed = (store: VectorStore, changes: Partial<VectorStore>): VectorStore => ({
  name: store.name,
  capabilities: store.capabilities,
  open: (spec) => store.open(spec),
  describe: (name) => store.describe(name),
  drop: (name) => store.drop(name),
  health: () => store.health(),
  close: () => store.close(),
  ...changes,
});

/** As a run that indexed one chunk. */
async function writeChunk(generation: number): Promise<void> {
  const writer = ledger.writer(generation, 'test');
  const document = {
    documentId: 'd',
    tenant: 'default',
    source: 'docs',
    sourceType: 'note',
    itemId: 'd',
    externalId: 'd',
    revision: 'r',
    metadata: {},
    text: 'text',
    chunks: [{ chunkId: 'c', digest: 'x' }],
  };
  await writer.plan([document]);
  await writer.commit(['d'], AT);
}

test('a rebuild fills a generation beside the live one, which stays until the switch and one longer', async () => {
  const store = createMemoryStore();
  const first = await open(store);
  await first.collection.upsert([RECORD]);
  const second = await open(store, { rebuild: true });
  expect(second.facts).toMatchObject({
    generation: 2,
    state: 'building',
    collection: expect.stringMatching(/^chunks-[0-9a-f]{8}-2$/),
  });
  expect(await facts()).toMatchObject({ generation: 1 });
  expect(await second.collection.count(EVERYTHING)).toBe(0);
  expect(await first.collection.count(EVERYTHING)).toBe(1);
  await ledger.switchTo(2, AT);
  expect(await dropRetired(ledger, async () => store, 1)).toEqual([]);
  expect(await store.describe(first.facts.collection)).toBeDefined();
  const third = await open(store, { rebuild: true });
  await ledger.switchTo(third.facts.generation, AT);
  expect(await dropRetired(ledger, async () => store, 1)).toEqual([]);
  expect(await store.describe(first.facts.collection)).toBeUndefined();
  expect(await store.describe(second.facts.collection)).toBeDefined();
  expect((await ledger.generations()).map(({ generation }) => generation)).toEqual([3, 2]);
});

test('an interrupted rebuild is taken up again; one for another model is dropped', async () => {
  const store = createMemoryStore();
  await open(store);
  const second = await open(store, { rebuild: true });
  expect((await open(store, { rebuild: true })).facts).toEqual(second.facts);
  const other = createHashEmbedder({ dimensions: 3 });
  const third = await open(store, { rebuild: true, embedder: other });
  expect(third.facts).toMatchObject({ generation: 3, dimensions: 3 });
  expect(await store.describe(second.facts.collection)).toBeUndefined();
  expect((await ledger.generations()).map(({ generation }) => generation)).toEqual([3, 1]);
});

test('what is damaged or gone is replaced at once, and removed before anything new is written', async () => {
  const store = createMemoryStore();
  const fragile = changed(store, {
    // As a damaged file that can only be deleted as a whole.
    drop: async (name) => {
      await store.drop(name);
      await store.drop((await facts()).collection);
    },
  });
  const first = await open(fragile);
  const second = await open(fragile, { rebuild: true, isDamaged: true });
  await second.collection.upsert([RECORD]);
  expect(await store.describe(first.facts.collection)).toBeUndefined();
  expect(await (await openForReading(await facts(), fragile)).count(EVERYTHING)).toBe(1);
  await store.drop((await facts()).collection);
  expect((await open(store, { rebuild: true })).facts).toMatchObject({ generation: 3, state: 'live' });
});

test('another model, another store and a missing collection are refused with what to do', async () => {
  const store = createMemoryStore();
  const { facts: first } = await open(store);
  await writeChunk(first.generation);
  await expect(open(store, { embedder: createHashEmbedder({ dimensions: 3 }) })).rejects.toMatchObject({
    reason: 'STORE_FINGERPRINT_MISMATCH',
    message: expect.stringContaining('ragstone index --force'),
  });
  await expect(open(changed(createMemoryStore(), { name: 'other' }))).rejects.toMatchObject({
    reason: 'CONFIG_INVALID',
    message: expect.stringContaining('ragstone index --force'),
  });
  await store.drop(first.collection);
  await expect(openForReading(first, store)).rejects.toMatchObject({
    reason: 'STORE_DAMAGED',
    message: expect.stringContaining('ragstone index --force'),
  });
});

test('a store that never came to hold anything can be left without force', async () => {
  const unreachable = changed(createMemoryStore(), {
    name: 'other',
    open: () => Promise.reject(new Error('no server')),
  });
  await expect(open(unreachable)).rejects.toThrow();
  const { collection } = await open(createMemoryStore());
  expect(await collection.count(EVERYTHING)).toBe(0);
  expect((await facts()).provider).toBe('memory');
});

test('a death between ledger and store leaves nothing behind, and nothing to force', async () => {
  const store = createMemoryStore();
  const dying = changed(store, { open: () => Promise.reject(new Error('killed')) });
  await expect(open(dying)).rejects.toThrow('killed');
  const first = await open(store);
  expect(first.facts.state).toBe('live');
  await expect(open(dying, { rebuild: true })).rejects.toThrow('killed');
  expect(await store.describe(first.facts.collection)).toBeDefined();
  await open(store, { rebuild: true });
  expect((await ledger.generations()).map(({ state }) => state)).toEqual(['building', 'live']);
});

test('a generation whose store is down stays known, and is said', async () => {
  const store = createMemoryStore();
  await open(store);
  const { facts: second } = await open(store, { rebuild: true });
  await ledger.switchTo(second.generation, AT);
  const down = async () => changed(store, { drop: () => Promise.reject(new Error('no server')) });
  expect(await dropRetired(ledger, down, 0)).toEqual([expect.stringContaining('Generation 1')]);
  expect(await ledger.generations()).toHaveLength(2);
});

test('two indexes in one store never share a collection', async () => {
  const store = createMemoryStore();
  const { facts: mine } = await open(store);
  const theirs = openLedger({ path: join(folder, 'theirs.db') });
  const { facts: other } = await open(store, { ledger: theirs });
  expect(other.collection).not.toBe(mine.collection);
  expect(await store.describe(mine.collection)).toBeDefined();
  await theirs.close();
});
