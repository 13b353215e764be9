import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { waitFor } from '../../tests/wait-for.js';
import type { DocumentChunker } from '../chunking/chunker.js';
import { RAGError } from '../core/errors.js';
import { EVERYTHING } from '../core/filter.js';
import { LOCAL_SCOPE } from '../core/scope.js';
import type { Embedder } from '../embedding/embedder.js';
import { verifyIndex } from '../features/maintenance/verify-index.js';
import type { Ledger } from '../ledger/ledger.js';
import { openLedger } from '../ledger/sqlite/open-ledger.js';
import { PLAIN_TEXT_PARSER } from '../parsing/plain-text/plain-text-parser.js';
import { createPushSource } from '../sources/push/push-source.js';
import type { ListedChange, Source } from '../sources/source.js';
import { collectionOf, membersOf } from '../stores/collection-members.js';
import { createMemoryStore } from '../stores/memory/memory-store.js';
import type { VectorCollection, VectorStore } from '../stores/vector-store.js';
import { createHashEmbedder } from '../testing/hash-embedder.js';
import { ItemClaims } from './item-claims.js';
import { runIndex } from './run-index.js';
import type { ConfiguredSource } from './source-task.js';

const LEASE_MS = 60_000;
const LINES: DocumentChunker = {
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
let clock: number;
let store: VectorStore;
/** What the source holds now: texts by id. */
let world: Map<string, string>;
const ledgers: Ledger[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ragstone-claims-'));
  clock = 1_000_000;
  store = createMemoryStore();
  world = new Map();
});
afterEach(async () => {
  for (const ledger of ledgers.splice(0)) await ledger.close();
  rmSync(folder, { recursive: true });
});

/** The ledger as another process has it. */
function open(): Ledger {
  const ledger = openLedger({ path: join(folder, 'ledger.db'), now: () => clock });
  ledgers.push(ledger);
  return ledger;
}

/** A source that is listed as it is at that moment; what happens between its first listing and what follows is handed in. */
function worldSource({ afterListing = async () => undefined, cursor }: Happenings = {}): Source {
  let listings = 0;
  let listed = createPushSource({ name: 'notes', documents: [], listing: 'complete' });
  async function* list(): AsyncGenerator<ListedChange> {
    const documents = [...world].map(([id, text]) => ({ id, text }));
    listed = createPushSource({ name: 'notes', documents, listing: 'complete' });
    yield* listed.list({});
    if (cursor !== undefined) yield { cursor, present: 'listed' };
    if (listings++ === 0) await afterListing();
  }
  return {
    ...listed,
    list: list as Source['list'],
    ...(cursor === undefined ? {} : { listChanges: list }),
    read: (item, signal) => listed.read(item, signal),
  };
}

interface Happenings {
  readonly afterListing?: () => Promise<unknown>;
  readonly cursor?: string;
}

interface RunOptions extends Happenings {
  readonly leaseMs?: number;
  readonly store?: VectorStore;
  readonly embedder?: Embedder;
}

/** A run of another process over the same source, store and ledger. */
function run({
  leaseMs = LEASE_MS,
  store: given = store,
  embedder = createHashEmbedder({ dimensions: 8 }),
  ...happenings
}: RunOptions = {}) {
  const parser = PLAIN_TEXT_PARSER;
  const configured: ConfiguredSource = {
    source: worldSource(happenings),
    sourceType: 'note',
    metadata: {},
    preparation: { chunker: LINES, parsers: new Map(parser.mediaTypes.map((type) => [type, parser])) },
    processingKey: 'k',
  };
  return runIndex({
    ledger: open(),
    store: given,
    embedder,
    embedding: {},
    sources: [configured],
    configuredNames: new Set(['notes']),
    options: { scope: LOCAL_SCOPE, force: false, dryRun: false, batchSize: 50, parallel: 4 },
    command: 'index',
    storeOf: async () => given,
    learn: async () => undefined,
    now: () => '2026-01-01T00:00:00.000Z',
    isShared: true,
    leaseMs,
  });
}

async function live() {
  const ledger = open();
  const facts = await ledger.live();
  if (facts === undefined) throw new Error('Nothing is indexed.');
  return { ledger, facts, reader: ledger.reader(facts.generation) };
}

/** Texts in the store, in order; ledger and store agree about them. */
async function contents(): Promise<string[]> {
  const { ledger, facts, reader } = await live();
  const report = await verifyIndex({
    ledger,
    facts,
    reader,
    store,
    storeOf: async () => store,
    sources: [],
    scope: LOCAL_SCOPE,
  });
  expect(report.drift).toEqual([]);
  const { collection: name, fingerprint } = facts;
  const collection = await store.open({ name, fingerprint, dimensions: 8 });
  const { chunks } = await collection.list({ filter: EVERYTHING, limit: 5_000 });
  return chunks.map(({ content }) => content).sort();
}

/** The store, with something happening before the first write of a kind. */
function disturbed(kind: 'upsert' | 'delete' | 'get', happening: () => Promise<unknown>): VectorStore {
  let isOver = false;
  const once = async (): Promise<void> => {
    if (isOver) return;
    isOver = true;
    await happening();
  };
  const wrap = (inner: VectorCollection): VectorCollection =>
    collectionOf({
      ...membersOf(inner),
      upsert: async (records, signal) => {
        if (kind === 'upsert') await once();
        return inner.upsert(records, signal);
      },
      delete: async (filter, signal) => {
        if (kind === 'delete') await once();
        return inner.delete(filter, signal);
      },
      get: async (ids, options) => {
        if (kind === 'get') await once();
        return inner.get(ids, options);
      },
    });
  return {
    name: store.name,
    capabilities: store.capabilities,
    open: async (spec) => wrap(await store.open(spec)),
    describe: (name) => store.describe(name),
    drop: (name) => store.drop(name),
    health: () => store.health(),
    close: () => store.close(),
  };
}

/** The store of a process that dies when it has written to it. */
function dyingAfterUpsert(): VectorStore {
  const wrap = (inner: VectorCollection): VectorCollection =>
    collectionOf({
      ...membersOf(inner),
      upsert: async (records, signal) => {
        await inner.upsert(records, signal);
        throw new RAGError('STORE_UNAVAILABLE', 'The process has died.');
      },
    });
  return { ...disturbed('get', async () => undefined), open: async (spec) => wrap(await store.open(spec)) };
}

test('two runs at once on an empty index fill one generation, share the work and write everything once', async () => {
  for (let i = 0; i < 600; i++) world.set(`d${i}`, `text ${i}`);
  const results = await Promise.all([run(), run()]);
  expect(await contents()).toEqual([...world.values()].sort());
  const processed = results.map(({ success, stats }) => [success, stats.documentsProcessed] as const);
  expect(processed.map(([success]) => success)).toEqual([true, true]);
  expect(processed.reduce((sum, [, documents]) => sum + documents, 0)).toBe(600);
  expect((await (await live()).ledger.generations()).map(({ state }) => state)).toEqual(['live']);
});

test('an old listing does not delete what another run has written since', async () => {
  world = new Map([
    ['x', 'x'],
    ['y', 'y before'],
  ]);
  await run();
  world.delete('y');
  await run({
    afterListing: async () => {
      world.set('y', 'y after');
      await run();
    },
  });
  expect(await contents()).toEqual(['x', 'y after']);
});

test('an old listing does not overwrite what another run has written since', async () => {
  world.set('x', 'one');
  await run();
  world.set('x', 'two');
  await run({
    afterListing: async () => {
      world.set('x', 'three');
      await run();
    },
  });
  expect(await contents()).toEqual(['three']);
});

test.each(['upsert', 'delete'] as const)(
  'a run that wakes up at its %s after another one took over mends what it does to the store',
  async (kind) => {
    world = new Map([
      ['x', 'same\none'],
      ['y', 'y'],
    ]);
    await run();
    if (kind === 'upsert') world.set('x', 'same\ntwo');
    else world.delete('y');
    const sleeping = disturbed(kind, async () => {
      clock += LEASE_MS;
      world.set('x', 'same\nthree');
      world.set('y', 'y again');
      await run();
    });
    const { success } = await run({ store: sleeping });
    expect(success).toBe(true);
    expect(await contents()).toEqual(['same', 'three', 'y again']);
  },
);

test('a run that wakes up while it makes vectors, after another one took over, writes nothing of them before it dies', async () => {
  world.set('x', 'same\none');
  await run();
  world.set('x', 'same\ntwo');
  const inner = createHashEmbedder({ dimensions: 8 });
  let isAsleep = true;
  const embedder: Embedder = {
    ...inner,
    doEmbed: async (texts, kind, signal) => {
      if (isAsleep) {
        isAsleep = false;
        clock += LEASE_MS;
        world.set('x', 'same\nthree');
        await run();
      }
      return inner.doEmbed(texts, kind, signal);
    },
  };
  // Whatever it writes first is the last that it does.
  await run({ store: dyingAfterUpsert(), embedder }).catch(() => undefined);
  await run();
  expect(await contents()).toEqual(['same', 'three']);
});

test('what another run changes while this one looks at the store is no damage, and what nobody changed is', async () => {
  world = new Map([
    ['x', 'x'],
    ['y', 'y'],
  ]);
  await run();
  const changing = disturbed('get', async () => {
    world.delete('y');
    await run();
  });
  expect(await run({ store: changing })).toMatchObject({ success: true });
  const lying = disturbed('get', async () => {
    throw new RAGError('STORE_DAMAGED', 'really');
  });
  await expect(run({ store: lying })).rejects.toMatchObject({ reason: 'STORE_DAMAGED', message: 'really' });
});

test('what a dead writer held is indexed when its lease is over', async () => {
  world.set('x', 'one');
  await run();
  world.set('x', 'two');
  const { ledger, facts } = await live();
  await ledger.writer(facts.generation, 'dead').claim(LOCAL_SCOPE.tenant, 'notes', ['x'], LEASE_MS);
  const running = run();
  setTimeout(() => {
    clock += LEASE_MS;
  }, 50);
  expect((await running).stats.documentsProcessed).toBe(1);
  expect(await contents()).toEqual(['two']);
});

test('what another writer keeps is left to it and said; the next listing begins where this one did', async () => {
  world.set('x', 'one');
  await run({ cursor: 'first' });
  world.set('x', 'two');
  const { ledger, facts, reader } = await live();
  await ledger.writer(facts.generation, 'other').claim(LOCAL_SCOPE.tenant, 'notes', ['x'], LEASE_MS);
  const { notices } = await run({ cursor: 'second', leaseMs: 50 });
  expect(notices).toEqual([
    expect.stringContaining('1 items of "notes" are being written by another process'),
  ]);
  expect(await reader.sourceCursor(LOCAL_SCOPE.tenant, 'notes')).toBe('first');
  clock += LEASE_MS;
  await run({ cursor: 'second' });
  expect(await contents()).toEqual(['two']);
  expect(await reader.sourceCursor(LOCAL_SCOPE.tenant, 'notes')).toBe('second');
});

test('what could not be given back while the ledger was out is given back when it answers again, but for what was claimed since', async () => {
  world.set('x', 'one');
  await run();
  const { ledger, facts } = await live();
  const { tenant } = LOCAL_SCOPE;
  const key = { tenant, source: 'notes' };
  const writer = ledger.writer(facts.generation, 'cut off');
  let isOut = true;
  const cutOff = new Proxy(writer, {
    get: (target, name) => {
      if (name === 'release' && isOut)
        return () => Promise.reject(new RAGError('INDEX_UNAVAILABLE', 'It does not answer.'));
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === 'function' ? (member.bind(target) as unknown) : member;
    },
  });
  const claims = new ItemClaims(cutOff, LEASE_MS);
  await claims.take(key, ['x', 'y']);
  await expect(claims.release(key, ['x', 'y'])).rejects.toMatchObject({ reason: 'INDEX_UNAVAILABLE' });
  await claims.take(key, ['y']);
  const other = ledger.writer(facts.generation, 'other');
  const claim = () => other.claim(tenant, 'notes', ['x', 'y'], LEASE_MS);
  expect(await claim()).toEqual(new Set());
  isOut = false;
  await waitFor(async () => expect(await claim()).toEqual(new Set(['x'])));
  await claims.close();
  expect(await claim()).toEqual(new Set(['x', 'y']));
});
