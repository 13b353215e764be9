import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../tests/e2e/temporary-folder.js';
import { FaultyStore } from '../../../tests/failover/faulty-store.js';
import type { RAGConfigInput } from '../../config/schema/index.js';
import { SYSTEM_RUNTIME } from '../../core/runtime.js';
import { createEngine } from '../../engine/create-engine.js';
import type { Engine } from '../../operations/engine.js';
import { filesWith } from '../../testing/files-with.js';

const ANN = { id: 'ann', text: 'Quaggadromous keeps the gate.', metadata: { reporter: 'zirconflorin' } };
const BOB = { id: 'bob', text: 'Somebody keeps the gate of another house.' };
const KEY = { id: 'one', key: randomBytes(32).toString('base64') };
const ENCRYPTED: RAGConfigInput = { security: { encryption: { fields: ['reporter'], keys: [KEY] } } };

/** An index in a folder, which is opened with one configuration after the other. */
function indexIn(folder: string) {
  const data = join(folder, 'data');
  const withEngine = async <Result>(
    config: RAGConfigInput,
    work: (engine: Engine) => Promise<Result>,
    options: Partial<Parameters<typeof createEngine>[0]> = {},
  ): Promise<Result> => {
    const engine = await createEngine({ ...options, config, dataDir: data, cwd: folder });
    try {
      return await work(engine);
    } finally {
      await engine.close();
    }
  };
  return { data, withEngine, remains: (word: string) => filesWith(data, word) };
}

/** Ways in which texts get into files that a later configuration does not keep up. */
const COPIES: Readonly<
  Record<string, { readonly before: RAGConfigInput; readonly after: RAGConfigInput; readonly place: string }>
> = {
  'results, whose cache was switched off': {
    before: { provider: 'libsql', retrieval: { cache: { enabled: true } } },
    after: { provider: 'libsql', retrieval: { cache: { enabled: false } } },
    place: 'results.db',
  },
  'a second store, which is named no more': {
    before: { provider: 'usearch', failover: { secondary: 'libsql' } },
    after: { provider: 'usearch' },
    place: 'failover/libsql/store.db',
  },
  'a second store, in place of which another one is named': {
    before: { provider: 'usearch', failover: { secondary: { provider: 'libsql', name: 'earlier' } } },
    after: { provider: 'usearch', failover: { secondary: 'libsql' } },
    place: 'failover/earlier/store.db',
  },
};

async function filled(name: string) {
  const copy = COPIES[name];
  if (copy === undefined) throw new TypeError(name);
  const index = indexIn(temporaryFolder());
  await index.withEngine(copy.before, async (engine) => {
    await engine.push([ANN, BOB]);
    await engine.search('gate');
  });
  expect((await index.remains('quaggadromous')).join(' ')).toContain(copy.place);
  return { ...index, ...copy };
}

test.each(Object.keys(COPIES))('what is forgotten is not in %s; the receipt counts it', async (name) => {
  const { withEngine, remains, after } = await filled(name);
  await withEngine(after, async (engine) => {
    const receipt = await engine.forget({ documents: ['ann'] });
    expect(receipt).toMatchObject({ state: 'done', documents: 1 });
    expect(receipt.removed.map(({ what }) => what).join()).toMatch(/results|files/);
    expect(await engine.checkReceipt(receipt.id)).toMatchObject({ clean: true });
    expect(await engine.verify()).toMatchObject({ ok: true });
    expect((await engine.search('gate')).results).toHaveLength(1);
  });
  expect(await remains('quaggadromous')).toEqual([]);
});

test.each(Object.keys(COPIES))('a rotation leaves a marked value not in %s', async (name) => {
  const { withEngine, remains, after } = await filled(name);
  await withEngine({ ...after, ...ENCRYPTED }, async (engine) => {
    await engine.rotateEncryption();
    expect(await engine.verify()).toMatchObject({ ok: true });
  });
  expect(await remains('zirconflorin')).toEqual([]);
});

test.each(Object.keys(COPIES))('`clear` leaves nothing in %s', async (name) => {
  const { withEngine, remains, after } = await filled(name);
  await withEngine(after, (engine) => engine.clear());
  expect(await remains('quaggadromous')).toEqual([]);
});

test.each(Object.keys(COPIES))('a receipt of before is not clean while a copy stands in %s', async (name) => {
  const { withEngine, before, after } = await filled(name);
  const receipt = await withEngine(before, (engine) => engine.forget({ documents: ['ann'] }));
  await withEngine(before, (engine) => engine.search('gate'));
  await withEngine(after, async (engine) => {
    const { clean, found } = await engine.checkReceipt(receipt.id);
    expect({ clean, found: found.length }).toEqual({ clean: false, found: 1 });
  });
});

test('a second store that is named again is filled anew, and says nothing of what was forgotten meanwhile', async () => {
  const { withEngine, remains, before, after } = await filled('a second store, which is named no more');
  await withEngine(after, (engine) => engine.forget({ documents: ['ann'] }));
  await withEngine(before, async (engine) => {
    expect((await engine.syncStores()).stores.map(({ state }) => state)).toEqual(['ready', 'ready']);
    expect((await engine.search('gate')).results).toHaveLength(1);
  });
  expect(await remains('quaggadromous')).toEqual([]);
  expect((await remains('somebody')).join(' ')).toContain('failover/libsql/store.db');
});

test('a store elsewhere that rag.failover named is told of as left, by each receipt until it is named again', async () => {
  const { withEngine, remains } = indexIn(temporaryFolder());
  const elsewhere = temporaryFolder();
  const second = { provider: 'libsql', name: 'second', storage: { local: { path: elsewhere } } } as const;
  const before: RAGConfigInput = { provider: 'usearch', failover: { secondary: second } };
  await withEngine(before, (engine) => engine.push([ANN, BOB]));
  await withEngine({ provider: 'usearch' }, async (engine) => {
    for (const id of ['ann', 'bob']) {
      const { left } = await engine.forget({ documents: [id] });
      expect(left.map(({ where }) => where)).toContain('the store "second", which rag.failover named');
    }
  });
  expect(await remains('quaggadromous')).toEqual([]);
  expect(await filesWith(elsewhere, 'quaggadromous')).not.toEqual([]);
  await withEngine(before, async (engine) => {
    await engine.push([{ ...ANN, id: 'carl' }]);
    const { left } = await engine.forget({ documents: ['carl'] });
    expect(left.map(({ where }) => where).join()).not.toContain('rag.failover named');
  });
  expect(await filesWith(elsewhere, 'quaggadromous')).toEqual([]);
});

test('words that are copied from a server no more are forgotten and cleared', async () => {
  for (const end of [
    async (engine: Engine) => void (await engine.forget({ documents: ['ann'] })),
    (engine: Engine) => engine.clear(),
  ]) {
    const { withEngine, remains, data } = indexIn(temporaryFolder());
    const server = new FaultyStore('server');
    const configOf = (localWords: boolean): RAGConfigInput => ({ degradation: { localWords } });
    await withEngine(configOf(true), (engine) => engine.push([ANN, BOB]), { store: server.handle() });
    expect((await remains('quaggadromous')).join(' ')).toContain('words/store.db');
    await withEngine(configOf(false), end, { store: server.handle() });
    expect(await remains('quaggadromous')).toEqual([]);
    expect(existsSync(join(data, 'words'))).toBe(false);
  }
});

test('the past that an earlier configuration kept is forgotten and rotated', async () => {
  const { withEngine, remains } = indexIn(temporaryFolder());
  await withEngine({ provider: 'libsql', history: { keep: '1y' } }, async (engine) => {
    await engine.push([ANN, BOB, { ...ANN, id: 'carl', text: 'Carl keeps it.' }]);
    await engine.push([{ ...ANN, text: 'Another text.' }]);
    await engine.delete(['ann']);
  });
  await withEngine({ provider: 'libsql' }, (engine) => engine.forget({ documents: ['ann'] }));
  expect(await remains('quaggadromous')).toEqual([]);
  await withEngine({ provider: 'libsql', ...ENCRYPTED }, (engine) => engine.rotateEncryption());
  expect(await remains('zirconflorin')).toEqual([]);
});

test('a cache of vectors that was moved elsewhere holds nothing in the data folder after a forgetting', async () => {
  const { withEngine, data } = indexIn(temporaryFolder());
  const { createHashEmbedder } = await import('../../testing/hash-embedder.js');
  const embedder = { ...createHashEmbedder(), isCheap: false };
  const elsewhere = temporaryFolder();
  await withEngine({ provider: 'libsql' }, (engine) => engine.push([ANN, BOB]), { embedder });
  const { keysOfVectors } = await import('../../embedding/prune-vectors.js');
  expect(keysOfVectors(join(data, 'cache', 'embeddings'))).toHaveLength(2);
  const moved: RAGConfigInput = { provider: 'libsql', embedding: { cache: { path: elsewhere } } };
  await withEngine(moved, (engine) => engine.forget({ documents: ['ann'] }), { embedder });
  expect(keysOfVectors(join(data, 'cache', 'embeddings'))).toEqual([]);
});

test('a Redis server that a setting named is told of as left, until it has given up what it keeps', async () => {
  const folder = temporaryFolder();
  const { withEngine, remains } = indexIn(folder);
  const redis = 'redis://ann:zirconflorin@127.0.0.1:1/3';
  await withEngine({ retrieval: { cache: { enabled: true, ttl: 60, redis } } }, async (engine) => {
    await engine.push([ANN, BOB]);
    await engine.search('gate');
  });
  let now = Date.now();
  const clock = { runtime: { ...SYSTEM_RUNTIME, now: () => now } };
  const leftAfter = async (config: RAGConfigInput, documents: readonly string[]) =>
    withEngine(
      { embedding: { cache: { enabled: false } }, ...config },
      async (engine) =>
        (await engine.forget({ documents })).left.filter(({ where }) => where.includes('Redis')),
      clock,
    );
  const [left, ...others] = await leftAfter({}, ['ann']);
  expect([left?.where, others]).toEqual([
    'the Redis server 127.0.0.1:1/3, which rag.retrieval.cache.redis named',
    [],
  ]);
  expect(left?.detail).toMatch(/text of passages.* 60 seconds/);
  now += 61_000;
  expect(await leftAfter({}, ['bob'])).toEqual([]);
  expect(await remains('zirconflorin')).toEqual([]);
});
