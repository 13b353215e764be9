import { types } from 'node:util';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../tests/e2e/temporary-folder.js';
import { RAGError } from '../../core/errors.js';
import { createEngine } from '../../engine/create-engine.js';
import type { Engine, IndexRequest } from '../engine.js';

const BOARD = { tenant: 'default', groups: ['board'], clearance: 9 };

async function withEngine(work: (engine: Engine) => Promise<void>): Promise<void> {
  const engine = await createEngine({ config: { provider: 'memory' }, cwd: temporaryFolder() });
  try {
    await work(engine);
  } finally {
    await engine.close();
  }
}

/** Everything that is read of a value, and how often: `documents.0.access`. */
function watched<T>(value: T, reads: Map<string, number>, path = ''): T {
  if (typeof value !== 'object' || value === null || types.isDate(value) || types.isUint8Array(value))
    return value;
  return new Proxy(value, {
    get(target, key, receiver) {
      const at = `${path}.${String(key)}`;
      reads.set(at, (reads.get(at) ?? 0) + 1);
      return watched(Reflect.get(target, key, receiver), reads, at);
    },
  });
}

const FILTERS = { tags: ['a'], metadata: { team: ['x', 'y'] }, dateRange: { start: new Date(0) } };
const FILTER = { op: 'or' as const, filters: [{ op: 'in' as const, field: 'a', values: [1] }] };

describe('what a program hands in is read once', () => {
  it.each<[string, (engine: Engine, watch: <T>(value: T) => T) => Promise<unknown>]>([
    [
      'documents',
      (engine, watch) =>
        engine.push(
          watch([
            {
              id: 'b',
              text: 'A numbat.',
              title: 'Numbat',
              url: 'https://example.com/',
              metadata: { team: 'x', deep: { list: [1, { a: 2 }] } },
              surroundings: ['Animals'],
              access: { groups: ['*'], level: 0 },
            },
            { id: 'c', bytes: new Uint8Array([65]), mediaType: 'text/plain' },
          ]),
        ),
    ],
    [
      'an index request',
      (engine, watch) =>
        engine.index(
          watch({ documents: [{ id: 'b', text: 'c' }], deleted: ['x'], options: { parallel: 2 } }),
        ),
    ],
    [
      'a search',
      (engine, watch) =>
        engine.search(watch({ text: 'quokka', filters: FILTERS, filter: FILTER, options: { topK: 3 } })),
    ],
    [
      'a question',
      (engine, watch) =>
        engine.ask(
          watch({
            question: 'And it?',
            history: [{ role: 'user' as const, content: 'quokka' }],
            filter: FILTER,
          }),
        ),
    ],
    ['a listing', (engine, watch) => engine.list(watch({ filters: FILTERS, filter: FILTER, limit: 3 }))],
    ['deletions', (engine, watch) => engine.delete(watch(['x', 'y']))],
    ['a verification', (engine, watch) => engine.verify(watch({ repair: false }))],
    ['a scope', (engine, watch) => engine.search('quokka', watch({ ...BOARD, project: 'apollo' }))],
    ['a scope of a view', (engine, watch) => engine.as(watch(BOARD)).push([{ id: 'd', text: 'e' }])],
  ])('%s', async (_, call) => {
    await withEngine(async (engine) => {
      await engine.push([{ id: 'a', text: 'A quokka eats leaves.' }]);
      const reads = new Map<string, number>();
      await call(engine, (value) => watched(value, reads));
      expect(reads.size).toBeGreaterThan(0);
      expect([...reads].filter(([, times]) => times > 1)).toEqual([]);
    });
  });

  it('and stored as it was then', async () => {
    await withEngine(async (engine) => {
      const answers = [{ groups: ['board'] }, { groups: ['*'] }];
      const changing = {
        id: 'pay',
        text: 'Salaries of the board.',
        get access() {
          return answers.length > 1 ? answers.shift() : answers[0];
        },
      };
      await engine.push([changing], BOARD);
      expect((await engine.list({}, BOARD)).documents.map(({ access }) => access.groups)).toEqual([
        ['board'],
      ]);
      expect((await engine.list()).documents).toEqual([]);
    });
  });

  it('and not again when the program changes it', async () => {
    await withEngine(async (engine) => {
      const access = { groups: ['board'], level: 2 };
      const bytes = new TextEncoder().encode('Salaries.');
      const scope = { tenant: 'default', groups: ['board'], clearance: 2 };
      const pushing = engine.push([{ id: 'pay', bytes, access }], scope);
      access.groups[0] = '*';
      access.level = 0;
      bytes.fill(65);
      scope.tenant = 'other';
      await pushing;
      expect((await engine.get('pay', BOARD))?.text).toBe('Salaries.');
      expect((await engine.list()).documents).toEqual([]);
    });
  });
});

it('the scope of a view cannot be widened by its receiver', async () => {
  await withEngine(async (engine) => {
    await engine.push([{ id: 'pay', text: 'Salaries.', access: { groups: ['board'] } }], BOARD);
    const view = engine.as({ tenant: 'default' });
    expect(() => (view.scope.groups as string[]).push('board')).toThrow(TypeError);
    expect(() => Object.assign(view.scope, { clearance: 9 })).toThrow(TypeError);
    expect((await view.list()).documents).toEqual([]);
  });
});

it('what a prototype holds is refused, not overlooked: it may say who may read a document', async () => {
  class Restricted {
    readonly id = 'pay';
    readonly text = 'Salaries.';
    get access() {
      return { groups: ['board'] };
    }
  }
  const inherited = Object.create({ access: { groups: ['board'] } }, {}) as object;
  await withEngine(async (engine) => {
    for (const document of [new Restricted(), Object.assign(inherited, { id: 'pay', text: 'Salaries.' })])
      await expect(engine.push([document])).rejects.toMatchObject({
        reason: 'DOCUMENT_INVALID',
        message: 'Document 1 must be a plain object.',
      });
    const scope = Object.create({ tenant: 'default', clearance: 9 }) as { tenant: string };
    await expect(engine.list({}, scope)).rejects.toMatchObject({ reason: 'SCOPE_INVALID' });
  });
});

const deep = (levels: number): unknown => (levels === 0 ? 1 : { a: deep(levels - 1) });
const cycle: Record<string, unknown> = {};
cycle.self = cycle;

it.each<[string, unknown, string]>([
  [
    '20,000 levels',
    Array.from({ length: 20_000 }).reduce((inner) => ({ a: inner }), 1),
    'metadata.bad.a.a.a',
  ],
  ['60 levels', deep(60), 'at most 50 levels deep'],
  ['a BigInt', 1n, '"metadata.bad"'],
  ['a symbol', Symbol('x'), '"metadata.bad"'],
  ['a function', () => 1, '"metadata.bad"'],
  ['a date', new Date(0), '"metadata.bad"'],
  ['NaN', Number.NaN, '"metadata.bad": it must be a finite number'],
  ['a cycle', cycle, 'metadata.bad.self.self'],
  ['a map', new Map(), '"metadata.bad": it must be a plain object'],
  [
    'a hole',
    Object.assign(new Array(2), { 1: 'b' }),
    '"metadata.bad.0": it must be there: the list has holes',
  ],
  ['nothing in a list', ['a', undefined], '"metadata.bad.1"'],
])('metadata that no store can keep is refused with its document and key: %s', async (_, bad, said) => {
  await withEngine(async (engine) => {
    const request = {
      documents: [
        { id: 'a', text: 'b' },
        { id: 'wiki/7', text: 'c', metadata: { bad } },
      ],
    };
    const refused = await engine.index(request as IndexRequest).catch((error: unknown) => error);
    expect(RAGError.isInstance(refused) && refused.reason).toBe('DOCUMENT_INVALID');
    expect((refused as RAGError).message).toContain('Document 2 ("wiki/7") has a wrong "metadata.bad');
    expect((refused as RAGError).message).toContain(said);
    expect((await engine.list()).documents).toEqual([]);
  });
});

it('a key of metadata that is stated as undefined is left out', async () => {
  await withEngine(async (engine) => {
    await engine.push([{ id: 'a', text: 'b', metadata: { team: undefined, owner: 'Ada' } as never }]);
    expect(Object.keys((await engine.list()).documents[0]?.metadata ?? {})).toContain('owner');
    expect(Object.keys((await engine.list()).documents[0]?.metadata ?? {})).not.toContain('team');
  });
});

it.each([0, -1, 0.5, Number.NaN, Number.POSITIVE_INFINITY])(
  'a number of items at once that would index nothing is refused: %s',
  async (parallel) => {
    await withEngine(async (engine) => {
      const documents = [{ id: 'a', text: 'b' }];
      await expect(engine.index({ documents, options: { parallel } })).rejects.toMatchObject({
        reason: 'USAGE',
      });
      await expect(engine.index({ documents, options: { batchSize: parallel } })).rejects.toMatchObject({
        reason: 'USAGE',
      });
    });
  },
);
