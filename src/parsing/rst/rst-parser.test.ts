import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ParsedDocument } from '../../core/document.js';
import { RST_PARSER } from './rst-parser.js';

const parse = (content: string): ParsedDocument =>
  RST_PARSER.parse({
    externalId: 'a.rst',
    mediaType: 'text/x-rst',
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

/** Kind and text of each block. */
const outline = (content: string): string[][] => {
  const { text, blocks } = parse(content);
  return blocks.map(({ kind, start, end }) => [kind, text.slice(start, end)]);
};

describe('sections', () => {
  it('have levels by the order in which their underlines appear', () => {
    const { blocks, title } = parse(
      '====\nBook\n====\n\nPart\n****\n\nA\n~~~\n\nB ``b``\n----------\n\nPart 2\n******\n\n====\nEnd\n====\n',
    );
    expect(blocks.map(({ kind, level, label }) => [kind, level, label])).toEqual([
      ['heading', 1, 'Book'],
      ['heading', 2, 'Part'],
      ['heading', 3, 'A'],
      ['heading', 4, 'B b'],
      ['heading', 2, 'Part 2'],
      ['heading', 1, 'End'],
    ]);
    expect(title).toBe('Book');
  });

  it('are not what is too short, indented or between blank lines', () => {
    expect(outline('A long title\n--\n\n   Title\n   =====\n\n----\n\ntext').map(([kind]) => kind)).toEqual([
      'paragraph',
      'paragraph',
      'paragraph',
    ]);
  });
});

describe('lines', () => {
  it('are those of the file, whatever stands on them', () => {
    const content = [
      '.. a comment\r',
      '   of two lines\r',
      '\r',
      'Title\r',
      '=====\r',
      '\r',
      'See :ref:`the\r',
      'page <page>`::\r',
      '\r',
      '   code\r',
      '\r',
      'last',
    ].join('\n');
    expect(parse(content).text.split('\n')).toEqual([
      ...['', '', '', '# Title', '', '', 'See the', 'page:'],
      ...['```', 'code', '```', 'last'],
    ]);
  });
});

describe('inline markup', () => {
  it.each([
    ['``a_b`` and *c* and **d**', '`a_b` and *c* and **d**'],
    [':func:`len` of :py:class:`~a.B`', '`len` of `a.B`'],
    [':doc:`The guide </guide>`, :ref:`intro`', '[The guide](/guide), intro'],
    ['10\\ :sup:`6` Pa, H\\ :sub:`2`\\ O, :math:`6`, :kbd:`5`', '10^6 Pa, H2O, `6`, `5`'],
    [':gh-pr:`4`, :bug:`5`, :user:`6`', '#4, #5, 6'],
    [':pep:`8` and :issue:`12`', 'PEP 8 and #12'],
    ['`text <https://a.example/b>`_ and `x <y_>`_', '[text](https://a.example/b) and x'],
    ['Use lamp_ or `the lamp`__ now', 'Use lamp_ or the lamp now'],
    ['see [1]_ and [#a]_', 'see [1] and [#a]'],
    ['a |name| of many', 'a |name| of many'],
    [':class:`Rule`\\s and a\\ b', '`Rule`s and ab'],
    ['snake_case_ and class_name', 'snake_case_ and class_name'],
    ['a `b and ``c', 'a `b and ``c'],
  ])('%s', (source, expected) => {
    expect(parse(source).text).toBe(expected);
  });

  it('finds what is defined elsewhere', () => {
    expect(read('Use lamp_ with |x|.\n\n.. _lamp: https://a.example\n.. |x| replace:: *oil*')).toBe(
      'Use [lamp](https://a.example) with *oil*.',
    );
  });

  it.each([
    ['.. |x| unicode:: 0xD7 .. times', '3×4'],
    ['.. |x| unicode:: U+00A9 Ltd', '3©Ltd4'],
    ['.. |x| replace:: one\n   line', '3one line4'],
  ])('puts in what %j defines', (definition, expected) => {
    expect(read(`3\\ |x|\\ 4\n\n${definition}`)).toBe(expected);
  });

  it('puts in no more than a text can bear', () => {
    const long = 'x'.repeat(400);
    const definitions = `.. |a| replace:: ${long}\n.. _b: https://${long}\n`;
    expect(parse(`${definitions}\n${'|a| b_ '.repeat(100_000)}`).text.length).toBeLessThan(3_000_000);
  });

  it('leaves no punctuation alone on a line', () => {
    expect(parse('as (:ref:`a\n<b>`, c)').text).toBe('as (a,\n c)'.replace('\n ', '\n'));
  });
});

describe('code', () => {
  it.each([
    ['Run::\n\n  a\n\n   b\n\nthen', '\n```\na\n\n b\n```\n', 'code'],
    ['.. code-block:: sh\n   :linenos:\n\n   a b\n', '```sh\na b\n```', 'code'],
    ['.. highlight:: c\n\n::\n\n   a;\n', '```c\na;\n```', 'code'],
    ['text\n\n>>> a\n1\n\n>>> b\n\nend', '```python\n>>> a\n1\n\n>>> b\n```', 'code'],
    ['.. code:: md\n\n   ```\n   x\n   ```\n', '````md\n```\nx\n```\n````', 'code'],
  ])('%j', (source, expected) => {
    const found = outline(source).find(([kind]) => kind === 'code');
    expect(found?.[1]?.trim()).toBe(expected.trim());
  });

  it('is indented where no line is free for a fence', () => {
    expect(outline('>>> a\n\ntext')).toEqual([
      ['code', '    >>> a'],
      ['paragraph', 'text'],
    ]);
  });

  it('repeats its fence where it is divided', () => {
    const { blocks } = parse('Run::\n\n  a\n');
    expect(blocks[1]).toMatchObject({ kind: 'code', context: '```' });
  });
});

describe('lists', () => {
  it('of every kind are lists of Markdown', () => {
    expect(read('* a\n\n  more\n\n* b\n\n  #. c\n')).toBe('- a\n  more\n- b\n  1. c');
    expect(read('1. a\n2. b')).toBe('1. a\n2. b');
    expect(read('a) x\nb) y')).toBe('- a) x\n- b) y');
    expect(read('term\n   What it is.\n\n``b``\n   Another.')).toBe(
      '- term\n  What it is.\n- `b`\n  Another.',
    );
    expect(read(':Author: Ann\n:param int x: Its place.\n:returns: None')).toBe(
      '- Author: Ann\n- `x` (int): Its place.\n- Returns: None',
    );
    expect(read('-o FILE  Where to write.\n--all    Everything.')).toBe(
      '- `-o FILE` Where to write.\n- `--all` Everything.',
    );
    expect(outline('* a\n* b\n\n  ::\n\n    c\n\nend').map(([kind]) => kind)).toEqual(['list', 'paragraph']);
  });

  it('keep lines of a line block apart', () => {
    expect(parse('| a\n| b').text).toBe('a\nb');
  });
});

describe('directives', () => {
  it.each([
    ['.. warning:: Mind\n   the gap.', 'Warning: Mind\nthe gap.'],
    ['.. note::\n   :class: x\n\n   Mind.\n\n   More.', 'Note: Mind.\nMore.'],
    ['.. tip::\n\n   * a', 'Tip:\n- a'],
    ['.. seealso:: :doc:`a`', 'See also: [a](a)'],
    ['.. admonition:: On *dusk*\n\n   Text.', 'On *dusk*:\nText.'],
    ['.. versionadded:: 2.0\n   The *x*.', 'Added in version 2.0: The *x*.'],
    ['.. versionchanged:: 2.0 The y.', 'Changed in version 2.0: The y.'],
    ['.. deprecated:: 3.1', 'Deprecated since version 3.1.'],
    ['.. image:: a.png\n   :alt: A lamp', 'A lamp'],
    ['.. figure:: a.png\n\n   Caption.', 'Caption.'],
    ['.. only:: html\n\n   Text.', 'Text.'],
    ['.. rubric:: Notes', '**Notes**'],
    ['.. [1] A note.\n   More.', '[1] A note.\nMore.'],
    ['.. toctree::\n   :maxdepth: 2\n\n   a\n   b', ''],
    ['.. comment\n   goes on\n\n..\n\n   quoted', 'quoted'],
    ['.. |x| image:: y.png', ''],
    ['.. _target:\n\ntext', 'text'],
    ['.. setting:: DEPTH\n\nDEPTH\n-----\n', '# DEPTH'],
  ])('%j', (source, expected) => {
    expect(read(source)).toBe(expected);
  });

  it.each([
    ['.. include:: ../a.rst', '../a.rst'],
    ['.. literalinclude:: a.py\n   :lines: 1-2', 'a.py'],
    ['.. csv-table:: Ports\n   :file: ports.csv', 'ports.csv'],
  ])('count and name what they include: %j', (source, name) => {
    const { warnings, unread } = parse(source);
    expect(warnings).toEqual([`Files that it includes were not read in its place: "${name}".`]);
    expect(unread).toEqual({ 'included files': 1 });
  });

  it('count their pictures', () => {
    const { unread } = parse(
      '.. image:: a.png\n\n.. figure:: b.png\n\n   Caption.\n\n.. |x| image:: c.png\n',
    );
    expect(unread).toEqual({ pictures: 3 });
    expect(parse('text').unread).toBeUndefined();
  });

  it('say nothing of what they include where they include nothing', () => {
    expect(parse('text').warnings).toEqual([]);
  });
});

describe('definitions', () => {
  it('are headings where nothing else would come to stand below them', () => {
    const { blocks } = parse(
      'API\n===\n\n.. py:class:: Lamp(oil, *args)\n\n   Burns.\n\n   .. method:: light()\n\n      Lights.\n\n.. envvar:: OIL\n\n   Its kind.\n',
    );
    expect(blocks.filter(({ kind }) => kind === 'heading').map(({ level, label }) => [level, label])).toEqual(
      [
        [1, 'API'],
        [2, 'class Lamp(oil, *args)'],
        [3, 'light()'],
        [2, 'environment variable OIL'],
      ],
    );
  });

  it('are lines where text of the section follows', () => {
    expect(read('.. function:: a(b)\n              a(b, c)\n   :noindex:\n\n   Does.\n\nText.')).toBe(
      '`a(b)`, `a(b, c)`:\nDoes.\nText.',
    );
    expect(read('.. autofunction:: a.b')).toBe('`a.b`');
  });
});

describe('tables', () => {
  const TABLE = '| Name | Use |\n| --- | --- |\n| `a` | one two |\n| b | |'.replace('b | |', 'b |  |');
  it.each([
    [
      'grid',
      '+------+-----+\n| Name | Use |\n+======+=====+\n| ``a``| one |\n|      | two |\n+------+-----+\n| b    |     |\n+------+-----+',
    ],
    ['simple', '===== =====\nName  Use\n===== =====\n``a`` one\n      two\nb\n===== =====\n'],
    [
      'list',
      '.. list-table::\n   :header-rows: 1\n\n   * - Name\n     - Use\n   * - ``a``\n     - one\n       two\n   * - b\n     -\n',
    ],
    ['CSV', '.. csv-table::\n   :header: Name, Use\n\n   ``a``, "one two"\n   b,\n'],
  ])('%s', (_, source) => {
    expect(read(source)).toBe(TABLE);
    const [table] = parse(source).blocks;
    expect(table).toMatchObject({ kind: 'table', context: '| Name | Use |\n| --- | --- |' });
  });

  it('are read in one body where another body leaves one open', () => {
    const open = '.. note::\n\n   === ===\n   x   y\n\n';
    const closed = '.. tip::\n\n   === ===\n   a   b\n   === ===\n';
    expect(read(open + closed)).toContain('| a | b |');
  });

  it('have of many columns those that a row reaches', () => {
    const border = `${'= '.repeat(20)}=`;
    const rows = read(`${border}\na b\n${'c '.repeat(20)}c\n${border}\n`).split('\n');
    expect(rows.map((row) => row.split('|').length - 2)).toEqual([12, 21]);
  });

  it('stay on the lines of their rows', () => {
    expect(parse('+--+\n|a |\n+==+\n|b |\n+--+\n|c |\n+--+').text.split('\n')).toEqual([
      ...['', '| a |', '| --- |', '| b |', '', '| c |', ''],
    ]);
  });

  it('keep the text of cells that span rows', () => {
    expect(read('+---+-----+\n|   | ok  |\n| a +-----+\n|   | bad |\n+---+-----+')).toBe('| a | ok bad |');
  });

  it('hold bars of their cells', () => {
    expect(read('=== ===\na|b c\n=== ===')).toBe('| a\\|b | c |');
  });
});

describe('any text', () => {
  const piece = fc.oneof(
    fc.constantFrom(
      ...[
        '- ',
        '1. ',
        ':a: ',
        '.. note:: ',
        '.. code::\n\n',
        '.. class:: A\n\n',
        '::\n\n',
        '>>> ',
        '| ',
        '+-+\n',
      ],
      ...[
        '=== ===\n',
        '====\n',
        '\n',
        '\n\n',
        '\r\n',
        '   ',
        '\t',
        '`',
        '``',
        ':a:`',
        '`_',
        'a_',
        '<b>',
        '.. ',
      ],
    ),
    fc.string({ unit: 'grapheme', maxLength: 8 }).map((text) => text.replaceAll('\0', '')),
  );

  it('is covered by blocks, in order, line for line', () => {
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

  it('keeps its words where no markup is meant', () => {
    fc.assert(
      fc.property(fc.array(fc.stringMatching(/^[a-z]{1,8}$/), { minLength: 1, maxLength: 30 }), (words) => {
        const content = words.map((word, at) => word + (at % 7 === 6 ? '\n' : ' ')).join('');
        expect(parse(content).text.match(/[a-z]+/g)).toEqual(words);
      }),
    );
  });
});

it('keeps the text of what is nested too deep, and says so', () => {
  const { text, warnings } = parse(
    Array.from({ length: 60 }, (_, at) => `${'  '.repeat(at)}- w${at}`).join('\n\n'),
  );
  expect(text).toContain('w59');
  expect(warnings).toEqual([expect.stringContaining('nested very deep')]);
});
