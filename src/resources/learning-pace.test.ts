import { expect, test } from 'vitest';
import type { Generation, GenerationReader } from '../ledger/ledger.js';
import { LearningPace } from './learning-pace.js';

/** An index of one generation; what was learnt of it is not known. */
function pushedTo(chunks: Readonly<Record<string, number>>, generation = 1) {
  const counted = { times: 0 };
  const sources = async () => {
    counted.times += 1;
    return Object.entries(chunks).map(([tenant, count]) => ({ tenant, chunks: count }));
  };
  const ledger = {
    learned: async () => undefined,
    reader: () => ({ sources }) as unknown as GenerationReader,
  };
  return { to: { ledger, facts: { generation } as Generation }, counted };
}

test('a model learns of thirty chunks, then of each fifth more', async () => {
  const pace = new LearningPace();
  const { to, counted } = pushedTo({ a: 10 });
  const push = (chunks: number, tenant = 'a') => pace.isDue({ tenant, chunks }, to);
  expect([await push(10), await push(19), await push(1)]).toEqual([false, false, true]);
  pace.learnt('a');
  expect([await push(29), await push(1)]).toEqual([false, true]);
  pace.learnt('a');
  expect(await push(240)).toBe(true);
  pace.learnt('a');
  expect([await push(59), await push(1)]).toEqual([false, true]);
  expect([await push(29, 'b'), await push(1, 'b')]).toEqual([false, true]);
  expect(counted.times).toBe(1);
});

test('another generation is counted anew, and what a full run learnt counts for all tenants', async () => {
  const pace = new LearningPace();
  const first = pushedTo({ a: 100, b: 40 });
  expect(await pace.isDue({ tenant: 'a', chunks: 1 }, first.to)).toBe(true);
  pace.learnt(undefined);
  expect(await pace.isDue({ tenant: 'b', chunks: 1 }, first.to)).toBe(false);
  const second = pushedTo({ a: 5 }, 2);
  expect(await pace.isDue({ tenant: 'a', chunks: 5 }, second.to)).toBe(false);
  expect(second.counted.times).toBe(1);
});
