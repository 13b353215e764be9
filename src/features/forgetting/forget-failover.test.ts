import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { FaultyStore } from '../../../tests/failover/faulty-store.js';
import type { RAGConfigInput } from '../../config/schema/index.js';
import { eq } from '../../core/filter.js';
import { createEngine } from '../../engine/create-engine.js';
import type { Engine } from '../../operations/engine.js';
import { filesWith } from '../../testing/files-with.js';

let folder: string;
let engine: Engine;
const OLD = { id: 'old', key: randomBytes(32).toString('base64') };
const NEW = { id: 'new', key: randomBytes(32).toString('base64') };
const NAMED = eq('reporter', 'Quaggadromous');

const open = async (config: RAGConfigInput): Promise<Engine> =>
  createEngine({ config, dataDir: join(folder, 'data'), cwd: folder });
const remains = (word: string): Promise<string[]> => filesWith(join(folder, 'data'), word);

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'forget-failover-'));
  mkdirSync(join(folder, 'docs'));
  for (let i = 0; i < 12; i++)
    writeFileSync(
      join(folder, 'docs', `note-${i}.md`),
      `---\nreporter: ${i % 4 === 0 ? 'Quaggadromous' : 'Somebody'}\n---\n# Note ${i}\n\nThe gate of house ${i} is open. ${i % 4 === 0 ? 'Said Quaggadromous himself.' : ''}\n`,
    );
});
afterEach(async () => {
  await engine.close();
  rmSync(folder, { recursive: true });
});

describe.each([
  ['usearch', 'libsql', true],
  ['libsql', 'usearch', true],
  ['lancedb', 'libsql', true],
  ['libsql', 'lancedb', true],
  ['usearch', 'libsql', false],
  ['libsql', 'usearch', false],
] as const)('stores of rag.failover: %s, then %s (dualWrite: %s)', (provider, secondary, dualWrite) => {
  const failover = { secondary, dualWrite };

  test('what is forgotten is in no file while both are open', async () => {
    engine = await open({ provider, failover });
    await engine.index({ paths: ['docs'] });
    expect(await remains('quaggadromous')).not.toEqual([]);
    const receipt = await engine.forget({ filter: NAMED });
    expect(receipt).toMatchObject({ state: 'done', documents: 3 });
    expect(await remains('quaggadromous')).toEqual([]);
    expect(await engine.checkReceipt(receipt.id)).toMatchObject({ clean: true });
    expect(await engine.verify()).toMatchObject({ ok: true });
    expect((await engine.stores())?.stores.map(({ state }) => state)).toEqual(['ready', 'ready']);
    const { results } = await engine.search({ text: 'gate', options: { topK: 20, nearDuplicates: 'keep' } });
    expect(results).toHaveLength(9);
  });

  test('the keys of encrypted fields are rotated', async () => {
    const configOf = (keys: readonly (typeof OLD)[]): RAGConfigInput => ({
      ...{ provider, failover },
      security: { encryption: { fields: ['reporter'], keys: [...keys] } },
    });
    engine = await open({ provider, failover });
    await engine.push([{ id: 'ann', text: 'Ann works.', metadata: { reporter: 'zirconflorin' } }]);
    await engine.close();
    engine = await open(configOf([NEW, OLD]));
    await engine.rotateEncryption();
    expect(await remains('zirconflorin')).toEqual([]);
    expect(await engine.verify()).toMatchObject({ ok: true });
    expect((await engine.get('ann'))?.metadata.reporter).toBe('zirconflorin');
  });
});

test('words that are kept beside both stores are forgotten too', async () => {
  const config: RAGConfigInput = {
    ...{ provider: 'usearch', failover: { secondary: 'libsql' } },
    degradation: { localWords: true },
  };
  engine = await open(config);
  await engine.index({ paths: ['docs'] });
  expect((await remains('quaggadromous')).join()).toContain('words/');
  expect(await engine.forget({ filter: NAMED })).toMatchObject({ state: 'done', documents: 3 });
  expect(await remains('quaggadromous')).toEqual([]);
});

test('a first store that is out keeps its log, and forgetting says that it is behind, not that somebody reads it', async () => {
  const first = new FaultyStore('first');
  engine = await createEngine({
    config: { failover: { secondary: 'libsql' }, degradation: { failures: 100 } },
    store: first.handle(),
    dataDir: join(folder, 'data'),
    cwd: folder,
  });
  await engine.index({ paths: ['docs'] });
  first.isOut = true;
  // What such a store wrote before stands in its log until it is reached again.
  mkdirSync(join(folder, 'data', 'store'), { recursive: true });
  writeFileSync(join(folder, 'data', 'store', 'store.db-wal'), 'Quaggadromous');
  const receipt = await engine.forget({ filter: NAMED });
  expect(receipt).toMatchObject({ state: 'done', documents: 3 });
  expect(JSON.stringify(receipt)).toContain('the store \\"first\\" and the journal');
});

test('a rotation does not end well while a store that is out holds what was there before', async () => {
  const first = new FaultyStore('first');
  const openWith = (keys: readonly (typeof OLD)[], fields: string[]): Promise<Engine> =>
    createEngine({
      config: {
        ...{ failover: { secondary: 'libsql' }, degradation: { failures: 100 } },
        security: { encryption: { fields, keys: [...keys] } },
      },
      store: first.handle(),
      dataDir: join(folder, 'data'),
      cwd: folder,
    });
  engine = await openWith([], []);
  await engine.push([{ id: 'ann', text: 'Ann works.', metadata: { reporter: 'zirconflorin' } }]);
  await engine.close();
  engine = await openWith([NEW], ['reporter']);
  first.isOut = true;
  await expect(engine.rotateEncryption()).rejects.toMatchObject({
    reason: 'STORE_UNAVAILABLE',
    message: expect.stringContaining('"first"') as string,
  });
  first.isOut = false;
  expect((await engine.syncStores()).stores.map(({ state }) => state)).toEqual(['ready', 'ready']);
  await engine.rotateEncryption();
  expect(
    JSON.stringify([...first.contents().values()].map(({ records }) => [...records.values()])),
  ).not.toContain('zirconflorin');
  expect(await remains('zirconflorin')).toEqual([]);
});
