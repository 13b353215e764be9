import fc from 'fast-check';
import { expect, test } from 'vitest';
import { choosePlan, type WeighedPlan } from './choose-plan.js';
import { Pace } from './planner.js';
import { keyOf, plansUnder } from './search-plan.js';

const WHOLE = { mode: 'hybrid', candidates: 100, reranked: 100 } as const;
const TIMES = [40, 30, 20, 10, 5];
const QUALITIES = [0.7, 0.695, 0.65, 0.6, 0.5];
const PLANS: readonly WeighedPlan[] = plansUnder(WHOLE).map((plan, i) => ({
  ...plan,
  quality: QUALITIES[i] ?? 0,
  p95Ms: TIMES[i] ?? 0,
}));

test('plans do less and less, and say what they leave out', () => {
  expect(plansUnder(WHOLE).map(({ name }) => name)).toEqual([
    ...['whole', 'few-reranked', 'not-reranked', 'few-candidates', 'words'],
  ]);
  expect(plansUnder(WHOLE).map(({ leftOut }) => leftOut)).toEqual([
    [],
    ['reranking of candidates after the first 25 of 100'],
    ['reranking'],
    ['reranking', 'candidates of each lane after the first 25 of 100'],
    ['reranking', 'candidates of each lane after the first 25 of 100', 'vectors'],
  ]);
  expect(plansUnder({ mode: 'lexical', candidates: 8, reranked: 0 }).map(({ name }) => name)).toEqual([
    'whole',
  ]);
});

test('plans of any search are different from each other and never more than it', () => {
  const mode = fc.constantFrom('hybrid' as const, 'dense' as const, 'lexical' as const);
  fc.assert(
    fc.property(mode, fc.integer({ min: 1, max: 1000 }), fc.integer({ min: 0, max: 1000 }), (m, c, r) => {
      const plans = plansUnder({ mode: m, candidates: c, reranked: r });
      expect(new Set(plans.map(keyOf)).size).toBe(plans.length);
      expect(keyOf(plans[0] as (typeof plans)[number])).toBe(keyOf({ mode: m, candidates: c, reranked: r }));
      for (const { candidates, reranked } of plans) {
        expect(candidates).toBeLessThanOrEqual(c);
        expect(reranked).toBeLessThanOrEqual(r);
      }
    }),
  );
});

test('the best in time is taken; what is hardly worse and does more comes first', () => {
  const chosen = (leftMs: number, pace = 1) => choosePlan(PLANS, leftMs, pace);
  expect(chosen(100)).toMatchObject({ plan: { name: 'whole' }, expectedMs: 40, isInTime: true });
  expect(chosen(35).plan.name).toBe('few-reranked');
  expect(chosen(29).plan.name).toBe('not-reranked');
  expect(chosen(100, 4).plan.name).toBe('not-reranked');
  expect(chosen(3)).toMatchObject({ plan: { name: 'words' }, isInTime: false });
  const [whole, ...others] = PLANS as [WeighedPlan, ...WeighedPlan[]];
  expect(choosePlan([{ ...whole, quality: 0.6 }, ...others], 100, 1).plan.name).toBe('few-reranked');
  expect(choosePlan([{ ...whole, quality: 0.69 }, ...others], 100, 1).plan.name).toBe('whole');
});

test('no plan is taken that would be late while another one is in time, and none that is clearly worse', () => {
  const plans = fc.array(
    fc.record({
      quality: fc.double({ min: 0, max: 1, noNaN: true }),
      p95Ms: fc.double({ min: 0, max: 500, noNaN: true }),
    }),
    { minLength: 1, maxLength: 5 },
  );
  const positive = fc.double({ min: 0.1, max: 600, noNaN: true });
  fc.assert(
    fc.property(plans, positive, positive, (facts, leftMs, pace) => {
      const weighed = facts.map((fact) => ({ ...(PLANS[0] as WeighedPlan), ...fact }));
      const { plan, isInTime } = choosePlan(weighed, leftMs, pace);
      const inTime = weighed.filter(({ p95Ms }) => p95Ms * pace <= leftMs);
      expect(isInTime).toBe(inTime.length > 0);
      if (!isInTime) return;
      expect(plan.p95Ms * pace).toBeLessThanOrEqual(leftMs);
      expect(plan.quality).toBeGreaterThanOrEqual(Math.max(...inTime.map(({ quality }) => quality)) - 0.01);
    }),
  );
});

test('the pace follows the last searches, up and down again', () => {
  const pace = new Pace();
  expect(pace.value).toBe(1);
  // The first one loads what all need.
  pace.learn(10, 400);
  for (let i = 0; i < 6; i++) pace.learn(10, 10);
  expect(pace.value).toBe(1);
  for (let i = 0; i < 20; i++) pace.learn(10, 30);
  expect(pace.value).toBe(3);
  for (let i = 0; i < 19; i++) pace.learn(10, 10);
  expect(pace.value).toBe(1);
});
