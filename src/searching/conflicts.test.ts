import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ConflictsResponse, Engine, PushedDocument } from '../index.js';
import { createEngine } from '../index.js';

const EXAMINED = { provider: 'libsql', conflicts: { enabled: true } } as const;

let folder: string;
let engine: Engine;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ragstone-conflicts-'));
  engine = await createEngine({ dataDir: folder, cwd: folder, config: EXAMINED });
});
afterEach(async () => {
  await engine.close();
  rmSync(folder, { recursive: true, force: true });
});

const page = (id: string, text: string, changes: Partial<PushedDocument> = {}): PushedDocument => ({
  id,
  title: `Page ${id}`,
  text,
  ...changes,
});

const updated = (updatedAt: string): Partial<PushedDocument> => ({ metadata: { updatedAt } });

const RETRIES = 'Failed card payments are retried after 3 days by the billing service.';
const RETRIES_LATER = 'Failed card payments are retried after 5 days by the billing service.';

/** A finding in short. */
const inShort = ({ findings }: ConflictsResponse): string[] =>
  findings.map(({ kind, differences, passages }) => {
    const places = passages.map(({ places: found }) => found.map(({ externalId }) => externalId).join('+'));
    return [kind, ...differences.map(({ first, second }) => `${first} / ${second}`), ...places].join(' | ');
  });

it('shows both statements, what differs, and the newer document first', async () => {
  await engine.push([
    page('old', `# Cards\n\n${RETRIES} More.`, updated('2023-01-01T00:00:00Z')),
    page('new', `Intro.\n\n${RETRIES_LATER}`, updated('2024-01-01T00:00:00Z')),
  ]);
  const found = await engine.conflicts();
  expect(inShort(found)).toEqual(['conflict | 5 days / 3 days | new | old']);
  const [finding] = found.findings;
  expect(finding?.passages.map(({ quote }) => quote)).toEqual([RETRIES_LATER, RETRIES]);
  expect(finding?.passages.map(({ places }) => places[0])).toMatchObject([
    { externalId: 'new', date: '2024-01-01T00:00:00Z', lines: { start: 3, end: 3 } },
    { externalId: 'old', date: '2023-01-01T00:00:00Z', lines: { start: 3, end: 3 }, offsets: { start: 9 } },
  ]);
  expect(found).toMatchObject({
    totals: { conflict: 1, duplicate: 0 },
    examined: 2,
    notExamined: [],
    notices: [],
  });
});

it('finds passages that several documents have, as one finding', async () => {
  const shared = `${RETRIES} The customer gets a mail with each attempt. After the last one the subscription is paused until somebody pays.`;
  await engine.push([
    page('a', `First of all.\n\n${shared}\n\nThe end of a.`),
    page('b', `${shared}`),
    page('c', `Something else.\n\n${shared.replaceAll('. ', '.\n')}`),
  ]);
  const found = await engine.conflicts();
  const [finding, ...others] = inShort(found).map((line) => line.split(' | '));
  expect([finding?.[0], finding?.slice(1).sort(), others]).toEqual(['duplicate', ['a', 'b', 'c'], []]);
  expect(found.findings[0]?.passages.map(({ quote }) => quote.replaceAll('\n', ' '))).toEqual([
    shared,
    shared,
    shared,
  ]);
  expect((await engine.conflicts({ kinds: ['conflict'] })).totals).toEqual({ conflict: 0, duplicate: 1 });
});

it('names every document that says the same', async () => {
  await engine.push([page('a', RETRIES), page('b', RETRIES), page('c', RETRIES_LATER)]);
  expect(inShort(await engine.conflicts({ kinds: ['conflict'] }))).toEqual([
    expect.stringMatching(/^conflict \| (5 days \/ 3 days \| c \| a\+b|3 days \/ 5 days \| a\+b \| c)$/),
  ]);
});

it('leaves out what one document says of two cases', async () => {
  await engine.push([page('a', RETRIES), page('b', `${RETRIES_LATER} In the shop:\n\n${RETRIES}`)]);
  expect((await engine.conflicts()).totals.conflict).toBe(0);
});

describe('pages that share most of their sentences', () => {
  const leave = (weeks: number): string =>
    [
      `Eligible teammates get ${weeks} weeks of paid leave within one year.`,
      `Whoever plans to extend the leave past ${weeks} weeks tells the people team in good time.`,
      `Anything over ${weeks} weeks of leave is not covered by the insurance of the company.`,
    ].join('\n\n');
  const conflictsOf = async (one: string, other: string): Promise<ConflictsResponse> => {
    await engine.push([page('1', leave(4), { title: one }), page('2', leave(16), { title: other })]);
    return engine.conflicts({ kinds: ['conflict'] });
  };

  it('are siblings where each is named after a thing of its own, and the response says so', async () => {
    const { totals, notices } = await conflictsOf('Medical leave', 'Parental leave');
    expect(totals.conflict).toBe(0);
    expect(notices.join()).toMatch(/^3 pairs were left out as sibling pages/);
  });

  it.each([
    ['Parental leave', 'Parental leave'],
    ['Parental leave 2023', 'Parental leave 2024'],
    ['Parental leave policy', 'Parental leave guide'],
    ['Parental leave', 'Parental leave for managers'],
  ])('are copies that grew apart where they are called %s and %s', async (one, other) => {
    expect((await conflictsOf(one, other)).totals.conflict).toBe(3);
  });
});

it('follows edits and deletions at once', async () => {
  await engine.push([page('a', RETRIES), page('b', RETRIES_LATER)]);
  expect((await engine.conflicts()).totals.conflict).toBe(1);
  await engine.push([page('b', RETRIES)]);
  expect((await engine.conflicts()).totals.conflict).toBe(0);
  await engine.push([page('b', RETRIES_LATER)]);
  expect((await engine.conflicts()).totals.conflict).toBe(1);
  await engine.delete(['a']);
  expect(await engine.conflicts()).toMatchObject({ totals: { conflict: 0 }, examined: 1 });
});

it('says what was not examined, and why nothing is', async () => {
  const off = await createEngine({
    dataDir: folder,
    cwd: folder,
    config: { provider: 'libsql', conflicts: { enabled: false } },
  });
  await off.push([page('a', RETRIES), page('b', RETRIES_LATER)]);
  await expect(off.conflicts()).rejects.toMatchObject({
    reason: 'CONFLICTS_OFF',
    message: expect.stringContaining('rag.conflicts.enabled'),
  });
  await off.close();
  const found = await engine.conflicts();
  expect(found).toMatchObject({ findings: [], examined: 0, noticeKinds: ['conflicts-incomplete'] });
  expect(found.notExamined).toHaveLength(2);
  await engine.push([page('c', 'Another page about nothing of that.')]);
  expect(await engine.conflicts()).toMatchObject({ totals: { conflict: 1 }, examined: 3, notExamined: [] });
});

it('refuses what it does not know', async () => {
  await expect(engine.conflicts({ limit: 0 })).rejects.toMatchObject({ reason: 'USAGE' });
  await expect(engine.conflicts({ kinds: ['other'] as never })).rejects.toMatchObject({ reason: 'USAGE' });
  await expect(
    createEngine({ dataDir: folder, cwd: folder, config: { conflicts: { enable: true } as never } }),
  ).rejects.toMatchObject({ reason: 'CONFIG_INVALID' });
});

describe('what may not be read', () => {
  const hidden = { access: { groups: ['staff'], level: 2 } };
  const STAFF = { tenant: 'default', groups: ['staff'], clearance: 2 };

  it('is in no finding, and changes none of those that are shown', async () => {
    const long = `${RETRIES} The customer gets a mail with each attempt. After the last one the subscription is paused.`;
    const open = [page('a', long), page('b', RETRIES_LATER), page('c', long)];
    const secret = Array.from({ length: 12 }, (_, at) =>
      page(`secret-${at}`, `${long.replace('3 days', `${at + 10} days`)} Secret ${at}.`, hidden),
    );
    const admin = engine.as(STAFF);
    await admin.push([...open, ...secret]);
    expect((await admin.conflicts()).examined).toBe(15);
    const seen = await engine.conflicts();
    expect(JSON.stringify(seen)).not.toContain('ecret');
    const bare = await createEngine({ dataDir: join(folder, 'bare'), cwd: folder, config: EXAMINED });
    try {
      await bare.push(open);
      expect(await bare.conflicts()).toEqual(seen);
      expect(seen.totals).toEqual({ conflict: 1, duplicate: 1 });
    } finally {
      await bare.close();
    }
  });

  it('is not named among what was not examined', async () => {
    const off = await createEngine({
      dataDir: folder,
      cwd: folder,
      config: { provider: 'libsql', conflicts: { enabled: false } },
    });
    await off.as(STAFF).push([page('a', RETRIES, hidden)]);
    await off.close();
    expect(await engine.conflicts()).toMatchObject({ notExamined: [], notices: [] });
    expect((await engine.as(STAFF).conflicts()).notExamined).toHaveLength(1);
  });

  it('is of another tenant or project', async () => {
    await engine.push([page('a', RETRIES)]);
    await engine.as({ tenant: 'other' }).push([page('b', RETRIES_LATER)]);
    await engine.as({ tenant: 'default', project: 'p' }).push([page('c', RETRIES_LATER)]);
    const totalOf = async (scope: { tenant: string; project?: string }) =>
      (await engine.as(scope).conflicts()).totals.conflict;
    expect(await totalOf({ tenant: 'other' })).toBe(0);
    expect(await totalOf({ tenant: 'default', project: 'p' })).toBe(0);
    expect(await totalOf({ tenant: 'default' })).toBe(1);
  });
});

/** Statements that agree with some and contradict others. */
const statement = fc
  .record({
    what: fc.constantFrom('card payments', 'bank transfers'),
    days: fc.integer({ min: 2, max: 3 }),
    not: fc.boolean(),
  })
  .map(
    ({ what, days, not }) =>
      `Failed ${what} are ${not ? 'not ' : ''}retried after ${days} days by the billing service of the shop.`,
  );
const text = fc.array(statement, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('\n\n'));
const name = fc.constantFrom('a', 'b', 'c', 'd', 'e');
const edits = fc.array(fc.oneof(fc.record({ push: name, text }), fc.record({ delete: name })), {
  minLength: 3,
  maxLength: 12,
});

it('after any edits the findings are those of a rebuild', async () => {
  let found = 0;
  let run = 0;
  await fc.assert(
    fc.asyncProperty(edits, async (script) => {
      run++;
      const open = (place: string) =>
        createEngine({ dataDir: join(folder, `${run}-${place}`), cwd: folder, config: EXAMINED });
      const [edited, rebuilt] = [await open('edited'), await open('rebuilt')];
      const world = new Map<string, string>();
      try {
        for (const edit of script) {
          if ('push' in edit) {
            await edited.push([page(edit.push, edit.text)]);
            world.set(edit.push, edit.text);
          } else {
            await edited.delete([edit.delete]);
            world.delete(edit.delete);
          }
        }
        await rebuilt.push([...world].map(([id, content]) => page(id, content)));
        const expected = await rebuilt.conflicts();
        found += expected.findings.length;
        expect(await edited.conflicts()).toEqual(expected);
      } finally {
        await edited.close();
        await rebuilt.close();
      }
    }),
    { numRuns: 5 },
  );
  expect(found).toBeGreaterThan(2);
});

describe('an answer', () => {
  const question = 'After how many days are failed card payments retried?';
  const pages = [
    page('old', RETRIES, updated('2023-01-01T00:00:00Z')),
    page('new', RETRIES_LATER, updated('2024-01-01T00:00:00Z')),
  ];

  it('names sources that contradict each other, and its context does', async () => {
    await engine.push(pages);
    const answer = await engine.ask(question);
    expect(answer.conflicts?.map(({ statements }) => statements.map(({ source }) => source))).toEqual([
      ['new', 'old'],
    ]);
    expect(answer.noticeKinds).toContain('sources-conflict');
    expect(answer.notices.join()).toContain(
      `new (2024-01-01) says "${RETRIES_LATER}", older old (2023-01-01)`,
    );
    const context = await engine.context(question);
    expect(context.conflicts).toHaveLength(1);
    expect(context.text).toMatch(
      /Passages \[\d\] and \[\d\] contradict each other; \[\d\] is newer \(2024-01-01\)/,
    );
    expect(context.tokens.used).toBeLessThanOrEqual(context.tokens.budget);
  });

  it('does not where it is switched off, or where one of them may not be read', async () => {
    const [old, young] = pages;
    await engine.as({ tenant: 'default', groups: ['staff'], clearance: 2 }).push([
      { ...page('old', RETRIES), ...old },
      { ...page('new', RETRIES_LATER), ...young, access: { groups: ['staff'], level: 2 } },
    ]);
    const answer = await engine.ask(question);
    expect(answer.conflicts).toBeUndefined();
    expect(answer.noticeKinds).not.toContain('sources-conflict');
    const off = await createEngine({
      dataDir: folder,
      cwd: folder,
      config: { provider: 'libsql', conflicts: { enabled: false } },
    });
    const told = await off.as({ tenant: 'default', groups: ['staff'], clearance: 2 }).ask(question);
    expect(told.sources).toHaveLength(2);
    expect(told.conflicts).toBeUndefined();
    await off.close();
  });
});
