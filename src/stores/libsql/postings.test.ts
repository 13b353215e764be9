import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { SqliteDatabase } from '../../sqlite/sqlite-database.js';
import { mergeSegments, SegmentWriter, visitPostings } from './postings.js';
import { prepareStore } from './store-schema.js';

const LIVE = { isLive: (row: number) => row % 5 !== 0, isWorthwhile: true };

it('merging range by range keeps every live posting of every term, whatever its letters', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ragstone-postings-'));
  const database = SqliteDatabase.open(join(folder, 'p.db'), {
    toError: (_, cause) => new Error('', { cause }),
  });
  prepareStore(database);
  try {
    // More terms than one range holds, and letters whose order differs between UTF-16, UTF-8 and the stored form.
    const exotic = ['\0', '\u0001', '\u{1f600}x', '\uffee', 'é', 'z'.repeat(300)];
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 6 }),
        fc.integer({ min: 1, max: 1000 }),
        (segments, collection) => {
          const terms = [...exotic, ...Array.from({ length: 4_500 }, (_, i) => `t${(i * 7919) % 4_500}`)];
          const expected = new Map<string, number[]>();
          let row = 0;
          for (let segment = 0; segment < segments; segment++) {
            const writer = new SegmentWriter();
            for (let text = 0; text < 6; text++) {
              row++;
              const words = terms.filter((_, i) => (i + segment) % 6 === text);
              writer.add(row, words.join(' '));
              for (const word of words)
                if (LIVE.isLive(row)) expected.set(word, [...(expected.get(word) ?? []), row]);
            }
            database.transaction(() => writer.write(database, collection));
          }
          database.transaction(() => mergeSegments(database, collection, LIVE));
          for (const term of terms) {
            const rows: number[] = [];
            visitPostings(database, { collection, term }, (found) => rows.push(found));
            expect(rows, term).toEqual(expected.get(term) ?? []);
          }
          expect(
            database.row('SELECT count(*) FROM store_segment WHERE collection = ?', collection)?.[0],
          ).toBe(1);
          for (const table of ['segment', 'posting'])
            database.run(`DELETE FROM store_${table} WHERE collection = ?`, collection);
        },
      ),
      { numRuns: 2, endOnFailure: true },
    );
  } finally {
    database.close();
    rmSync(folder, { recursive: true, force: true });
  }
});
