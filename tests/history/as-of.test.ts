import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { ScopeInput } from '../../src/core/scope.js';
import type { Engine } from '../../src/engine/engine.js';
import { temporaryFolder } from '../e2e/temporary-folder.js';
import { type Held, type Moment, RecordedIndex } from './recorded-index.js';

const SCOPES: readonly ScopeInput[] = [
  { tenant: 'default' },
  { tenant: 'default', groups: ['hr'] },
  { tenant: 'default', groups: ['hr', 'ops'], clearance: 2 },
];

const ACCESS = [
  { groups: ['*'], level: 0 },
  { groups: ['hr'], level: 0 },
  { groups: ['ops'], level: 0 },
  { groups: ['*'], level: 2 },
] as const;

const id = fc.constantFrom('a', 'b', 'c', 'd');
const step = fc.record({
  what: fc.constantFrom(
    'write',
    'write',
    'write',
    'remove',
    'restrict',
    'restrict',
    'forget',
    'rebuild',
    'nothing',
  ),
  id,
  word: fc.constantFrom('lantern', 'anchor', 'rope', 'tide'),
  access: fc.constantFrom(...ACCESS),
  /** The run after it dies at this call of the ledger, if it comes so far. */
  death: fc.option(fc.nat({ max: 60 }), { nil: undefined, freq: 2 }),
});

type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

const textOf = (word: string, step: number): string =>
  `A note of the harbour, about the ${word}, number ${step}.`;

/** Whether a scope may read something. */
const admits = ({ groups = [], clearance = 0 }: ScopeInput, { access }: Held): boolean =>
  access.level <= clearance && access.groups.some((group) => group === '*' || groups.includes(group));

/** What a scope may read of a moment: by what held then, and by what the index holds now, or held last. */
function expected({ documents }: Moment, scope: ScopeInput, newest: ReadonlyMap<string, Held>): string[] {
  return [...documents]
    .filter(([name, held]) => admits(scope, held) && admits(scope, newest.get(name) ?? held))
    .map(([name, { text }]) => `${name}: ${text}`)
    .sort();
}

async function found(engine: Engine, scope: ScopeInput, at: number): Promise<string[]> {
  const { results, asOf } = await engine.search(
    {
      text: 'harbour',
      asOf: new Date(at),
      options: {
        topK: 50,
        mode: 'lexical',
        minSimilarity: 0,
        rerank: false,
        nearDuplicates: 'keep',
        collapse: 'none',
        exactWords: true,
      },
    },
    scope,
  );
  expect(asOf?.at).toBe(new Date(at).toISOString());
  return results.map(({ metadata, content }) => `${metadata.source}: ${content}`).sort();
}

async function carryOut(index: RecordedIndex, { what, id: name, word, access, death }: Step, number: number) {
  const { source } = index;
  index.pass(1_000);
  const before = source.get(name);
  if (what === 'write') source.set(name, { text: textOf(word, number), access: before?.access ?? access });
  if (what === 'restrict' && before !== undefined) source.set(name, { ...before, access });
  if (what === 'remove') source.delete(name);
  const isKnown = [
    ...index.present().keys(),
    ...index.moments.flatMap(({ documents }) => [...documents.keys()]),
  ];
  if (what === 'forget' && isKnown.includes(name)) {
    source.delete(name);
    const forget = (engine: Engine) =>
      engine.forget({ documents: [name], source: 'notes', allowAgain: true });
    // It dies in the middle too, and is finished by the next run; where it had not begun, it is said again.
    await index.dieAfter(death ?? Number.POSITIVE_INFINITY, forget);
    await (await index.engine()).index();
    await forget(await index.engine()).catch((error: unknown) => {
      if (!String(error).includes('Nothing is indexed')) throw error;
    });
    index.erase(name);
    return;
  }
  await index.dieAfter(death ?? Number.POSITIVE_INFINITY, (engine) =>
    engine.index(what === 'rebuild' ? { options: { force: true } } : {}),
  );
}

it('shows of every moment what had been committed by then, to who may read it then and now', async () => {
  const script = fc.array(step, { minLength: 2, maxLength: 10 });
  const property = fc.asyncProperty(
    script,
    fc.array(fc.nat(), { minLength: 4, maxLength: 8 }),
    async (steps, picks) => {
      const index = new RecordedIndex(temporaryFolder());
      try {
        for (const [number, one] of steps.entries()) await carryOut(index, one, number);
        await (await index.engine()).index();
        const newest = new Map<string, Held>();
        for (const { documents } of index.moments)
          for (const [name, held] of documents) newest.set(name, held);
        const engine = await index.engine();
        const { moments } = index;
        for (const pick of picks) {
          const place = pick % moments.length;
          const moment = moments[place];
          if (moment === undefined) continue;
          const until = (moments[place + 1]?.at ?? index.now + 1) - 1;
          for (const at of new Set([moment.at, Math.max(moment.at, until)]))
            for (const scope of SCOPES) {
              // Of two at one time the later one holds.
              const last = moments.findLast((other) => other.at <= at) ?? moment;
              expect(await found(engine, scope, at), `at ${at}`).toEqual(expected(last, scope, newest));
            }
        }
        expect((await engine.verify()).drift.filter(({ kind }) => kind === 'history-damaged')).toEqual([]);
      } finally {
        await index.close();
      }
    },
  );
  await fc.assert(property, { numRuns: process.env.RAGSTONE_SLOW === '1' ? 300 : 25 });
}, 600_000);
