import { describe, expect, it } from 'vitest';
import { makeZip } from '../../../tests/fixtures/documents/make-docx.js';
import { makeOdt } from '../../../tests/fixtures/documents/make-office.js';
import { linesAs, parseAs } from '../test-converted.js';
import { ODT_FORMAT } from './odt-format.js';

const p = (text: string): string => `<text:p>${text}</text:p>`;
const tableCell = (text: string, more = ''): string =>
  `<table:table-cell${more}>${p(text)}</table:table-cell>`;
const tableRow = (...cells: readonly string[]): string =>
  `<table:table-row>${cells.join('')}</table:table-row>`;

describe('OpenDocument texts', () => {
  it.each<[string, string, string[]]>([
    [
      'headings and text',
      `<text:h text:outline-level="2">Limits</text:h>${p('Nine tonnes.')}`,
      ['## Limits', 'Nine tonnes.'],
    ],
    [
      'lists',
      `<text:list><text:list-item>${p('one')}</text:list-item><text:list-item>${p('two')}<text:list><text:list-item>${p('inner')}</text:list-item></text:list></text:list-item></text:list>`,
      ['- one', '- two', '  - inner'],
    ],
    [
      'tables',
      `<table:table>${tableRow(tableCell('Berth'), tableCell('Fee'))}${tableRow(tableCell('N 4'), tableCell('310'))}</table:table>`,
      ['| Berth | Fee |', '| - | - |', '| N 4 | 310 |'],
    ],
    [
      'spans',
      `<table:table>${tableRow(tableCell('a'), tableCell('b'))}${tableRow(tableCell('both', ' table:number-columns-spanned="2"'), '<table:covered-table-cell/>')}</table:table>`,
      ['| a | b |', '| - | - |', '| both | both |'],
    ],
    [
      'blanks, tabs and line ends',
      p('a<text:s text:c="3"/>b<text:tab/>c<text:line-break/>d'),
      ['a b c\\', 'd'],
    ],
    [
      'links',
      p('See <text:a xlink:href="https://example.org">here</text:a>.'),
      ['See [here](https://example.org).'],
    ],
    [
      'notes',
      p(
        'Pay in May<text:note><text:note-citation>1</text:note-citation><text:note-body>' +
          p('Not in a leap year.') +
          '</text:note-body></text:note>.',
      ),
      ['Pay in May \\[1].', 'Note 1: Not in a leap year.'],
    ],
    [
      'comments',
      p(
        'The crane<office:annotation><dc:creator>Ada</dc:creator>' +
          p('Which one?') +
          '</office:annotation> lifts.',
      ),
      ['The crane lifts.', 'Comment by Ada: Which one?'],
    ],
    [
      'deleted text, which is left out',
      `<text:tracked-changes><text:changed-region><text:deletion>${p('gone')}</text:deletion></text:changed-region></text:tracked-changes>${p('kept')}`,
      ['kept'],
    ],
    [
      'text in frames',
      p(`<draw:frame><draw:text-box>${p('Boxed.')}</draw:text-box></draw:frame>`),
      ['Boxed.'],
    ],
    ['signs', p('a &lt; b &amp; c'), ['a < b & c']],
  ])('are read: %s', async (_, text, expected) => {
    expect(await linesAs(ODT_FORMAT, makeOdt(text))).toEqual(expected);
  });

  it.each([
    [
      'what has the style Title',
      makeOdt(
        `<text:p text:style-name="P7">Crane manual</text:p>${p('x')}`,
        '<style:style style:name="P7" style:parent-style-name="Title"/>',
        '<dc:title>Other</dc:title>',
      ),
      'Crane manual',
    ],
    ['their properties', makeOdt(p('x'), '', '<dc:title>Crane manual</dc:title>'), 'Crane manual'],
    ['their first heading', makeOdt('<text:h text:outline-level="1">Crane manual</text:h>'), 'Crane manual'],
  ])('are called by %s', async (_, content, title) => {
    expect((await parseAs(ODT_FORMAT, content)).title).toBe(title);
  });

  it('count pictures and objects', async () => {
    const parsed = await parseAs(
      ODT_FORMAT,
      makeOdt(
        p(
          'x<draw:frame><draw:image xlink:href="a.png"/></draw:frame><draw:frame><draw:object xlink:href="b"/></draw:frame>',
        ),
      ),
    );
    expect(parsed.unread).toEqual({ pictures: 1, 'embedded files': 1 });
  });

  const style = (name: string, facts: string, parent = ''): string =>
    `<style:style style:name="${name}" style:parent-style-name="${parent}"><style:text-properties ${facts}/></style:style>`;
  const span = (name: string, text: string): string =>
    `<text:span text:style-name="${name}">${text}</text:span>`;

  it('keep what is raised and lowered', async () => {
    const styles = [
      style('U', 'text:text-position="super 58%"'),
      style('V', 'text:text-position="33% 58%"'),
      style('W', 'text:text-position="sub"'),
      style('X', 'text:text-position="0% 100%"'),
    ].join('');
    const body = p(`10${span('U', '6')} Pa, 5 m${span('V', '3')}, p${span('W', 'max')}, 7${span('X', '7')}`);
    expect(await linesAs(ODT_FORMAT, makeOdt(styles + body))).toEqual(['10^6 Pa, 5 m^3, p_max, 77']);
  });

  it('leave out what is hidden, and count it', async () => {
    const styles = style('H', 'text:display="none"') + style('I', '', 'H');
    const body = `${p(`seen ${span('H', 'not seen')}`)}<text:section text:display="none">${p('nor this')}</text:section><text:p text:style-name="H">nor that</text:p>`;
    const parsed = await parseAs(ODT_FORMAT, makeOdt(styles + body));
    expect(parsed.text.trim()).toBe('seen');
    expect(parsed.unread).toEqual({ 'hidden parts': 3 });
  });

  it('keep what is said of pictures', async () => {
    const frame =
      '<draw:frame><draw:image xlink:href="a.png"/><svg:title>Gate</svg:title><svg:desc>Map of "it"</svg:desc></draw:frame>';
    const parsed = await parseAs(ODT_FORMAT, makeOdt(p(frame)));
    expect(parsed.text.trim()).toBe('![Gate. Map of "it"]()');
    expect(parsed.unread).toEqual({ pictures: 1 });
  });

  it('that repeat cells without end stay small', async () => {
    const { text } = await parseAs(
      ODT_FORMAT,
      makeOdt(
        `<table:table>${tableRow(tableCell('a'), '<table:table-cell table:number-columns-repeated="16384"/>')}</table:table>`,
      ),
    );
    expect(text.length).toBeLessThan(2_000);
  });

  it('that repeat tables in cells that repeat are refused', async () => {
    const nested = Array.from({ length: 8 }).reduce(
      (inside: string) =>
        `<table:table>${tableRow(`<table:table-cell table:number-columns-repeated="64">${inside}</table:table-cell>`)}</table:table>`,
      p('x'),
    );
    await expect(parseAs(ODT_FORMAT, makeOdt(nested))).rejects.toMatchObject({
      reason: 'DOCUMENT_TOO_LARGE',
    });
  });

  it('that are none are refused', async () => {
    await expect(
      parseAs(ODT_FORMAT, makeZip([{ name: 'content.xml', content: '<a/>' }])),
    ).rejects.toMatchObject({ reason: 'DOCUMENT_INVALID' });
  });
});
