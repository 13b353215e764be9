import type { ParsedDocument, RawDocument, TextRange } from '../core/document.js';
import { escapeExpression } from '../core/escape-expression.js';
import { CONVERTED_MEDIA_TYPES, codeMediaType, isCodeMediaType, MEDIA_TYPES } from '../core/media-types.js';
import { isMarkedName, type Metadata, type MetadataValue } from '../core/metadata.js';
import { liftFields } from '../core/pushed-fields.js';
import { convertedFields } from '../parsing/converted-fields.js';
import { type DecodedText, decodeText } from '../parsing/decode-text.js';
import { definedFields } from '../parsing/defined-fields.js';
import { decodeHtml } from '../parsing/html/decode-html.js';
import { statedFields } from '../parsing/markdown/stated-fields.js';
import { settingsFields, settingsLanguageOf } from '../parsing/settings-fields.js';
import { blanked } from '../parsing/text-range.js';
import { fileTypeOf } from '../sources/file-types.js';

/** Of what is taken out of texts: another one means that documents must be processed again. */
export const WITHHOLDING_VERSION = 7;

/** A text in which nothing is left of front matter. */
const FENCES_ONLY = /^[\s+.,;{}[\]\\-]*$/;

/** Of a text what it states of marked fields. */
export interface WithheldText {
  /** The text without it, as long as it was: everything but line ends became spaces, so that offsets and lines stay. */
  readonly text: string;
  /** Where something was taken out, in order and without overlap. */
  readonly ranges: readonly TextRange[];
  /** Names of the marked fields that were stated there. */
  readonly fields: readonly string[];
  /** Names of other fields that went with them, because they repeat a marked one. */
  readonly repeating: readonly string[];
  /** It could not be told what front matter states, and it names a marked field. */
  readonly isUnread: boolean;
}

/** Of which form a text is. */
interface TextForm {
  /** It may have been made of another format. */
  readonly isConverted: boolean;
  /** It is lines of JSON. */
  readonly isLines?: boolean;
  /** Of the text as it is written. */
  readonly mediaType?: string;
  /** By what its document is called, which may tell the language of a file of settings. */
  readonly calledBy?: readonly (string | undefined)[];
}

/** Takes out of a text what its front matter states of marked fields; undefined where that is nothing. */
export function withholdText(
  text: string,
  marked: readonly string[],
  { isConverted, isLines = false, mediaType = '', calledBy = [] }: TextForm,
): WithheldText | undefined {
  if (marked.length === 0) return undefined;
  const { text: source, names } = withParts(text, marked);
  const area = statedFields(source, names, isLines);
  const converted = isConverted ? convertedFields(source, names, area?.range.end ?? 0) : [];
  const defined = definedFields(source, mediaType, names);
  const language = settingsLanguageOf(mediaType, calledBy);
  const settings = language === undefined ? [] : settingsFields(source, language, names);
  // What was taken out before is no statement any more.
  const found = [...(area?.stated ?? []), ...converted, ...defined, ...settings].filter(
    ({ start, end }) => text.slice(start, end).trim() !== '',
  );
  if (found.length === 0) return undefined;
  const stated = joined(found);
  const cut = blanked(text, stated);
  const isBare = area !== undefined && isEmptied(cut.slice(area.range.start, area.range.end));
  const ranges = isBare ? joined([area.range, ...stated]) : stated;
  return {
    text: isBare ? blanked(cut, ranges) : cut,
    ranges,
    fields: marked.filter((field) =>
      found.some((each) => each.names.some((name) => isMarkedName(name, [field]))),
    ),
    repeating: found.flatMap(({ key }) => (key === undefined || isMarkedName(key, marked) ? [] : [key])),
    isUnread: found.some(({ isUnread }) => isUnread === true),
  };
}

/** More, or longer ones, are rather taken for one field that is stated again and again, for each is looked for everywhere. */
const MOST_PARTS = 100;
const MOST_PART_LENGTH = 1_000;

/** A text as it is searched, with names of parts of marked fields: `salary.base`. */
function withParts(
  text: string,
  marked: readonly string[],
): { readonly text: string; readonly names: readonly string[] } {
  const roots = marked.map(escapeExpression).join('|');
  const part = new RegExp(`(?<=^|[\\s{,"'\`*?:])((${roots})\\.[^\\r\\n{},"'\`*?:=[\\]]+)(["'\`]?)`, 'g');
  const parts = new Set(Array.from(text.matchAll(part), ([, name = '']) => name.trim()));
  const isSearched = parts.size <= MOST_PARTS && [...parts].every(({ length }) => length <= MOST_PART_LENGTH);
  if (isSearched) return { text, names: [...marked, ...parts] };
  const cut = text.replace(part, (all, _, root: string, quote: string) => (root + quote).padEnd(all.length));
  return { text: cut, names: marked };
}

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
  const read = async (content: string): Promise<ParsedDocument> =>
    parse({ ...raw, content, mediaType: isWritten ? raw.mediaType : MEDIA_TYPES.markdown });
  const isLines = raw.mediaType === MEDIA_TYPES.jsonLines || isLinesByName(raw.externalId);
  const form = { isLines, mediaType: raw.mediaType, calledBy: [raw.externalId, raw.title] };
  const source =
    written === undefined ? undefined : withholdText(written, marked, { ...form, isConverted: false });
  const first = source === undefined ? stated : await parse({ ...raw, content: source.text });
  const isConverted = hasOtherForm(raw.mediaType) || isOtherForm(raw.externalId);
  // Of a text that is stored as it is written, and states nothing, nothing else is found.
  const isRead = !isConverted && source === undefined && first.text === written;
  const stored = isRead
    ? undefined
    : withholdText(first.text, marked, { isConverted, isLines, calledBy: form.calledBy });
  const found = [source, stored].filter((withheld) => withheld !== undefined);
  if (found.length === 0) return { stated, parsed: stated };
  const last =
    stored === undefined
      ? first
      : await read(
          isWritten && written !== undefined
            ? withoutLines(source?.text ?? written, first.text, stored.ranges)
            : stored.text,
        );
  const repeating = new Set(found.flatMap((withheld) => withheld.repeating));
  const metadata = Object.entries(liftFields(stated.metadata)).filter(
    ([name, value]) => isMarkedName(name, marked) || !(repeating.has(name) || holdsMarked(value, marked)),
  );
  const isUnread = found.some((withheld) => withheld.isUnread);
  const parsed = {
    ...last,
    metadata: Object.fromEntries(metadata),
    ...(stated.unread === undefined ? {} : { unread: stated.unread }),
    warnings: isUnread ? [...stated.warnings, UNREAD_WARNING] : stated.warnings,
  };
  return { stated, parsed };
}

/** Whether a marked field stands inside, at any depth. */
function holdsMarked(value: MetadataValue, marked: readonly string[]): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.some((item: MetadataValue) => holdsMarked(item, marked));
  return Object.entries(value as Metadata).some(
    ([name, inner]) => isMarkedName(name, marked) || holdsMarked(inner, marked),
  );
}

/** The text of a document before it is parsed; undefined where front matter stands in nothing that can be read as one. */
function writtenText({ mediaType, content, externalId }: RawDocument): DecodedText | undefined {
  if (mediaType === MEDIA_TYPES.html) return decodeHtml({ content, externalId });
  const isText = isWrittenAs(mediaType) || mediaType === MEDIA_TYPES.confluenceStorage;
  return isText ? decodeText(content, externalId) : undefined;
}

/** Whether the stored text of a format is written otherwise than the format is. */
const hasOtherForm = (mediaType: string): boolean =>
  CONVERTED_MEDIA_TYPES.has(mediaType) || mediaType === MEDIA_TYPES.rst;

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
export const withholdStored = (
  { externalId, title, metadata: { language }, text }: StoredText,
  marked: readonly string[],
): WithheldText | undefined =>
  withholdText(text, marked, {
    isConverted: isOtherForm(externalId),
    isLines: isLinesByName(externalId),
    calledBy: [externalId, title],
    mediaType: typeof language === 'string' ? codeMediaType(language) : '',
  });

/** Whether titles, headings or names were read from what was taken out: nothing that is left says them, or it may be the name of a record. */
export function withheldLabels(before: string, { text }: WithheldText): (label: string) => boolean {
  const [all, left] = [wordsOf(before), wordsOf(text)];
  return (label) =>
    RECORD_NAME.test(label) || (all.includes(wordsOf(label)) && !left.includes(wordsOf(label)));
}

/** As the parser of JSON names an element of a list: a member of the record gave the words. */
const RECORD_NAME = /^\[\d+\] /;

/** Headings have no markup, and their lines are one. */
const wordsOf = (text: string): string => ` ${text.match(/[\p{L}\p{N}]+/gu)?.join(' ') ?? ''} `;

/** Whether nothing but fences is left of a part of which something was taken out. */
export const isEmptied = (text: string): boolean => FENCES_ONLY.test(text);

const UNREAD_WARNING =
  'Front matter, or a file of settings, that could not be read names an encrypted field (`rag.security.encryption.fields`), and was left out of the text.';

/** The same places, in order, each once. */
function joined(ranges: readonly TextRange[]): TextRange[] {
  const all: TextRange[] = [];
  for (const { start, end } of ranges.toSorted((a, b) => a.start - b.start)) {
    const last = all.at(-1);
    if (last === undefined || start > last.end) all.push({ start, end });
    else all.splice(-1, 1, { start: last.start, end: Math.max(last.end, end) });
  }
  return all;
}
