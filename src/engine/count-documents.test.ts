import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { temporaryFolder } from '../../tests/e2e/temporary-folder.js';
import { DATA_FILES } from '../core/data-folder.js';
import { openLedger } from '../ledger/sqlite/open-ledger.js';
import type { EngineView } from '../operations/engine.js';
import type { PushedDocument } from '../sources/push/push-source.js';
import { createMemoryStore } from '../stores/memory/memory-store.js';
import type { CollectionSpec, VectorCollection, VectorStore } from '../stores/vector-store.js';
import { createHashEmbedder } from '../testing/hash-embedder.js';
import { createEngine } from './create-engine.js';

const EMBEDDER = createHashEmbedder({ dimensions: 8 });

async function openEngine(cwd: string) {
  const config = { provider: 'libsql' as const };
  const engine = await createEngine({ cwd, config, embedder: EMBEDDER });
  onTestFinished(() => engine.close());
  return engine;
}

const document = (n: number, rest: Partial<PushedDocument> = {}): PushedDocument => ({
  id: `d${n}`,
  text: `Document ${n} says little.`,
  ...rest,
});

/** What is listed, counted one by one. */
async function counted(view: EngineView) {
  const { documents } = await view.list({ limit: 1_000 });
  const byType: Record<string, number> = {};
  for (const { sourceType } of documents) byType[sourceType] = (byType[sourceType] ?? 0) + 1;
  const lastIndexedAt = documents
    .flatMap(({ indexedAt }) => indexedAt ?? [])
    .sort()
    .at(-1);
  return { documents: documents.length, byType, ...(lastIndexedAt === undefined ? {} : { lastIndexedAt }) };
}

test('what a scope may read is counted, and nothing else', async () => {
  const engine = await openEngine(temporaryFolder());
  const none = { documents: 0, byType: {} };
  expect(await engine.countDocuments()).toEqual(none);
  await engine.push(
    [1, 2, 3].map((n) => document(n)),
    { tenant: 'acme' },
  );
  await engine.push(
    [4, 5].map((n) => document(n, { access: { groups: ['hr'], level: 1 } })),
    { tenant: 'acme', groups: ['hr'], clearance: 1 },
  );
  await engine.push([document(6)], { tenant: 'acme', project: 'p' });
  await engine.push([document(7)], { tenant: 'globex' });
  const scopes = [
    { tenant: 'acme' },
    { tenant: 'acme', groups: ['hr'] },
    { tenant: 'acme', groups: ['hr'], clearance: 1 },
    { tenant: 'acme', project: 'p' },
    { tenant: 'acme', project: 'q' },
    { tenant: 'globex' },
    { tenant: 'nobody' },
  ];
  const counts = [];
  for (const scope of scopes) {
    const count = await engine.countDocuments(scope);
    expect(count).toEqual(await counted(engine.as(scope)));
    counts.push(count.documents);
  }
  expect(counts).toEqual([4, 4, 6, 1, 0, 1, 0]);
});

test('documents that were left half written are counted as they are listed', async () => {
  const cwd = temporaryFolder();
  const engine = await openEngine(cwd);
  await engine.push([1, 2, 3].map((n) => document(n)));
  const ids = (await engine.list()).documents.map(({ id }) => id);
  const ledger = openLedger({ path: join(cwd, '.ragstone', DATA_FILES.ledger) });
  onTestFinished(() => ledger.close());
  const writer = ledger.writer((await ledger.live())?.generation ?? 0, 'dead');
  const [next, unwritten] = await Promise.all(ids.slice(0, 2).map((id) => writer.document(id)));
  if (next === undefined || unwritten === undefined) throw new Error('It is not indexed.');
  // The store still has the revision before, of which the ledger says another type by now.
  const chunks = await writer.chunks(next.documentId);
  const revised = { ...next, revision: 'next', metadata: { sourceType: 'wiki' }, text: 'x', chunks };
  // Of this one the store has nothing.
  const added = { ...unwritten, documentId: 'new', externalId: 'new', itemId: 'new', text: 'x' };
  await writer.plan([revised, { ...added, chunks: [{ chunkId: 'nowhere', digest: 'x' }] }]);
  const count = await engine.countDocuments();
  expect(count).toEqual(await counted(engine.as({ tenant: 'default' })));
  expect(count).toMatchObject({ documents: 3, byType: { document: 3 } });
});

test('no chunk is read where the scope may read all, or none', async () => {
  const memory = createMemoryStore();
  const opened: VectorCollection[] = [];
  const open = async (spec: CollectionSpec) => {
    const collection = await memory.open(spec);
    opened.push(collection);
    return collection;
  };
  const store: VectorStore = {
    ...{ name: 'apart', open, capabilities: memory.capabilities },
    describe: (name) => memory.describe(name),
    drop: (name) => memory.drop(name),
    health: () => memory.health(),
    close: () => memory.close(),
  };
  const engine = await createEngine({ cwd: temporaryFolder(), store, embedder: EMBEDDER });
  onTestFinished(() => engine.close());
  await engine.push([1, 2].map((n) => document(n)));
  const closed = { groups: ['hr'], level: 0 };
  await engine.push([document(3, { access: closed })], { tenant: 'acme', groups: ['hr'] });
  const reads = opened.map((collection) => vi.spyOn(collection, 'get').mockClear());
  expect(await engine.countDocuments()).toMatchObject({ documents: 2 });
  expect(await engine.countDocuments({ tenant: 'acme' })).toMatchObject({ documents: 0 });
  for (const read of reads) expect(read).not.toHaveBeenCalled();
});
