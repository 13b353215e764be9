import { type Label, labelReader, MAX_LABEL_LENGTH, withoutMarkup } from './label-reader.js';
import type { StatedFields } from './markdown/stated-names.js';
import { goesOn } from './value-ends.js';

/** A line with what opens an item, a heading, a quotation or a field of a list. */
const OPENING = /^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?|#{1,6}[ \t]+)*:?/;
/** A term in front of what is said of it. */
const BOLD = /^(?:\*\*|__)([^*_](?:[^*]{0,98}[^*_])?)(?:\*\*|__)[ \t]*[:=]?[ \t]+/;
const BULLET = /^[-*+][ \t]/;
const FENCE = /^\s*(`{3,}|~{3,})\s*(\w*)/;
/** Code in other languages says what a program does. */
const DATA_FENCES: ReadonlySet<string> = new Set(['', 'text', 'yaml', 'yml', 'json', 'toml', 'ini']);

const CELL_COMMENT = /^Comment on [A-Z]{1,3}\d{1,7} \(([^()\n]{1,130})\): [^\n]*/gm;

/**
 * Comments on cells of a workbook that are about what is marked: the name of their row or column is one, or what a table states of it.
 *
 * @param cells where tables state fields
 */
export function cellComments(
  text: string,
  names: readonly string[],
  cells: readonly StatedFields[],
): StatedFields[] {
  const labelOf = labelReader(names);
  if (!labelOf.occursIn(text)) return [];
  const stated = new Map(
    cells.map((cell) => [
      text
        .slice(cell.start, cell.end)
        .replace(/[()[\],:\s]+/g, ' ')
        .trim(),
      cell.names,
    ]),
  );
  return [...text.matchAll(CELL_COMMENT)].flatMap(({ 0: all, 1: about = '', index }) => {
    const found = about.split(', ').flatMap((name) => [...labelOf(name), ...(stated.get(name) ?? [])]);
    return found.length === 0 ? [] : [{ start: index, end: index + all.length, names: found }];
  });
}

export interface Line {
  readonly text: string;
  readonly start: number;
  readonly indent: number;
  readonly isBlank: boolean;
}

/**
 * Where lines of a text state fields: terms that a colon below defines, items that are a term and what is said of it, lines of the form
 * `name: value`, and the block below a heading or a line that is a name.
 *
 * @param isConverted the text was made of another format, as a message was
 */
export function labelFields(text: string, names: readonly string[], isConverted: boolean): StatedFields[] {
  const labelOf = labelReader(names);
  const found = isConverted ? headersOfMail(text, labelOf) : [];
  if (!labelOf.occursIn(text)) return found;
  const lines = linesOf(text);
  let fence: { readonly mark: string; readonly isData: boolean } | undefined;
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at];
    if (line === undefined || line.isBlank) continue;
    const [, mark, language = ''] = FENCE.exec(line.text) ?? [];
    if (mark !== undefined && (fence === undefined || mark.startsWith(fence.mark))) {
      fence = fence === undefined ? { mark, isData: DATA_FENCES.has(language.toLowerCase()) } : undefined;
      continue;
    }
    if (fence?.isData === false) continue;
    const stated = statementAt(lines, at, { labelOf, isFenced: fence !== undefined });
    if (stated === undefined) continue;
    const above = isConverted && stated.last > at ? endOfHeaders(text, lines, at) : at;
    if (above > at) {
      // What a subject names stands below the other headers.
      found.push({ start: 0, end: line.text.length, names: stated.names });
      at = endOfSection(lines, above, false);
      const end = (lines[at]?.start ?? 0) + (lines[at]?.text.length ?? 0);
      if (at > above) found.push({ start: lines[above + 1]?.start ?? 0, end, names: stated.names });
      continue;
    }
    const last = lines[stated.last] ?? line;
    found.push({ start: line.start + stated.from, end: last.start + last.text.length, names: stated.names });
    at = stated.last;
  }
  return found;
}

interface Statement {
  readonly names: readonly string[];
  /** Where it begins in its first line. */
  readonly from: number;
  /** The number of its last line. */
  readonly last: number;
}

function statementAt(
  lines: readonly Line[],
  at: number,
  { labelOf, isFenced }: { readonly labelOf: Label; readonly isFenced: boolean },
): Statement | undefined {
  const { text, indent } = lines[at] as Line;
  const [, directive = '', title = '', tab = ''] = BLOCK.exec(text) ?? [];
  const titled = [directive, title, tab].flatMap((each) => labelOf(each));
  if (titled.length > 0) {
    const inside = endOfItem(lines, at, indent + 1);
    const isAbove = inside === at && /^(?:rubric|centered)$/.test(directive);
    return { names: titled, from: indent, last: isAbove ? endOfSection(lines, at, isFenced) : inside };
  }
  const from = OPENING.exec(text)?.[0].length ?? 0;
  const opened = text.slice(from);
  const isItem = ITEM.test(text.slice(0, from));
  const bare = opened.trimEnd();
  const isShort = bare.length <= MAX_LABEL_LENGTH && !/\||\S[ \t]+[=!]=[ \t]+\S/.test(bare);
  const term = isShort ? labelOf(bare.replace(TERM_END, '')) : [];
  if (term.length > 0) {
    // The last element of a list of JSON.
    const isElement = /^["'].*["']$/.test(bare) && CLOSING.test(textBelow(lines, at));
    if (isElement) return undefined;
    const below = isItem ? endOfItem(lines, at, from) : endOfDefinition(lines, at, indent);
    const isOpen = !isItem || /[:=：]$/.test(bare);
    const last = below > at || !isOpen ? below : endOfSection(lines, at, isFenced);
    return last > at ? { names: term, from, last } : undefined;
  }
  const [all = '', marked = ''] = BOLD.exec(opened) ?? [];
  const endOfBelow = (own: readonly string[]): number => endOfValue(lines, at, isFenced ? [] : own);
  const bold = marked === '' ? [] : labelOf(marked.replace(/[:=]$/, ''));
  if (bold.length > 0 && opened.length > all.length)
    return { names: bold, from, last: Math.max(isItem ? endOfItem(lines, at, from) : at, endOfBelow(bold)) };
  const sign = opened.slice(0, MAX_LABEL_LENGTH).search(SIGN);
  const names = sign < 0 ? [] : labelOf(opened.slice(0, sign));
  if (names.length > 0) {
    const value = withoutMarkup(
      opened
        .slice(sign)
        .replace(/^(?:[:=：]|[-–—→>.…\s])+/, '')
        .replace(/\\$/, '')
        .trim(),
    );
    return {
      names,
      from,
      last: value.trim() === '' ? endOfSection(lines, at, isFenced) : endOfBelow(names),
    };
  }
  return undefined;
}

/** Of the next line that holds something. */
function textBelow(lines: readonly Line[], at: number): string {
  let below = at + 1;
  while (lines[below]?.isBlank === true) below += 1;
  return lines[below]?.text ?? '';
}

const CLOSING = /^[ \t]*[\])}]/;

/** A directive of reStructuredText, a tab or an admonition of MkDocs, with what is inside. */
const BLOCK =
  /^[ \t]*(?:\.\. ([\w.:-]{1,60})::(?:[ \t]+(\S.*))?|(?:===[+!]?|(?:!!!|\?\?\?\+?)[ \t]+[\w -]{1,60})[ \t]+"([^"]{1,120})")[ \t]*$/;

/** What stands between a name and its value. */
const SIGN = /[:=：]|[ \t]+(?:[-–—]+>?|=>|→|\.{3,}|…+)[ \t]/;
const ITEM = /(?:[-*+]|\d[.)])[ \t]+(?:\[[ xX]\][ \t]+)?$/;
/** What may follow a term that is alone on its line. */
const TERM_END = /(?:[ \t]*[:=：]|\\|[ \t]+#+)[ \t]*$/;

/** The title of a message stands above its other headers. */
function headersOfMail(text: string, labelOf: Label): StatedFields[] {
  const [, title = '', headers = ''] = MAIL.exec(text) ?? [];
  const subject = title === '' ? [] : labelOf('subject');
  const found = subject.length === 0 ? [] : [{ start: 0, end: title.trimEnd().length, names: subject }];
  let start = title.length;
  for (const line of headers.split('\n')) {
    const names = labelOf(line.slice(0, line.indexOf(':')));
    if (names.length > 0) found.push({ start, end: start + line.length, names });
    start += line.length + 1;
  }
  return found;
}

/** The last line of the headers of a message below its title, or that of a line. */
export function endOfHeaders(text: string, lines: readonly Line[], at: number): number {
  const all = at === 0 ? MAIL.exec(text)?.[0] : undefined;
  return all === undefined
    ? at
    : Math.max(
        at,
        lines.findLastIndex(({ start }) => start < all.length),
      );
}

const MAIL = /^(# [^\n]*\n+)?((?:(?:From|To|Cc|Date|Attachments): [^\n]*(?:\n|$))+)/;

/** What an item says below its term; a term in a list of its own is said of in the item around it. */
function endOfItem(lines: readonly Line[], at: number, from: number): number {
  const indent = lines[at]?.indent ?? 0;
  let last = at;
  for (let next = at + 1; next < lines.length; next += 1) {
    const { text, indent: own, isBlank } = lines[next] as Line;
    if (isBlank) continue;
    const isInside = own >= from || own > indent;
    const isAround = own === indent && indent > 0 && !BULLET.test(text.trimStart());
    if (!isInside && !isAround) break;
    last = next;
  }
  return last;
}

/** Lines that begin with a colon, or are indented below a term. */
function endOfDefinition(lines: readonly Line[], at: number, indent: number): number {
  const below = lines[at + 1]?.isBlank === true ? at + 2 : at + 1;
  if (!/^[ \t]*:[ \t]/.test(lines[below]?.text ?? '')) return at;
  let last = below;
  for (let next = below + 1; next < lines.length; next += 1) {
    const { text, indent: own, isBlank } = lines[next] as Line;
    if (isBlank) continue;
    if (own <= indent && !/^[ \t]*:[ \t]/.test(text)) break;
    last = next;
  }
  return last;
}

/** The first block below, which may stand under headings of its own: a paragraph, a list, a table or what is fenced. */
export function endOfSection(lines: readonly Line[], at: number, isFenced: boolean): number {
  const depth = HEADING.exec(lines[at]?.text ?? '')?.[1]?.length ?? 0;
  let next = at + 1;
  if (UNDERLINE.test(lines[next]?.text ?? '')) next += 1;
  for (; next < lines.length; next += 1) {
    const { text, isBlank } = lines[next] as Line;
    const level = HEADING.exec(text)?.[1]?.length;
    if (level !== undefined && (depth === 0 || level <= depth)) return at;
    if (!isBlank && level === undefined) break;
  }
  const isInside = ({ indent }: Line): boolean => indent > (lines[at]?.indent ?? 0);
  const first = lines[next];
  if (first === undefined) return at;
  const fence = FENCE.exec(first.text)?.[1];
  if (fence !== undefined) {
    if (isFenced) return at;
    const closing = lines.findIndex(({ text }, place) => place > next && text.trim().startsWith(fence));
    return closing < 0 ? lines.length - 1 : closing;
  }
  const isList = OPENING_MARK.test(first.text);
  let last = next;
  for (next += 1; next < lines.length; next += 1) {
    const line = lines[next] as Line;
    if (line.isBlank) continue;
    const isOfList = isList && (line.indent > first.indent || OPENING_MARK.test(line.text));
    const isSame = isInside(first) ? isInside(line) : next === last + 1 || isOfList;
    if (!isSame || HEADING.test(line.text)) break;
    last = next;
  }
  return last;
}

export const HEADING = /^[ \t>]{0,8}(#{1,6})[ \t]/;
export const UNDERLINE = /^[ \t]*([=~^"'`.+*_-])\1{2,}[ \t]*$/;

/** With the lines below that go on with its value. */
function endOfValue(lines: readonly Line[], at: number, names: readonly string[]): number {
  const { text: first = '', indent = 0 } = lines[at] ?? {};
  let last = at;
  for (let above = first; ; above = lines[last]?.text ?? '') {
    if (!goesOn(lines[last + 1]?.text ?? '', { first, indent, above, names, count: last + 1 - at }))
      return last;
    last += 1;
  }
}

const OPENING_MARK = /^[ \t]*(?:[-*+>|#]|\d{1,9}[.)] |```|~~~)/;

export function linesOf(text: string): Line[] {
  let start = 0;
  return text.split('\n').map((line) => {
    const trimmed = line.trimStart().length;
    const own = {
      text: line.endsWith('\r') ? line.slice(0, -1) : line,
      start,
      indent: line.length - trimmed,
      isBlank: trimmed === 0,
    };
    start += line.length + 1;
    return own;
  });
}
