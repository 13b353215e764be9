import { describe, expect, it } from 'vitest';
import { linesAs, parseAs } from '../test-converted.js';
import { NOTEBOOK_FORMAT } from './notebook-format.js';

const code = (source: string | string[], outputs: readonly object[] = []): object => ({
  cell_type: 'code',
  source,
  outputs,
});
const text = (source: string | string[]): object => ({ cell_type: 'markdown', source });
const notebook = (cells: readonly object[], metadata: object = {}): string =>
  JSON.stringify({ nbformat: 4, metadata, cells });
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAE'.repeat(40);

describe('notebooks', () => {
  it.each<[string, object[], string[]]>([
    [
      'text and code',
      [text('# Eels\n\nThey fell.'), code('count()')],
      ['# Eels', 'They fell.', '```python', 'count()', '```'],
    ],
    ['sources in lines', [text(['a\n', 'b'])], ['a', 'b']],
    [
      'what was printed',
      [code('x', [{ output_type: 'stream', text: ['31\n', '32'] }])],
      ['```python', 'x', '```', '```text', '31', '32', '```'],
    ],
    [
      'a result',
      [code('x', [{ output_type: 'execute_result', data: { 'text/plain': '7', 'text/html': '<b>7</b>' } }])],
      ['```python', 'x', '```', '```text', '7', '```'],
    ],
    [
      'results that are no plain text',
      [
        code('x', [
          {
            data: {
              'text/html': ['<p>Walrus <b>91</b></p>'],
              'text/plain': '<IPython.core.display.HTML object>',
            },
          },
          { data: { 'text/latex': '$$a = 1$$' } },
          { data: { 'application/json': { narwhal: 42 } } },
        ]),
      ],
      ['```python', 'x', '```', 'Walrus **91**', '$$a = 1$$', '```json', '{', '  "narwhal": 42', '}', '```'],
    ],
    [
      'an error without its colours',
      [
        code('x', [
          {
            output_type: 'error',
            ename: 'E',
            evalue: 'v',
            traceback: ['\u001b[31mKeyError\u001b[0m', 'at 3'],
          },
        ]),
      ],
      ['```python', 'x', '```', '```text', 'KeyError', 'at 3', '```'],
    ],
    ['code that holds a fence', [code('s = """\n```\n"""')], ['````python', 's = """', '```', '"""', '````']],
    ['an empty cell', [code(''), text('x')], ['x']],
    ['raw text', [{ cell_type: 'raw', source: 'kept' }], ['kept']],
  ])('are read: %s', async (_, cells, expected) => {
    expect(await linesAs(NOTEBOOK_FORMAT, notebook(cells))).toEqual(expected);
  });

  it('of version 3 have their cells in worksheets', async () => {
    const old = {
      nbformat: 3,
      worksheets: [
        {
          cells: [
            { cell_type: 'heading', level: 2, source: 'Result' },
            { cell_type: 'code', input: 'go()', outputs: [] },
          ],
        },
      ],
    };
    expect(await linesAs(NOTEBOOK_FORMAT, JSON.stringify(old))).toEqual([
      '## Result',
      '```python',
      'go()',
      '```',
    ]);
  });

  it('keep code with more marks of code than a call takes arguments', async () => {
    const { text: stored } = await parseAs(NOTEBOOK_FORMAT, notebook([code('` '.repeat(450_000))]));
    expect(stored).toMatch(/^```python\n` ` `/);
  });

  it('say their language', async () => {
    const { text: stored, metadata } = await parseAs(
      NOTEBOOK_FORMAT,
      notebook([code('x')], { language_info: { name: 'julia' } }),
    );
    expect(stored).toContain('```julia');
    expect(metadata).toEqual({ language: 'julia' });
  });

  it('keep no picture, and count them', async () => {
    const cells = [
      text(`![plot](data:image/png;base64,${PNG}) seen`),
      code('plot()', [{ output_type: 'display_data', data: { 'image/png': PNG, 'text/plain': '<Figure>' } }]),
    ];
    const parsed = await parseAs(NOTEBOOK_FORMAT, notebook(cells));
    expect(parsed.text).not.toContain(PNG.slice(0, 20));
    expect(parsed.text).toContain('seen');
    expect(parsed.unread).toEqual({ pictures: 2 });
  });

  it('count attached pictures, and charts of which nothing is said', async () => {
    const attached = {
      ...text('See ![p](attachment:p.png)'),
      attachments: { 'p.png': { 'image/png': PNG } },
    };
    const chart = code('x', [{ data: { 'application/vnd.vega.v5+json': { mark: 'bar' } } }]);
    const parsed = await parseAs(NOTEBOOK_FORMAT, notebook([attached, chart]));
    expect(parsed.unread).toEqual({ pictures: 1, charts: 1 });
  });

  it.each([
    ['no JSON', '{'],
    ['a list', '[]'],
  ])('that are none are refused: %s', async (_, content) => {
    await expect(parseAs(NOTEBOOK_FORMAT, content)).rejects.toMatchObject({ reason: 'DOCUMENT_INVALID' });
  });
});
