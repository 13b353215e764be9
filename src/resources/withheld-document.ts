import { type ParsedDocument, PBI_MEDIA_TYPE, type RawDocument, type TextRange } from '../core/document.js';
import { CONVERTED_MEDIA_TYPES, codeMediaType, isCodeMediaType, MEDIA_TYPES } from '../core/media-types.js';
import { holdsMarked, isMarkedName, type Metadata, type MetadataValue } from '../core/metadata.js';
import { liftFields } from '../core/pushed-fields.js';
import { delimiterOf } from '../parsing/csv/csv-parser.js';
import { type DecodedText, decodeText } from '../parsing/decode-text.js';
import { decodeHtml } from '../parsing/html/decode-html.js';
import { fileTypeOf } from '../sources/file-types.js';
import { type WithheldText, withholdText } from './withheld-fields.js';

/** A document as its bytes state it, and without what its front matter states of marked fields. */
export interface WithheldDocument {
  /** Access rules see the fields as they are; nothing of it is stored. */
  readonly stated: ParsedDocument;
  readonly parsed: ParsedDocument;
}

/** Formats that are stored as they are written, beside source code. */
const WRITTEN: ReadonlySet<string> = new Set([
  MEDIA_TYPES.markdown,
  MEDIA_TYPES.plainText,
  MEDIA_TYPES.rst,
  MEDIA_TYPES.asciidoc,
  MEDIA_TYPES.csv,
  MEDIA_TYPES.tsv,
  MEDIA_TYPES.json,
  MEDIA_TYPES.jsonLines,
]);

/** Others that are text before they are parsed, and state fields there. */
const READ_AS_TEXT: ReadonlySet<string> = new Set([
  MEDIA_TYPES.confluenceStorage,
  MEDIA_TYPES.openApi,
  MEDIA_TYPES.tex,
  PBI_MEDIA_TYPE,
]);
/** Those of them of which another text is made. */
const BECOMING: ReadonlySet<string> = new Set([...READ_AS_TEXT, MEDIA_TYPES.html]);
const TABLES: ReadonlySet<string> = new Set([MEDIA_TYPES.csv, MEDIA_TYPES.tsv]);
/** Of the first line that has one: a title may stand above the names of columns. */
const separatorOf = (text: string): string => delimiterOf(/[^\r\n]*[,;\t|][^\r\n]*/.exec(text)?.[0] ?? '');
const isMarkdownByName = (names: readonly (string | undefined)[]): boolean =>
  names.some((name) => name !== undefined && CONVERTED_MEDIA_TYPES.has(fileTypeOf(name).mediaType));

const isWrittenAs = (mediaType: string): boolean => WRITTEN.has(mediaType) || isCodeMediaType(mediaType);

/**
 * Parses a document, and again without what its front matter states of marked fields, where it does, so that no title, heading or block holds it.
 *
 * @param parse throws what the parser throws
 */
export async function parseWithheld(
  raw: RawDocument,
  marked: readonly string[],
  parse: (raw: RawDocument) => Promise<ParsedDocument>,
): Promise<WithheldDocument> {
  if (marked.length === 0) {
    const parsed = await parse(raw);
    return { stated: parsed, parsed };
  }
  const isWritten = isWrittenAs(raw.mediaType);
  // Its bytes may be gone once it is parsed.
  const { text: written, warnings = [] } = writtenText(raw) ?? {};
  const whole = await parse(isWritten && written !== undefined ? { ...raw, content: written } : raw);
  const stated = isWritten ? { ...whole, warnings: [...warnings, ...whole.warnings] } : whole;
  const isOfLines = OF_LINES.has(raw.mediaType);
  const read = async (content: string): Promise<ParsedDocument> =>
    parse({ ...raw, content, mediaType: isWritten && !isOfLines ? raw.mediaType : MEDIA_TYPES.markdown });
  const isLines = raw.mediaType === MEDIA_TYPES.jsonLines || isLinesByName(raw.externalId);
  const calledBy = [raw.externalId, raw.title];
  const separator = TABLES.has(raw.mediaType) ? separatorOf(written ?? '') : undefined;
  const form = { isLines, mediaType: raw.mediaType, calledBy, separator };
  const source =
    written === undefined
      ? undefined
      : withholdText(written, marked, { ...form, isConverted: false, isRead: BECOMING.has(raw.mediaType) });
  const first = source === undefined ? stated : await parse({ ...raw, content: source.text });
  const isConverted = hasOtherForm(raw.mediaType) || isOtherForm(raw.externalId);
  const isMarkdown = CONVERTED_MEDIA_TYPES.has(raw.mediaType) || isMarkdownByName(calledBy);
  // Of a text that is stored as it is written, and states nothing, nothing else is found.
  const isRead = !isConverted && source === undefined && first.text === written;
  const stored = isRead
    ? undefined
    : withholdText(first.text, marked, {
        ...{ isConverted, isMarkdown, isLines, calledBy, separator },
        isOfPages: raw.mediaType === MEDIA_TYPES.pdf || isPdfByName(raw.externalId),
        mediaType: codeTypeOf({ ...raw, metadata: first.metadata, text: first.text }),
      });
  const titled = withholdText(stated.title ?? '', marked, { isConverted: true });
  const found = [source, stored, titled].filter((withheld) => withheld !== undefined);
  if (found.length === 0) return { stated, parsed: stated };
  const last =
    stored === undefined
      ? first
      : await read(
          isWritten && written !== undefined && !isOfLines
            ? withoutLines(source?.text ?? written, first.text, stored.ranges)
            : stored.text,
        );
  const repeating = new Set(found.flatMap((withheld) => withheld.repeating));
  const metadata = Object.entries(liftFields(stated.metadata)).flatMap(
    ([name, value]): [string, MetadataValue][] => {
      // They are encrypted whole.
      if (isMarkedName(name, marked) || holdsMarked(value, marked)) return [[name, value]];
      // Columns of a table may be read from what was taken out.
      return repeating.has(name) ? [] : [[name, last.metadata[name] ?? value]];
    },
  );
  const isUnread = found.some((withheld) => withheld.isUnread);
  const { title = '', ...untitled } = last;
  const shown = (withholdText(title, marked, { isConverted: true })?.text ?? title).trim();
  const parsed = {
    ...untitled,
    ...(shown === '' ? {} : { title: shown }),
    metadata: Object.fromEntries(metadata),
    ...(stated.unread === undefined ? {} : { unread: stated.unread }),
    warnings: isUnread ? [...stated.warnings, UNREAD_WARNING] : stated.warnings,
  };
  return { stated, parsed };
}

/** The text of a document before it is parsed; undefined where front matter stands in nothing that can be read as one. */
function writtenText({ mediaType, content, externalId }: RawDocument): DecodedText | undefined {
  if (mediaType === MEDIA_TYPES.html) return decodeHtml({ content, externalId });
  const isText = isWrittenAs(mediaType) || READ_AS_TEXT.has(mediaType);
  return isText ? decodeText(content, externalId) : undefined;
}

/** Formats that are stored as Markdown, line for line. */
const OF_LINES: ReadonlySet<string> = new Set([MEDIA_TYPES.rst, MEDIA_TYPES.asciidoc]);

/** Whether the stored text of a format is written otherwise than the format is. */
const hasOtherForm = (mediaType: string): boolean =>
  CONVERTED_MEDIA_TYPES.has(mediaType) || OF_LINES.has(mediaType) || mediaType === MEDIA_TYPES.pdf;

/** The same by the name of a document; what is called a text, or nothing that is known, may be of any format. */
const isOtherForm = (externalId: string): boolean => {
  const { kind, mediaType } = fileTypeOf(externalId);
  return kind === 'text' || hasOtherForm(mediaType);
};

/** A written text without the lines that ranges of its stored form touch: both have the same lines. */
function withoutLines(written: string, stored: string, ranges: readonly TextRange[]): string {
  let end = 0;
  let next = 0;
  const lines = stored.split(/(\r\n|\r|\n)/);
  const isTouched = lines.map((line) => {
    const start = end;
    end += line.length;
    while ((ranges[next]?.end ?? Infinity) <= start) next += 1;
    return (ranges[next]?.start ?? end) < end;
  });
  return written
    .split(/(\r\n|\r|\n)/)
    .map((part, i) => (i % 2 === 0 && isTouched[i] === true ? ' '.repeat(part.length) : part))
    .join('');
}

const isLinesByName = (externalId: string): boolean =>
  fileTypeOf(externalId).mediaType === MEDIA_TYPES.jsonLines;

const isPdfByName = (externalId: string): boolean => fileTypeOf(externalId).mediaType === MEDIA_TYPES.pdf;

/** A text that an index keeps, and what says its format. */
export interface StoredText {
  readonly externalId: string;
  /** The name of its file, where it was handed in with one. */
  readonly title?: string | undefined;
  /** `language` says the one of source code. */
  readonly metadata: Metadata;
  readonly text: string;
}

/** The same of a text that an index keeps. */
export function withholdStored(stored: StoredText, marked: readonly string[]): WithheldText | undefined {
  const { externalId, title, metadata, text } = stored;
  const calledBy = [externalId, title];
  return withholdText(text, marked, {
    isConverted: isOtherForm(externalId),
    isMarkdown: isMarkdownByName(calledBy),
    separator: Array.isArray(metadata.columns) ? separatorOf(text) : undefined,
    isLines: isLinesByName(externalId),
    isOfPages: isPdfByName(externalId),
    calledBy,
    mediaType: codeTypeOf(stored),
  });
}

/** Of source code that is told by its name or a language; what is neither may be of any format, and a notebook has a language, too. */
function codeTypeOf({ externalId, title, metadata: { language }, text }: StoredText): string {
  const { kind, mediaType } = fileTypeOf(externalId);
  if (kind === 'code') return mediaType;
  const isCode = typeof language === 'string' && !isMarkdownByName([externalId, title]) && !FENCE.test(text);
  return isCode ? codeMediaType(language) : '';
}

const FENCE = /^ {0,3}(?:```|~~~)/m;

const UNREAD_WARNING =
  'Front matter, or a file of settings, that could not be read names an encrypted field (`rag.security.encryption.fields`), and was left out of the text.';
