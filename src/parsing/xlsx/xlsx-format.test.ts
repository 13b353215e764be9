import { describe, expect, it } from 'vitest';
import { makeZip } from '../../../tests/fixtures/documents/make-docx.js';
import {
  makeXlsx,
  relations,
  SPREADSHEET,
  type Workbook,
} from '../../../tests/fixtures/documents/make-office.js';
import { linesAs, parseAs } from '../test-converted.js';
import { XLSX_FORMAT } from './xlsx-format.js';

const cell = (reference: string, value: string | number, more = ''): string =>
  typeof value === 'number'
    ? `<c r="${reference}"${more}><v>${value}</v></c>`
    : `<c r="${reference}" t="inlineStr"><is><t>${value}</t></is></c>`;
const row = (number: number, ...cells: readonly string[]): string =>
  `<row r="${number}">${cells.join('')}</row>`;
const HEAD = row(1, cell('A1', 'Berth'), cell('B1', 'Fee'));
const styled = (...formats: readonly string[]): string =>
  `<numFmts>${formats.map((code, at) => `<numFmt numFmtId="${200 + at}" formatCode="${code}"/>`).join('')}</numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="10"/>${formats.map((_, at) => `<xf numFmtId="${200 + at}"/>`).join('')}</cellXfs>`;

describe('workbooks', () => {
  it.each<[string, Workbook, string[]]>([
    [
      'rows of a table',
      { sheets: { Tariff: HEAD + row(2, cell('A2', 'North 4'), cell('B2', 310)) } },
      ['## Tariff', '| Berth | Fee |', '| - | - |', '| North 4 | 310 |'],
    ],
    [
      'shared texts, in several fonts too',
      {
        sheets: { S: row(1, '<c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c>') },
        strings: [
          '<t>Berth</t>',
          '<r><t>North </t></r><r><rPr><b/></rPr><t>4</t></r><rPh sb="0" eb="1"><t>x</t></rPh>',
        ],
      },
      ['## S', '| Berth | North 4 |', '| - | - |'],
    ],
    [
      'exponents and indices',
      {
        sheets: { S: row(1, '<c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c>') },
        strings: [
          '<r><t>10</t></r><r><rPr><vertAlign val="superscript"/></rPr><t>6</t></r><r><t xml:space="preserve"> Pa</t></r>',
          '<r><t>p</t></r><r><rPr><vertAlign val="subscript"/></rPr><t>max</t></r>',
        ],
      },
      ['## S', '| 10^6 Pa | p_max |', '| - | - |'],
    ],
    [
      'several sheets',
      {
        sheets: { A: row(1, cell('A1', 'x'), cell('B1', 'y')), B: row(1, cell('A1', 'z'), cell('B1', 'w')) },
      },
      ['## A', '| x | y |', '| - | - |', '## B', '| z | w |', '| - | - |'],
    ],
    [
      'dates, times and shares',
      {
        sheets: {
          S:
            row(1, cell('A1', 'Day'), cell('B1', 'At'), cell('C1', 'Share')) +
            row(
              2,
              cell('A2', 45_692, ' s="1"'),
              cell('B2', 45_692.4375, ' s="3"'),
              cell('C2', 0.125, ' s="2"'),
            ),
        },
        styles: styled('yyyy\\-mm\\-dd hh:mm'),
      },
      ['## S', '| Day | At | Share |', '| - | - | - |', '| 2025-02-04 | 2025-02-04 10:30 | 12.5% |'],
    ],
    ...(
      [
        ['hours that pass a day', '[h]:mm', 1.104_166_666_666_7, '26:30'],
        ['hours, minutes and seconds', '[hh]:mm:ss', 2.000_011_574_074, '48:00:01'],
        ['minutes that pass an hour', '[mm]:ss', 0.0625, '90:00'],
        ['seconds of a time', 'hh:mm:ss', 0.437_673_611_1, '10:30:15'],
        ['seconds of a date', 'yyyy\\-mm\\-dd hh:mm:ss', 45_692.437_673_611_1, '2025-02-04 10:30:15'],
        ['zeros in front', '00000', 1067, '01067'],
        ['figures in places', '000\\-00\\-0000', 12_345_678, '012-34-5678'],
        ['money', '#,##0.00 &quot;EUR&quot;', 1250.5, '1250.5 EUR'],
        ['money of a place', '[$€-407]\\ #,##0;[Red]-#,##0', 12, '€ 12'],
        ['a unit', '0.0\\ &quot;kg&quot;', 3.5, '3.5 kg'],
        ['a unit behind any number', 'General&quot; bar&quot;', 6.5, '6.5 bar'],
        ['accounts', '_(* #,##0.00_);_(* \\(#,##0.00\\);_(* &quot;-&quot;??_)', 7, '7'],
      ] as const
    ).map(([name, code, value, shown]): [string, Workbook, string[]] => [
      name,
      { sheets: { S: row(1, cell('A1', 'm'), cell('B1', value, ' s="3"')) }, styles: styled(code) },
      ['## S', `| m | ${shown} |`, '| - | - |'],
    ]),
    [
      'money is no date',
      {
        sheets: { S: row(1, cell('A1', 'm'), cell('B1', 12.5, ' s="3"')) },
        styles: styled('#,##0.00 &quot;days&quot; [$EUR]'),
      },
      ['## S', '| m | 12.5 days EUR |', '| - | - |'],
    ],
    [
      'the calendar of 1904',
      {
        sheets: { S: row(1, cell('A1', 'd'), cell('B1', 1, ' s="1"')) },
        styles: styled(),
        properties: '<workbookPr date1904="1"/>',
      },
      ['## S', '| d | 1904-01-02 |', '| - | - |'],
    ],
    [
      'merged cells, in each of them',
      {
        sheets: {
          S:
            HEAD +
            row(2, cell('A2', 'North'), cell('B2', 1)) +
            row(3, cell('B3', 2)) +
            '<mergeCells><mergeCell ref="A2:A3"/></mergeCells>',
        },
      },
      ['## S', '| Berth | Fee |', '| - | - |', '| North | 1 |', '| North | 2 |'],
    ],
    [
      'tables apart from each other',
      {
        sheets: {
          S:
            HEAD +
            row(4, cell('A4', 'Buoy'), cell('B4', 'Light')) +
            row(5, cell('A5', 'One'), cell('B5', 'green')),
        },
      },
      ['## S', '| Berth | Fee |', '| - | - |', '| Buoy | Light |', '| - | - |', '| One | green |'],
    ],
    [
      'a title above a table',
      { sheets: { S: row(1, cell('A1', 'Fees of 2025')) + row(2, cell('A2', 'Berth'), cell('B2', 'Fee')) } },
      ['## S', 'Fees of 2025', '| Berth | Fee |', '| - | - |'],
    ],
    [
      'columns that are not the first',
      { sheets: { S: row(2, cell('D2', 'a'), cell('F2', 'b')) + row(3, cell('F3', 'c')) } },
      ['## S', '| a | b |', '| - | - |', '|  | c |'].map((line) => line),
    ],
    [
      'what formulas come to',
      {
        sheets: {
          S: row(
            1,
            cell('A1', 'Sum'),
            '<c r="B1"><f>A2+A3</f><v>7</v></c><c r="C1" t="str"><f>X</f><v>text</v></c>',
          ),
        },
      },
      ['## S', '| Sum | 7 | text |', '| - | - | - |'],
    ],
    [
      'yes and no',
      { sheets: { S: row(1, '<c r="A1" t="b"><v>1</v></c><c r="B1" t="b"><v>0</v></c>') } },
      ['## S', '| TRUE | FALSE |', '| - | - |'],
    ],
    [
      'bars and line ends in cells',
      { sheets: { S: row(1, cell('A1', 'a|b'), cell('B1', 'c\nd')) } },
      ['## S', '| a\\|b | c d |', '| - | - |'],
    ],
    [
      'rows and cells that name no place',
      {
        sheets: {
          S: '<row><c t="inlineStr"><is><t>a</t></is></c><c t="inlineStr"><is><t>b</t></is></c></row><row><c><v>1</v></c></row>',
        },
      },
      ['## S', '| a | b |', '| - | - |', '| 1 |  |'],
    ],
  ])('are read: %s', async (_, given, expected) => {
    expect(await linesAs(XLSX_FORMAT, makeXlsx(given))).toEqual(expected);
  });

  it('have their comments below the sheet', async () => {
    const more = [
      {
        name: 'xl/worksheets/_rels/sheet1.xml.rels',
        content: relations(['rId1', 'comments', '../comments1.xml']),
      },
      {
        name: 'xl/comments1.xml',
        content: `<comments ${SPREADSHEET}><commentList><comment ref="B2"><text><r><t>Ask Madame Ruelle</t></r></text></comment></commentList></comments>`,
      },
    ];
    expect(await linesAs(XLSX_FORMAT, makeXlsx({ sheets: { S: HEAD }, more }))).toContain(
      'Comment on B2: Ask Madame Ruelle',
    );
  });

  it('count formulas without a value, pictures, charts and macros', async () => {
    const names = [
      'xl/media/image1.png',
      'xl/charts/chart1.xml',
      'xl/charts/colors1.xml',
      'xl/vbaProject.bin',
    ];
    const more = names.map((name) => ({
      name,
      content: '<x/>',
    }));
    const parsed = await parseAs(
      XLSX_FORMAT,
      makeXlsx({ sheets: { S: row(1, '<c r="A1"><f>B1*2</f></c>') }, more }),
    );
    expect(parsed.unread).toEqual({ formulas: 1, pictures: 1, charts: 1, macros: 1 });
    expect(parsed.warnings).toEqual([expect.stringContaining('no text')]);
  });

  it.each([
    ['no workbook', makeZip([{ name: 'a.txt', content: 'x' }])],
    ['a damaged sheet', makeXlsx({ sheets: { S: '<row><c></row>' } })],
    ['no archive', Buffer.from('hello')],
    [
      'a document type',
      makeZip([{ name: 'xl/workbook.xml', content: '<!DOCTYPE a [<!ENTITY b "b">]><workbook/>' }]),
    ],
  ])('that are none are refused: %s', async (_, content) => {
    await expect(parseAs(XLSX_FORMAT, content)).rejects.toMatchObject({ reason: 'DOCUMENT_INVALID' });
  });

  it('merge no more than is reasonable', async () => {
    const rows = `${row(1, cell('A1', 'x'), cell('B1', 'y'))}<mergeCells><mergeCell ref="A1:XFD1048576"/></mergeCells>`;
    expect(await linesAs(XLSX_FORMAT, makeXlsx({ sheets: { S: rows } }))).toEqual([
      '## S',
      '| x | y |',
      '| - | - |',
    ]);
  });

  it('leave out hidden sheets, and count them', async () => {
    const sheet = `<worksheet ${SPREADSHEET}><sheetData>${HEAD}</sheetData></worksheet>`;
    const parsed = await parseAs(
      XLSX_FORMAT,
      makeZip([
        {
          name: 'xl/workbook.xml',
          content: `<workbook ${SPREADSHEET}><sheet name="A" state="hidden" r:id="a"/><sheet name="B" state="veryHidden" r:id="b"/></workbook>`,
        },
        {
          name: 'xl/_rels/workbook.xml.rels',
          content: relations(['a', 'worksheet', 'a.xml'], ['b', 'worksheet', 'b.xml']),
        },
        ...[
          { name: 'xl/a.xml', content: sheet },
          { name: 'xl/b.xml', content: sheet },
        ],
      ]),
    );
    expect(parsed).toMatchObject({ text: '', unread: { 'hidden parts': 2 } });
  });

  it('leave out hidden rows and columns, and count those that hold something', async () => {
    const columns = '<cols><col min="2" max="3" hidden="1"/></cols>';
    const rows = [
      row(1, cell('A1', 'Berth'), cell('B1', 'Salary'), cell('D1', 'Fee')),
      row(2, cell('A2', 'North'), cell('B2', 1), cell('D2', 310)),
      row(3, cell('A3', 'Secret'), cell('D3', 9)).replace('<row', '<row hidden="true"'),
      row(4, cell('A4', 'South'), cell('D4', 220)),
    ].join('');
    const content = `<worksheet ${SPREADSHEET}>${columns}<sheetData>${rows}</sheetData></worksheet>`;
    const parsed = await parseAs(
      XLSX_FORMAT,
      makeZip([
        {
          name: 'xl/workbook.xml',
          content: `<workbook ${SPREADSHEET}><sheet name="A" r:id="a"/></workbook>`,
        },
        { name: 'xl/_rels/workbook.xml.rels', content: relations(['a', 'worksheet', 'a.xml']) },
        { name: 'xl/a.xml', content },
      ]),
    );
    expect(parsed.text).toContain('| North | 310 |\n| South | 220 |');
    expect(parsed.text).not.toMatch(/Secret|Salary/);
    expect(parsed).toMatchObject({ unread: { 'hidden parts': 2 } });
  });

  it('are read once where they name a sheet again', async () => {
    const parsed = await parseAs(
      XLSX_FORMAT,
      makeZip([
        {
          name: 'xl/workbook.xml',
          content: `<workbook ${SPREADSHEET}>${'<sheet name="S" r:id="a"/>'.repeat(8_000)}</workbook>`,
        },
        { name: 'xl/_rels/workbook.xml.rels', content: relations(['a', 'worksheet', 'a.xml']) },
        { name: 'xl/a.xml', content: row(1, cell('A1', 'word')) },
      ]),
    );
    expect(parsed).toMatchObject({
      text: '## S\n\nword',
      warnings: ['7999 references to parts of the file that stand in the text already were left out.'],
    });
  });

  it.each<[string, Workbook]>([
    [
      'a long text in many cells',
      {
        sheets: { S: row(1, '<c t="s"><v>0</v></c>'.repeat(40_000)) },
        strings: [`<t>${'a b '.repeat(50_000)}</t>`],
      },
    ],
    [
      'a long text in a merged range',
      { sheets: { S: `${row(1, cell('A1', 'a'.repeat(100_000)))}<mergeCell ref="A1:CV100"/>` } },
    ],
    [
      'a row of many cells above many short ones',
      {
        sheets: {
          S: row(1, '<c><v>1</v></c>'.repeat(16_000)) + '<row><c><v>1</v></c></row>'.repeat(16_000),
        },
      },
    ],
  ])('that come to too much text are refused: %s', async (_, workbook) => {
    await expect(parseAs(XLSX_FORMAT, makeXlsx(workbook))).rejects.toMatchObject({
      reason: 'DOCUMENT_TOO_LARGE',
    });
  });

  it('do not read formats of numbers that are longer than any', async () => {
    const sheets = { S: row(1, cell('A1', 'd'), cell('B1', 1, ' s="3"')) };
    expect(await linesAs(XLSX_FORMAT, makeXlsx({ sheets, styles: styled('d'.repeat(1_001)) }))).toContain(
      '| d | 1 |',
    );
  });

  it('read thousands of formats of numbers that open brackets and close none', async () => {
    const formats = Array.from({ length: 20_000 }, () => '['.repeat(1_000));
    const sheets = { S: row(1, cell('A1', 'd'), cell('B1', 1, ' s="3"')) };
    expect(await linesAs(XLSX_FORMAT, makeXlsx({ sheets, styles: styled(...formats) }))).toContain(
      '| d | 1 |',
    );
  }, 60_000);

  it('read a shared text of blanks once, however many cells refer to it', async () => {
    const sheets = { S: `<row>${'<c t="s"><v>0</v></c>'.repeat(100_000)}</row>` };
    const { text } = await parseAs(
      XLSX_FORMAT,
      makeXlsx({ sheets, strings: [`<t>${' '.repeat(2_000_000)}</t>`] }),
    );
    expect(text).toBe('');
  }, 60_000);
});
