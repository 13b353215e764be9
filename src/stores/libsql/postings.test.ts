import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SqliteDatabase } from '../../platform/sqlite/sqlite-database.js';
import { mergeTerms, planMerges, SegmentWriter, visitPostings } from './postings.js';
import { prepareStore } from './store-schema.js';

const isLive = (row: number): boolean => row % 5 !== 0;

// More terms than one range holds, and letters whose order differs between UTF-16, UTF-8 and the stored form.
const EXOTIC = ['\0', '\u0001', '\u{1f600}x', '\uffee', 'é', 'z'.repeat(300)];
const TERMS = [...EXOTIC, ...Array.from({ length: 4_500 }, (_, i) => `t${(i * 7919) % 4_500}`)];
const SAMPLE = TERMS.filter((_, i) => i < EXOTIC.length || i % 41 === 0);
const TEXTS = 6;

describe('merging range by range', () => {
  let folder: string;
  let database: SqliteDatabase;
  let row: number;
  let expected: Map<string, number[]>;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'ragstone-postings-'));
    database = SqliteDatabase.open(join(folder, 'p.db'), { toError: (_, cause) => new Error('', { cause }) });
    prepareStore(database);
    row = 0;
    expected = new Map();
  });
  afterEach(() => {
    database.close();
    rmSync(folder, { recursive: true, force: true });
  });

  function writeSegment(collection: number, salt: number): void {
    const writer = new SegmentWriter();
    for (let text = 0; text < TEXTS; text++) {
      row++;
      const words = TERMS.filter((_, i) => (i + salt) % TEXTS === text);
      writer.add(row, words.join(' '), []);
      for (const word of words) expected.set(word, [...(expected.get(word) ?? []), row]);
    }
    database.transaction(() => writer.write(database, collection));
  }

  function mergeRange(collection: number, segments: readonly number[], after: string): string | undefined {
    return database.transaction(() => mergeTerms(database, collection, { segments, after, isLive }));
  }

  function expectLivePostings(collection: number): void {
    for (const term of SAMPLE) {
      const rows: number[] = [];
      visitPostings(database, { collection, term }, (found) => rows.push(found));
      expect(rows.filter(isLive), term).toEqual((expected.get(term) ?? []).filter(isLive));
    }
  }

  const segmentsOf = (collection: number): number =>
    database.rows('SELECT segment FROM store_segment WHERE collection = ?', collection).length;

  it('keeps every live posting of every term, whatever its letters, and drops the others', () => {
    const collection = 7;
    for (let segment = 0; segment < 20; segment++) writeSegment(collection, segment);
    const merges = planMerges(database, collection, true);
    expect(merges).toHaveLength(3);
    let ranges = 0;
    for (const segments of merges)
      for (let after: string | undefined = ''; after !== undefined; ranges++)
        after = mergeRange(collection, segments, after);
    expect(ranges).toBeGreaterThan(3);
    expectLivePostings(collection);
    for (const term of TERMS)
      visitPostings(database, { collection, term }, (found) => expect(isLive(found)).toBe(true));
    expect(segmentsOf(collection)).toBe(1);
  });

  it('moves postings once where few segments are left then', () => {
    for (let segment = 0; segment < 40; segment++) writeSegment(1, segment);
    const merges = planMerges(database, 1, false);
    expect(merges.map((segments) => segments.length)).toEqual([16, 16, 8]);
    for (const segments of merges)
      for (let after: string | undefined = ''; after !== undefined; ) after = mergeRange(1, segments, after);
    expectLivePostings(1);
    expect(segmentsOf(1)).toBe(3);
  });

  it('leaves segments alone that are no neighbours any more', () => {
    for (let segment = 0; segment < 3; segment++) writeSegment(1, segment);
    expect(mergeRange(1, [1, 3], '')).toBeUndefined();
    expect(segmentsOf(1)).toBe(3);
    expectLivePostings(1);
  });

  it('is seen at every step, whoever writes between the ranges, stops, or merges too', () => {
    let collection = 0;
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('write', 'begin', 'first', 'last', 'last'), {
          minLength: 30,
          maxLength: 60,
        }),
        (steps) => {
          collection++;
          expected = new Map();
          for (let segment = 0; segment < 20; segment++) writeSegment(collection, segment);
          const open: { merges: (readonly number[])[]; after: string }[] = [];
          for (const step of steps) {
            if (step === 'write') writeSegment(collection, row);
            if (step === 'begin')
              open.push({ merges: [...planMerges(database, collection, true)], after: '' });
            const at = step === 'first' ? open[0] : step === 'last' ? open.at(-1) : undefined;
            const [segments] = at?.merges ?? [];
            if (at === undefined || segments === undefined) continue;
            const after = mergeRange(collection, segments, at.after);
            if (after === undefined) at.merges.shift();
            at.after = after ?? '';
            expectLivePostings(collection);
          }
        },
      ),
      { numRuns: 3, endOnFailure: true },
    );
  });
});
