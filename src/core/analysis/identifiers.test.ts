import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { extractIdentifiers, MAX_IDENTIFIERS } from './identifiers.js';

describe('extractIdentifiers', () => {
  it.each([
    ['See PPR-9087 and kep-1287.', ['ppr-9087', 'kep-1287']],
    ['fixed by #123 (see issue #4)', ['#123', '#4']],
    ['upgrade v1.2.3 to 3.0.0-M7', ['1.2.3', '3.0.0-m7']],
    ['E1234: ERR_FOO_BAR', ['e1234', 'err_foo_bar']],
    ['TS2304 and 0xC0000005', ['ts2304', '0xc0000005']],
    ['an HTTP 404 or HTTP/1.1 503', ['http-404', 'http-503']],
    ['CVE-2021-44228', ['cve-2021-44228']],
    ['commit deadbee1', ['deadbee1']],
    ['id 550e8400-e29b-41d4-a716-446655440000', ['550e8400-e29b-41d4-a716-446655440000']],
    ['run it with --dry-run', ['--dry-run']],
    ['C++, C# or c++17; a .NET (F#) port of C/C++.', ['c++', 'c#', '.net', 'f#']],
    ['g++: error', ['g++']],
    ['set NODE_ENV', ['node_env']],
    ['call getUserById', ['getuserbyid']],
    ['a.b.Class#method', ['a.b.class#method', 'a.b.class']],
    ['请查看PPR-9087的状态', ['ppr-9087']],
    ['C:\\Users\\Bob\\notes.txt', ['c:/users/bob/notes.txt', 'notes.txt']],
    ['/etc/hosts', ['/etc/hosts']],
    ['https://issues.example.org/browse/HADOOP-123?x=1', ['issues.example.org', 'hadoop-123']],
    [
      'at org.apache.Foo.barBaz(Foo.java:123)',
      ['org.apache.foo.barbaz', 'barbaz', 'foo.java:123', 'foo.java'],
    ],
  ])('%s', (text, identifiers) => {
    expect(extractIdentifiers(text)).toEqual(identifiers);
  });

  it.each([
    'Plain words only, and a number: 42.',
    'and/or, client/server, state-of-the-art',
    'e.g. this, i.e. that, U.S. law, a Ph.D.',
    'a sentence.The next one',
    'APIs, PDFs and URLs',
    'covid-19, top-10, step-2, utf-8',
    '**bold** _emphasis_ __strong__ ~~struck~~ `code`',
    '---- ==== .... ////',
    '1234567 20261121 3.14',
    'i++, x # note, a Note #, C #, a+b, one.net',
  ])('finds none in: %s', (text) => {
    expect(extractIdentifiers(text)).toEqual([]);
  });

  const word = fc.stringMatching(/^[a-z]{2,8}$/);
  const digits = fc.stringMatching(/^[1-9][0-9]{2,4}$/);
  const capitalised = word.map((text) => text.charAt(0).toUpperCase() + text.slice(1));
  const identifier = fc.oneof(
    fc.tuple(word, digits).map(([a, n]) => `${a.toUpperCase()}-${n}`),
    digits.map((n) => `#${n}`),
    fc.tuple(digits, digits, digits).map((parts) => `v${parts.join('.')}`),
    fc.array(word, { minLength: 2, maxLength: 4 }).map((parts) => parts.join('_')),
    fc.tuple(word, capitalised).map(([a, b]) => `${a}${b}`),
    fc.tuple(capitalised, capitalised).map(([a, b]) => `${a}${b}`),
    fc.tuple(word, word).map(([a, b]) => `src/${a}/${b}.ts`),
    word.map((a) => `--${a}`),
    fc.uuid(),
  );

  it('finds alone what it finds inside a text', () => {
    fc.assert(
      fc.property(
        identifier,
        fc.constantFrom('%s', 'see %s.', '(%s)', '"%s",', '查看%s。', 'x\n%s\ny'),
        (id, frame) => {
          const alone = extractIdentifiers(id);
          expect(alone.length).toBeGreaterThan(0);
          expect(extractIdentifiers(frame.replace('%s', () => id))).toEqual(alone);
        },
      ),
    );
  });

  it('gives distinct, bounded, non-empty identifiers for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), (text) => {
        const found = extractIdentifiers(text);
        expect(new Set(found).size).toBe(found.length);
        expect(found.every((id) => id !== '' && !/\s/.test(id))).toBe(true);
      }),
    );
    const many = Array.from({ length: 500 }, (_, i) => `ABC-${i}`).join(' ');
    expect(extractIdentifiers(many)).toHaveLength(MAX_IDENTIFIERS);
  });

  it.each(['a.', 'a_', '/', 'aA', 'a/b ', '--a', 'A-', '1.', 'HTTP ', 'ab:1', '#', '::', 'e\u0301\u0316'])(
    'reads a million characters of %j in linear time',
    (unit) => {
      expect(extractIdentifiers(unit.repeat(1_000_000 / unit.length)).length).toBeLessThanOrEqual(
        MAX_IDENTIFIERS,
      );
    },
  );
});

it.each([
  ['what is ?.', ['?.']],
  ['??', ['??']],
  ['what does `??=` do?', ['??=']],
  ['The `=>` operator (or "=>")', ['=>']],
  ['is === the same as ==?', ['===', '==']],
  ['`user?.name` and `name ?? other`', ['?.', '??']],
  ['a := b', [':=']],
  ['what is the walrus (:=) for', [':=']],
])('operators that stand alone: %s', (text, identifiers) => {
  expect(extractIdentifiers(text)).toEqual(identifiers);
});

it.each([
  'what is this?',
  'really??',
  '???',
  '--',
  '...',
  '===========',
  'a - b / c',
  '**bold** words',
  '|a||b|',
  'why?.. no',
])('no operator: %s', (text) => {
  expect(extractIdentifiers(text)).toEqual([]);
});
