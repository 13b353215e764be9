import { describe, expect, it } from 'vitest';
import { linesAs, parseAs } from '../test-converted.js';
import { RTF_FORMAT } from './rtf-format.js';

const rtf = (body: string, head = '\\ansi\\ansicpg1252'): Uint8Array =>
  Buffer.from(`{\\rtf1${head} ${body}}`, 'latin1');

describe('Rich Text Format', () => {
  it.each<[string, Uint8Array, string[]]>([
    ['paragraphs', rtf('One.\\par Two.\\par'), ['One.', 'Two.']],
    [
      'marks of layout, which are left out',
      rtf('A {\\b bold} and {\\i\\fs24 slanted} word.'),
      ['A bold and slanted word.'],
    ],
    [
      'tables of fonts and styles, which are left out',
      rtf(
        '{\\fonttbl{\\f0\\fswiss Arial;}}{\\colortbl;\\red0\\green0\\blue0;}{\\stylesheet{\\s0 Normal;}}{\\*\\generator Word;}Text.',
      ),
      ['Text.'],
    ],
    ['bytes of the code page', rtf("Gr\\'fc\\'dfe, 5 \\'80"), ['Grüße, 5 €']],
    ['a code page of its own', rtf("\\'cf\\'f0\\'e8\\'e2\\'e5\\'f2", '\\ansi\\ansicpg1251'), ['Привет']],
    [
      'fonts with other letters',
      rtf(
        "{\\fonttbl{\\f0\\fcharset0 Arial;}{\\f1\\fcharset128 Mincho;}}{\\f1 \\'93\\'fa\\'96\\'7b} {\\f0 caf\\'e9}",
      ),
      ['日本 café'],
    ],
    [
      'letters by their code',
      rtf('\\uc1 caf\\u233 ? and \\u-10179 ?\\u-9138 ? {\\uc0\\u26085\\u26412 x}'),
      ['café and 😎 日本x'.replace('😎', '\ud83d\udc4e')],
    ],
    [
      'signs',
      rtf('a\\~b \\endash  c\\emdash d \\ldblquote e\\rdblquote  \\{f\\} 5\\_6'),
      ['a b – c—d “e” {f} 5-6'],
    ],
    [
      'tables',
      rtf(
        '\\trowd\\cellx1000\\cellx2000\\intbl Berth\\cell Fee\\cell\\row\\trowd\\intbl N 4\\cell 310\\cell\\row\\pard After.\\par',
      ),
      ['| Berth | Fee |', '| - | - |', '| N 4 | 310 |', 'After.'],
    ],
    [
      'fields by what they show',
      rtf('See {\\field{\\*\\fldinst HYPERLINK "https://example.org"}{\\fldrslt the plan}}.'),
      ['See the plan.'],
    ],
    ['headers and footers, which are left out', rtf('{\\header Ferry Ltd\\par}Text.{\\footer 3}'), ['Text.']],
    [
      'exponents and indices',
      rtf("10{\\super 6} Pa, 5 m\\super 3\\nosupersub  each, H{\\sub 2}O, x\\dn6 i\\dn0 , 10{\\up6\\'36}"),
      ['10^6 Pa, 5 m^3 each, H2O, x_i, 10^6'],
    ],
    [
      'notes, behind the text',
      rtf('Pay{\\super 1}{\\footnote\\pard\\plain {\\super 1} In May.\\par Or June.} now.\\par Then go.'),
      ['Pay \\[1] now.', 'Then go.', 'Note 1: In May. Or June.'],
    ],
    [
      'notes of cells',
      rtf(
        '\\trowd\\intbl Fee{\\footnote Net.}\\cell 5\\cell\\row\\trowd\\intbl Sum\\cell 6\\cell\\row\\pard After.\\par',
      ),
      ['| Fee \\[1] | 5 |', '| - | - |', '| Sum | 6 |', 'After.', 'Note 1: Net.'],
    ],
    ['lines in a paragraph', rtf('One\\line two\\par'), ['One\\', 'two']],
    ['source lines, which mean nothing', rtf('One\r\nword.\\par\r\nTwo.'), ['Oneword.', 'Two.']],
    ['signs of markup', rtf('a < b & <c>'), ['a < b & \\<c>']],
  ])('is read: %s', async (_, content, expected) => {
    expect(await linesAs(RTF_FORMAT, content)).toEqual(expected);
  });

  it('counts pictures, and holds none', async () => {
    const parsed = await parseAs(
      RTF_FORMAT,
      rtf(`a{\\pict\\pngblip ${'89504e47'.repeat(50)}}b{\\info{\\title Manual}}`),
    );
    expect(parsed).toMatchObject({ title: 'Manual', unread: { pictures: 1 } });
    expect(parsed.text.trim()).toBe('ab');
  });

  it('leaves out hidden text, and counts its stretches', async () => {
    const parsed = await parseAs(RTF_FORMAT, rtf('a{\\v b}{\\v c} d\\v e\\v0 f'));
    expect(parsed.text.trim()).toBe('a df');
    expect(parsed.unread).toEqual({ 'hidden parts': 2 });
  });

  it.each([
    ['another format', Buffer.from('hello')],
    ['groups without end', rtf('{'.repeat(5_000))],
  ])('that is none is refused: %s', async (_, content) => {
    await expect(parseAs(RTF_FORMAT, content)).rejects.toMatchObject({ reason: 'DOCUMENT_INVALID' });
  });

  it('that is cut short is read as far as it goes', async () => {
    expect(await linesAs(RTF_FORMAT, rtf('One.\\par {\\b Tw').subarray(0, -1))).toEqual(['One.', 'Tw']);
  });
});
