import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import type { ParsedDocument } from '../../core/document.js';
import { createMarkdownParser, type MarkdownParserOptions } from './markdown-parser.js';

const parse = (content: string, options: MarkdownParserOptions = {}): ParsedDocument =>
  createMarkdownParser(options).parse({
    externalId: 'a.md',
    mediaType: 'text/markdown',
    content,
    metadata: {},
    access: { groups: ['*'], level: 0 },
  });

/** Kind and text of each block. */
const outline = (content: string): string[][] => {
  const { text, blocks } = parse(content);
  return blocks.map(({ kind, start, end }) => [kind, text.slice(start, end)]);
};

describe('blocks', () => {
  it('finds each kind with exact offsets', () => {
    const pieces = [
      ['heading', '# Title #'],
      ['paragraph', 'Two lines\nof text.'],
      ['heading', 'Setext\n---'],
      ['list', '- one\n  - nested\n\n  more\n- two'],
      ['code', '```ts\nlet a;\n```'],
      ['code', '    indented\n\n    code'],
      ['table', '| a | b |\n|---|---|\n| 1 | 2 |'],
      ['quote', '> said\nlazily'],
      ['html', '<div>\n*raw*\n</div>'],
      ['paragraph', '***'],
      ['paragraph', '[ref]: https://example.org'],
    ];
    expect(outline(`\n${pieces.map(([, text]) => text).join('\n\n')}\n\n`)).toEqual(pieces);
  });

  it('keeps carriage returns, with offsets into the text as it is stored', () => {
    const content = '# A\r\n\r\ntext\r\nmore\r\n\r\n```js\r\nx\r\n```\r\n';
    expect(outline(content)).toEqual([
      ['heading', '# A'],
      ['paragraph', 'text\r\nmore'],
      ['code', '```js\r\nx\r\n```'],
    ]);
    expect(outline('# A\rtext')).toEqual([
      ['heading', '# A'],
      ['paragraph', 'text'],
    ]);
  });

  it('gives headings their level and a label without markup', () => {
    const labels = parse(
      '# **Bold** `code` [link](https://a.b) ![alt](x.png)\n\n### snake_case _and_ C\\* {#anchor}\n\nA <b>B</b>\n===',
    ).blocks.map(({ level, label }) => [level, label]);
    expect(labels).toEqual([
      [1, 'Bold code link alt'],
      [3, 'snake_case and C*'],
      [1, 'A B'],
    ]);
  });

  it('gives what opens a fence or a table as context, and where its body starts', () => {
    const { text, blocks } = parse('```sql title=x\nselect 1\n```\n\n| a |\n|---|\n| 1 |\n\n```\n\n    code');
    const openings = blocks.map(({ context, bodyStart }) => [
      context,
      text.slice(bodyStart).split('\n', 1)[0],
    ]);
    expect(openings).toEqual([
      ['```sql title=x', 'select 1'],
      ['| a |\n|---|', '| 1 |'],
      ['```', ''],
    ]);
  });

  it('repeats a table header without its padding', () => {
    const { blocks } = parse(`| a${' '.repeat(50)}| b |\n|:${'-'.repeat(50)}|---|\n| 1 | 2 |`);
    expect(blocks[0]?.context).toBe('| a | b |\n|:---|---|');
  });

  it('does not take a heading inside a fence, a quote or a list for one', () => {
    const kinds = outline('```\n# a\n```\n\n> # b\n\n- # c').map(([kind]) => kind);
    expect(kinds).toEqual(['code', 'quote', 'list']);
  });

  it('covers any text but white space, in order, without overlap', () => {
    const piece = fc.oneof(
      fc.constantFrom(
        '# ',
        '- ',
        '> ',
        '```',
        '~~~',
        '    ',
        '|',
        '|-|',
        '---',
        '\n',
        '\r\n',
        '\r',
        '\t',
        '<div>',
        '<!--',
        '[a]: b "',
      ),
      fc.string({ unit: 'grapheme', maxLength: 8 }).map((text) => text.replaceAll('\0', '')),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const { text, blocks } = parse(pieces.join(''));
        let covered = 0;
        for (const { start, end } of blocks) {
          expect(text.slice(covered, start).trim()).toBe('');
          expect(start).toBeGreaterThanOrEqual(covered);
          expect(text.slice(start, end).trim()).not.toBe('');
          covered = end;
        }
        expect(text.slice(covered).trim()).toBe('');
      }),
      { numRuns: 500 },
    );
  });
});

describe('comments', () => {
  it.each([
    ['HTML', 'One. <!-- zirkon --> Two.'],
    ['HTML over lines', 'One.\n\n<!--\nzirkon\n\n# zirkon\n-->\n\nTwo.'],
    ['Obsidian in a line', 'One. %%zirkon%% Two.'],
    ['Obsidian with blanks', 'One. %% zirkon and more %% Two.'],
    ['Obsidian over lines', 'One. %% zirkon\nmore zirkon %% Two.'],
    ['Obsidian over paragraphs', 'One.\n\n%% zirkon\n\nmore zirkon %%\n\nTwo.'],
    ['Obsidian in lines of its own', 'One.\n\n%%\nzirkon\n\nmore zirkon\n%%\n\nTwo.'],
    ['MDX', 'One. {/* zirkon */} Two.'],
    ['Liquid', 'One.\n{% comment %}\nzirkon\n{% endcomment %}\nTwo.'],
    ['a template of Hugo', 'One. {{/* zirkon */}} Two.'],
    ['a shortcode of Hugo', 'One. {{% comment %}} zirkon {{% /comment %}} Two.'],
    ['CriticMarkup', 'One. {>>zirkon<<} Two.'],
    ['a definition', 'One.\n\n[//]: # (zirkon)\n[comment]: <> "zirkon"\n\nTwo.'],
    ['MyST', '(a)=\n\nOne.\n\n% zirkon\n% more zirkon\n\nTwo.'],
    ['with a fence in it', 'One.\n\n<!--\n```\nzirkon\n-->\n\nTwo.'],
    ['below front matter, line ends of Windows', '---\r\na: 1\r\n---\r\nOne.\r\n<!-- zirkon\r\n-->\r\nTwo.'],
  ])('are no text: %s', (_, content) => {
    const { text, blocks } = parse(content);
    expect(text.split('\n')).toHaveLength(content.split('\n').length);
    expect(text).not.toContain('zirkon');
    expect(text.replace(/\s+/g, ' ')).toMatch(/One\. Two\.$/);
    expect(blocks.every(({ kind }) => kind === 'paragraph' || kind === 'front-matter')).toBe(true);
  });

  it.each([
    'A fence:\n\n```md\n<!-- zirkon -->\n```\n',
    'A span: `<!-- zirkon -->`.',
    'Two spans: `<!--` zirkon `-->`.',
    'Never closed: <!-- zirkon',
    'Per cent: 5%% zirkon 6%%',
    '%% A section\n\nzirkon\n\n%% Another section\n',
    'About 50\n% zirkon of them.',
    'A template: {{ zirkon }} and {% if zirkon %}.',
    '[zirkon]: # (a definition)',
    'In Octave:\n\n% zirkon: clc\n\nSteps.',
  ])('are not what only looks like one: %j', (content) => {
    expect(parse(content).text).toBe(content);
  });

  it('are read in linear time', () => {
    for (const piece of ['<!-- ', '%%a ', '%% ', '{/* ', '{>>', '`<!--', '{% comment %}', '\n%%\n', '%\n\n'])
      expect(parse(piece.repeat(50_000)).text.length).toBe(piece.length * 50_000);
  });
});

test('pictures are counted, outside of code', () => {
  const { unread } = parse(
    '![a](b.png) [![c][d]](e) <img src="f"> ![[k.png]] ![[note]]\n\n`![g](h)`\n\n```\n![i](j)\n```\n',
  );
  expect(unread).toEqual({ pictures: 4 });
  expect(parse('No ![sign] of one!').unread).toBeUndefined();
});

describe('title blocks of Pandoc', () => {
  it.each([
    ['% A\n% B\n% 2023-04-05\n\nText.', { title: 'A', author: 'B', date: '2023-04-05' }],
    ['% A\n  b\n% C; D\n  E\n\nText.', { title: 'A b', author: ['C', 'D', 'E'] }],
    ['%\n% B\n\nText.', { author: 'B' }],
    ['% A\n\n% zirkon\n\nText.', { title: 'A' }],
    ['% A\nText.', {}],
    ['% A\n\n```{note}\nText.\n```', {}],
    ['%A % B\n\nText.', {}],
  ])('%j', (content, expected) => {
    const { metadata, blocks, text } = parse(content);
    expect(metadata).toEqual(expected);
    expect(blocks[0]?.kind === 'front-matter').toBe(Object.keys(expected).length > 0);
    expect(text.includes('zirkon')).toBe(content.includes('zirkon'));
  });
});

describe('front matter', () => {
  it('becomes metadata, dates as they are written', () => {
    const { metadata, title, blocks } = parse(
      '---\ntitle: Guide\ntags: [a, b]\ndate: 2024-05-01\nowner: { name: Ann }\n---\n# Heading\n',
    );
    expect(metadata).toEqual({
      title: 'Guide',
      tags: ['a', 'b'],
      date: '2024-05-01',
      owner: { name: 'Ann' },
    });
    expect(title).toBe('Guide');
    expect(blocks.map(({ kind }) => kind)).toEqual(['front-matter', 'heading']);
  });

  it.each([
    ['TOML', '+++\ntitle = "Guide"\ndate = 2024-05-01\ntags = ["a", "b"]\n[owner]\nname = "Ann"\n+++\n# T\n'],
    [
      'TOML in a fence',
      '---toml\ntitle = "Guide"\ndate = "2024-05-01"\ntags = ["a", "b"]\nowner.name = "Ann"\n---\n# T\n',
    ],
    [
      'JSON',
      '{\n "title": "Guide", "date": "2024-05-01",\n "tags": ["a", "b"], "owner": {"name": "Ann"}\n}\n\n# T\n',
    ],
    [
      'JSON between semicolons',
      ';;;\n{"title": "Guide", "date": "2024-05-01", "tags": ["a", "b"], "owner": {"name": "Ann"}}\n;;;\n# T\n',
    ],
    [
      'JSON in a fence',
      '---json\n{"title": "Guide", "date": "2024-05-01", "tags": ["a", "b"], "owner": {"name": "Ann"}}\n---\n# T\n',
    ],
  ])('is read in %s', (_, text) => {
    const { metadata, title, blocks } = parse(text);
    expect(metadata).toEqual({
      title: 'Guide',
      date: '2024-05-01',
      tags: ['a', 'b'],
      owner: { name: 'Ann' },
    });
    expect(title).toBe('Guide');
    expect(blocks.map(({ kind }) => kind)).toEqual(['front-matter', 'heading']);
  });

  it.each([
    '{% raw %}\n# T\n',
    '{"a": 1}',
    '{ text in braces }\n\n# T\n',
    '+++ more +++\n# T\n',
    '{"a": 1} and words\n',
  ])('is not what only looks like it: %j', (text) => {
    expect(parse(text).metadata).toEqual({});
  });

  it.each([
    ['tags: #sport #water', ['#sport', '#water']],
    ['tags: [#sport, #water]', ['#sport', '#water']],
    ['Tags: #a/b', ['#a/b']],
    ['tags:\n  - #sport\n  - #water', ['#sport', '#water']],
  ])('has tags with hashes: %j', (yaml, tags) => {
    const { metadata, warnings } = parse(`---\n${yaml}\ntitle: T\n---\n`);
    expect(metadata.tags ?? metadata.Tags).toEqual(tags);
    expect(metadata.title).toBe('T');
    expect(warnings).toEqual([]);
  });

  it('keeps only the fields asked for, and the title all the same', () => {
    const document = parse('---\ntitle: Guide\nsecret: x\ntags: [a]\n---\n', { frontmatterFields: ['tags'] });
    expect(document.metadata).toEqual({ tags: ['a'] });
    expect(document.title).toBe('Guide');
  });

  it.each([
    ['another language', '---js\nglobalThis.hasRun = true\n---\n# T', 'another language was not read'],
    ['TOML that is none', '+++\na = [1\n+++\n# T', 'not valid TOML'],
    ['JSON that is none', ';;;\n{"a": 1,}\n;;;\n# T', 'not valid JSON'],
    ['a syntax error', '---\na: [1\nb: "\n---\n# T', 'not valid YAML'],
    ['doubled keys', '---\na: 1\na: 2\n---\n# T', 'not valid YAML'],
    ['a mapping nested without end', `---\na: ${'['.repeat(20_000)}\n---\n# T`, 'nested deeper'],
    ['too much of it', `---\na: ${'x'.repeat(70_000)}\n---\n# T`, 'longer than'],
  ])('is left as text with a warning: %s', (_name, content, warning) => {
    const { metadata, warnings, blocks, title } = parse(content);
    expect(metadata).toEqual({});
    expect(warnings).toEqual([expect.stringContaining(warning)]);
    expect(blocks.map(({ kind }) => kind)).toEqual(['front-matter', 'heading']);
    expect(title).toBe('T');
    expect(globalThis).not.toHaveProperty('hasRun');
  });

  it.each([
    ['an alias that names nothing', 'a: 1\nb: *zircon', 'an alias names no anchor'],
    ['a syntax error', 'a: 1\nb: "zircon', 'MISSING_CHAR at line 4, column'],
    ['a doubled key', 'zircon: 1\nzircon: 2', 'DUPLICATE_KEY at line 3, column 1'],
    ['a tag without an end', 'a: !<zircon\n', 'not valid YAML'],
    ['another language', 'a', 'another language', 'zircon'],
  ])('is warned of by place and kind, and no word of it: %s', (_name, yaml, told, language = '') => {
    const { warnings } = parse(`---${language}\n${yaml}\n---\n`);
    expect(warnings).toEqual([expect.stringContaining(told)]);
    expect(warnings.join()).not.toContain('zircon');
  });

  it('merges what an alias names', () => {
    expect(parse('---\nx: &x { a: 1 }\n<<: *x\n---\n').metadata).toEqual({ x: { a: 1 }, a: 1 });
  });

  it('refuses an alias bomb', () => {
    const level = (name: string, from: string) =>
      `${name}: &${name} [${Array(9).fill(`*${from}`).join(',')}]`;
    const bomb = ['a: &a [x,x,x,x,x,x,x,x,x]', level('b', 'a'), level('c', 'b'), level('d', 'c')].join('\n');
    const { metadata, warnings } = parse(`---\n${bomb}\n---\ntext`);
    expect(metadata).toEqual({});
    expect(warnings).toEqual([expect.stringContaining('alias')]);
  });

  it('is not what only looks like it', () => {
    expect(outline('---\n\ntext').map(([kind]) => kind)).toEqual(['paragraph', 'paragraph']);
    expect(outline('---\ntext\n---\n').map(([kind]) => kind)).toEqual(['paragraph', 'heading']);
    expect(outline('text\n\n---\na: 1\n---').map(([kind]) => kind)).not.toContain('front-matter');
  });
});

describe('title', () => {
  it('is the first heading of level 1 where front matter has none', () => {
    expect(parse('## Sub\n\n# First\n\n# Second').title).toBe('First');
    expect(parse('## Sub').title).toBeUndefined();
    expect(parse('').title).toBeUndefined();
  });
});

describe('hostile input', () => {
  const deep = 'nested very deep';
  it.each([
    ['10,000 list items inside each other', `${'- '.repeat(10_000)}x`, ['list'], deep],
    ['10,000 quotes inside each other', `${'>'.repeat(10_000)} x`, ['quote'], deep],
    ['lists and quotes in turn', `${'- > '.repeat(5_000)}x`, ['list'], deep],
    [
      '2,000 indented items',
      Array.from({ length: 2_000 }, (_, level) => `${'  '.repeat(level)}- x`).join('\n'),
      ['list'],
      deep,
    ],
    ['a line of 5 MB', 'word '.repeat(1_000_000), ['paragraph'], undefined],
    ['a word of 5 MB', 'a'.repeat(5_000_000), ['paragraph'], undefined],
    ['a 5 MB line of spaces', `${' '.repeat(5_000_000)}x`, ['code'], undefined],
    ['emphasis inside emphasis', '*a _b '.repeat(100_000), ['paragraph'], undefined],
    [
      'runs of backticks',
      Array.from({ length: 600 }, (_, n) => `x ${'`'.repeat(n)}`).join(' '),
      ['paragraph'],
      undefined,
    ],
    ['open brackets', '['.repeat(200_000), ['paragraph'], undefined],
    ['an HTML tag without end', `<a ${'b '.repeat(500_000)}`, ['paragraph'], undefined],
    [
      'a table of 60,000 columns',
      `${'|a'.repeat(60_000)}|\n${'|-'.repeat(60_000)}|\n|x|`,
      ['table'],
      undefined,
    ],
  ])('%s: one block, and what follows keeps its structure', (_name, content, kinds, warning) => {
    const { text, blocks, warnings } = parse(`${content}\n\n# After\n\ntext`);
    expect(text.length).toBe(content.length + 15);
    expect(blocks.map(({ kind }) => kind)).toEqual([...kinds, 'heading', 'paragraph']);
    expect(warnings).toEqual(warning === undefined ? [] : [expect.stringContaining(warning)]);
  });

  it('takes an unclosed fence as code to the end', () => {
    expect(outline(`a\n\n${'`'.repeat(200_000)}\n# no heading`).map(([kind]) => kind)).toEqual([
      'paragraph',
      'code',
    ]);
  });

  it('bounds what every chunk would repeat', () => {
    const { blocks } = parse(`# ${'h'.repeat(100_000)}\n\n~~~${'i'.repeat(100_000)}\nx\n~~~`);
    for (const { label, context } of blocks) expect((label ?? context)?.length).toBe(300);
  });
});
