import { describe, expect, test } from 'vitest';
import { placed, readQuestions, SAMPLE, settingsOf } from '../screens/compare/settings.js';
import { filtersOf, readField, searchOf, writeField } from '../screens/search/search-request.js';
import { readAddress, withQuery, writeAddress } from '../state/address.js';
import { asCommand, asCurl, asMcpCall, quoted } from './copy-as.js';
import { lineOf, Rows } from './lines.js';
import { excerptStart, markWords, outdented, plainExcerpt, unwrapped, wantedWords } from './marks.js';
import { ageOf, millisecondsOf, shown } from './shown.js';
import { stepName } from './steps.js';

describe('addresses', () => {
  test('come back as they were written', () => {
    const address = {
      screen: 'documents',
      id: 'a/b?c#d',
      query: { q: ['x & y'], tag: ['one', 'two'] },
    } as const;
    expect(readAddress(writeAddress(address))).toEqual(address);
  });

  test('of no screen lead to the search, and names of objects are names', () => {
    expect(readAddress('#/nowhere?__proto__=x&toString=y')).toMatchObject({ screen: 'search' });
    expect(Object.keys(readAddress('#/?__proto__=x').query)).toEqual(['__proto__']);
    expect(readAddress('#/documents/%zz').id).toBe('%zz');
  });

  test('lose what is emptied', () => {
    const address = readAddress('#/search?q=a&type=b');
    expect(writeAddress(withQuery(address, { type: [] }))).toBe('#/search?q=a');
  });

  test('say filters as the routes take them', () => {
    expect(
      filtersOf(readAddress('#/search?type=a&type=b&since=2026-01-02&until=nonsense&m.level=3&m.team=pay')),
    ).toEqual({
      documentTypes: ['a', 'b'],
      since: '2026-01-02T00:00:00Z',
      metadata: { level: [3], team: ['pay'] },
    });
    expect(searchOf(readAddress('#/search?q=+a+&top=999&mode=evil'))).toEqual({
      query: 'a',
      topK: 10,
      filters: {},
    });
  });

  test.each<string | number | boolean>(['pay', '3', 3, true, 'true', '"', 'a b', ''])(
    'keep the kind of %j',
    (value) => {
      expect(readField(writeField(value))).toBe(value);
    },
  );

  test('name settings; what is none is passed over', () => {
    expect(
      settingsOf(readAddress('#/compare?a.rerank=false&a.topK=7&a.mode=evil&a.minScore=9&b.topK=3'), 'a'),
    ).toEqual({
      rerank: false,
      topK: 7,
    });
  });
});

describe('question sets', () => {
  const one = { id: 'a', question: 'When?', gold: [{ path: 'a.md', quote: 'At four.' }] };

  test.each([
    ['a list', JSON.stringify([one])],
    ['an object', JSON.stringify({ questions: [one] })],
    ['lines', `${JSON.stringify(one)}\n`],
  ])('are read as %s', (_, text) => {
    expect(readQuestions(text)).toEqual([{ ...one, alternates: [] }]);
  });

  test('keep their type, and the sample of the page is one', () => {
    expect(readQuestions(SAMPLE)).toMatchObject([
      { id: 'q1', type: 'lookup', gold: [{ path: 'audit.md' }], alternates: [] },
      { id: 'q2' },
    ]);
  });

  test('about a folder have the paths of the index, where one document alone is meant', () => {
    const gold = ['a.md', 'b.md', 'docs/c.md', 'none.md'].map((path) => ({ path, quote: 'x' }));
    const names = ['docs/a.md', 'docs/b.md', 'more/b.md', 'c.md'];
    const { questions, unknown } = placed([{ id: '1', question: 'x', gold }], names);
    expect(questions[0]?.gold?.map(({ path }) => path)).toEqual(['docs/a.md', 'b.md', 'c.md', 'none.md']);
    expect(unknown).toEqual(['b.md', 'none.md']);
  });

  test.each(['', 'no json', '[{}]', '[1]'])('are refused as %j', (text) => {
    expect(() => readQuestions(text)).toThrow(/question|JSON/);
  });
});

test('a step is not called a failure where a document passed it', () => {
  expect(stepName('not-indexed', 'passed')).toBe('indexed');
  expect(stepName('not-indexed', 'lost')).toBe('not indexed');
  expect(stepName('vector', 'noted')).toBe('meaning');
  expect(stepName('constructor', 'passed')).toBe('constructor');
});

describe('texts of documents', () => {
  test.each([
    ['a.md', '### Head\n\nA **bold** `word`, 2 ** 3 ** 4.', 'Head\n\nA bold word, 2 ** 3 ** 4.'],
    ['a.py', '### Head **kwargs** `x`', '### Head **kwargs** `x`'],
    ['a.md', '# Head\n\n```sh\n# a `b`\n```\n## On', 'Head\n\n```sh\n# a `b`\n```\nOn'],
    ['a.md', '# a comment\n```\n# Head', '# a comment\n```\n# Head'],
  ])('of %s are excerpts with %j as %j', (source, text, plain) => {
    expect(plainExcerpt(text, source)).toBe(plain);
  });

  test('turn nothing round and hide nothing', () => {
    expect(shown('a\u202egnp.exe\u0000\r\n\tb')).toBe('a⟨U+202E⟩gnp.exe⟨U+0000⟩\n\tb');
  });

  test('have the words of the query marked, in their forms and in no others', () => {
    const marked = (text: string, query: string): string =>
      markWords(text, wantedWords(query))
        .map(({ text: piece, isMark }) => (isMark ? `[${piece}]` : piece))
        .join('');
    expect(marked('Reviewers review the revision.', 'how should I review')).toBe(
      '[Reviewers] [review] the revision.',
    );
    expect(marked('a to the', 'to the')).toBe('a [to] [the]');
    expect(marked('nothing', 'what')).toBe('nothing');
  });

  test('are cut to where the words stand', () => {
    const text = `${'filler words here. '.repeat(100)}The retry policy is here. ${'more. '.repeat(50)}`;
    const start = excerptStart(text, wantedWords('retry policy'), 200);
    expect(text.slice(start, start + 200)).toContain('retry policy');
    expect(excerptStart('short', wantedWords('retry'), 200)).toBe(0);
  });
});

test('paragraphs go on where their lines were broken, lists and code do not', () => {
  const long = 'a line that was broken because the screen of its writer ended here';
  expect(unwrapped(`${long}\nand goes on.\n- item\nshort\n1. one\n\nnext`)).toBe(
    `${long} and goes on.\n- item\nshort\n1. one\n\nnext`,
  );
  expect(unwrapped(`${long}\n1. one\n* two`)).toBe(`${long}\n1. one\n* two`);
  expect(unwrapped(`\`\`\`\n${long}\nx\n\`\`\``)).toContain(`${long}\nx`);
});

describe('rows of a text', () => {
  const rowsOf = (text: string, columns: number): string[] => {
    const rows = new Rows(text, columns);
    return Array.from({ length: rows.count }, (_, at) => {
      const { start, end, line } = rows.at(at);
      return `${line ?? ' '}|${text.slice(start, end)}`;
    });
  };

  test('go on below where a line is too long, at a space where there is one', () => {
    expect(rowsOf('one two three\n\nfour', 8)).toEqual(['1|one two ', ' |three', '2|', '3|four']);
    expect(rowsOf('abcdefgh', 3)).toEqual(['1|abc', ' |def', ' |gh']);
    expect(rowsOf('', 3)).toEqual(['1|']);
  });

  test('lose nothing and cut no character', () => {
    const text = `${'\u{1f600}'.repeat(20)}\n${'word '.repeat(30)}\n`;
    const rows = new Rows(text, 7);
    let joined = '';
    for (let at = 0; at < rows.count; at++) {
      const { start, end } = rows.at(at);
      const piece = text.slice(start, end);
      expect(piece.isWellFormed()).toBe(true);
      joined += piece;
    }
    expect(joined).toBe(text.replaceAll('\n', ''));
  });

  test('of a text without a space are found in one way through it', () => {
    // Back to its beginning for each row would be 10^11 steps.
    expect(new Rows('x'.repeat(5_000_000), 100).count).toBe(50_000);
  });

  test('are found by an offset', () => {
    const rows = new Rows('one two three\n\nfour', 8);
    expect([0, 8, 13, 15].map((offset) => rows.at(rows.indexOf(offset)).line)).toEqual([
      1,
      undefined,
      undefined,
      3,
    ]);
    expect(lineOf('a\nb\nc', 4)).toBe(3);
  });
});

describe('a search elsewhere', () => {
  const search = {
    query: `it's $HOME`,
    topK: 5,
    filters: {
      documentTypes: ['a b'],
      tags: ['t'],
      since: '2026-01-02T00:00:00Z',
      metadata: { team: ['pay'] },
    },
  };

  test('is a command that a shell reads as it is meant', () => {
    expect(asCommand(search)).toBe(
      String.raw`ragstone search 'it'\''s $HOME' --top-k 5 --source-type 'a b' --since 2026-01-02 --filter team=pay # without tags`,
    );
    expect(quoted('; rm -rf /')).toBe(`'; rm -rf /'`);
  });

  test('is a call by curl that names no key', () => {
    const text = asCurl(search, { base: 'http://127.0.0.1:7240/kb/', needsKey: true });
    expect(text).toContain('http://127.0.0.1:7240/kb/api/ai/rag/explain');
    expect(text).toContain('$RAGSTONE_KEY');
  });

  test('is a call of the tool of assistants', () => {
    expect(JSON.parse(asMcpCall(search))).toMatchObject({
      params: { name: 'search', arguments: { top_k: 5, source_type: ['a b'], updated_after: '2026-01-02' } },
    });
  });
});

test('times are words', () => {
  const now = Date.parse('2026-01-02T00:00:00Z');
  expect(
    [
      '2026-01-01T23:59:58Z',
      '2026-01-01T22:00:00Z',
      '2025-01-01T00:00:00Z',
      '2026-01-02T01:00:00Z',
      'nonsense',
    ].map((at) => ageOf(at, now)),
  ).toEqual(['now', '2 h ago', '1 y ago', 'in 1 h', '']);
  expect([0.123, 12.4, 1_234].map(millisecondsOf)).toEqual(['0.1 ms', '12 ms', '1.2 s']);
});

test('a quotation that begins within a list is a list, and code stays code', () => {
  const cut = '…\n    * Write tests\n      for it\n\n    * Write docs\n1. Follow the review\n    * deeper';
  expect(outdented(cut)).toBe(
    '…\n* Write tests\n  for it\n\n* Write docs\n1. Follow the review\n    * deeper',
  );
  expect(outdented('  - one\n  - two [1]')).toBe('- one\n- two [1]');
  for (const text of ['    code()\n', '* one\n    * two', 'Text:\n\n    - code', ''])
    expect(outdented(text)).toBe(text);
});
