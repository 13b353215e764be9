import { spawn } from 'node:child_process';
import fs, {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { contentHash } from '../core/ids.js';
import { openEmbeddingCache } from './disk-embedding-cache.js';

const DIMENSIONS = 64;

/** What a full disk says, in place of every write until it is undone. */
function fillDisk(): () => void {
  const { writeSync } = fs;
  fs.writeSync = () => {
    throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' });
  };
  syncBuiltinESMExports();
  return () => {
    fs.writeSync = writeSync;
    syncBuiltinESMExports();
  };
}

let folder: string;
let cacheFolder: string;
let newer: string;
let problems: string[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'embedding-cache-'));
  cacheFolder = join(folder, 'vectors');
  newer = join(cacheFolder, 'newer.vectors');
  problems = [];
});
afterEach(() => rmSync(folder, { recursive: true }));

const open = (maxMegabytes = 10) =>
  openEmbeddingCache({
    folder: cacheFolder,
    maxMegabytes,
    onProblem: (problem) => problems.push(problem),
  });

const keyOf = (name: number | string): string => contentHash(`key ${name}`);
const vectorOf = (seed: number, dimensions = DIMENSIONS): Float32Array =>
  Float32Array.from({ length: dimensions }, (_, i) => Math.fround(Math.sin(seed * 31 + i)));
const entriesOf = (from: number, to: number, dimensions = DIMENSIONS): (readonly [string, Float32Array])[] =>
  Array.from({ length: to - from }, (_, i) => [keyOf(from + i), vectorOf(from + i, dimensions)] as const);

const bytesOnDisk = (): number =>
  readdirSync(join(folder, 'vectors')).reduce(
    (sum, name) => sum + statSync(join(folder, 'vectors', name)).size,
    0,
  );

describe('openEmbeddingCache', () => {
  it('shows what another process appends after the first look-up', () => {
    const [one, other] = [open(), open()];
    expect(other.getMany([keyOf(0)], DIMENSIONS)).toEqual([undefined]);
    one.setMany(entriesOf(0, 3));
    expect(other.getMany([keyOf(2)], DIMENSIONS)).toEqual([vectorOf(2)]);
    other.setMany(entriesOf(3, 5));
    one.setMany(entriesOf(5, 6));
    for (const cache of [one, other])
      expect(cache.getMany([0, 1, 2, 3, 4, 5].map(keyOf), DIMENSIONS)).toEqual(
        [0, 1, 2, 3, 4, 5].map((n) => vectorOf(n)),
      );
  });

  it('gives back what was kept, to the bit, after it was closed and opened', () => {
    const vectors = fc.array(fc.float32Array({ minLength: 4, maxLength: 4 }), { maxLength: 20 });
    fc.assert(
      fc.property(vectors, (given) => {
        const writer = open();
        writer.setMany(given.map((vector, i) => [keyOf(i), vector] as const));
        writer.close();
        const reader = open();
        const found = reader.getMany([...given.map((_, i) => keyOf(i)), keyOf('absent')], 4);
        reader.close();
        expect(found).toEqual([...given, undefined]);
      }),
      { numRuns: 25 },
    );
    expect(problems).toEqual([]);
  });

  it('replaces a vector, and does not give one of another length', () => {
    const cache = open();
    cache.setMany([[keyOf(1), vectorOf(1)]]);
    cache.setMany([[keyOf(1), vectorOf(2)]]);
    expect(cache.getMany([keyOf(1)], DIMENSIONS)).toEqual([vectorOf(2)]);
    expect(cache.getMany([keyOf(1)], DIMENSIONS + 1)).toEqual([undefined]);
    cache.close();
  });

  it('stays within its limit and drops the oldest first', () => {
    const cache = open(1);
    for (let start = 0; start < 4000; start += 200) {
      cache.setMany(entriesOf(start, start + 200, 384));
      expect(bytesOnDisk()).toBeLessThanOrEqual(1_000_000);
    }
    const latest = entriesOf(3900, 4000, 384);
    expect(
      cache.getMany(
        latest.map(([key]) => key),
        384,
      ),
    ).toEqual(latest.map(([, vector]) => vector));
    expect(cache.getMany([keyOf(0)], 384)).toEqual([undefined]);
    expect(problems).toEqual([]);
    cache.close();
  });

  it('starts over within a smaller limit', () => {
    const large = open(10);
    large.setMany(entriesOf(0, 2000, 384));
    large.close();
    const small = open(1);
    expect(bytesOnDisk()).toBeLessThanOrEqual(1_000_000);
    small.setMany(entriesOf(0, 1, 384));
    expect(small.getMany([keyOf(0)], 384)).toEqual([vectorOf(0, 384)]);
    expect(problems).toEqual([]);
    small.close();
  });

  it('says that it is off where a single vector is larger than the limit allows', () => {
    const cache = open(1);
    cache.setMany(entriesOf(0, 2, 300_000));
    expect(cache.problem).toMatch(/no space/);
    expect(cache.getMany([keyOf(0)], 300_000)).toEqual([undefined]);
  });

  it('never gives a wrong vector or fails, whatever bytes of the file were changed or cut off', () => {
    const cache = open();
    cache.setMany(entriesOf(0, 60));
    cache.close();
    const whole = readFileSync(newer);
    const damage = fc.record({
      flips: fc.array(fc.tuple(fc.nat(whole.length - 1), fc.integer({ min: 1, max: 255 })), {
        maxLength: 40,
      }),
      length: fc.oneof(fc.constant(whole.length), fc.nat(whole.length)),
    });
    fc.assert(
      fc.property(damage, ({ flips, length }) => {
        const bytes = Buffer.from(whole);
        for (const [at, mask] of flips) bytes[at] = (bytes[at] ?? 0) ^ mask;
        writeFileSync(newer, bytes.subarray(0, length));
        const damaged = open();
        const expected = entriesOf(0, 60);
        const keys = expected.map(([key]) => key);
        for (const [i, vector] of damaged.getMany(keys, DIMENSIONS).entries()) {
          if (vector !== undefined) expect(vector).toEqual(expected[i]?.[1]);
        }
        damaged.setMany(expected);
        expect(damaged.problem).toBeUndefined();
        expect(damaged.getMany(keys, DIMENSIONS)).toEqual(expected.map(([, vector]) => vector));
        damaged.close();
      }),
      { numRuns: 200 },
    );
  });

  it('treats one damaged entry as a miss and keeps the others', () => {
    const cache = open();
    cache.setMany(entriesOf(0, 50));
    cache.close();
    const bytes = readFileSync(newer);
    const at = bytes.indexOf(Buffer.from(vectorOf(7).buffer));
    bytes[at + 5] = (bytes[at + 5] ?? 0) ^ 1;
    writeFileSync(newer, bytes);
    const damaged = open();
    const found = damaged.getMany([keyOf(6), keyOf(7), keyOf(8)], DIMENSIONS);
    expect(found).toEqual([vectorOf(6), undefined, vectorOf(8)]);
    damaged.setMany([[keyOf(7), vectorOf(7)]]);
    expect(damaged.getMany([keyOf(7)], DIMENSIONS)).toEqual([vectorOf(7)]);
    damaged.close();
  });

  it('passes over torn writes and foreign bytes between records, near the edges of its read window too', () => {
    const cache = open(100);
    cache.setMany(entriesOf(0, 3000, 384));
    cache.close();
    const whole = readFileSync(newer);
    const recordBytes = whole.length / 3000;
    const window = 4 * 1024 * 1024;
    for (const torn of [1, 43, 44, 1000, recordBytes - 1]) {
      for (const shift of [0, -recordBytes]) {
        const at = Math.floor((window + shift) / recordBytes) * recordBytes;
        writeFileSync(
          newer,
          Buffer.concat([whole.subarray(0, at), whole.subarray(0, torn), whole.subarray(at)]),
        );
        const reader = open(100);
        const entries = entriesOf(0, 3000, 384);
        const found = reader.getMany(
          entries.map(([key]) => key),
          384,
        );
        expect(found.filter((vector) => vector === undefined).length).toBe(0);
        expect(found.at(-1)).toEqual(entries.at(-1)?.[1]);
        reader.close();
      }
    }
  });

  it('reads nothing from a file that is no log, and writes on', () => {
    open().close();
    writeFileSync(newer, 'RVL1 RVL1RVL1 not a log'.repeat(1000));
    const cache = open();
    cache.setMany(entriesOf(0, 1));
    cache.close();
    const reader = open();
    expect(reader.getMany([keyOf(0)], DIMENSIONS)).toEqual([vectorOf(0)]);
    expect(problems).toEqual([]);
    reader.close();
  });

  it('serves two processes at once', async () => {
    const module = join(import.meta.dirname, 'disk-embedding-cache.ts');
    const script = `
      import { openEmbeddingCache } from ${JSON.stringify(module)};
      const cache = openEmbeddingCache({ folder: process.argv[1], maxMegabytes: 10, onProblem: (p) => { throw new Error(p); } });
      const base = Number(process.argv[2]);
      for (let i = 0; i < 200; i++) {
        const key = (base + i).toString(16).padStart(64, '0');
        cache.setMany([[key, Float32Array.of(base + i)]]);
        if (cache.getMany([key], 1)[0]?.[0] !== base + i) throw new Error('lost ' + key);
      }
      cache.close();`;
    const run = (base: number): Promise<number | null> =>
      new Promise((done) => {
        const args = ['--import', 'tsx', '--input-type=module', '-e', script, cacheFolder, String(base)];
        spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] }).on('close', done);
      });
    expect(await Promise.all([run(0), run(1000)])).toEqual([0, 0]);
    const cache = open();
    const keys = [0, 199, 1000, 1199].map((n) => n.toString(16).padStart(64, '0'));
    expect(cache.getMany(keys, 1).map((vector) => vector?.[0])).toEqual([0, 199, 1000, 1199]);
    cache.close();
  });

  it('is off, and says so, where its folder cannot be made', () => {
    writeFileSync(join(folder, 'vectors'), 'a file where the folder should be');
    const cache = open();
    cache.setMany(entriesOf(0, 1));
    expect(cache.getMany([keyOf(0)], DIMENSIONS)).toEqual([undefined]);
    expect(cache.problem).toMatch(/is off/);
    expect(problems).toEqual([cache.problem]);
  });

  it('is off, and says so, on a full disk', () => {
    const cache = open();
    const emptyDisk = fillDisk();
    try {
      cache.setMany(entriesOf(0, 1));
    } finally {
      emptyDisk();
    }
    expect(cache.problem).toMatch(/no space/);
    expect(problems).toEqual([cache.problem]);
  });

  it.skipIf(!existsSync('/dev/full'))('is off, and says so, with a device in the place of a file', () => {
    open().close();
    rmSync(newer);
    symlinkSync('/dev/full', newer);
    const cache = open();
    cache.setMany(entriesOf(0, 1));
    expect(cache.problem).toMatch(/EFTYPE/);
  });

  // Root may write anywhere, so that there the permission says nothing.
  it.skipIf(process.getuid?.() === 0)('is off, and says so, where its files are read-only', () => {
    open().close();
    chmodSync(newer, 0o444);
    try {
      expect(open().problem).toMatch(/is off/);
      expect(existsSync(newer)).toBe(true);
    } finally {
      chmodSync(newer, 0o644);
    }
  });
});
