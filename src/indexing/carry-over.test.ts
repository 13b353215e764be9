import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { OPEN_ACCESS } from '../core/scope.js';
import type { GenerationWriter, Ledger, LedgerItem } from '../ledger/ledger.js';
import { openLedger } from '../ledger/sqlite/open-ledger.js';
import { specOf } from '../resources/open-collection.js';
import { createMemoryStore } from '../stores/memory/memory-store.js';
import type { VectorCollection } from '../stores/vector-store.js';
import { createHashEmbedder } from '../testing/hash-embedder.js';
import { type CarriedGeneration, carryOver, documentOfChunks } from './carry-over.js';
import { IndexRun } from './index-run.js';
import { ItemClaims } from './item-claims.js';
import { type WriteTargets, writeBatch } from './write-batch.js';

const AT = '2026-01-01T00:00:00.000Z';
const PUSH = { tenant: 'default', source: 'push:documents', itemId: 'bell' };
const EMBEDDER = createHashEmbedder({ dimensions: 2 });

let folder: string;
let ledger: Ledger;
let from: CarriedGeneration;
let building: { readonly generation: number; readonly collection: VectorCollection };
let item: LedgerItem;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ragstone-carry-'));
  ledger = openLedger({ path: join(folder, 'ledger.db') });
  const store = createMemoryStore();
  const begin = async () => {
    const facts = await ledger.begin(
      (generation) => ({
        provider: store.name,
        collection: `chunks-${generation}`,
        dimensions: 2,
        fingerprint: 'f',
        embedder: 'hash',
      }),
      AT,
    );
    return { facts, collection: await store.open(specOf(facts)) };
  };
  const live = await begin();
  await ledger.switchTo(live.facts.generation, AT);
  const writer = ledger.writer(live.facts.generation, 'first');
  await writeBatch(
    [documentOfChunks(BELL, CHUNKS)],
    targetsOf(writer, live.collection),
    new IndexRun(undefined, undefined),
  );
  await writer.completeItems([{ ...PUSH, version: '1', processingKey: 'k' }]);
  from = { ...live, reader: ledger.reader(live.facts.generation) };
  const next = await begin();
  building = { generation: next.facts.generation, collection: next.collection };
  const held = (await from.reader.items(PUSH.tenant, PUSH.source)).get(PUSH.itemId);
  if (held === undefined) throw new Error('It was to be indexed.');
  item = held;
});
afterEach(async () => {
  await ledger.close();
  rmSync(folder, { recursive: true });
});

const TEXT = 'The bell is rung at dusk.';
const BELL = {
  ...{ ...PUSH, documentId: 'd', externalId: 'bell', revision: 'r', title: 'Bell', metadata: {} },
  ...{ sourceType: 'document', text: TEXT },
};
const CHUNKS = [
  {
    ...{ id: 'c', documentId: 'd', tenant: PUSH.tenant, source: PUSH.source, access: OPEN_ACCESS },
    ...{ content: TEXT, identifiers: [], vector: new Float32Array([1, 0]) },
    metadata: { offsets: { start: 0, end: TEXT.length }, chunkIndex: 0, chunkTotal: 1, revision: 'r' },
  },
];

const targetsOf = (
  writer: GenerationWriter,
  collection: VectorCollection,
  claims?: ItemClaims,
): WriteTargets => ({
  ...{ ledger: writer, collection, claims, embedder: EMBEDDER, embedding: {}, signal: undefined },
  now: () => AT,
});

/** What a process that stands still asks never arrives, and it takes old answers for young ones. */
const standingStill = (writer: GenerationWriter): GenerationWriter =>
  new Proxy(writer, {
    get: (target, name) => {
      if (name === 'renew') return async (_: string, __: string, ids: readonly string[]) => new Set(ids);
      if (name === 'claim')
        return (tenant: string, source: string, ids: readonly string[]) =>
          target.claim(tenant, source, ids, 1);
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === 'function' ? (member.bind(target) as unknown) : member;
    },
  });

test('a holder that lost the lock of the whole is refused what another one has copied since', async () => {
  const late = standingStill(ledger.writer(building.generation, 'late'));
  const lateClaims = new ItemClaims(late, 60_000);
  const next = ledger.writer(building.generation, 'next');
  const nextClaims = new ItemClaims(next, 60_000);
  let isOvertaken = false;
  const collection = new Proxy(building.collection, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function') return member;
      if (name !== 'upsert') return member.bind(target) as unknown;
      return async (...args: unknown[]) => {
        await carryOver(
          from,
          [item],
          targetsOf(next, target, nextClaims),
          new IndexRun(undefined, undefined),
        );
        isOvertaken = true;
        await (member as (...args: unknown[]) => Promise<void>).apply(target, args);
      };
    },
  });
  await expect(
    carryOver(from, [item], targetsOf(late, collection, lateClaims), new IndexRun(undefined, undefined)),
  ).rejects.toMatchObject({ reason: 'INDEX_LEASE_LOST' });
  expect(isOvertaken).toBe(true);
  const reader = ledger.reader(building.generation);
  expect((await reader.document('d'))?.status).toBe('indexed');
  expect((await reader.items(PUSH.tenant, PUSH.source)).get('bell')).toMatchObject({
    status: 'indexed',
    version: '1',
  });
  await Promise.all([lateClaims.close(), nextClaims.close()]);
});

test('what another one is writing is not copied beside it', async () => {
  const other = ledger.writer(building.generation, 'other');
  await other.claim(PUSH.tenant, PUSH.source, ['bell'], 60_000);
  const writer = ledger.writer(building.generation, 'mine');
  const claims = new ItemClaims(writer, 1);
  await expect(
    carryOver(
      from,
      [item],
      targetsOf(writer, building.collection, claims),
      new IndexRun(undefined, undefined),
    ),
  ).rejects.toMatchObject({ reason: 'INDEX_LOCKED', message: expect.stringContaining('"bell"') });
  await claims.close();
});
