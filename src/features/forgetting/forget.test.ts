import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { FaultyStore } from '../../../tests/failover/faulty-store.js';
import type { RAGConfigInput } from '../../config/schema/index.js';
import { eq } from '../../core/filter.js';
import { createEngine } from '../../engine/create-engine.js';
import type { Generation, GenerationTarget } from '../../ledger/ledger.js';
import { openLedger } from '../../ledger/sqlite/open-ledger.js';
import type { Engine } from '../../operations/engine.js';
import { filesWith } from '../../testing/files-with.js';

let folder: string;
let engine: Engine;
const open = async (config: RAGConfigInput = {}): Promise<Engine> =>
  createEngine({ config: { provider: 'libsql', ...config }, dataDir: join(folder, 'data'), cwd: folder });

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'forget-'));
  mkdirSync(join(folder, 'docs'));
  for (let i = 0; i < 40; i++)
    writeFileSync(
      join(folder, 'docs', `note-${i}.md`),
      `---\nreporter: ${i % 10 === 0 ? 'Quaggadromous' : 'Somebody'}\n---\n# Note ${i}\n\nThe gate of house ${i} is open. ${i % 10 === 0 ? 'Said Quaggadromous himself.' : ''}\n`,
    );
});
afterEach(async () => {
  await engine.close();
  rmSync(folder, { recursive: true });
});

const remains = async (): Promise<string[]> => filesWith(join(folder, 'data'), 'quaggadromous');
const NAMED = eq('reporter', 'Quaggadromous');

test('a store of rag.failover that is out is named: it and the journal keep texts until it is back, and not longer', async () => {
  const first = new FaultyStore('first');
  engine = await createEngine({
    config: { failover: { secondary: 'libsql' }, degradation: { failures: 100 } },
    store: first.handle(),
    dataDir: join(folder, 'data'),
    cwd: folder,
  });
  await engine.index({ paths: ['docs'] });
  const well = await engine.forget({ filter: eq('reporter', 'Nobody'), dryRun: true });
  expect(well.left.map(({ where }) => where).join()).not.toContain('journal');
  first.isOut = true;
  await engine.push([{ id: 'note', text: 'Quaggadromous left.', metadata: { reporter: 'Quaggadromous' } }]);
  const receipt = await engine.forget({ filter: NAMED });
  expect(receipt).toMatchObject({ state: 'done', documents: 5 });
  expect(receipt.left).toContainEqual({
    where: 'the store "first" and the journal of writes that it lacks',
    detail: expect.stringContaining('ragstone stores sync') as string,
  });
  const texts = async (): Promise<number> =>
    [...first.contents().values()].reduce(
      (sum, { records }) =>
        sum + [...records.values()].filter(({ content }) => content.includes('Quaggadromous')).length,
      0,
    );
  // So it is, and it is not said for nothing.
  expect([await texts(), (await remains()).some((file) => file.includes('journal'))]).toEqual([4, true]);
  first.isOut = false;
  expect((await engine.syncStores()).stores.map(({ state }) => state)).toEqual(['ready', 'ready']);
  expect([await texts(), await remains()]).toEqual([0, []]);
});

describe.each(['libsql', 'lancedb'] as const)('documents by a filter (%s)', (provider) => {
  beforeEach(async () => {
    engine = await open({ provider });
    await engine.index({ paths: ['docs'] });
    // Kept revisions and generations hold them too.
    writeFileSync(
      join(folder, 'docs', 'note-0.md'),
      '---\nreporter: Quaggadromous\n---\n# Note 0\n\nIt was closed.\n',
    );
    await engine.index();
    await engine.index({ options: { force: true } });
  });

  test('are in no file of the data folder, in no generation, and the receipt proves it', async () => {
    expect(await remains()).not.toEqual([]);
    const dry = await engine.forget({ filter: NAMED, dryRun: true });
    expect(dry).toMatchObject({ state: 'dry', documents: 4 });
    expect(dry.examples).toContain('note-10.md');
    expect(await remains()).not.toEqual([]);
    const receipt = await engine.forget({ filter: NAMED, by: 'the officer' });
    expect(receipt).toMatchObject({
      state: 'done',
      documents: 4,
      by: 'the officer',
      asked: { source: false, documents: 0, filterFields: ['reporter'] },
    });
    // Each document's name, and that of its file.
    expect(receipt.keptOut).toBe(8);
    expect(receipt.removed.map(({ place }) => place)).toEqual(
      expect.arrayContaining([expect.stringContaining('(retired)'), expect.stringContaining('(live)')]),
    );
    expect(await remains()).toEqual([]);
    expect(await filesWith(join(folder, 'data'), 'note-10.md')).toEqual([]);
    expect(JSON.stringify(receipt)).not.toMatch(/quagga|note-/i);
    const check = await engine.checkReceipt(receipt.id);
    expect(check).toMatchObject({ clean: true, found: [], notices: [] });
    expect(check.looked.filter(({ entries }) => entries > 0).length).toBeGreaterThanOrEqual(6);
    const { results } = await engine.search({ text: 'gate', options: { topK: 50, nearDuplicates: 'keep' } });
    expect(results.length).toBeGreaterThan(20);
  });

  test('stay out of later runs until the receipt is undone', async () => {
    const receipt = await engine.forget({ filter: NAMED });
    const again = await engine.index();
    expect(again.stats.forgotten).toEqual({ [`path:${join(folder, 'docs')}`]: 4 });
    expect(again.notices.join()).toContain('4 forgotten items of "path:');
    expect(await engine.verify()).toMatchObject({ ok: true });
    expect((await engine.index({ options: { force: true } })).stats.forgotten).toEqual({
      [`path:${join(folder, 'docs')}`]: 4,
    });
    await engine.clear();
    await engine.index({ paths: ['docs'] });
    expect(await remains()).toEqual([]);
    expect(await engine.letIn(receipt.id)).toBe(8);
    const back = await engine.index();
    expect(back.stats).toMatchObject({ documentsProcessed: 4 });
    expect(back.stats.forgotten).toBeUndefined();
    expect(await engine.checkReceipt(receipt.id)).toMatchObject({ clean: false });
  });
});

test('indexes of `ragstone try` are removed, and clearing removes them too', async () => {
  const tried = async (): Promise<void> => {
    const other = await createEngine({
      config: { provider: 'libsql' },
      dataDir: join(folder, 'data', 'try', 'docs'),
      cwd: folder,
    });
    await other.index({ paths: ['docs'] });
    await other.close();
  };
  engine = await open();
  await engine.index({ paths: ['docs'] });
  await tried();
  const receipt = await engine.forget({ filter: NAMED });
  expect(receipt.removed).toContainEqual({ place: 'indexes of "ragstone try"', what: 'indexes', count: 1 });
  expect(receipt.left.map(({ where }) => where)).toContain('folders that are tried');
  expect(await remains()).toEqual([]);
  expect((await engine.checkReceipt(receipt.id)).notices).toEqual([]);
  await tried();
  expect((await engine.checkReceipt(receipt.id)).notices.join()).toContain('ragstone try');
  await engine.clear();
  expect(await remains()).toEqual([]);
});

test('a ledger that is lost and begun anew keeps out what its receipts name', async () => {
  engine = await open();
  await engine.index({ paths: ['docs'] });
  await engine.forget({ filter: NAMED });
  await engine.close();
  for (const name of readdirSync(join(folder, 'data')))
    if (name.startsWith('ledger.db')) rmSync(join(folder, 'data', name));
  engine = await open();
  await engine.index({ paths: ['docs'] });
  expect(await remains()).toEqual([]);
});

test('a document by its path, its id in the source, or its id; others of the same item stay', async () => {
  writeFileSync(
    join(folder, 'docs', 'rows.csv'),
    'id,title,text\n1,First,The quaggadromous one\n2,Second,Another one\n',
  );
  engine = await open({ sources: [{ type: 'files', name: 'docs', root: 'docs' }] });
  await engine.index();
  const { documents } = await engine.list({ limit: 100 });
  await engine.forget({ documents: ['docs/note-1.md'] });
  await engine.forget({
    documents: ['note-2.md', documents.find(({ externalId }) => externalId === 'note-3.md')?.id ?? ''],
  });
  const left = (await engine.list({ limit: 100 })).documents.map(({ externalId }) => externalId);
  for (const name of ['note-1.md', 'note-2.md', 'note-3.md']) expect(left).not.toContain(name);
  expect(left).toContain('note-4.md');
  await expect(engine.forget({ documents: ['nowhere.md'] })).rejects.toMatchObject({ reason: 'USAGE' });
  await expect(engine.forget({ documents: ['note-4.md', 'nowhere.md'] })).rejects.toMatchObject({
    reason: 'USAGE',
  });
  expect((await engine.list({ limit: 100 })).documents.map(({ externalId }) => externalId)).toEqual(left);
});

test('a source as a whole, once no configuration reads it; its name goes too', async () => {
  engine = await open({ sources: [{ type: 'files', name: 'quaggadromous notes', root: 'docs' }] });
  await engine.index();
  await expect(engine.forget({ source: 'quaggadromous notes' })).rejects.toMatchObject({ reason: 'USAGE' });
  await engine.close();
  engine = await open();
  const receipt = await engine.forget({ source: 'quaggadromous notes' });
  expect(receipt).toMatchObject({ documents: 40, keptOut: 0 });
  expect(await remains()).toEqual([]);
  await engine.index({ paths: ['docs'] });
  expect((await engine.list({ limit: 100 })).documents).toHaveLength(40);
});

test('a pushed document is forgotten, and a push of it is told so', async () => {
  engine = await open();
  await engine.push([
    { id: 'quaggadromous', text: 'A letter of his.' },
    { id: 'other', text: 'Another letter.' },
  ]);
  await engine.forget({ documents: ['quaggadromous'] });
  expect(await remains()).toEqual([]);
  const { stats } = await engine.push([{ id: 'quaggadromous', text: 'A letter of his.' }]);
  expect(stats).toMatchObject({
    documentsProcessed: 0,
    errors: [{ item: 'quaggadromous', reason: 'DOCUMENT_FORGOTTEN' }],
  });
});

test('what failed is forgotten by its name, with what runs said of it', async () => {
  writeFileSync(join(folder, 'docs', 'quaggadromous.md'), Buffer.from([0x23, 0x20, 0xff, 0xfe, 0x41]));
  engine = await open();
  await engine.index({ paths: ['docs'] });
  expect(await remains()).not.toEqual([]);
  await engine.forget({ documents: ['docs/quaggadromous.md'] });
  await engine.forget({ filter: NAMED });
  expect(await remains()).toEqual([]);
  await engine.index();
  expect(await remains()).toEqual([]);
});

test('nothing is forgotten without saying what, nor by a field that no document has', async () => {
  engine = await open();
  await engine.index({ paths: ['docs'] });
  await expect(engine.forget({})).rejects.toMatchObject({ reason: 'USAGE' });
  const notOf = (field: string) => ({ filter: { op: 'not', filter: eq(field, 1) } as const });
  await expect(engine.forget(notOf('chunkIndex'))).rejects.toMatchObject({ reason: 'QUERY_INVALID' });
  await expect(engine.forget(notOf('$level'))).rejects.toMatchObject({ reason: 'QUERY_INVALID' });
  expect(await engine.forget({ filter: eq('reporter', 'Nobody') })).toMatchObject({
    state: 'dry',
    documents: 0,
  });
  expect((await engine.list({ limit: 100 })).documents).toHaveLength(40);
});

test('documents of others are not meant, nor are receipts of others known', async () => {
  engine = await open();
  const other = engine.as({ tenant: 'other' });
  await engine.push([{ id: 'a', text: 'One.', metadata: { reporter: 'x' }, access: { groups: ['hr'] } }]);
  await other.push([{ id: 'a', text: 'Two.', metadata: { reporter: 'x' } }]);
  const receipt = await other.forget({ filter: eq('reporter', 'x') });
  expect(receipt.documents).toBe(1);
  expect((await other.list()).documents).toEqual([]);
  await expect(engine.checkReceipt(receipt.id)).rejects.toMatchObject({ reason: 'USAGE' });
  await expect(engine.letIn(receipt.id)).rejects.toMatchObject({ reason: 'USAGE' });
  // The keeper of the index forgets what it may not read.
  expect(await engine.forget({ filter: eq('reporter', 'x') })).toMatchObject({ documents: 1 });
});

test('a rebuild that died before its collection was made keeps nobody from forgetting', async () => {
  engine = await open({ provider: 'libsql' });
  await engine.index({ paths: ['docs'] });
  await engine.index({ options: { force: true } });
  await engine.close();
  const ledger = openLedger({ path: join(folder, 'data', 'ledger.db') });
  const live = await ledger.live();
  await ledger.begin(
    (n) => ({ ...liveTarget(live), collection: `never-made-${n}` }),
    new Date(0).toISOString(),
  );
  await ledger.close();
  engine = await open({ provider: 'libsql' });
  expect(await engine.forget({ filter: NAMED })).toMatchObject({ state: 'done', documents: 4 });
  expect(await remains()).toEqual([]);
});

function liveTarget(live: Generation | undefined): GenerationTarget {
  if (live === undefined) throw new Error('Nothing is live.');
  return live;
}

test('a ticket is forgotten by its key, in whichever file a copy of it stands', async () => {
  engine = await open({ provider: 'libsql' });
  const copies = ['step-2', 'step-3'].map((run) => ({
    id: `${run}.json#SHOP-7`,
    text: `The copy of ${run}.`,
    metadata: { pbi_id: 'SHOP-7' },
  }));
  await engine.index({ documents: [...copies, { id: 'other', text: 'Another one.' }] });
  expect(await engine.forget({ documents: ['SHOP-7'] })).toMatchObject({ state: 'done', documents: 2 });
  await expect(engine.forget({ documents: ['SHOP-7'] })).rejects.toMatchObject({ reason: 'USAGE' });
});
