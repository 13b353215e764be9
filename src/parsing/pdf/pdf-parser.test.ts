import fc from 'fast-check';
import { afterAll, describe, expect, it, test } from 'vitest';
import { encodeText } from '../../../tests/fixtures/documents/encode-text.js';
import { makePdf } from '../../../tests/fixtures/documents/make-pdf.js';
import { createChunker } from '../../chunking/create-chunker.js';
import { resolveChunking } from '../../config/resolve-chunking.js';
import type { ParsedDocument, RawDocument } from '../../core/document.js';
import { MEDIA_TYPES } from '../../core/media-types.js';
import { OPEN_ACCESS } from '../../core/scope.js';
import { ParsingThread } from '../worker/parsing-thread.js';
import type { PageItem } from './columns.js';
import { countPictures, createPdfParser, type PdfParserOptions, pageText } from './pdf-parser.js';

const thread = new ParsingThread({ timeoutMs: 30_000, memoryMb: 512 });
afterAll(() => thread.stop());

const raw = (content: Uint8Array): RawDocument => ({
  externalId: 'a.pdf',
  mediaType: MEDIA_TYPES.pdf,
  content,
  metadata: {},
  access: OPEN_ACCESS,
});
const parse = (content: Uint8Array, pdf: PdfParserOptions = {}): Promise<ParsedDocument> =>
  thread.parse({ document: raw(content), options: { pdf } });

describe('PDF', () => {
  it('gives the text of each page, with its paragraphs and its place', async () => {
    const parsed = await parse(
      makePdf([['First line\nsecond line', 'Next paragraph (a\\b)'], ['Page two']], { title: 'Runbook' }),
    );
    expect(parsed.text).toBe('First line\nsecond line\n\nNext paragraph (a\\b)\n\nPage two');
    expect(parsed.pages?.map(({ start, end }) => parsed.text.slice(start, end))).toEqual([
      'First line\nsecond line\n\nNext paragraph (a\\b)',
      'Page two',
    ]);
    expect(parsed).toMatchObject({ title: 'Runbook', metadata: { pageCount: 2 }, warnings: [] });
    expect(parsed.blocks).toHaveLength(3);
  });

  it('chunks carry the pages they lie on', async () => {
    const page = (name: string) => [`${name} `.repeat(12).trim()];
    const parsed = await parse(makePdf([page('one'), page('two'), page('three')]));
    const chunker = createChunker(
      resolveChunking({ unit: 'characters', minSize: 10, maxSize: 80, overlap: 0 }),
      (text) => text.length,
    );
    expect(chunker.chunk(parsed).map(({ metadata }) => metadata)).toEqual([
      { pages: { start: 1, end: 1 } },
      { pages: { start: 2, end: 2 } },
      { pages: { start: 3, end: 3 } },
    ]);
  });

  it('chunks that lie on several pages say where each begins', async () => {
    const parsed = await parse(makePdf([['one'], [], ['three']]));
    const chunker = createChunker(resolveChunking({ strategy: 'whole' }), (text) => text.length);
    const [chunk] = chunker.chunk(parsed);
    expect(chunk?.metadata?.pages).toEqual({ start: 1, end: 3, breaks: [3, 5] });
    expect(chunk?.content.slice(5)).toBe('three');
  });

  it('names pages without text, and says when no page has any', async () => {
    expect((await parse(makePdf([['a'], [], ['c']]))).warnings).toEqual([
      'Pages without text, scanned or empty: 2. `npm install tesseract.js@7.0.0 @tesseract.js-data/eng@1.0.0` and another run read pages that are pictures (OCR).',
    ]);
    const scanned = await parse(makePdf([[], []]));
    expect(scanned.warnings).toEqual([expect.stringContaining('OCR')]);
    expect(scanned.text).toBe('');
  });

  it('leaves out and counts letters whose font does not say what they are', async () => {
    const glyphs = (shift: number) => ({
      ...{ map: 'Identity-H', ordering: 'Identity' },
      encode: (line: string) => Buffer.from([...line].flatMap((letter) => [0, letter.charCodeAt(0) - shift])),
    });
    const parsed = await parse(makePdf([['Cooling water', 'is CHANGED'], ['monthly']], { font: glyphs(29) }));
    expect(parsed.text).toBe('');
    expect(parsed.unread).toEqual({ 'letters without a meaning': 30 });
    expect(parsed.warnings).toEqual([expect.stringContaining('left out: 30, on pages 1, 2.')]);
    // Codes that are letters are read as such.
    expect((await parse(makePdf([['Cooling water is changed']], { font: glyphs(0) }))).text).toBe(
      'Cooling water is changed',
    );
  });

  it('reads what the fields of a form are filled with', async () => {
    const parsed = await parse(
      makePdf([['Berth request'], ['Second page']], {
        fields: [
          '/FT /Tx /T (vessel) /TU (Name of the vessel) /V (Sea Otter)',
          '/FT /Tx /T (remarks) /V (Bow thruster\\nis out of order)',
          '/FT /Tx /T (empty)',
          '/FT /Tx /T (pin) /Ff 8192 /V (secret)',
          '/FT /Ch /Ff 131072 /T (quay) /V (N) /Opt [[(N) (North quay)] [(S) (South quay)]]',
          '/FT /Btn /T (pilot) /V /Yes /AS /Yes /AP << /N << /Yes null /Off null >> >>',
          '/FT /Btn /T (tug) /V /Off /AS /Off /AP << /N << /Yes null /Off null >> >>',
        ],
      }),
    );
    expect(parsed.text).toBe(
      'Berth request\n\nName of the vessel: Sea Otter\nremarks: Bow thruster is out of order\nquay: North quay\npilot: Yes\n\nSecond page',
    );
  });

  it('takes a picture of a page with its number for a page without text, and a picture in a page for none', async () => {
    const scanned = await parse(makePdf([['Page 3 of 9'], ['Received 2026-03-01']], { picture: 0.9 }));
    expect(scanned.unread).toEqual({ pictures: 1, 'pages without text': 2 });
    expect(scanned.warnings).toEqual([expect.stringContaining('OCR')]);
    expect(scanned.warnings.join()).not.toContain('No page holds text');
    expect(scanned.text).toContain('Page 3 of 9');
    expect((await parse(makePdf([['A logo']], { picture: 0.2 }))).warnings).toEqual([]);
    expect((await parse(makePdf([['A map and what it says. '.repeat(9)]], { picture: 1 }))).warnings).toEqual(
      [],
    );
  });

  it.each([
    ['', '"a.pdf" is empty (0 bytes)'],
    ['Notes of the meeting: höher.', '"a.pdf" is plain text, and not what its name says'],
    ['<!DOCTYPE html><p>Sign in</p>', '"a.pdf" is a page of HTML'],
    ['PK\u0003\u0004\u0000\u0001', '"a.pdf" is a ZIP archive'],
    ['{\\rtf1 Notes}', '"a.pdf" is Rich Text'],
    ['%PDF-1.7\n1 0 obj', 'it is damaged or cut short'],
  ])('says what a file is that is no PDF: %j', async (content, said) => {
    await expect(parse(Buffer.from(content))).rejects.toThrow(said);
  });

  const utf16 = (line: string): Uint8Array => Buffer.from(line, 'utf16le').swap16();
  const as =
    (encoding: string) =>
    (line: string): Uint8Array =>
      encodeText(line, encoding);
  it.each([
    ['90ms-RKSJ-H', 'Japan1', as('shift_jis'), '非常口は倉庫の北側にある。'],
    ['90ms-RKSJ-V', 'Japan1', as('shift_jis'), '縦書きの文書'],
    ['UniJIS-UCS2-H', 'Japan1', utf16, '冷却水の交換は半年ごとに実施する。'],
    ['UniJIS-UTF16-H', 'Japan1', utf16, '保守点検マニュアル'],
    ['EUC-H', 'Japan1', as('euc-jp'), '異常時は制御盤の赤いボタンを押す。'],
    ['GBK-EUC-H', 'GB1', as('gbk'), '消防通道位于仓库北侧。'],
    ['GB-EUC-H', 'GB1', as('gbk'), '冷却水每半年更换一次。'],
    ['UniGB-UCS2-H', 'GB1', utf16, '设备维护手册'],
    ['ETen-B5-H', 'CNS1', as('big5'), '冷卻水每半年更換一次。'],
    ['UniCNS-UTF16-H', 'CNS1', utf16, '設備維護手冊'],
    ['KSCms-UHC-H', 'Korea1', as('euc-kr'), '냉각수는 반년마다 교체한다.'],
    ['UniKS-UCS2-H', 'Korea1', utf16, '설비 점검 안내서'],
  ])('reads a font with the predefined character map %s', async (map, ordering, encode, line) => {
    const { text } = await parse(makePdf([[line]], { font: { map, ordering, encode } }));
    expect(text.normalize('NFKC').replaceAll(' ', '')).toBe(line.normalize('NFKC').replaceAll(' ', ''));
  });

  it('counts letters of which the font does not say what they are', async () => {
    const font = {
      map: 'Identity-H',
      ordering: 'Identity',
      encode: () => Uint8Array.from([0xe0, 0x01, 0xe0, 0x02]),
    };
    const parsed = await parse(makePdf([['x']], { font }));
    expect(parsed.unread).toEqual({ 'letters without a meaning': 2 });
  });

  it('stops at its limits and says so', async () => {
    const file = makePdf([['a'], ['b'], ['c']]);
    expect(await parse(file, { maxPages: 2 })).toMatchObject({
      text: 'a\n\nb',
      warnings: ['Pages 3 to 3 were left out: 2 pages are read at most.'],
    });
    expect((await parse(file, { maxLength: 0 })).warnings).toEqual([
      'Pages 2 to 3 were left out: 0 characters are read at most.',
    ]);
    expect((await parse(file, { maxParseMs: -1 })).warnings).toEqual([
      expect.stringContaining('took longer'),
    ]);
  });

  it('does not take a program’s file name for a title', async () => {
    expect((await parse(makePdf([['a']], { title: 'Microsoft Word - plan.doc' }))).title).toBeUndefined();
  });
});

describe('hostile PDF', () => {
  it.each([
    ['text', Buffer.from('hello')],
    ['nothing', Buffer.from('')],
    ['a header alone', Buffer.from('%PDF-1.7\n%%EOF')],
  ])('%s is refused', async (_, bytes) => {
    await expect(parse(bytes)).rejects.toMatchObject({ reason: 'DOCUMENT_INVALID' });
  });

  it('is not read outside of the parsing thread, where what PDF.js forgets would end the process', async () => {
    await expect(createPdfParser().parse(raw(makePdf([['a']])))).rejects.toMatchObject({
      reason: 'INTERNAL',
    });
  });

  it('an altered file is read or refused, never a crash', async () => {
    const valid = makePdf([['one two'], ['three']]);
    const change = fc.array(fc.tuple(fc.nat(valid.length - 1), fc.nat(255)), { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(change, async (changes) => {
        const bytes = Uint8Array.from(valid);
        for (const [at, value] of changes) bytes[at] = value;
        await parse(bytes).then(
          ({ text, pages }) => {
            for (const { start, end } of pages ?? []) expect(start <= end && end <= text.length).toBe(true);
          },
          (error: unknown) => expect(error).toMatchObject({ reason: 'DOCUMENT_INVALID' }),
        );
      }),
      { numRuns: 40 },
    );
  });
});

const picture = (more = ''): string => `5 0 obj << /Type /XObject /Subtype /Image /Width 1 ${more}>> stream`;

test.each([
  ['none', 'BT (Image) Tj ET', 0],
  ['one', picture(), 1],
  ['one that is written without blanks', '<</Type/XObject/Subtype/Image/Width 1>>', 1],
  ['several', picture().repeat(3), 3],
  ['one with a mask', picture('/SMask 7 0 R ') + picture(), 1],
  ['two that share a mask', picture('/SMask 7 0 R ').repeat(2) + picture(), 2],
  ['a mask that is none', `${picture()} /SMask /None`, 1],
  ['an annotation of text', '<< /Subtype /Text >>', 0],
])('pictures of a PDF are counted: %s', (_, content, count) => {
  expect(countPictures(Buffer.from(content, 'latin1'))).toBe(count);
});

const item = (str: string, x: number, y: number, height = 11): PageItem => ({
  ...{ str, hasEOL: false, transform: [1, 0, 0, 1, x, y], height },
  width: str.length * height * 0.5,
});
const blank = (x: number, y: number): PageItem => item(' ', x, y, 0);

test.each([
  ['10', '6', 5, '10^6 Pa'],
  ['10', '-3', 5, '10^-3 Pa'],
  ['5 m', '2', 5, '5 m^2 Pa'],
  ['see note', '2', 5, 'see note 2 Pa'],
  ['10', '6', 0, '10 6 Pa'],
  ['10', '6', 14, '10 6 Pa'],
])('figures above their line are exponents: %s %s, raised by %d', (base, figure, raised, expected) => {
  const at = 60 + base.length * 5.5;
  const items = [
    item(base, 60, 560),
    blank(at, 560),
    item(figure, at + 2, 560 + raised, 7),
    blank(at + 8, 560),
    item('Pa', at + 12, 560),
  ];
  expect(pageText(items)).toBe(expected);
});
