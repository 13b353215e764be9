import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { GraphReference } from './graph.js';
import { type GraphDocument, graphRowsOf, MAX_REFERENCES } from './graph-rows.js';
import {
  boardsName,
  componentName,
  keyName,
  noteName,
  numberName,
  pageName,
  pathName,
  personName,
  sectionName,
  symbolName,
  urlName,
} from './names.js';

const rowsOf = (text: string, changes: Partial<GraphDocument> = {}) =>
  graphRowsOf({ source: 'docs', externalId: 'guide/start.md', metadata: {}, text, ...changes });

const targetsOf = (text: string, changes: Partial<GraphDocument> = {}): string[] =>
  rowsOf(text, changes).references.map(({ target }) => target);

const path = (name: string): string => pathName('docs', name);

describe('links', () => {
  it.each([
    ['Markdown', 'See [it](other.md).', path('guide/other.md')],
    ['with a title', '[it](other.md "Other, \'page\'")', path('guide/other.md')],
    ['in angle brackets', '[it](<my other.md>)', path('guide/my other.md')],
    ['percent-encoded', '[it](my%20other.md)', path('guide/my other.md')],
    ['upwards, with a fragment', '[it](../api/x.md#part)', path('api/x.md')],
    ['with parentheses', '[it](a_(b).md)', path('guide/a_(b).md')],
    ['around an image', '[![badge](b.png)](other.md)', path('guide/other.md')],
    ['over two lines', '[it\nagain](\n  other.md\n)', path('guide/other.md')],
    ['from the root', '[it](/api/x.md)', path('api/x.md')],
    ['by reference', 'See [it][1].\n\n[1]: other.md "Title"', path('guide/other.md')],
    ['HTML', '<a class="x" href="other.md">it</a>', path('guide/other.md')],
    ['reStructuredText', 'See `it <other.rst>`_.', path('guide/other.rst')],
    ['AsciiDoc', 'See xref:other.adoc[it].', path('guide/other.adoc')],
    ['without an extension', '[it](../api/setup)', pageName('docs', 'api/setup')],
    ['to a folder', '[it](../api/)', pageName('docs', 'api')],
    ['an address', 'See https://Example.com/a/?b=1#c.', urlName('https://example.com/a?b=1') ?? ''],
    ['an address in angle brackets', '<http://example.com/a>', urlName('https://example.com/a') ?? ''],
  ])('%s', (_, text, target) => {
    expect(targetsOf(text)).toContain(target);
  });

  const note = (name: string): string => noteName('docs', name);

  it.each([
    ['a note', 'See [[Release Plan]].', note('release plan')],
    ['a note with a text', '[[Release Plan|the plan]]', note('release plan')],
    ['a note with its folder', '[[plans/Release Plan]]', note('plans/release plan')],
    ['a note with its extension', '[[release-plan.md]]', note('release-plan')],
    ['a place in a note', '[[Release Plan#Dates]]', sectionName(note('release plan'), 'Dates')],
    ['the note of a place', '[[Release Plan#Dates|when]]', note('release plan')],
    ['a block of a note', '[[Release Plan#^a1b2]]', note('release plan')],
    ['an embedded note', '![[Release Plan]]', note('release plan')],
    ['a file of Org mode', '[[file:plan.org][the plan]]', path('guide/plan.org')],
    ['a note in another script', '[[計画]]', note('計画')],
  ])('between notes: %s', (_, text, target) => {
    expect(targetsOf(text)).toContain(target);
  });

  it.each([
    ['a test of a shell', 'if [[ -f a ]]; then'],
    ['code', 'Write `[[release plan]]`.'],
    ['a heading of the same note', '[[#Dates]]'],
    ['an anchor of AsciiDoc', '[[anchor]]', { externalId: 'guide/start.adoc' }],
    ['a link whose text is in brackets', '[[1]](#note)'],
  ])('between notes, none of %s', (_, text, changes?: Partial<GraphDocument>) => {
    expect(targetsOf(text, changes)).toEqual([]);
  });

  it.each([
    ['its name', 'notes/plans/Release Plan.md', {}],
    ['its title', 'notes/2024-01-01.md', { title: 'Release Plan' }],
    ['an alias', 'notes/p.md', { metadata: { aliases: ['RP', 'release plan'] } }],
    ['one alias', 'notes/p.md', { metadata: { aliases: 'Release Plan' } }],
    ['its name with low lines', 'Release_Plan.md', {}],
  ])('a note is linked to by %s', (_, externalId, changes) => {
    expect(rowsOf('', { externalId, ...changes }).names).toContain(note('Release Plan'));
  });

  it.each([
    ['inline code', 'Write `[it](other.md)`.'],
    ['a fenced block', '```md\n[it](other.md)\n```\n'],
    ['a fence in a list', '- ~~~\n  [it](other.md)\n  ~~~\n'],
    ['a comment', 'a <!-- [it](other.md)\n\n[1]: other.md -->'],
    ['mail', '[it](mailto:a@b.c)'],
    ['a place in the same page', '[it](#part)'],
    ['what leads out of the source', '[it](../../secret.md)'],
    ['the page itself', '[it](start.md)'],
  ])('none of %s', (_, text) => {
    expect(targetsOf(text)).toEqual([]);
  });
});

it('items are mentioned by key and number, not in the middle of a word', () => {
  expect(targetsOf('PAY-142 fixes #7 and AB#9; see xPAY-1, PAY-1x, a#5, color #12px, /x/#8')).toEqual(
    [keyName('PAY-142'), numberName('docs', '7'), boardsName('9')].sort(),
  );
  expect(targetsOf('', { title: 'Undo PAY-142' })).toEqual([keyName('pay-142')]);
});

it('metadata names relations, people and components', () => {
  const metadata = {
    parent: 41,
    links: ['PAY-9', 42],
    Related_To: [{ key: 'PAY-10', type: 'blocks' }, 'https://wiki.example/x'],
    assignee: ' Ann  Lee ',
    authors: [{ displayName: 'BO' }],
    area: 'Payments\\Cards',
    title: 'PAY-77',
  };
  expect(new Set(rowsOf('', { metadata }).references)).toEqual(
    new Set<GraphReference>([
      { kind: 'relation', target: numberName('docs', '41') },
      { kind: 'relation', target: numberName('docs', '42') },
      { kind: 'relation', target: keyName('PAY-9') },
      { kind: 'relation', target: path('PAY-9') },
      { kind: 'relation', target: keyName('PAY-10') },
      { kind: 'relation', target: path('PAY-10') },
      { kind: 'relation', target: urlName('https://wiki.example/x') ?? '' },
      { kind: 'person', target: personName('ann lee') },
      { kind: 'person', target: personName('bo') },
      { kind: 'component', target: componentName('payments\\cards') },
    ]),
  );
});

it('a link to a section is one to its page, and says which', () => {
  const page = path('guide/other.md');
  expect(targetsOf('[it](other.md#How-To_do-it) and [more](other.md)')).toEqual(
    [page, sectionName(page, 'How to do it')].sort(),
  );
  const url = urlName('https://example.com/a') ?? '';
  expect(targetsOf('https://example.com/a#b')).toEqual([sectionName(url, 'B'), url].sort());
  expect(targetsOf('[it](start.md#part)')).toEqual([]);
});

it('commits that changed a file are shared, the last one alone is not', () => {
  expect(rowsOf('', { metadata: { commit: 'abc', commits: ['abc', 'def'] } }).references).toEqual([
    { kind: 'commit', target: 'commit:abc' },
    { kind: 'commit', target: 'commit:def' },
  ]);
});

describe('symbols', () => {
  const symbols = (text: string): string[] =>
    rowsOf(text)
      .references.filter(({ kind }) => kind === 'symbol')
      .map(({ target }) => target);

  it('are named in code, and in prose where they are written like no word', () => {
    expect(symbols('Call `createEngine()`, or `Engine.open`; then read_file and HttpServer.')).toEqual(
      ['createEngine', 'Engine', 'read_file', 'HttpServer'].map(symbolName).sort(),
    );
    expect(symbols('```ts\nnew ChunkStore(options)\n```\n')).toEqual([symbolName('ChunkStore')]);
  });

  it.each([
    'Engine is a word.',
    '`open` it',
    'the README',
    'camel-Case',
    'GitHub-x',
    '<!-- `createEngine` -->',
  ])('none in %s', (text) => {
    expect(symbols(text)).toEqual([]);
  });

  it.each([
    ['a.ts', 'export async function readFile() {}', 'readFile'],
    ['a.ts', 'export const MAX_SIZE = 3;', 'MAX_SIZE'],
    ['a.ts', 'export default abstract class ChunkStore {}', 'ChunkStore'],
    ['a.js', 'exports.readFile = () => {};', 'readFile'],
    ['a.py', 'class Chunk_Store(Base):\n    pass', 'Chunk_Store'],
    ['a.py', 'async def read_file(path):', 'read_file'],
    ['a.go', 'func (s *Store) ReadFile(path string) error {', 'ReadFile'],
    ['a.rs', '    pub(crate) async fn read_file(path: &str) {', 'read_file'],
    ['a.java', '  public static final class ChunkStore {', 'ChunkStore'],
    ['a.kt', 'private fun readFile(path: String) {', 'readFile'],
    ['a.c', 'static int read_file(const char *path)\n{', 'read_file'],
    ['a.h', '#define MAX_SIZE 3', 'MAX_SIZE'],
    ['a.rb', '  def self.read_file(path)', 'read_file'],
  ])('%s defines %s', (externalId, text, symbol) => {
    expect(rowsOf(text, { externalId }).names).toContain(symbolName(symbol));
  });

  it.each([
    ['a.ts', 'const readFile = 1;'],
    ['a.ts', '  function readFile() {}'],
    ['a.ts', 'export const open = 1;'],
    ['a.md', 'export const readFile = 1;'],
  ])('%s does not define what %s holds', (externalId, text) => {
    expect(rowsOf(text, { externalId }).names.filter((name) => name.startsWith('symbol:'))).toEqual([]);
  });
});

it('says what it leaves out of a text that refers to very much', () => {
  const many = Array.from({ length: MAX_REFERENCES + 5 }, (_, n) => `PAY-${n}`);
  const { references, cut } = rowsOf(many.join(' '));
  expect(references).toHaveLength(MAX_REFERENCES);
  expect(cut).toBe('The graph keeps the first 10000 of 10005 things that it refers to.');
  expect(rowsOf(many.slice(5).join(' ')).cut).toBeUndefined();
});

/** Whether one document refers to another. */
const reaches = (from: Partial<GraphDocument>, to: Partial<GraphDocument>): boolean => {
  const { names } = rowsOf('', to);
  return targetsOf(from.text ?? '', from).some((target) => names.includes(target));
};

it.each([
  ['import { open } from "./store.js";', 'src/a.ts', 'src/store.ts'],
  ['const x = require("../lib")', 'src/a.js', 'lib/index.js'],
  ['export * from "./parts"', 'src/a.ts', 'src/parts/index.ts'],
  ['await import("./lazy.mjs")', 'src/a.mts', 'src/lazy.mts'],
  ['from .store import Store', 'pkg/a.py', 'pkg/store.py'],
  ['from . import store', 'pkg/a.py', 'pkg/store.py'],
  ['from ..core.ids import id_of', 'pkg/sub/a.py', 'pkg/core/ids.py'],
  ['import pkg.store as s', 'a.py', 'pkg/store.py'],
  ['from pkg import x', 'a.py', 'pkg/__init__.py'],
])('%s in %s loads %s', (text, from, to) => {
  expect(reaches({ externalId: from, text }, { externalId: to })).toBe(true);
  expect(reaches({ externalId: from, text }, { externalId: 'other/z.ts' })).toBe(false);
});

it('a document is called by path, page, key, number and address', () => {
  const { names } = rowsOf('', {
    externalId: 'items/README.md',
    metadata: { url: 'https://x.example/p/', pbi_id: 'pay-3', workItemId: 12 },
  });
  expect(new Set(names)).toEqual(
    new Set([
      path('items/README.md'),
      pageName('docs', 'items/README'),
      pageName('docs', 'items'),
      noteName('docs', 'README'),
      noteName('docs', 'items/README'),
      keyName('PAY-3'),
      numberName('docs', '12'),
      boardsName('12'),
      urlName('http://x.example/p') ?? '',
    ]),
  );
  expect(rowsOf('', { externalId: 'out.json#PBI-1' }).names).toContain(keyName('PBI-1'));
  expect(rowsOf('', { externalId: 'tickets/OPS-7.md' }).names).toContain(keyName('OPS-7'));
});

it('rows are sorted, each once, none to the document itself, whatever the text is', () => {
  const piece = fc.oneof(
    fc.constantFrom(
      '[a](b.md)',
      '](',
      '](<',
      '[x]: ',
      '```',
      '~~~',
      '`',
      '\n',
      '\n\n',
      '#1',
      'A-1',
      '<a href="',
      '"',
      ' ',
    ),
    fc.string({ unit: 'grapheme', maxLength: 8 }),
  );
  const text = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(''));
  fc.assert(
    fc.property(text, fc.constantFrom('a.md', 'b.ts', 'c.py', ''), (given, externalId) => {
      const { names, references } = rowsOf(given, { externalId });
      expect(names).toEqual([...new Set(names)].sort());
      const keys = references.map(({ kind, target }) => `${kind} ${target}`);
      expect(new Set(keys).size).toBe(keys.length);
      expect(references.filter(({ target }) => names.includes(target))).toEqual([]);
      expect(rowsOf(given, { externalId })).toEqual({ names, references });
    }),
  );
});

it('a link is found wherever it stands among other text', () => {
  const words = fc.stringMatching(/^[a-z ,.]{0,30}$/);
  const name = fc.stringMatching(/^[a-z]{1,8}$/);
  fc.assert(
    fc.property(fc.array(fc.tuple(words, name), { minLength: 1, maxLength: 6 }), (parts) => {
      const text = parts.map(([before, target]) => `${before} [x](${target}.md)`).join('\n');
      const wanted = parts
        .map(([, target]) => path(`guide/${target}.md`))
        .filter((to) => to !== path('guide/start.md'));
      expect(new Set(targetsOf(text).filter((target) => target.startsWith('path:')))).toEqual(
        new Set(wanted),
      );
    }),
  );
});

it('takes hostile texts in little time for each character', () => {
  for (const piece of [
    '](',
    '](<',
    '[x]: ',
    '](a "',
    "](a '",
    '](a (',
    '`',
    '<a href="',
    '`a <b',
    ':doc:`',
    'from ',
    '#',
    'A-',
    'public ',
    'a *b(',
    'class A_',
    'const\n',
  ])
    for (const externalId of ['a.md', 'a.ts', 'a.py', 'a.c', 'a.rs'])
      expect(rowsOf(piece.repeat(20_000), { externalId }).references.length).toBeLessThan(5);
});
