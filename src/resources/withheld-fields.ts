import type { TextRange } from '../core/document.js';
import { escapeExpression } from '../core/escape-expression.js';
import { codeMediaType, isCodeMediaType } from '../core/media-types.js';
import { isMarkedName } from '../core/metadata.js';
import { convertedFields } from '../parsing/converted-fields.js';
import { definedFields } from '../parsing/defined-fields.js';
import { inlineFields } from '../parsing/inline-fields.js';
import { cellComments, labelFields } from '../parsing/label-fields.js';
import { labelReader } from '../parsing/label-reader.js';
import { macroFields } from '../parsing/macro-fields.js';
import { statedFields } from '../parsing/markdown/stated-fields.js';
import type { StatedFields } from '../parsing/markdown/stated-names.js';
import { MARKDOWN } from '../parsing/markdown-tables.js';
import { markupFields } from '../parsing/markup-fields.js';
import { fencesOf, namedFields } from '../parsing/named-fields.js';
import { isWorded } from '../parsing/named-places.js';
import { pageColumns } from '../parsing/page-columns.js';
import { commentsAlone, sentenceFields } from '../parsing/sentence-fields.js';
import { isYaml, settingsFields, settingsLanguageOf } from '../parsing/settings-fields.js';
import { tableFields } from '../parsing/table-fields.js';
import { blanked, joinedRanges, moved } from '../parsing/text-range.js';
import { fileTypeOf } from '../sources/file-types.js';

/** A fenced block whose fields are known; where it is, where no line of it is to be looked at. */
interface Block {
  readonly stated: readonly StatedFields[];
  readonly start: number;
  readonly range: TextRange | undefined;
}

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
  /** It is known that it became Markdown. */
  readonly isMarkdown?: boolean;
  /** Another text is made of it, and lines of that are looked at. */
  readonly isRead?: boolean;
  /** It is one table, with this between cells. */
  readonly separator?: string | undefined;
  /** It is lines of JSON. */
  readonly isLines?: boolean;
  /** It was made of pages, where single blanks may part columns. */
  readonly isOfPages?: boolean;
  /** Of the text as it is written. */
  readonly mediaType?: string;
  /** By what its document is called, which may tell the language of a file of settings. */
  readonly calledBy?: readonly (string | undefined)[];
}

/** A name whose value is gone may stand in front of what was apart from it. */
const MOST_PASSES = 4;

/** Takes out of a text what it states of marked fields, until nothing is stated any more; undefined where that is nothing. */
export function withholdText(
  text: string,
  marked: readonly string[],
  form: TextForm,
): WithheldText | undefined {
  let result = withholdOnce(text, marked, form);
  for (let pass = 1; result !== undefined && pass < MOST_PASSES; pass++) {
    const more = withholdOnce(result.text, marked, form);
    if (more === undefined) return result;
    result = {
      text: more.text,
      ranges: joinedRanges([...result.ranges, ...more.ranges]),
      fields: [...new Set([...result.fields, ...more.fields])],
      repeating: [...result.repeating, ...more.repeating],
      isUnread: result.isUnread || more.isUnread,
    };
  }
  return result;
}

function withholdOnce(
  text: string,
  marked: readonly string[],
  {
    isConverted,
    isMarkdown = false,
    isRead = false,
    separator = MARKDOWN,
    isLines = false,
    isOfPages = false,
    mediaType = '',
    calledBy = [],
  }: TextForm,
  depth = 0,
): WithheldText | undefined {
  if (marked.length === 0) return undefined;
  const { text: source, names } = withParts(text, marked);
  const namelessLanguage = (): 'yaml' | undefined =>
    mediaType === '' && calledBy.length > 0 && !calledBy.some(hasEnding) && isYaml(source)
      ? 'yaml'
      : undefined;
  const area = statedFields(source, names, isLines, isStating(marked, depth));
  const converted = isConverted ? convertedFields(source, names, area?.range.end ?? 0) : [];
  const defined = definedFields(source, mediaType, names);
  // What an interface is described in became Markdown.
  const language = isMarkdown ? undefined : (settingsLanguageOf(mediaType, calledBy) ?? namelessLanguage());
  const settings = language === undefined ? [] : settingsFields(source, language, names);
  const markup = [...markupFields(source, names), ...macroFields(source, names)];
  // Blocks of JSON are records, as a text of it is.
  const blocks =
    area?.isRecords === true || isCodeMediaType(mediaType)
      ? []
      : fencedBlocks(source, names, isStating(marked, depth));
  const structured = [
    ...(area?.stated ?? []),
    ...blocks.flatMap(({ stated, start }) => stated.map((each) => moved(each, start))),
    ...converted,
    ...defined,
    ...settings,
    ...markup,
  ];
  // Members of JSON that can be read are known, and what was taken out of a structure is looked for in no line.
  const records = [
    ...(area?.isRecords === true ? [area.range] : []),
    ...blocks.flatMap(({ range }) => range ?? []),
  ];
  const isCode = isCodeMediaType(mediaType) && language === undefined;
  const front = area?.isSettings === true ? [area.range] : [];
  const rest = blanked(source, joinedRanges([...structured, ...records, ...front]));
  const said = isCode ? commentsAlone(rest) : rest;
  const single = names.filter((name) => !isWorded(name));
  const cells = isRead ? [] : tableFields(rest, names, { separator, isLoose: !isCode });
  const free = isRead
    ? []
    : [
        ...cells,
        ...(isConverted ? cellComments(rest, names, cells) : []),
        ...withinLines(labelFields(said, names, isConverted), said, isCode),
        ...sentenceFields(said, single),
        ...(isOfPages ? pageColumns(rest, names) : []),
        ...inlineFields(rest, names, isCode, !isCode || calledBy.some(hasBlocks)),
      ];
  const read = [...structured, ...free];
  const left = isRead
    ? []
    : [
        ...front.flatMap(({ start, end }) =>
          namedFields(blanked(source, joinedRanges(structured)).slice(start, end), names, {
            language: 'yaml',
          }).map((each) => moved(each, start)),
        ),
        ...namedFields(blanked(rest, joinedRanges(read)), names, {
          language: isCode || language !== undefined ? languageOf(mediaType, calledBy) : undefined,
          separator: separator === MARKDOWN ? undefined : separator,
        }),
      ];
  const found = [...read, ...left].filter(({ start, end }) => text.slice(start, end).trim() !== '');
  if (found.length === 0) return undefined;
  const stated = joinedRanges(found);
  const cut = blanked(text, stated);
  // A text that is JSON as a whole stays JSON.
  const isJson = area?.isRecords === true && source.slice(area.range.end).trim() === '';
  const isBare = area !== undefined && !isJson && isEmptied(cut.slice(area.range.start, area.range.end));
  const ranges = isBare ? joinedRanges([area.range, ...stated]) : stated;
  return {
    text: isBare ? blanked(cut, ranges) : cut,
    ranges,
    fields: marked.filter((field) =>
      found.some((each) => each.names.some((name) => isMarkedName(name, [field]))),
    ),
    repeating: found.flatMap(({ key }) =>
      key === undefined || isMarkedName(key, marked) || labelReader(marked)(key).length > 0 ? [] : [key],
    ),
    isUnread: found.some(({ isUnread }) => isUnread === true),
  };
}

/** Fenced blocks of settings and of records. */
const fencedBlocks = (
  source: string,
  names: readonly string[],
  states: (text: string) => boolean,
): readonly Block[] =>
  [...fencesOf(source)].flatMap(({ start, end, language }): Block[] => {
    const text = source.slice(start, end);
    if (/^ya?ml$/.test(language)) {
      const stated = settingsFields(text, 'yaml', names).filter(({ isUnread }) => isUnread !== true);
      return [{ stated, start, range: undefined }];
    }
    const block = statedFields(text, names, false, states);
    return block?.isRecords === true ? [{ ...block, range: moved(block.range, start), start }] : [];
  });

/** Of what comments of source code state what they say themselves: code between them, and what opens and closes them, stays. */
const withinLines = (
  stated: readonly StatedFields[],
  said: string,
  isCode: boolean,
): readonly StatedFields[] =>
  !isCode
    ? stated
    : stated.flatMap((each) =>
        !/^.*[:=：]/.test(said.slice(each.start, each.end))
          ? []
          : [...said.slice(each.start, each.end).matchAll(/\S(?:.*\S)?/g)].map(({ 0: line, index }) => ({
              ...each,
              start: each.start + index,
              end: each.start + index + line.length,
            })),
      );

/** The language of source code, or of settings. */
const languageOf = (mediaType: string, calledBy: readonly (string | undefined)[]): string =>
  calledBy.map((name) => (name === undefined ? undefined : fileTypeOf(name).language)).find(Boolean) ??
  mediaType.slice(codeMediaType('').length);

/** Languages of settings in which what stands in brackets behind a name is its value. */
const hasBlocks = (name: string | undefined): boolean =>
  ['terraform', 'protobuf'].includes((name === undefined ? undefined : fileTypeOf(name).language) ?? '');

const hasEnding = (name: string | undefined): boolean => /\.[^./\\]+$/.test(name ?? '');

/** Whether a text that is a value does so; what is in it many levels deep is taken for such. */
const isStating =
  (marked: readonly string[], depth: number) =>
  (value: string): boolean =>
    depth >= MOST_LEVELS || withholdOnce(value, marked, { isConverted: true }, depth + 1) !== undefined;

const MOST_LEVELS = 3;

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
  if (isSearched) return { text, names: parts.size === 0 ? marked : [...marked, ...parts] };
  const cut = text.replace(part, (all, _, root: string, quote: string) => (root + quote).padEnd(all.length));
  return { text: cut, names: marked };
}

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
