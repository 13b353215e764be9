import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ParsedDocument } from '../../core/document.js';
import { ASCIIDOC_PARSER } from './asciidoc-parser.js';

const parse = (content: string): ParsedDocument =>
  ASCIIDOC_PARSER.parse({
    externalId: 'a.adoc',
    mediaType: 'text/asciidoc',
    content,
    metadata: {},
    access: { groups: ['*'], level: 0 },
  });

/** What is stored, without lines that say nothing. */
const read = (content: string): string =>
  parse(content)
    .text.split('\n')
    .filter((line) => line !== '')
    .join('\n');

describe('sections', () => {
  it('have the level of their marks, and the document a title', () => {
    const { blocks, title, text } = parse(
      '= The *Guide*\nAnn Author <ann@a.example>\nv1.0\n:product: Lamp\n\n== {product}\n\ntext\n\n=== More\n',
    );
    expect(blocks.map(({ kind, level, label }) => [kind, level, label])).toEqual([
      ['heading', 1, 'The Guide'],
      ['paragraph', undefined, undefined],
      ['paragraph', undefined, undefined],
      ['heading', 2, 'Lamp'],
      ['paragraph', undefined, undefined],
      ['heading', 3, 'More'],
    ]);
    expect(title).toBe('The Guide');
    expect(text.split('\n')[5]).toBe('## Lamp');
  });
});

describe('the header', () => {
  const facts = { author: 'Ann Author', version: '1.2', date: '2026-01-02' };
  it.each<[string, string, object]>([
    [
      '= G\nAnn Author <ann@a.example>\nv1.2, 2026-01-02: Gates\n\nBy {author}.',
      '# G\nAuthor: Ann Author <ann@a.example>\nVersion: 1.2, Date: 2026-01-02, Gates\nBy {author}.',
      facts,
    ],
    [
      '= G\n// kept out\n:author: Ann Author\n:revnumber: 1.2\n:revdate: 2026-01-02\n:toc:\n',
      '# G\nAuthor: Ann Author\nVersion: 1.2\nDate: 2026-01-02',
      facts,
    ],
    ['= G\nAnn; Bo_Li\nv3\n', '# G\nAuthor: Ann; Bo_Li\nVersion: 3', { author: 'Ann, Bo Li', version: '3' }],
    ['= G\nAnn\n2 May 2026\n', '# G\nAuthor: Ann\nDate: 2 May 2026', { author: 'Ann', date: '2 May 2026' }],
    ['= G\nIt opens early, always.\nIt shuts at 5.\n', '# G\nIt opens early, always.\nIt shuts at 5.', {}],
    ['= G\n:x: a \\\nb\n:y:\nc\n', '# G\nc', {}],
  ])('is text and metadata: %j', (source, text, metadata) => {
    expect(read(source)).toBe(text);
    expect(parse(source).metadata).toEqual(metadata);
  });
});

describe('blocks', () => {
  it.each([
    ['[source,java]\n----\na;\n\n  b;\n----', '```java\na;\n  b;\n```'],
    ['....\na\n....', '```\na\n```'],
    ['```rb\na\n```', '```rb\na\n```'],
    ['Text:\n\n  code\n  more\n\nend', 'Text:\n```\ncode\nmore\n```\nend'],
    ['NOTE: Mind it.', 'Note: Mind it.'],
    ['[WARNING]\n====\nMind it.\n\nMore.\n====', 'Warning: Mind it.\nMore.'],
    ['[TIP]\n====\n* a\n====', 'Tip:\n- a'],
    ['.Title\n[quote]\n____\nSaid.\n____', 'Title:\nSaid.'],
    ['////\nnot read\n////\n// nor this\ntext', 'text'],
    ['include::other.adoc[]\n\ntext', 'text'],
    ['ifdef::x[]\ntext\nendif::[]', 'text'],
    ['image::a.png[A lamp,200]', 'A lamp'],
    ['[[anchor]]\n[#id]\ntext', 'text'],
    ['* a\n** b\ngoes on\n* c', '- a\n  - b\n    goes on\n- c'],
    ['. a\n+\n----\ncode\n----\n. b', '1. a\n  ```\n  code\n  ```\n1. b'],
    [
      'term:: What it is.\nother::\n  Another.\nthird::\n\n  Last.',
      '- term: What it is.\n- other\n  Another.\n- third\n  Last.',
    ],
    ['<1> The call', '- 1) The call'],
  ])('%j', (source, expected) => {
    expect(read(source)).toBe(expected);
  });

  it.each(['include::a.adoc[]', '= T\ninclude::a.adoc[]\n', '----\ninclude::a.adoc[lines=1..2]\n----'])(
    'count and name what they include: %j',
    (source) => {
      const { warnings, unread } = parse(source);
      expect(warnings).toEqual(['Files that it includes were not read in its place: "a.adoc".']);
      expect(unread).toEqual({ 'included files': 1 });
    },
  );

  it('count pictures and films', () => {
    const { unread } = parse('image::a.png[A lamp]\n\nSee image:b.png[] and icon:x[].\n\nvideo::a.mp4[]\n');
    expect(unread).toEqual({ pictures: 2, 'embedded files': 1 });
    expect(parse('text').unread).toBeUndefined();
  });
});

describe('tables', () => {
  const TABLE = '| Name | Use |\n| --- | --- |\n| a | one two |\n| b | c |';
  it.each([
    ['a blank line below the head', '|===\n|Name |Use\n\n|a |one\ntwo\n|b |c\n|==='],
    ['a setting', '[%header,cols=2*]\n|===\n|Name\n|Use\n|a\n|one two\n|b\na|c\n|==='],
    ['rows that stand together', '[options="header"]\n|===\n|Name |Use\n|a |one two\n|b |c\n|==='],
    ['CSV', '[%header,format=csv]\n|===\nName,Use\na,one two\nb,c\n|==='],
  ])('%s', (_, source) => {
    expect(read(source)).toBe(TABLE);
    expect(parse(source).blocks[0]).toMatchObject({
      kind: 'table',
      context: '| Name | Use |\n| --- | --- |',
    });
  });

  it('stay on the lines of their rows', () => {
    expect(parse('|===\n|a |b\n\n|c\n|d\n|===').text.split('\n')).toEqual([
      ...['', '| a | b |', '| --- | --- |', '| c | d |', '', ''],
    ]);
  });
});

describe('inline markup', () => {
  it.each([
    ['`+a+` and `b` and *c*', '`a` and `b` and *c*'],
    ['https://a.example[the site,window=_blank] and link:b.html[B]', '[the site](https://a.example) and B'],
    ['<<id,the part>> and <<other>> and xref:c.adoc#d[D]', 'the part and other and D'],
    ['press kbd:[Ctrl] or menu:File[Save > As]', 'press Ctrl or File > Save > As'],
    ['[.x]#marked# and issue #12 and #13', 'marked and issue #12 and #13'],
    ['image:https://a.example/b.png[Build, link=x] x', 'Build x'],
    ['a footnote:[why] b', 'a  (why) b'],
    ['{unknown} stays', '{unknown} stays'],
  ])('%s', (source, expected) => {
    expect(parse(source).text).toBe(expected);
  });
});

describe('attributes', () => {
  it('are put in, also in each other and in addresses', () => {
    expect(read(':org: https://a.example\n:repo: {org}/b\n\nSee {repo}[the code] and {none}.')).toBe(
      'See [the code](https://a.example/b) and {none}.',
    );
  });

  it('cannot make an endless text', () => {
    const doubled = Array.from({ length: 60 }, (_, at) => `:a${at + 1}: {a${at}}{a${at}}`).join('\n');
    const { text } = parse(`:a0: ${'x'.repeat(100)}\n${doubled}\n\n${'{a60}'.repeat(100_000)}`);
    expect(text.length).toBeLessThan(2_000_000);
  });
});

it('covers any text with blocks, in order, line for line', () => {
  const piece = fc.oneof(
    fc.constantFrom(
      ...[
        '= ',
        '== ',
        '* ',
        '. ',
        'a:: ',
        '+\n',
        '----\n',
        '====\n',
        '|===\n',
        '|a',
        '[source]\n',
        '.T\n',
        'NOTE: ',
      ],
      ...['\n', '\n\n', '\r\n', '  ', '`', '<<', '>>', '{a}', ':a: b\n', 'include::a[]\n', '////\n', '//'],
    ),
    fc.string({ unit: 'grapheme', maxLength: 8 }).map((text) => text.replaceAll('\0', '')),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      const content = pieces.join('');
      const { text, blocks } = parse(content);
      const added = text.split('\n').length - content.split(/\r\n|\r|\n/).length;
      // A fence below the last line.
      expect(added === 0 || added === 1).toBe(true);
      let covered = 0;
      for (const { start, end } of blocks) {
        expect(text.slice(covered, start).trim()).toBe('');
        expect(start).toBeGreaterThanOrEqual(covered);
        covered = end;
      }
      expect(text.slice(covered).trim()).toBe('');
    }),
    { numRuns: 500 },
  );
});
