import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEngine } from '../engine/create-engine.js';
import type { Engine } from '../operations/engine.js';
import { collectionOf, membersOf } from '../stores/collection-members.js';
import { createMemoryStore } from '../stores/memory/memory-store.js';
import type { VectorStore } from '../stores/vector-store.js';

const PAGES = Object.entries({
  scattered: 'The red valve is by the door and the green lamp.',
  phrase: 'The door is by the red lamp. A green valve is here, by the door.',
  animal: 'The jaguar is an animal that swims well and hunts at dusk.',
  car: 'The jaguar car is a classic. The car club meets in May.',
  cars: 'Jaguar: of the old cars it is the one that was sold most.',
  system: 'The jaguar release of the system was the second one.',
  xk441: 'Order XK-441 for the pump house.',
  xk449: 'Spare part XK-449 fits nothing else.',
  xk55: 'The XK-55 was withdrawn.',
  tar: 'Unpack the release with `tar -xzf release.tar`.',
  c: 'The language C: a guide to pointers.',
  cpp: 'The language C++: a guide to templates.',
  csharp: 'The language C#: a guide to properties.',
  size: 'Die Größe der Prüfräume steht im Plan.',
  management: 'وإدارة المخاطر من مهام اللجنة.',
  chaining: 'The operator `?.` reads a field where there is one.',
  coalescing: 'With `??` a value has another in its place.',
  arrow: 'A function is written with `=>` between both.',
  configuration: 'Reconfiguring takes a while. Configuration happens at the start.',
  configured: 'It is configured by the owner.',
  ...Object.fromEntries(
    Array.from({ length: 20 }, (_, i) => [
      `filler${i}`,
      `The filler page ${i} tells of the things that are done in the depot and who does them.`,
    ]),
  ),
}).map(([id, text]) => ({ id, text }));

const folders: string[] = [];
const newFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'operators-'));
  folders.push(folder);
  return folder;
};
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});

/** A store that cannot list its terms. */
function withoutTerms(): VectorStore {
  const store = createMemoryStore();
  return {
    name: 'without-terms',
    capabilities: store.capabilities,
    describe: (name) => store.describe(name),
    drop: (name) => store.drop(name),
    health: () => store.health(),
    close: () => store.close(),
    open: async (spec) => collectionOf({ ...membersOf(await store.open(spec)), termsBeginning: undefined }),
  };
}

describe.each([
  ['memory', () => ({ config: { provider: 'memory' } })],
  ['libsql', () => ({ config: { provider: 'libsql' } })],
  ['a store that cannot list its terms', () => ({ config: {}, store: withoutTerms() })],
] as const)('operators of a query: %s', (_, options) => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await createEngine({ ...options(), dataDir: newFolder() } as Parameters<typeof createEngine>[0]);
    await engine.push(PAGES);
  });
  afterAll(() => engine.close());

  const search = async (text: string, options = {}) => {
    const { results, notices } = await engine.search({ text, options: { topK: 10, ...options } });
    return { found: results.map(({ metadata }) => metadata.source), notices };
  };

  it.each([
    ['"green valve"', ['phrase']],
    ['"GREEN VALVE"', ['phrase']],
    ['“green valve”', ['phrase']],
    ['XK-44*', ['xk441', 'xk449']],
    ['configura*', ['configuration']],
    ['"jaguar" -car', ['animal', 'system']],
    ['"C#"', ['csharp']],
    ['"C++"', ['cpp']],
    ['"C"', ['c']],
    ['"language C#"', ['csharp']],
    ['groesse*', ['size']],
    ['Größ*', ['size']],
    ['"die groesse der pruefraeume"', ['size']],
  ])('%s finds what has it, and nothing else', async (text, expected) => {
    const { found } = await search(text);
    expect(found.toSorted()).toEqual(expected);
  });

  it.each(['hybrid', 'lexical', 'dense'] as const)('leaves out what holds a word: mode %s', async (mode) => {
    const { found, notices } = await search('jaguar -car', { mode });
    expect(found).toEqual(expect.arrayContaining(['animal', 'system']));
    expect(found).not.toContain('car');
    expect(found).not.toContain('cars');
    expect(notices).toContain('Passages that hold "car" are left out.');
  });

  it('says of a number behind a minus sign that it leaves out nothing', async () => {
    const { notices } = await search('jaguar -car -5');
    expect(notices).toContain('"-5" leaves out nothing: of numbers, versions such as -4.1.0 do.');
  });

  it('says that what is left out holds all other words, where nothing else does', async () => {
    const { found, notices } = await search('red lamp -valve');
    expect(found).not.toContain('phrase');
    expect(notices).toContain(
      'Passages that hold "valve" are left out; 2 of them hold all other words of the query. A search without the minus sign shows them.',
    );
  });

  it.each([
    ['إدارة المخاطر', 'management'],
    ['إدارة', 'management'],
    ['وإدارة', 'management'],
  ])('a conjunction that is part of an Arabic word hides nothing: %s', async (text, expected) => {
    expect((await search(text, { mode: 'lexical' })).found).toContain(expected);
  });

  it.each(['-C++ guide', 'guide -C++'])('leaves out a name with signs: %s', async (text) => {
    const { found, notices } = await search(text, { mode: 'lexical' });
    expect(found.toSorted()).toEqual(['c', 'csharp']);
    expect(notices).toContain('Passages that hold "C++" are left out.');
  });

  it.each([
    ['?.', 'chaining'],
    ['what is ?.', 'chaining'],
    ['??', 'coalescing'],
    ['what does ?? do?', 'coalescing'],
    ['=>', 'arrow'],
    ['"=>"', 'arrow'],
  ])('finds what tells of an operator of a language: %s', async (text, expected) => {
    const { results, noticeKinds } = await engine.search({ text });
    expect(results[0]?.metadata.source).toBe(expected);
    expect(results[0]?.score).toBeGreaterThan(0.3);
    expect(noticeKinds).not.toContain('query-wordless');
    const { sources, notices } = await engine.ask({ question: text });
    expect(sources[0]?.source).toBe(expected);
    expect(notices.join(' ')).not.toContain('holds');
  });

  it.each(['-log', '-C++', '-jaguar -"fast boat"'])(
    'a query of exclusions alone finds nothing, and says so: %s',
    async (text) => {
      const { found, notices } = await search(text);
      expect(found).toEqual([]);
      expect(notices.join(' ')).toContain('The query only leaves passages out, and that finds nothing.');
    },
  );

  it('shows what holds the phrase of a longer query first', async () => {
    const { found } = await search('which door has the "green valve"');
    expect(found[0]).toBe('phrase');
    expect(found).toContain('scattered');
  });

  it('says that no passage holds a phrase, and shows what holds its words', async () => {
    const { found, notices } = await search('"valve green"');
    expect(found).toEqual(expect.arrayContaining(['phrase', 'scattered']));
    expect(notices).toContain(
      'No passage holds the words "valve green" side by side; what is shown holds some of the words.',
    );
  });

  it('takes for text what passages hold as the option of a command', async () => {
    const { found, notices } = await search('tar -xzf');
    expect(found[0]).toBe('tar');
    expect(notices.join(' ')).toContain('`-xzf` stands so in passages');
    expect((await search('tar -"xzf"')).found).not.toContain('tar');
  });

  it('corrects no beginning of a word', async () => {
    const { correction } = await engine.search({ text: 'jagua*' });
    expect(correction).toBeUndefined();
  });

  it('tells why a page is missing', async () => {
    const { reason } = await engine.explainMiss('jaguar -car', 'car');
    expect(reason).toContain('it holds "car", which the query leaves out');
  });
});

describe.each([
  ['memory', () => ({ config: { provider: 'memory' } })],
  ['libsql', () => ({ config: { provider: 'libsql' } })],
  ['a store that cannot list its terms', () => ({ config: {}, store: withoutTerms() })],
] as const)('beginnings of words that a scope may not read: %s', (_, options) => {
  const STAFF = { tenant: 'default', groups: ['staff'], clearance: 2 };
  let engine: Engine;
  const words = Array.from({ length: 5_000 }, (_, i) => `zeb${String.fromCharCode(97 + (i % 26))}${i}`);
  beforeAll(async () => {
    engine = await createEngine({ ...options(), dataDir: newFolder() } as Parameters<typeof createEngine>[0]);
    await engine.push([
      { id: 'open', text: 'The zebzzz stands by the fence of the meadow.' },
      { id: 'other', text: 'Whoever reads this may read it.' },
    ]);
    await engine.as(STAFF).push([
      { id: 'staff', text: `${words.join(' ')}.`, access: { groups: ['staff'] } },
      { id: 'level', text: `The zebqqq and ${words.join('x ')}.`, access: { groups: ['*'], level: 2 } },
    ]);
  });
  afterAll(() => engine.close());

  it('neither crowd out a word that it may read nor are told of', async () => {
    const { results, notices } = await engine.search({ text: 'zeb*', options: { topK: 10 } });
    expect(results.map(({ metadata }) => metadata.source)).toEqual(['open']);
    expect(notices.join(' ')).not.toMatch(/More than|No passage/);
  });

  it('are no words where it may read none that begins so', async () => {
    const { results, notices } = await engine.search({ text: 'zebq*' });
    const none = await engine.search({ text: 'zebvv*' });
    expect(results.map(({ content }) => content).toSorted()).toEqual(
      none.results.map(({ content }) => content).toSorted(),
    );
    expect(notices).toContain(
      'No passage holds a word that begins with "zebq"; what is shown holds some of the words.',
    );
    expect(notices.map((notice) => notice.replace('zebq', 'zebvv'))).toEqual(none.notices);
  });

  it('are words for who may read them', async () => {
    const { notices } = await engine.as(STAFF).search({ text: 'zeb*' });
    expect(notices.join(' ')).toContain('More than 256 words begin with "zeb"');
  });
});
