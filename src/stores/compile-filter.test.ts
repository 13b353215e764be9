import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ChunkRecord } from '../core/chunk.js';
import { type Filter, matchesFilter } from '../core/filter.js';
import { FILTER_RECORDS, FILTERS } from '../testing/vector-store/filters.js';
import { record } from '../testing/vector-store/records.js';
import { compileFilter } from './compile-filter.js';
import type { Comparison, Condition } from './filter-condition.js';
import { factKey, factsOf, type RecordFacts } from './record-facts.js';
import { fieldLookup, storedChunkOf } from './record-fields.js';

const compares = (value: number | undefined, comparison: Comparison, operand: number): boolean =>
  value !== undefined &&
  {
    '<': value < operand,
    '<=': value <= operand,
    '=': value === operand,
    '>=': value >= operand,
    '>': value > operand,
  }[comparison];

/** What a server makes of a condition. */
function holds(condition: Condition, known: RecordFacts): boolean {
  if (typeof condition === 'boolean') return condition;
  if ('all' in condition) return condition.all.every((part) => holds(part, known));
  if ('any' in condition) return condition.any.some((part) => holds(part, known));
  if ('not' in condition) return !holds(condition.not, known);
  if ('anyOf' in condition) {
    const keys = new Set(known.facts.map(factKey));
    return condition.anyOf.some((fact) => keys.has(factKey(fact)));
  }
  const { comparison, operand } = condition;
  if ('number' in condition) return compares(known.numbers.get(condition.number), comparison, operand);
  return compares(known.texts.get(condition.text)?.[condition.piece], comparison, operand);
}

async function expectSame(filter: Filter, records: readonly ChunkRecord[]): Promise<void> {
  const condition = await compileFilter(filter, async (about, field) =>
    records.flatMap((one) => {
      const value = fieldLookup(storedChunkOf(one))(field);
      return typeof value === 'string' && holds(about, factsOf(one)) ? [value] : [];
    }),
  );
  for (const one of records)
    expect(holds(condition, factsOf(one)), `${JSON.stringify(filter)} ${one.id}`).toBe(
      matchesFilter(filter, fieldLookup(storedChunkOf(one))),
    );
}

describe('compileFilter', () => {
  it('admits what the reference admits', async () => {
    for (const filter of FILTERS) await expectSame(filter, FILTER_RECORDS);
  });

  it('is exact for ranges and prefixes of texts and numbers of any length', async () => {
    const part = fc.string({
      unit: fc.constantFrom('a', 'b', '\u{1f600}', '\uffee', '\u0000'),
      maxLength: 12,
    });
    const long = fc.integer({ min: 0, max: 40 }).map((length) => 'x'.repeat(length));
    const text = fc.tuple(long, part).map(([head, tail]) => head + tail);
    const value = fc.oneof(text, fc.double({ noNaN: true }), fc.integer({ min: -3, max: 3 }));
    const field = fc.constantFrom('f', '$source');
    const held = fc.oneof(
      text,
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.integer({ min: -3, max: 3 }),
    );
    const bounds = fc.record({ gt: value, gte: value, lt: value, lte: value }, { requiredKeys: [] });
    await fc.assert(
      fc.asyncProperty(
        field,
        fc.array(held, { maxLength: 4 }),
        bounds,
        text,
        async (name, all, limits, start) => {
          const records = all.map((one, i) =>
            record(`r${i}`, name === 'f' ? { metadata: { f: one } } : { source: String(one) }),
          );
          await expectSame({ op: 'range', field: name, ...limits }, records);
          await expectSame({ op: 'not', filter: { op: 'prefix', field: name, value: start } }, records);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('keeps the five pieces that tell dates to the millisecond apart, so that none has to be read', async () => {
    const never = async (): Promise<readonly string[]> => {
      throw new Error('texts were read');
    };
    const filter: Filter = { op: 'range', field: 'updatedAt', gte: '2026-01-05T10:00:00.001Z' };
    await expect(compileFilter(filter, never)).resolves.toMatchObject({ all: expect.anything() });
  });
});
