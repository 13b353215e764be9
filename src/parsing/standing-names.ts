import { ENGLISH_STOP_WORDS } from '../core/analysis/english-stop-words.js';
import type { TextRange } from '../core/document.js';
import { madeOnce } from '../core/made-once.js';
import { foldedName } from '../core/metadata.js';
import { endOfBracket } from './closed-brackets.js';
import type { StatedFields } from './markdown/stated-names.js';
import { PARAMETER } from './sentence-fields.js';
import { opensStatements } from './statement-lines.js';

/** What may stand inside a name, backslashes so many as text inside of text has: blanks, signs that join words, what is not seen, and how others write these. */
const GAP = String.raw`(?:\r?\n[ \t]{0,8}|[ \t\u00A0\u2000-\u200F\u202F\u2060\uFEFF\u00AD\u2010-\u2015\uFF0D\uFF3F_*\x60\x2d]|\.(?!\s)|\\\r?\n[ \t]{0,20}|\\{1,16}[_.\x2d]|&(?:nbsp|shy|lowbar|hyphen|zwnj|zwj|#\d{2,5}|#x[\da-f]{2,5});|%(?:20|2d|5f|2e|c2%a0)|\\{1,16}u(?:00)?(?:5f|20|2d|ad|a0)|</?[a-z]{1,8}/?>){0,6}`;
/** What closes what a name stands in, an index, a unit. */
const CLOSING = String.raw`(?:[\])}"'\x60*_\\]|&quot;|%22|</?[a-z]{1,8}/?>){0,8}(?:[ \t]?[([][^()[\]\n]{0,40}[)\]])?["'\x60*_]{0,3}[ \t]{0,40}`;
/** What stands between a name and its value in any text. */
const SIGN = new RegExp(
  `^${CLOSING}(?<sign>%3[da](?:%20)?|&(?:#58|#61|colon|equals);|[-=~]{1,3}>|→|⇒|[|?+~!*/&^.:-]{0,3}[:=：＝][>=~:-]?)`,
  'iu',
);
/** Where a word of a sentence would not stand. */
const BEFORE_NAME = /(?:^|[,;{([|&?<>•·–—"'`\t$%@]|--?|^[ \t>]*[*_#+.)-]{1,6}[ \t]+)$/;
/** A line, or what is left of it, that holds nothing. */
const VALUE = /[\p{L}\p{N}]/u;
const FENCE = /^[ \t>]{0,12}(`{3,}|~{3,})/;
const CELL_MARK = /[!¦│┃║][ \t]*$/;
/** What calls what stands behind it a name. */
const NAMING =
  /^[^\p{L}\p{N}]*(?:(?:[\p{L}_]{1,20}[ \t:="'(-]{0,6})?["'`(<:=[]|(?:msgid|key|name|field|path|column|dt|term)[ \t]+["'`]?)?[^\p{L}\p{N}]*$/iu;
/** Names of columns: words alone, two or more. */
const HEADER = /^[ \t]*[\p{L}_][\p{L}\p{N}_.-]*(?:[ \t]+[\p{L}_][\p{L}\p{N}_.-]*)+[ \t]*\r?$/u;
/** What a query gives a name to stands before it. */
const NAMED_AS = /[\p{L}\p{N}"'`)\]][ \t]+as[ \t]+["'`[]?$/iu;
/** A comment up to a name. */
const COMMENT = /(?:^|[ \t;{}(),])(?:\/\/|#+[ \t]|--[ \t]|\/\*|<!--)|^[ \t]*(?:\*+[ \t]|[;%]|--|REM\b)/i;
/** What a word behind a name is the value of: an option, a variable that a command sets. */
const SETTING =
  /(?:^|[ \t`("'])--?$|(?:^|[ \t(])(?:env|arg|set|setenv|export|declare|define|def)[ \t]+(?:-\w+[ \t]+)?$/i;
/** The head of a section of settings, up to its name. */
const SECTION = /^[ \t]*\[{1,2}(?:[^\]\n]*\.)?["']?$/;
/** A literal that is given back. */
const RETURNED = /^[ \t]*(?:return\b|=>)?[ \t(]*(?:(["'`])(?!\1)|[-+]?\d)/;
/** In lines. */
const MOST_LINES = 400;
/** Before a name and behind it, in UTF-16 code units. */
const MOST_LOOKED_AT = 400;

/** Of which form a text is. */
interface StandingForm {
  /** It is source code, data or settings: whatever stands behind a name in its line is its value. */
  readonly isCode: boolean;
}

interface Line {
  readonly text: string;
  readonly start: number;
  readonly isCode: boolean;
  /** It may be of what a program printed. */
  readonly isSheet: boolean;
  /** What it says is told by words. */
  readonly isSaid: boolean;
}

/** The patterns by the names that are looked for. */
const patternOf = madeOnce((names: readonly string[]): RegExp => {
  const written = names.map((name) => [...foldedName(name)].map(letterSource).join(GAP));
  return new RegExp(
    String.raw`(?:(?<![\p{L}\p{N}_])|(?<=\\[nrt])|(?<=%[\da-f]{2}))(?:(?:set|with|put|add|update|change)_?)?(?:${written.map((own) => `(${own})`).join('|') || '(?!)'})(?:e?s)?(?!_{0,3}[\p{L}\p{N}])`,
    'giu',
  );
});

/** A letter, in its full width, and as escapes write it. */
function letterSource(letter: string): string {
  const codes = [...new Set([letter, letter.toUpperCase()])].map((each) => each.codePointAt(0) ?? 0);
  const [code = 0] = codes;
  if (code < 0x21 || code > 0x7e) return letter.replace(/[^\p{L}\p{N}]/gu, String.raw`\$&`);
  const hex = codes.map((each) => each.toString(16)).join('|');
  const plain = VALUE.test(letter) ? letter : `\\x${code.toString(16)}`;
  const wide = String.fromCodePoint(code + 0xfee0);
  return String.raw`(?:[${plain}${wide}]|\\{1,16}u00(?:${hex})|%(?:${hex})|&#(?:${codes.join('|')}|x(?:${hex}));)`;
}

/**
 * Where a name still stands in front of a value once every other reader has looked: however its letters and what joins them are written, with a sign behind it, in code with
 * anything behind it, or alone on its line above the value. What follows it goes up to the end of the line, and in code further where that is open.
 */
export function standingNames(text: string, names: readonly string[], form: StandingForm): StatedFields[] {
  const pattern = patternOf(names);
  pattern.lastIndex = 0;
  if (!pattern.test(text)) return [];
  pattern.lastIndex = 0;
  const lines = linesOf(text, form);
  const found: StatedFields[] = [];
  let at = 0;
  let done = 0;
  for (const match of text.matchAll(pattern)) {
    const { index } = match;
    if (index < done) continue;
    while ((lines[at + 1]?.start ?? Infinity) <= index) at += 1;
    const endOfLine = lineEnd(lines[at]);
    // Blanks at the end of a line are what is left of a value.
    const rest = text.slice(index + match[0].length, endOfLine);
    const isTaken = !VALUE.test(rest) && /[ \t]{2}\r?$/.test(rest);
    if (isTaken) continue;
    const end = endOfStated(lines, at, { from: index, to: index + match[0].length, text });
    if (end === undefined) continue;
    done = end;
    const line = lines[at];
    const isNamedAs =
      line?.isCode === true && NAMED_AS.test(text.slice(Math.max(line.start, index - MOST_LOOKED_AT), index));
    found.push({
      start: isNamedAs ? line.start : index,
      end,
      names: names.filter((_, place) => match[place + 1] !== undefined),
    });
  }
  return found;
}

function linesOf(text: string, { isCode }: StandingForm): Line[] {
  const lines: Line[] = [];
  let fence: string | undefined;
  let isSheet = false;
  let start = 0;
  for (const line of text.split('\n')) {
    const mark = isCode ? undefined : FENCE.exec(line)?.[1];
    if (mark !== undefined && (fence === undefined || mark.startsWith(fence))) {
      isSheet = /^(?:te?xt|console|output|plain)?\s*$/i.test(
        line.slice(line.lastIndexOf(mark) + mark.length),
      );
      fence = fence === undefined ? mark : undefined;
    }
    lines.push({
      ...{ text: line, start, isSheet },
      ...{ isCode: isCode || fence !== undefined, isSaid: isSentence(line) },
    });
    start += line.length + 1;
  }
  return lines;
}

interface Standing {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** Behind the value of a name; undefined where it has none. */
function endOfStated(
  lines: readonly Line[],
  first: number,
  { from, to, text }: Standing,
): number | undefined {
  let at = first;
  // A name may go on in the next line.
  while ((lines[at + 1]?.start ?? Infinity) < to) at += 1;
  const { text: line = '', start = 0, isCode = false, isSaid = false, isSheet = false } = lines[at] ?? {};
  const before = text.slice(Math.max(lines[first]?.start ?? 0, from - MOST_LOOKED_AT), from);
  const behind = line.slice(to - start);
  const near = behind.slice(0, MOST_LOOKED_AT);
  const end = start + line.length;
  const table = endOfMarkupTable(before, { text, to });
  if (table !== undefined) return table;
  if (PARAMETER.test(before)) return undefined;
  if (isCode && isSheet && HEADER.test(line)) return endOfRows(lines, at);
  const isData = isCode && !isSaid && !COMMENT.test(before);
  if (isCode && NAMED_AS.test(before)) return end;
  if (!VALUE.test(behind)) return endOfBelow(lines, at, { before, behind, isCode: isData, text, to });
  if (CELL_MARK.test(before) && /^[ \t]*[!¦│┃║]/.test(behind)) return behind.includes('!') ? end : undefined;
  if (isData) {
    if (!isValued(near) && !SETTING.test(before)) return undefined;
    if (opensStatements(line, to - start)) return endOfReturned(lines, at);
    const inBrackets = endOfBrackets(text, { start: to, end });
    return Math.max(inBrackets, endOfCode(lines, at, behind));
  }
  if (/^[^\]()\n]{0,20}\]\([^()\s]{0,200}[ \t]+["'(]/.test(near)) return end;
  const stated = SIGN.exec(near);
  const { sign } = stated?.groups ?? {};
  if (stated === null || sign === undefined) return undefined;
  const value = near.slice(stated[0].length).trim();
  const isLink =
    /\[$/.test(before) && /^\]:/.test(behind) && /^[<#./]|:\/\/|^\S+\.\w{2,5}(?:\s|$)/.test(value);
  const written = text.slice(from, to);
  const isOfWords = /[^\p{L}\p{N}]|\p{Ll}\p{Lu}/u.test(written);
  const isName = isOfWords || /[=＝>%→⇒]/.test(sign) || BEFORE_NAME.test(before);
  return VALUE.test(value) && isName && !isLink ? end : undefined;
}

/** Words of a sentence between blanks, and nothing that programs write. */
function isSentence(line: string): boolean {
  if (/[;{}=<>|]|,\S|["'`\])]\s*[:,]/.test(line)) return false;
  const words = line
    .slice(0, MAX_SENTENCE)
    .toLowerCase()
    .split(/[^\p{L}'’]+/u);
  return words.filter((word) => word.length > 1 && ENGLISH_STOP_WORDS.has(word)).length >= 2;
}

/** In UTF-16 code units. */
const MAX_SENTENCE = 400;

/** Whether anything but words stands behind a name. */
const isValued = (behind: string): boolean =>
  /^[^\p{L}\p{N}]{0,40}?[:=,>|;?+~<&!$/\\({[-][^\p{L}\p{N}]{0,40}[\p{L}\p{N}]|["'`\d]|[:=,>({[<|?][^\n]{0,400}[\p{L}\p{N}]/u.test(
    behind,
  );

/** Of a line that opens a block, with what that gives back at once. */
function endOfReturned(lines: readonly Line[], at: number): number {
  const next = lines.findIndex(({ text }, place) => place > at && text.trim() !== '');
  return lineEnd(lines[RETURNED.test(lines[next]?.text ?? '') ? next : at]);
}

/** Of a line of code and of those that it goes on in: an open quotation, a bracket, an operator, a text up to its mark. */
function endOfCode(lines: readonly Line[], at: number, behind: string): number {
  const document = /<<[-~<]?[ \t]*["']?([\p{L}\p{N}_]{1,40})["']?[^\n]*$/u.exec(behind)?.[1];
  if (document !== undefined) return endAt(lines, at, (line) => line.trim().startsWith(document));
  const triple = /("{3}|'{3}|`{3})(?!.*\1)/.exec(behind)?.[1];
  if (triple !== undefined) return endAt(lines, at, (line) => line.includes(triple));
  const quote = openQuote(behind);
  if (quote !== undefined) return endAt(lines, at, (line) => line.includes(quote));
  return /(?:[[({,=:+\\|.<&?-]|=>)[ \t]*\r?$/.test(behind) ? endOfIndented(lines, at) : lineEnd(lines[at]);
}

/** Behind the bracket that closes the first one of a line that is open at its end. */
function endOfBrackets(text: string, { start, end }: TextRange): number {
  for (let at = start; at < end; at += 1) {
    const closing = '[({'.includes(text.charAt(at)) ? endOfBracket(text, at, MAX_TABLE) : undefined;
    if (closing !== undefined && closing > end) return closing;
  }
  return end;
}

/** The quotation mark that is opened and not closed. */
function openQuote(behind: string): string | undefined {
  let open: string | undefined;
  for (const sign of behind.replace(/\\./g, '').replace(/(?<=\p{L})'(?=\p{L})/gu, '')) {
    if (open === undefined && (sign === '"' || sign === "'" || sign === '`')) open = sign;
    else if (sign === open) open = undefined;
  }
  // It may be the one that closes around the name.
  return open !== undefined && behind.trimEnd().indexOf(open) === behind.trimEnd().length - 1
    ? undefined
    : open;
}

const lineEnd = (line: Line | undefined): number => (line?.start ?? 0) + (line?.text.length ?? 0);

/** Behind the next line that is the last one; without one, a paragraph. */
function endAt(lines: readonly Line[], at: number, isLast: (line: string) => boolean): number {
  let paragraph: number | undefined;
  for (let next = at + 1; next < Math.min(lines.length, at + MOST_LINES); next += 1) {
    const { text = '' } = lines[next] ?? {};
    if (isLast(text)) return lineEnd(lines[next]);
    if (text.trim() === '') paragraph ??= next;
  }
  return lineEnd(lines[Math.min(lines.length - 1, paragraph ?? at + MOST_LINES)]);
}

/** Of lines that have as many words as the names of columns above them. */
function endOfRows(lines: readonly Line[], at: number): number {
  const countOf = (line: string): number => line.trim().split(/\s+/).length;
  const count = countOf(lines[at]?.text ?? '');
  let last = at;
  while (last + 1 < lines.length && last < at + MOST_LINES) {
    const { text = '' } = lines[last + 1] ?? {};
    if (FENCE.test(text) || countOf(text) < count) break;
    last += 1;
  }
  return lineEnd(lines[last]);
}

const indentOf = (line: string): number => line.length - line.trimStart().length;

/** Behind the next line that holds something, and those below it that are indented more than the first one. */
function endOfIndented(lines: readonly Line[], at: number): number {
  const own = indentOf(lines[at]?.text ?? '');
  let last = at;
  for (let next = at + 1; next < Math.min(lines.length, at + MOST_LINES); next += 1) {
    const { text = '' } = lines[next] ?? {};
    if (text.trim() === '') continue;
    if (FENCE.test(text) || (last > at ? indentOf(text) <= own : /^[ \t]*[\])}]/.test(text))) break;
    last = next;
  }
  return lineEnd(lines[last]);
}

/** Behind what stands below a name that is alone on its line, or a section of settings. */
function endOfBelow(
  lines: readonly Line[],
  at: number,
  {
    before,
    behind,
    isCode,
    text,
    to,
  }: {
    readonly before: string;
    readonly behind: string;
    readonly isCode: boolean;
    readonly text: string;
    readonly to: number;
  },
): number | undefined {
  const isAlone = NAMING.test(before);
  const isItem = /^[ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]/.test(before);
  const isOpen = /[:=：＝]["'`*_\s]*$|[[({,\\<][ \t]*\r?$|<<-?$/.test(behind);
  if (!isCode) {
    const isTerm = isOpen || !isItem;
    const isHeading = /#[ \t]*$/.test(before);
    const isTable = /\|/.test(before + behind);
    const isQuotedTerm = isAlone && /["'`]$/.test(before) && VALUE.test(before) && !/[,;]/.test(before);
    if (!isAlone || !isTerm || isHeading || isTable || (VALUE.test(before) && !isQuotedTerm))
      return undefined;
  }
  if (isCode && SECTION.test(before) && /^["']?\]{1,2}[ \t\r]*$/.test(behind)) {
    const next = lines.findIndex(
      ({ text: line }, place) =>
        place > at && place < at + MOST_LINES && (/^[ \t]*\[/.test(line) || FENCE.test(line)),
    );
    return next < 0 ? lineEnd(lines[Math.min(lines.length - 1, at + MOST_LINES)]) : lineEnd(lines[next - 1]);
  }
  const isSubscript = /\[["'`]?$/.test(before) && /^["'`]?\]/.test(behind);
  if (isCode && !isOpen && (!isAlone || isSubscript)) return undefined;
  const { text: line = '', start = 0 } = lines[at] ?? {};
  if (isCode && opensStatements(line, to - start)) return endOfReturned(lines, at);
  const below = Math.max(
    endOfIndented(lines, at),
    isCode ? endOfBrackets(text, { start: to, end: lineEnd(lines[at]) }) : 0,
  );
  return below > lineEnd(lines[at]) ? below : undefined;
}

/** Of a name in a cell of a table of markup: the row, or the table where it stands in a heading of a column. */
function endOfMarkupTable(
  before: string,
  { text, to }: { readonly text: string; readonly to: number },
): number | undefined {
  const cell = /<t([hd])\b[^<>]{0,200}>(?:[ \t]*<[a-z]{1,8}>)*[ \t]*$/i.exec(before);
  if (cell === null) return undefined;
  const rest = text.slice(to, to + MAX_TABLE);
  const isHeading = cell[1]?.toLowerCase() === 'h';
  const closing = rest.search(isHeading ? /<\/table\b/i : /<\/(?:tr|table)\b|<tr\b/i);
  return to + (closing < 0 ? rest.length : closing);
}

/** In UTF-16 code units. */
const MAX_TABLE = 20_000;
