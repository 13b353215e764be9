import { execFile } from 'node:child_process';
import { chmod, mkdtemp, readdir, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { and, contains, EVERYTHING, eq, not, oneOf, or } from '../../core/filter.js';
import { axis, randomVector, record, seededRandom } from '../../testing/vector-store/records.js';
import { createMemoryStore } from '../memory/memory-store.js';
import type { VectorCollection } from '../vector-store.js';
import { storeError } from './lancedb-errors.js';
import { createLanceDbStore } from './lancedb-store.js';

const SPEC = { name: 'faults', dimensions: 8, fingerprint: 'm' };
let path: string;

beforeEach(async () => {
  path = await mkdtemp(join(tmpdir(), 'ragstone-lance-faults-'));
});
afterEach(() => rm(path, { recursive: true, force: true }));

async function filled(): Promise<void> {
  const store = createLanceDbStore({ path });
  const collection = await store.open(SPEC);
  await collection.upsert([record('a'), record('b', { searchText: 'needle' })]);
  await collection.optimize();
  await store.close();
}

describe('a damaged folder', () => {
  for (const [part, damage] of [
    ['no manifests', () => rm(join(path, 'faults.lance', '_versions'), { recursive: true })],
    ['empty manifests', () => eachFile('_versions', (file) => truncate(file, 0))],
    ['garbage manifests', () => eachFile('_versions', (file) => writeFile(file, 'garbage'.repeat(50)))],
    ['no data files', () => rm(join(path, 'faults.lance', 'data'), { recursive: true })],
    ['cut data files', () => eachFile('data', (file) => truncate(file, 40))],
  ] as const)
    it(`with ${part} is STORE_DAMAGED and can be dropped and made again`, async () => {
      await filled();
      await damage();
      const store = createLanceDbStore({ path });
      const read = async () => (await store.open(SPEC)).list({ filter: EVERYTHING, limit: 10 });
      await expect(read()).rejects.toMatchObject({ reason: 'STORE_DAMAGED' });
      await store.drop('faults');
      const collection = await store.open(SPEC);
      await collection.upsert([record('a')]);
      expect(await collection.count(EVERYTHING)).toBe(1);
      await store.close();
    });

  async function eachFile(folder: string, change: (file: string) => Promise<void>): Promise<void> {
    const directory = join(path, 'faults.lance', folder);
    for (const name of await readdir(directory)) await change(join(directory, name));
  }
});

describe('what the system refuses', () => {
  it.skipIf(process.getuid?.() === 0)(
    'a folder that may not be written is STORE_READ_ONLY, and reads',
    async () => {
      await filled();
      await setWritable(false);
      const store = createLanceDbStore({ path });
      const collection = await store.open(SPEC);
      expect(await collection.count(EVERYTHING)).toBe(2);
      await expect(collection.upsert([record('c')])).rejects.toMatchObject({ reason: 'STORE_READ_ONLY' });
      await store.close();
      await setWritable(true);
    },
  );

  it('messages of the system are understood', () => {
    const reasonOf = (message: string) => storeError(new Error(message), 'write').reason;
    expect(reasonOf('LanceError(IO): No space left on device (os error 28)')).toBe('STORE_FULL');
    expect(reasonOf('Generic LocalFileSystem error: File too large (os error 27)')).toBe('STORE_FULL');
    expect(reasonOf('Unable to create dir: Permission denied (os error 13)')).toBe('STORE_READ_ONLY');
    expect(reasonOf('Read-only file system (os error 30)')).toBe('STORE_READ_ONLY');
    expect(reasonOf('something new')).toBe('STORE_UNAVAILABLE');
  });

  async function setWritable(isWritable: boolean): Promise<void> {
    const entries = await readdir(path, { recursive: true, withFileTypes: true });
    const folders = [path, ...entries.filter((e) => e.isDirectory()).map((e) => join(e.parentPath, e.name))];
    for (const folder of folders) await chmod(folder, isWritable ? 0o755 : 0o555);
  }
});

describe('several processes', () => {
  it('that write the same and other chunks at once lose and double nothing', {
    timeout: 120_000,
  }, async () => {
    const store = createLanceDbStore({ path });
    const collection = await store.open(SPEC);
    await Promise.all([0, 1, 2].map((writer) => writeInAnotherProcess(writer)));
    const { chunks } = await collection.list({ filter: EVERYTHING, limit: 1_000 });
    const own = [0, 1, 2].flatMap((writer) => Array.from({ length: 8 }, (_, i) => `w${writer}-${i}`));
    expect(chunks.map(({ id }) => id)).toEqual(['shared', ...own].sort());
    await store.close();
  });

  function writeInAnotherProcess(writer: number): Promise<unknown> {
    const script = `
      import { createLanceDbStore } from ${JSON.stringify(new URL('./lancedb-store.ts', import.meta.url).href)};
      import { record } from ${JSON.stringify(new URL('../../testing/vector-store/records.ts', import.meta.url).href)};
      import { eq } from ${JSON.stringify(new URL('../../core/filter.ts', import.meta.url).href)};
      const store = createLanceDbStore({ path: ${JSON.stringify(path)} });
      const collection = await store.open(${JSON.stringify(SPEC)});
      for (let i = 0; i < 8; i++) {
        await collection.upsert([record('w${writer}-' + i), record('shared', { content: 'w${writer}' }), record('gone-${writer}-' + i)]);
        await collection.delete(eq('$chunkId', 'gone-${writer}-' + i));
      }
      await collection.optimize();
      await store.close();`;
    return promisify(execFile)(process.execPath, [
      '--import',
      'tsx',
      '--input-type=module',
      '--eval',
      script,
    ]);
  }
});

describe('indexes', () => {
  it('a vector index finds at least 98 of 100 exact neighbours, filtered too', {
    timeout: 120_000,
  }, async () => {
    const spec = { ...SPEC, dimensions: 48 };
    const random = seededRandom(3);
    const records = Array.from({ length: 4_000 }, (_, i) =>
      record(`r${i}`, { vector: randomVector(random, 48), source: i % 50 === 0 ? 'rare' : 'common' }),
    );
    const zero = record('zero', { vector: new Float32Array(48) });
    const store = createLanceDbStore({ path, vectorIndexRows: 1_000 });
    const [collection, oracle] = [await store.open(spec), await createMemoryStore().open(spec)];
    for (const target of [collection, oracle]) await target.upsert([...records, zero]);
    await collection.optimize();
    expect((await collection.stats()).vectorIndex).toContain('HNSW');
    for (const filter of [EVERYTHING, eq('$source', 'rare')]) {
      let found = 0;
      for (let i = 0; i < 30; i++) {
        const query = { vector: randomVector(random, 48), topK: 10, filter };
        const expected = new Set((await oracle.searchVector(query)).map(({ chunk }) => chunk.id));
        found += (await collection.searchVector(query)).filter(({ chunk }) => expected.has(chunk.id)).length;
      }
      expect(found / 300).toBeGreaterThanOrEqual(0.98);
    }
    await store.close();
  });

  it('scores of a graph are exact, also of rows and zero vectors that came after it', async () => {
    const random = seededRandom(5);
    const zero = new Float32Array(8);
    const records = Array.from({ length: 1_200 }, (_, i) =>
      record(`r${i}`, { vector: randomVector(random, 8).map((x) => x * (1 + (i % 3))) }),
    );
    const store = createLanceDbStore({ path, vectorIndexRows: 1_000 });
    const [collection, oracle] = [await store.open(SPEC), await createMemoryStore().open(SPEC)];
    const query = { vector: randomVector(random, 8), filter: EVERYTHING };
    const isEqual = async () => {
      const expected = await oracle.searchVector({ ...query, topK: 20 });
      const found = await collection.searchVector({ ...query, topK: 20 });
      expect(found.map(({ chunk }) => chunk.id)).toEqual(expected.map(({ chunk }) => chunk.id));
      for (const [i, { score }] of found.entries()) expect(score).toBeCloseTo(expected[i]?.score ?? 0, 6);
    };
    const first = [...records.slice(0, 1_000), record('zero', { vector: zero })];
    for (const target of [collection, oracle]) await target.upsert(first);
    await collection.optimize();
    expect((await collection.stats()).vectorIndex).toContain('HNSW');
    await isEqual();
    const later = [...records.slice(1_000), record('later zero', { vector: zero })];
    for (const target of [collection, oracle]) await target.upsert(later);
    await isEqual();
    const all = await collection.searchVector({ ...query, topK: 1_202 });
    expect(new Set(all.map(({ chunk }) => chunk.id)).size).toBe(all.length);
    expect(all.filter(({ chunk }) => chunk.id.endsWith('zero')).map(({ score }) => score)).toEqual([0, 0]);
    await store.close();
  });

  it('filters on metadata are exact over their index, and over rows that came or went after it', async () => {
    const records = Array.from({ length: 6_000 }, (_, i) => {
      // The same values under other paths: the index knows values alone.
      const metadata = { bucket: i % 50, other: (i + 7) % 50, kind: `k${i % 3}`, tags: [`t${i % 5}`, 'k1'] };
      return record(`r${i}`, { metadata: i % 11 === 0 ? { other: i % 50 } : metadata });
    });
    const store = createLanceDbStore({ path });
    const [collection, oracle] = [await store.open(SPEC), await createMemoryStore().open(SPEC)];
    const both = async (change: (target: VectorCollection) => Promise<unknown>) => {
      for (const target of [collection, oracle]) await change(target);
    };
    const isEqual = async () => {
      for (const filter of FILTERS) {
        const ids = async (target: VectorCollection) =>
          (await target.list({ filter, limit: 10_000 })).chunks.map(({ id }) => id);
        expect(await ids(collection), JSON.stringify(filter)).toEqual(await ids(oracle));
      }
    };
    const FILTERS = [
      eq('bucket', 7),
      oneOf('bucket', [7, 8, 'k1']),
      eq('kind', 'k1'),
      eq('kind', "it's"),
      not(eq('bucket', 7)),
      or(eq('bucket', 3), contains('tags', 't2')),
      and(not(contains('tags', 't4')), eq('other', 3)),
    ];
    await both((target) => target.upsert(records.slice(0, 5_500)));
    await collection.optimize();
    await isEqual();
    await both((target) => target.upsert(records.slice(5_400)));
    await both((target) => target.upsert([record('r7', { metadata: { kind: "it's", bucket: 8 } })]));
    await both((target) => target.delete(eq('bucket', 9)));
    await isEqual();
    await collection.optimize();
    await isEqual();
    await store.close();
  });

  it('optimize removes replaced versions from disk', async () => {
    const store = createLanceDbStore({ path, keepVersionsMs: 0 });
    const collection = await store.open(SPEC);
    for (let i = 0; i < 10; i++) await collection.upsert([record('a', { vector: axis(i) })]);
    await collection.optimize();
    await collection.optimize();
    expect((await readdir(join(path, 'faults.lance', '_versions'))).length).toBeLessThanOrEqual(3);
    expect((await readdir(join(path, 'faults.lance', 'data'))).length).toBeLessThanOrEqual(2);
    await store.close();
  });
});
