import fc from 'fast-check';
import { expect } from 'vitest';
import type { ScopeInput } from '../../src/core/scope.js';
import type { Engine } from '../../src/operations/engine.js';
import { temporaryFolder } from '../e2e/temporary-folder.js';
import { type Held, type Moment, type OpenBooks, RecordedIndex } from './recorded-index.js';

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
    'reembed',
    'go-back',
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
  if (what === 'reembed' || what === 'go-back') {
    const change = what === 'reembed' ? otherModel : goBack;
    await index.dieAfter(death ?? Number.POSITIVE_INFINITY, change);
    return;
  }
  await index.dieAfter(death ?? Number.POSITIVE_INFINITY, (engine) =>
    engine.index(what === 'rebuild' ? { options: { force: true } } : {}),
  );
}

/** Vectors of the model that the index is not made with; an index of nothing has none. */
async function otherModel(engine: Engine): Promise<void> {
  if ((await engine.generations()).length > 0) await engine.reembed({ model: 'builtin', switch: 'always' });
}

async function goBack(engine: Engine): Promise<void> {
  const retired = (await engine.generations()).find(({ state }) => state === 'retired');
  if (retired !== undefined) await engine.useGeneration(retired.generation);
}

/** Holds searches at random moments of random scripts against the record of what had been committed by then. */
export async function testMoments(openBooks: () => OpenBooks, runs: number): Promise<void> {
  const script = fc.array(step, { minLength: 2, maxLength: 10 });
  const property = fc.asyncProperty(
    script,
    fc.array(fc.nat(), { minLength: 4, maxLength: 8 }),
    async (steps, picks) => {
      const index = new RecordedIndex(temporaryFolder(), openBooks());
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
  await fc.assert(property, { numRuns: runs });
}
