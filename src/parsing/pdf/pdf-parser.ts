import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import type { ParsedDocument, RawDocument, TextRange } from '../../core/document.js';
import { RAGError, toRAGError } from '../../core/errors.js';
import { MEDIA_TYPES } from '../../core/media-types.js';
import { oneLine } from '../../core/one-line.js';
import { runtime } from '../../core/runtime.js';
import { withoutUndefined } from '../../core/without-undefined.js';
import { otherFormat } from '../known-content.js';
import { paragraphBlocks } from '../paragraph-blocks.js';
import type { Parser } from '../parser.js';
import { toleratesStrayRejections } from '../stray-rejections.js';
import { unreadOf } from '../unread.js';
import { withWholeWords } from './broken-words.js';
import { inReadingOrder, type PageItem } from './columns.js';
import { OCR_ADVICE, type OcrPart } from './installed-ocr.js';
import { pagePictures } from './page-picture.js';
import { listNumbers, MAX_PICTURE_PIXELS, ScannedPages, type ScannedPagesOptions } from './scanned-pages.js';
import { TextRecogniser } from './text-recogniser.js';
import { type PrintedItem, UnknownFonts } from './unknown-fonts.js';

export interface PdfParserOptions {
  /** Later pages are left out, with a warning. @default 2,000 */
  readonly maxPages?: number;
  /** Text is read up to this length, in UTF-16 code units; the rest is left out, with a warning. @default 20 million */
  readonly maxLength?: number;
  /** Pages not reached in this time are left out, with a warning, in milliseconds. @default 60,000 */
  readonly maxParseMs?: number;
  /** Reads pages that are pictures. @default none, they are named in a warning */
  readonly ocr?: OcrPart | undefined;
  /** As `ScannedPagesOptions`. */
  readonly maxPageMs?: number;
  readonly maxDocumentMs?: number;
}

/** Characters of a page number, a stamp or a running title beside a picture of the page. */
const MAX_STAMP = 80;
const DEFAULT_MAX_PAGES = 2_000;
const DEFAULT_MAX_LENGTH = 20_000_000;
const DEFAULT_MAX_PARSE_MS = 60_000;
/** What stands between two pages, so that no paragraph reaches over a page end. */
const PAGE_GAP = '\n\n';

/**
 * Parser for PDF. The stored text is that of the pages in order, a blank line between two; `pages` says where each one
 * is, and chunks carry the pages they lie on. Pictures are counted and not read, but for pages of nothing else, where OCR is installed; without it they are
 * named in a warning.
 *
 * For the parsing thread alone. PDF.js asks for all pages ahead and forgets those that it needs no more; where one of them is
 * damaged, the forgotten promise rejects, which ends a process that does not tolerate it.
 *
 * @throws `DOCUMENT_INVALID` for a file that is damaged or needs a password; `INTERNAL` outside of the parsing thread
 */
export function createPdfParser(options: PdfParserOptions = {}): Parser {
  const recogniser = options.ocr && new TextRecogniser(options.ocr);
  return {
    version: 4,
    mediaTypes: [MEDIA_TYPES.pdf],
    parse: (document) => parsePdf(document, { ...options, recogniser }),
  };
}

type ReadingOptions = PdfParserOptions & ScannedPagesOptions;

async function parsePdf(document: RawDocument, options: ReadingOptions): Promise<ParsedDocument> {
  const read = await readPages(document, options);
  const { title, total, texts, scanned, pictured } = read;
  const pages: TextRange[] = [];
  let text = '';
  for (const page of withWholeWords(texts)) {
    if (page !== '' && text !== '') text += PAGE_GAP;
    const start = text.length;
    text += page;
    pages.push({ start, end: text.length });
  }
  return {
    text,
    blocks: paragraphBlocks(text),
    ...withoutUndefined({ title }),
    metadata: {
      pageCount: total,
      ...(pictured.read === undefined
        ? {}
        : { ocrPages: pictured.read.pages, ocrConfidence: pictured.read.confidence }),
    },
    ...unreadOf({
      pictures: Math.max(0, countPictures(Buffer.from(document.content)) - pictured.pictures),
      'pages without text': scanned.length,
      'letters without a meaning': read.unknown + (text.match(UNKNOWN_LETTERS)?.length ?? 0),
    }),
    pages,
    warnings: warningsOf(read),
  };
}

/** Of private use, or what stands for letters that have no code. */
const UNKNOWN_LETTERS = /[\p{Co}\uFFFD]/gu;

interface ReadPages {
  readonly title?: string;
  readonly total: number;
  readonly texts: readonly string[];
  /** Numbers of the pages that hold no text, or no more than a number or a stamp beside a picture. */
  readonly scanned: readonly number[];
  readonly pictured: ScannedPages;
  /** Letters that were left out because their fonts do not say what they are, and numbers of the pages that they stood on. */
  readonly unknown: number;
  readonly encoded: readonly number[];
  /** Why the last page that was read is not the last page. */
  readonly stopped?: string;
}

async function readPages(
  { content, externalId }: RawDocument,
  {
    maxPages = DEFAULT_MAX_PAGES,
    maxLength = DEFAULT_MAX_LENGTH,
    maxParseMs = DEFAULT_MAX_PARSE_MS,
    ...ocr
  }: ReadingOptions,
): Promise<ReadPages> {
  if (!toleratesStrayRejections())
    throw new RAGError('INTERNAL', 'PDF.js was called outside of the parsing thread; use isolateParsers.');
  const { getDocumentProxy } = await import('unpdf');
  provideTransfers();
  const deadline = runtime().elapsed() + maxParseMs;
  // A copy: PDF.js takes the bytes for itself. It never runs the document's scripts; `isEvalSupported` is for fonts.
  const data = Uint8Array.from(Buffer.from(content));
  try {
    const pdf = await getDocumentProxy(data, {
      verbosity: 0,
      isEvalSupported: false,
      fontExtraProperties: true,
      stopAtErrors: false,
      cMapUrl: characterMaps(),
      cMapPacked: true,
      ...(ocr.recogniser === undefined ? {} : { maxImageSize: MAX_PICTURE_PIXELS }),
      // Of no use to text, and only there where PDF.js is installed too.
      standardFontDataUrl: undefined,
    });
    try {
      const texts: string[] = [];
      const scanned: number[] = [];
      const encoded: number[] = [];
      const fonts = new UnknownFonts();
      const pictured = new ScannedPages(ocr);
      const isForm = (await pdf.getFieldObjects()) !== null;
      let unknown = 0;
      let length = 0;
      let stopped: string | undefined;
      for (let number = 1; number <= pdf.numPages && stopped === undefined; number += 1) {
        const page = await pdf.getPage(number);
        const { items } = await page.getTextContent();
        const runs = items.filter((item): item is PrintedItem & typeof item => 'str' in item);
        const said = await fonts.known(runs, page);
        const fields = isForm ? fieldLines(await page.getAnnotations()) : [];
        let text = [pageText(inReadingOrder(said.known)), ...(fields.length === 0 ? [] : [fields.join('\n')])]
          .filter((part) => part !== '')
          .join('\n\n')
          .toWellFormed();
        unknown += said.unknown;
        if (said.unknown > 0) encoded.push(number);
        else if (text.length <= MAX_STAMP) {
          const pictures = text === '' && ocr.recogniser === undefined ? [] : await pagePictures(page);
          const isScan = text === '' || pictures.length > 0;
          const recognised = isScan ? await pictured.textOf(page, { number, pictures }) : undefined;
          if (recognised !== undefined)
            text = [text, recognised.toWellFormed()].filter((part) => part !== '').join('\n\n');
          else if (isScan) scanned.push(number);
        }
        texts.push(text);
        length += text.length;
        page.cleanup();
        if (number === maxPages) stopped = `${maxPages} pages are read at most`;
        else if (length > maxLength) stopped = `${maxLength} characters are read at most`;
        else if (runtime().elapsed() - pictured.spentMs > deadline)
          stopped = `reading them took longer than ${maxParseMs} ms`;
      }
      const title = await titleOf(pdf);
      const isCut = texts.length < pdf.numPages;
      return {
        total: pdf.numPages,
        ...{ texts, scanned, pictured, encoded, unknown },
        ...withoutUndefined({ title }),
        ...(isCut && stopped !== undefined ? { stopped } : {}),
      };
    } finally {
      await pdf.destroy();
    }
  } catch (cause) {
    throw toRAGError(refusal(cause, { content, externalId }), 'DOCUMENT_INVALID', '');
  }
}

/** PDF.js asks for it where it reads fonts; Node.js 20 does not have it. Of the parsing thread alone. */
function provideTransfers(): void {
  if ('transferToFixedLength' in ArrayBuffer.prototype) return;
  Object.defineProperty(ArrayBuffer.prototype, 'transferToFixedLength', {
    ...{ configurable: true, writable: true },
    value(this: ArrayBuffer, length?: number): ArrayBuffer {
      return this.slice(0, length);
    },
  });
}

/** A field of a form, as PDF.js gives it. */
const formField = z.object({
  fieldType: z.string(),
  fieldName: z.string().catch(''),
  /** What people are shown in place of its name. */
  alternativeText: z.string().catch(''),
  fieldValue: z.union([z.string(), z.array(z.string())]).catch(''),
  buttonValue: z.string().nullish().catch(null),
  options: z
    .array(z.object({ exportValue: z.string(), displayValue: z.string() }))
    .optional()
    .catch(undefined),
  password: z.boolean().optional().catch(undefined),
  hidden: z.boolean().optional().catch(undefined),
});

/** What a page's form is filled with: `Name: value` of each field that holds something. Passwords are left out. */
function fieldLines(annotations: readonly unknown[]): string[] {
  return annotations.flatMap((annotation) => {
    const { success, data } = formField.safeParse(annotation);
    if (!success || data.password === true || data.hidden === true) return [];
    const values = [data.fieldValue].flat().filter((value) => value.trim() !== '');
    // Of boxes and of buttons of which one is chosen, each is a field of its own under one name.
    const isBox = data.fieldType === 'Btn';
    const isChosen = !isBox || (values[0] !== 'Off' && (data.buttonValue ?? values[0]) === values[0]);
    if (values.length === 0 || !isChosen) return [];
    const shown = values.map(
      (value) => data.options?.find(({ exportValue }) => exportValue === value)?.displayValue ?? value,
    );
    const name = oneLine(data.alternativeText === '' ? data.fieldName : data.alternativeText);
    return [
      `${name === '' ? '' : `${name}: `}${shown
        .join(', ')
        .replace(/[\0\s]+/g, ' ')
        .trim()}`,
    ];
  });
}

/** Error names are PDF.js's own. */
function refusal(
  cause: unknown,
  { content, externalId: name }: Pick<RawDocument, 'content' | 'externalId'>,
): RAGError {
  if (RAGError.isInstance(cause)) return cause;
  const other = otherFormat(content, { name, expected: 'a PDF' });
  if (other !== undefined) return other;
  const isLocked = cause instanceof Error && cause.name === 'PasswordException';
  return new RAGError(
    'DOCUMENT_INVALID',
    isLocked
      ? `"${name}" needs a password. Save it without one, or exclude it.`
      : `"${name}" is not a PDF that can be read; it is damaged or cut short. Save it again, or exclude it.`,
    { cause },
  );
}

interface DescribedDocument {
  getMetadata(): Promise<{ readonly info: object }>;
}

/** Title of the document's properties; programs put file names there (`Microsoft Word - x.doc`), which say nothing. */
async function titleOf(pdf: DescribedDocument): Promise<string | undefined> {
  const { info } = await pdf.getMetadata();
  const title: unknown = 'Title' in info ? info.Title : undefined;
  if (typeof title !== 'string') return undefined;
  const text = title
    .toWellFormed()
    .replace(/[\0\s]+/g, ' ')
    .trim();
  return text === '' || /^microsoft word - |\.(?:docx?|indd|qxd|tex|dvi|rtf)$|^untitled$/i.test(text)
    ? undefined
    : text;
}

function warningsOf({ texts, scanned, pictured, encoded, unknown, total, stopped }: ReadPages): string[] {
  const warnings = pictured.warnings();
  if (unknown > 0)
    warnings.push(
      `Letters whose fonts do not say what they are, left out: ${unknown}, on pages ${listNumbers(encoded)}. Export the file again with text that can be copied, or recognise its text (OCR).`,
    );
  const advice = pictured.isOff ? ` ${OCR_ADVICE}` : '';
  if (scanned.length === texts.length && total > 0) {
    const isShort = texts.some((text) => text !== '');
    warnings.push(
      isShort
        ? `Pages are pictures, with no more than a line of text beside each, which is stored; pictures are not read.${advice}`
        : `No page holds text: the document is scanned or drawn.${advice}`,
    );
  } else if (scanned.length > 0 && pictured.isOff) {
    // With OCR each of them has been named, and why it was not read.
    warnings.push(`Pages without text, scanned or empty: ${listNumbers(scanned)}.${advice}`);
  }
  if (stopped !== undefined)
    warnings.push(`Pages ${texts.length + 1} to ${total} were left out: ${stopped}.`);
  return warnings;
}

/**
 * The folder of the predefined character maps (CMaps of Adobe, packed by PDF.js), with which fonts of Chinese, Japanese and Korean documents are read. A build
 * has them beside this file; a clone takes those of PDF.js.
 */
function characterMaps(): string {
  const own = fileURLToPath(new URL('cmaps/', import.meta.url));
  if (existsSync(own)) return own;
  const packed = createRequire(import.meta.url).resolve('pdfjs-dist/package.json');
  return join(dirname(packed), 'cmaps/');
}

const PICTURES = ['/Subtype/Image', '/Subtype /Image'];
const MASK = '/SMask ';

/** Pictures that a PDF holds, without the masks of their transparency: their dictionaries are never packed, for they are streams (ISO 32000-1, 7.5.7). */
export function countPictures(bytes: Uint8Array): number {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const pictures = PICTURES.reduce((sum, mark) => sum + placesOf(file, mark).length, 0);
  const masks = placesOf(file, MASK).flatMap((at) => {
    const reference = /^\d+ \d+ R/.exec(file.toString('latin1', at + MASK.length, at + MASK.length + 20));
    return reference === null ? [] : [reference[0]];
  });
  return Math.max(0, pictures - new Set(masks).size);
}

function placesOf(file: Buffer, mark: string): number[] {
  const places: number[] = [];
  for (let at = file.indexOf(mark); at >= 0; at = file.indexOf(mark, at + mark.length)) places.push(at);
  return places;
}

/** Figures that are set smaller than what they follow, and how far above its line, in parts of its height. */
const MAX_SIZE = 0.85;
const RAISED = { least: 0.15, most: 0.8 };
/** How far behind it they begin at most. */
const MAX_DISTANCE = 0.5;
/** What has an exponent: a figure, or a unit. A word has a note. */
const HAS_EXPONENT = /(?:[\d)]|(?:^|[\s\d/\u00b7])(?:[mskgKAJNW]|[mcdk]m|kg|Pa)) *$/;

/** Whether an item is the exponent of the one before it in its line, by size and place: `10^6` would be `10 6`. */
function isExponent({ str, transform, height }: PageItem, before: PageItem, text: string): boolean {
  if (!/^\s*[-\u2212]?\d{1,3}\s*$/.test(str) || text.endsWith('\n') || before.height <= 0) return false;
  const raised = ((transform[5] ?? 0) - (before.transform[5] ?? 0)) / before.height;
  const distance = ((transform[4] ?? 0) - (before.transform[4] ?? 0) - before.width) / before.height;
  return (
    height < MAX_SIZE * before.height &&
    raised >= RAISED.least &&
    raised <= RAISED.most &&
    Math.abs(distance) <= MAX_DISTANCE &&
    HAS_EXPONENT.test(text)
  );
}

/** A gap between lines this much larger than the letters begins a paragraph. */
const PARAGRAPH_GAP = 1.6;

/** The text of one page: lines as the page has them, with a blank line where it leaves more room than usual. */
export function pageText(items: readonly PageItem[]): string {
  let text = '';
  let lineY: number | undefined;
  let lineHeight = 0;
  let before: PageItem | undefined;
  for (const item of items) {
    const { str, hasEOL, transform, height } = item;
    const y = transform[5] ?? 0;
    if (before !== undefined && isExponent(item, before, text)) {
      text = `${text.trimEnd()}^${str.trim()}${hasEOL ? '\n' : ''}`;
      continue;
    }
    if (str.trim() !== '') {
      before = item;
      const gap = lineY === undefined ? 0 : lineY - y;
      const isBelow = text.endsWith('\n') && gap > PARAGRAPH_GAP * Math.max(height, lineHeight, 1);
      // A page in columns goes up again where the next one starts.
      const isNextColumn = text.endsWith('\n') && gap < 0;
      if (isBelow || isNextColumn) text += '\n';
      lineY = y;
      lineHeight = height;
    }
    // Characters without meaning in text are ligature or font artefacts.
    text += str.replace(/[\0\uFFFE\uFFFF]/g, '') + (hasEOL ? '\n' : '');
  }
  return text
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}
