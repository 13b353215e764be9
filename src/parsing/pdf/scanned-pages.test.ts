import { afterAll, describe, expect, it } from 'vitest';
import { makePdf } from '../../../tests/fixtures/documents/make-pdf.js';
import { makeEncodedScan, makeScan } from '../../../tests/fixtures/documents/make-scan.js';
import type { ParsedDocument } from '../../core/document.js';
import { MEDIA_TYPES } from '../../core/media-types.js';
import { OPEN_ACCESS } from '../../core/scope.js';
import { ParsingThread } from '../worker/parsing-thread.js';
import { turned } from './draw-page.js';
import { installedOcr } from './installed-ocr.js';
import type { PdfParserOptions } from './pdf-parser.js';

const thread = new ParsingThread({ timeoutMs: 60_000, memoryMb: 512 });
afterAll(() => thread.stop());
const ocr = installedOcr();

const parse = (
  content: Uint8Array,
  pdf: PdfParserOptions = {},
  signal?: AbortSignal,
): Promise<ParsedDocument> =>
  thread.parse(
    {
      document: {
        ...{ externalId: 'a.pdf', mediaType: MEDIA_TYPES.pdf, content, metadata: {}, access: OPEN_ACCESS },
      },
      options: { pdf: { ocr, ...pdf } },
    },
    signal,
  );
/** A square of 8 grey pixels. */
const JPEG_2000 =
  '/0//UQApAAAAAAAIAAAACAAAAAAAAAAAAAAACAAAAAgAAAAAAAAAAAABBwEB/1IADAAAAAEAAAQEAAH/XAAEQED/ZAAlAAFDcmVhdGVkIGJ5IE9wZW5KUEVHIHZlcnNpb24gMi41LjT/kAAKAAAAAAAjAAH/k8+0SBQAXKNlXbAAAwkI1QoYSEv/f//Z';
const LINES = ['REPLACE THE COOLANT PUMP', 'THEN CALL THE PORT'];

describe('pages that are pictures', () => {
  it('are read by OCR where it is installed, and said to be', async () => {
    expect(ocr?.languages.map(({ code }) => code)).toContain('eng');
    const parsed = await parse(makeScan(LINES));
    expect(parsed.text).toContain('COOLANT PUMP');
    expect(parsed.pages).toEqual([{ start: 0, end: parsed.text.length }]);
    expect(parsed.metadata).toMatchObject({ ocrPages: 1 });
    expect(parsed.unread).toBeUndefined();
    expect(parsed.warnings).toEqual([
      expect.stringMatching(/^Pages read by OCR: 1, with a confidence of \d+/),
    ]);
  });

  it('are named where it takes too long, and each of the others is tried', async () => {
    const late = await parse(makeScan(LINES, { pages: 4 }), { maxPageMs: 1 });
    expect(late.unread).toEqual({ pictures: 1, 'pages without text': 4 });
    expect(late.warnings.join('\n')).toContain('Not read by OCR: page 1, 2, 3, 4 (Tesseract took too long).');
    expect((await parse(makeScan(LINES))).text).toContain('COOLANT');
  });

  it('are left alone where they hold no writing, and where they are small', async () => {
    const empty = await parse(makeScan([]));
    expect(empty.warnings.join('\n')).toContain('no writing was found');
    expect((await parse(makePdf([['A logo']], { picture: 0.2 }))).warnings).toEqual([]);
  });

  it('are named and counted where their picture is in a form that is not read', async () => {
    const { unread, warnings } = await parse(makeEncodedScan('JPXDecode', Buffer.from(JPEG_2000, 'base64')));
    expect(unread).toEqual({ pictures: 1, 'pages without text': 1 });
    expect(warnings.join('\n')).toContain(
      'Not read by OCR: page 1 (the picture is damaged, or in a form that is not read, as JPEG 2000).',
    );
  });

  it('are given up when the signal fires', async () => {
    const controller = new AbortController();
    const parsing = parse(makeScan(LINES), {}, controller.signal);
    controller.abort('enough');
    await expect(parsing).rejects.toMatchObject({ reason: 'ABORTED' });
  });
});

describe('turned', () => {
  it('turns clockwise', () => {
    const picture = { width: 3, height: 2, grey: Uint8Array.from([1, 2, 3, 4, 5, 6]) };
    expect([...turned(picture, 1).grey]).toEqual([4, 1, 5, 2, 6, 3]);
    expect([...turned(picture, 2).grey]).toEqual([6, 5, 4, 3, 2, 1]);
    expect([...turned(picture, 3).grey]).toEqual([3, 6, 2, 5, 1, 4]);
  });
});
