import type { TextRange } from '../core/document.js';
import { madeOnce } from '../core/made-once.js';
import { endOfBracket } from './closed-brackets.js';
import { isAligned } from './label-fields.js';
import { type Label, labelReader } from './label-reader.js';
import type { StatedFields } from './markdown/stated-names.js';
import { isWrapped, lengthOfValue } from './sentence-fields.js';
import { isStatement, opensStatements } from './statement-lines.js';

/** Names of what a pair of a name and a value calls its name, and its value. */
const NAME_KEY = `(?:name|key|field|label|title|id|attribute|attr|property|column|param|parameter|header|variable|var|tag|term|type|k|path|pointer|from|msgid)`;
/** Names that count where a value stands beside them. */
const NAMING_KEY = `(?:${NAME_KEY}|code|url|uri|link_?id|ref|slug|concept|question|metric|measure|dimension|fact|caption|heading)`;
const VALUE_KEY = String.raw`(?:[\w-]{0,20}value[\w-]{0,20}|val|v|data|text|content|answer|example|default|old|new|from|to|is)`;
/** What stands between a name and its value, in comparisons of a query too. */
const SIGN = String.raw`(?:[:=]=?>?|:=|<>|!=|[<>]=?|\s(?:is|like|in|eq)(?=\s))`;
/** What may stand behind a name: what closes quotation or emphasis, and a unit. */
const CLOSING = String.raw`(?:\.[\p{L}\p{N}_.\x2d]{1,60})?(?:[\])]{1,2}\.[\p{L}\p{N}_.\x2d]{1,60}|[\]\\"'\x60*_)}]{0,6})(?:[ \t]?\([^()\n]{0,40}\))?[ \t]*`;
/** What a name of one word is behind where it is no word of a sentence. */
const BEFORE_NAME = /[,;:{([|&?<>•·–—"'`\t]$|--$/;
/** The next name of a line of several; behind a single blank only where values follow their names at once. */
const NEXT_NAME =
  /(?:[,;|&•·/\t]|[ \t][-–—]|&nbsp;|[ \t]{2})[ \t]{0,4}["'*_`]{0,3}[\p{L}_][\p{L}\p{N}_.-]{0,60}["'*_`]{0,3}[ \t]?[:=]/u;
const NEXT_PACKED = /[,;|& \t]["']?[\p{L}_][\p{L}\p{N}_.-]{0,60}["']?=/u;
const OPENERS = '{[(';

/**
 * Where a text states fields inside its lines: `name: value` and `name=value` behind whatever stands before, names and values in quotation marks,
 * members that are a name and a value (`name: "salary", value: 7`), and rows of SQL.
 *
 * @param isCode lines are looked at elsewhere
 * @param hasBlocks what stands in brackets behind a name is its value (HCL, Protobuf)
 */
export function inlineFields(
  text: string,
  names: readonly string[],
  isCode: boolean,
  hasBlocks = !isCode,
): StatedFields[] {
  const labelOf = labelReader(names);
  if (!labelOf.occursIn(text)) return [];
  const forms = formsOf(labelOf);
  return [
    ...(isCode ? [] : statements(text, { labelOf, ...forms })),
    ...pairs(text, { labelOf, ...forms }),
    ...(isCode ? [] : optionsOfCommands(text, { labelOf, ...forms })),
    ...insertedRows(text, labelOf),
    ...rowsBefore(text, labelOf),
    ...(hasBlocks ? blocks(text, { labelOf, ...forms }) : []),
  ];
}

interface Forms {
  /** A name with the sign behind it. */
  readonly statement: RegExp;
  /** A name as the value of one that calls it a name. */
  readonly named: RegExp;
  /** A name, labels of a block, and the bracket behind it. */
  readonly block: RegExp;
  /** A name as an option of a command, with the value behind a blank. */
  readonly option: RegExp;
}

const formsOf = madeOnce(
  ({ source }: Label): Forms => ({
    statement: new RegExp(
      String.raw`(?<![\p{L}\p{N}_])(${source})${CLOSING}(${SIGN})(?:[*_\x60]{1,3}(?=\s))?[ \t]*`,
      'giu',
    ),
    named: new RegExp(
      String.raw`(?<![\p{L}\p{N}])${NAMING_KEY}\\?["']?[ \t]*(?:[:=]>?)[ \t]*(?:\[[^\]\n]{0,200}?["'])?\\?["']?(?:[^\s"',;{}]{0,200}[/.])?(${source})(?=\\?["']|[ \t,;}\n]|$)`,
      'giu',
    ),
    block: new RegExp(
      String.raw`(?<![\p{L}\p{N}_.#-])(${source})["']?\]?(?:[ \t]+"[^"\n]{0,120}"){0,3}[ \t]*(?::[ \t]*)?([{<])(?=\s)`,
      'giu',
    ),
    option: new RegExp(
      String.raw`(?<=(?:^|[\s\x60"'(])--?)(${source})[ \t]+(?:"[^"\n]*"|'[^'\n]*'|[^\s\x60"')-][^\s\x60"')]*)`,
      'gimu',
    ),
  }),
);

interface Search {
  readonly labelOf: Label;
}

function* statements(text: string, { labelOf, statement }: Search & Forms): Generator<StatedFields> {
  statement.lastIndex = 0;
  for (let found = statement.exec(text); found !== null; found = statement.exec(text)) {
    const [all, name = '', sign = ''] = found;
    const names = labelOf(name);
    const behind = found.index + all.length;
    // A comparison of a query, where what it compares with is quoted.
    const isDenied = /^(?:<|>|!|\s)/.test(sign) && !/^\(?["']/.test(text.slice(behind, behind + 2));
    if (names.length === 0 || isDenied) continue;
    const before = text.slice(Math.max(0, found.index - 3), found.index);
    const start = Math.max(lineStart(text, found.index), found.index - MAX_GAP);
    const isMidLine = text.slice(start, found.index).trim() !== '';
    const value = text.slice(behind, behind + MAX_GAP).split('\n', 1)[0] ?? '';
    if (!isName(all, sign, before) && !(isMidLine && lengthOfValue(value, '') > 0)) continue;
    // Of the first label of a line the others know whether a paragraph goes on.
    const wrapped = sign === ':' && isMidLine ? names : [];
    const end = endOfStated(text, { start: found.index, end: behind }, { sign, wrapped });
    if (end === undefined || text.slice(behind, end).trim() === '') continue;
    yield { start: found.index, end, names };
    statement.lastIndex = end;
  }
}

/** Whether it is a name and no word of a sentence with a colon behind it. */
function isName(stated: string, sign: string, before: string): boolean {
  const isLink = before.endsWith('[') && /\]:[ \t]*$/.test(stated);
  if (isLink) return false;
  const isOfWords = /[\p{L}\p{N}][\s_-][\p{L}\p{N}]|\p{Ll}\p{Lu}/u.test(stated.split(/[:=]/)[0] ?? '');
  return (
    isOfWords || sign.includes('=') || BEFORE_NAME.test(before.trimEnd() === '' ? before : before.trimEnd())
  );
}

const isQuote = (character: string): boolean => character === '"' || character === "'" || character === '`';

/** On the next line where a name stands alone on its line. */
function firstOfValue(text: string, from: number): number {
  let at = from;
  while (at - from < MAX_GAP && /\s/.test(text.charAt(at))) at += 1;
  return at;
}

/** In UTF-16 code units. */
const MAX_GAP = 80;

function endOfStated(
  text: string,
  { start: name, end: from }: TextRange,
  { sign, wrapped }: { readonly sign: string; readonly wrapped: readonly string[] },
): number | undefined {
  const endOfLine = lineEnd(text, from);
  const value = firstOfValue(text, from);
  const first = text.charAt(value);
  if (isQuote(first)) return endOfQuoted(text, value) ?? endOfParagraph(text, value);
  if (first !== '' && OPENERS.includes(first))
    return endOfBracket(text, value, MAX_VALUE) ?? endOfParagraph(text, value);
  const rest = text.slice(from, endOfLine);
  if (rest.trim() === '') return undefined;
  const start = lineStart(text, from);
  const next = (sign === '=' ? NEXT_PACKED : NEXT_NAME).exec(rest)?.index ?? Infinity;
  const last = Math.min(from + next, closingAround(text, name, from));
  if (last < endOfLine) return last;
  const line = text.slice(start, endOfLine);
  return opensStatements(line, from - start) ? endOfLine : endOfLines(text, from, wrapped);
}

/** Where what is opened on the line before a name is closed behind its value: a bracket, a comment, code. */
function closingAround(text: string, name: number, from: number): number {
  const start = Math.max(lineStart(text, name), name - MAX_PAIR);
  const opened = OPENED.exec(text.slice(start, name));
  if (opened === null) return Infinity;
  const closing = CLOSED_BY[opened[0]];
  if (closing === undefined) return (endOfBracket(text, start + opened.index, MAX_VALUE) ?? Infinity) - 1;
  const end = text.indexOf(closing, from);
  return end < 0 ? Infinity : end;
}

const OPENED = /[([{](?=[^()[\]{}]*$)|<!--(?=[^>]*$)|[<`](?=["']?$)/;
const CLOSED_BY: Readonly<Record<string, string>> = { '<!--': '-->', '<': '>', '`': '`' };

/** Of a line with those below that are indented more, and the rest of its paragraph. */
function endOfLines(text: string, from: number, names: readonly string[]): number {
  const start = lineStart(text, from);
  const indent = /^[ \t]*/.exec(text.slice(start, from))?.[0].length ?? 0;
  let end = lineEnd(text, from);
  const first = text.slice(start, end);
  let above = first;
  for (let next = '', count = 1; end < text.length; end += 1 + next.length, count += 1, above = next) {
    next = text.slice(end + 1, lineEnd(text, end + 1));
    const isBelow = next.length - next.trimStart().length > indent && !isAligned(first, next);
    const goesOn = names.length > 0 && isWrapped(above, next, names, count);
    if (next.trim() === '' || !(isBelow || goesOn)) break;
  }
  return end;
}

/** Of one that is never closed. */
const endOfParagraph = (text: string, from: number): number => {
  const end = text.indexOf('\n\n', from);
  return Math.min(end < 0 ? text.length : end, from + MAX_VALUE);
};

/** In UTF-16 code units. */
const MAX_VALUE = 20_000;

/** Within a paragraph, or up to three of the same marks. */
function endOfQuoted(text: string, at: number): number | undefined {
  const quote = text.charAt(at);
  const triple = quote.repeat(3);
  if (text.startsWith(triple, at)) {
    const closing = text.indexOf(triple, at + 3);
    return closing < 0 ? text.length : closing + 3;
  }
  // Of JSON in a cell of CSV.
  const doubled = quote.repeat(2);
  if (text.startsWith(doubled, at) && /[\p{L}\p{N}]/u.test(text.charAt(at + 2))) {
    const closing = text.indexOf(doubled, at + 2);
    if (closing >= 0 && closing < lineEnd(text, at)) return closing + 2;
  }
  const isEscaped = text.charAt(at - 1) === '\\';
  const limit = Math.min(text.length, at + MAX_VALUE);
  for (let place = at + 1; place < limit; place += 1) {
    const character = text.charAt(place);
    const isBehindEscape = text.charAt(place - 1) === '\\';
    if (character === quote && text.charAt(place + 1) === quote && !isBehindEscape) place += 1;
    else if (character === quote && (isEscaped || !isBehindEscape)) return place + 1;
    else if (character === '\n' && text.charAt(place + 1) === '\n') return undefined;
  }
  return undefined;
}

/** Blocks that state something, from the name to the closing bracket. */
function* blocks(text: string, { labelOf, block }: Search & Forms): Generator<StatedFields> {
  block.lastIndex = 0;
  let sign = -1;
  for (let found = block.exec(text); found !== null; found = block.exec(text)) {
    const opening = found.index + found[0].length - 1;
    if (sign < opening) sign = signBehind(text, opening);
    if (sign - opening > MAX_VALUE) continue;
    if (isStatement(text.slice(text.lastIndexOf('\n', found.index) + 1, opening))) continue;
    const end = endOfBracket(text, opening, MAX_VALUE) ?? endOfParagraph(text, opening);
    if (sign >= end) continue;
    yield { start: found.index, end, names: labelOf(found[1] ?? '') };
    block.lastIndex = end;
  }
}

function signBehind(text: string, at: number): number {
  const sign = /[:=]/g;
  sign.lastIndex = at;
  return sign.exec(text)?.index ?? Infinity;
}

function* optionsOfCommands(text: string, { labelOf, option }: Search & Forms): Generator<StatedFields> {
  for (const { 0: all, 1: name = '', index } of text.matchAll(option))
    yield { start: index, end: index + all.length, names: labelOf(name) };
}

/** Members that are a name and a value, in braces or in lines of one paragraph. */
function* pairs(text: string, { labelOf, named }: Search & Forms): Generator<StatedFields> {
  named.lastIndex = 0;
  let done = 0;
  for (let found = named.exec(text); found !== null; found = named.exec(text)) {
    const names = labelOf(found[1] ?? '');
    if (names.length === 0 || found.index < done) continue;
    const isLink = /^(?:ur[il]|ref)/i.test(found[0]);
    const around =
      valuedAround(text, found.index, isLink ? 1 : MOST_BRACES) ?? linesAround(text, found.index);
    done = Math.max(done, around.end);
    if (VALUED.test(text.slice(around.start, around.end))) yield { ...around, names };
  }
}

/** The braces around a place, or those around them that hold the value itself (`{"code": {"text": "salary"}, "value": 7}`). */
function valuedAround(text: string, at: number, most: number): TextRange | undefined {
  const first = bracesAround(text, at);
  let around = first;
  for (let depth = 0; depth < most && around !== undefined; depth += 1) {
    const inner = text.slice(around.start, around.end);
    if (VALUED.test(around === first ? inner : ownOf(inner))) return around;
    around = bracesAround(text, around.start - 1);
  }
  return first;
}

const MOST_BRACES = 3;

/** What stands in braces without what stands in others inside of them. */
function ownOf(inner: string): string {
  let own = inner;
  for (let depth = 0; depth < MOST_BRACES; depth += 1) own = own.replace(/\{[^{}]*\}/g, '');
  return own;
}

const VALUED = new RegExp(String.raw`(?<![\p{L}\p{N}])${VALUE_KEY}\\?["']?[ \t]*(?:[:=]>?)`, 'iu');
const OTHER_NAME = new RegExp(String.raw`^[ \t-]*["']?${NAME_KEY}["']?[ \t]*[:=]`, 'iu');

/** What is between the braces around a place; undefined where none are near. */
function bracesAround(text: string, at: number): TextRange | undefined {
  let depth = 0;
  for (let place = at - 1; place >= Math.max(0, at - MAX_PAIR); place -= 1) {
    const character = text.charAt(place);
    if (character === '}') depth += 1;
    if (character !== '{') continue;
    if (depth === 0) {
      const end = endOfBracket(text, place, MAX_PAIR);
      return end === undefined ? undefined : { start: place + 1, end: end - 1 };
    }
    depth -= 1;
  }
  return undefined;
}

/** In UTF-16 code units. */
const MAX_PAIR = 1_000;

/** Lines beside the one of a place, up to a blank one or one that names something else. */
function linesAround(text: string, at: number): TextRange {
  let start = text.lastIndexOf('\n', at) + 1;
  let end = lineEnd(text, at);
  for (let count = 0; count < MAX_LINES && end < text.length; count += 1) {
    const next = text.slice(end + 1, lineEnd(text, end + 1));
    if (next.trim() === '' || OTHER_NAME.test(next) || /^[ \t]*- /.test(next)) break;
    end += 1 + next.length;
  }
  const isItem = /^[ \t]*- /.test(text.slice(start, at));
  for (let count = 0; !isItem && count < MAX_LINES && start > 0; count += 1) {
    const from = text.lastIndexOf('\n', start - 2) + 1;
    const line = text.slice(from, start - 1);
    if (line.trim() === '' || OTHER_NAME.test(line)) break;
    start = from;
    if (/^[ \t]*- /.test(line)) break;
  }
  return { start: Math.max(start, at - MAX_PAIR), end: Math.min(end, at + MAX_PAIR) };
}

const MAX_LINES = 8;

const lineStart = (text: string, at: number): number => text.lastIndexOf('\n', at - 1) + 1;
const lineEnd = (text: string, at: number): number => {
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end;
};

const OPTION = String.raw`(?:[^;'\n]|'[^'\n]*')*`;
/** Between a list of columns and its rows: as values, or as lines of a copy, whose options may go on below. */
const ROWS = String.raw`(?:(?:overriding\s+\w+\s+value|output\s[^;()]{1,400}?)\s+)?values?\b(?=\s{0,40}\()|as\s{0,9}\(\s{0,40}values\b(?=\s{0,40}\()|(?<select>select\s(?:all\s|distinct\s)?)|from\s+stdin\b(?<options>${OPTION}(?:\n[ \t]*(?:(?:with|format|csv|delimiters?|header|null|quote|escape|encoding)\b|[()])${OPTION}){0,8})(?:;[^\n]*)?\n`;

/** Rows that SQL writes below a list of columns. */
function* insertedRows(text: string, labelOf: Label): Generator<StatedFields> {
  const columns = new RegExp(String.raw`\(([^()]{1,4000})\)\s{0,40}(?:${ROWS})`, 'gi');
  for (let found = columns.exec(text); found !== null; found = columns.exec(text)) {
    const named = (found[1] ?? '').split(',').map((name) => labelOf(name.replace(/[[\]]/g, '')));
    if (named.every(({ length }) => length === 0)) continue;
    let at = columns.lastIndex;
    const options = found.groups?.options;
    if (options !== undefined) {
      const isCsv = /\bcsv\b/i.test(options);
      const separator = /\bdelimiters?\s+(?:as\s+)?'([^'\\])'/i.exec(options)?.[1] ?? (isCsv ? ',' : '\t');
      while (at < text.length && !text.startsWith('\\.', at)) {
        const end = isCsv ? endOfQuotedLine(text, at) : lineEnd(text, at);
        // Nobody knows where cells end of which a quotation is never closed.
        if (end === undefined)
          yield { start: at, end: Math.min(text.length, at + MAX_VALUE), names: named.flat() };
        else yield* cellsOf(splitRow(text.slice(at, end), separator, isCsv ? '"' : ''), at, named);
        at = (end ?? at + MAX_VALUE) + 1;
      }
      columns.lastIndex = Math.min(at, text.length);
      continue;
    }
    if (found.groups?.select !== undefined) {
      const length = text.slice(at, at + MAX_VALUE).search(SELECTED_END);
      const end = length < 0 ? Math.min(text.length, at + MAX_VALUE) : at + length;
      yield* cellsOf(splitRow(text.slice(at, end)), at, named);
      columns.lastIndex = end;
      continue;
    }
    for (;;) {
      const row = /^[\s,]{0,200}\(/.exec(text.slice(at, at + 201));
      const start = at + (row?.[0].length ?? 0);
      if (row === null) break;
      const end = endOfRow(text, start);
      if (end === undefined) {
        // Nobody knows where its cells end.
        at = Math.min(text.length, start + MAX_VALUE);
        yield { start, end: at, names: named.flat() };
        break;
      }
      yield* cellsOf(splitRow(text.slice(start, end)), start, named);
      at = end + 1;
    }
    columns.lastIndex = at;
  }
}

/** Behind what a query selects. */
const SELECTED_END = /;|\s(?:from|union|where|limit|on\s+conflict|returning)\b|\n\s*\n/i;

/** The same where the list of columns stands behind its rows: `(VALUES ('Rome', 'V')) AS s (office, customer)`. */
function* rowsBefore(text: string, labelOf: Label): Generator<StatedFields> {
  for (const { index, 0: opening } of text.matchAll(/\(\s{0,40}values(?=\s{0,40}\()/gi)) {
    const end = endOfRow(text, index + 1) ?? text.length;
    const columns = /^\)\s{0,40}(?:as\s{1,40})?\w{1,60}\s{0,40}\(([^()]{1,4000})\)/i.exec(
      text.slice(end, end + MAX_VALUE),
    );
    const named = (columns?.[1] ?? '').split(',').map((name) => labelOf(name));
    if (named.every(({ length }) => length === 0)) continue;
    for (let at = index + opening.length; at < end; ) {
      const start = at + (/^[\s,]{0,200}\(/.exec(text.slice(at, at + 201))?.[0].length ?? MAX_VALUE);
      const last = start < end ? (endOfRow(text, start) ?? end) : end;
      yield* cellsOf(splitRow(text.slice(start, last)), start, named);
      at = last + 1;
    }
  }
}

function* cellsOf(
  cells: readonly string[],
  from: number,
  named: readonly (readonly string[])[],
): Generator<StatedFields> {
  let start = from;
  for (const [at, cell] of cells.entries()) {
    const names = named[at] ?? [];
    if (names.length > 0) yield { start, end: start + cell.length, names };
    start += cell.length + 1;
  }
}

/** Of a line whose cells in quotation marks may have several. */
function endOfQuotedLine(text: string, from: number): number | undefined {
  let isQuoted = false;
  const most = Math.min(text.length, from + MAX_VALUE);
  for (let at = from; at < most; at += 1) {
    if (text.charAt(at) === '"') isQuoted = !isQuoted;
    else if (!isQuoted && text.charAt(at) === '\n') return at;
  }
  return isQuoted ? undefined : most;
}

/** The bracket that closes a row, behind texts in quotation marks. */
function endOfRow(text: string, from: number): number | undefined {
  let depth = 0;
  let isQuoted = false;
  for (let at = from; at < Math.min(text.length, from + MAX_VALUE); at += 1) {
    const character = text.charAt(at);
    if (character === "'") isQuoted = !isQuoted;
    else if (isQuoted) continue;
    else if (character === '(') depth += 1;
    else if (character === ')') {
      if (depth === 0) return at;
      depth -= 1;
    }
  }
  return undefined;
}

function splitRow(row: string, separator = ',', quote = "'"): string[] {
  const cells: string[] = [];
  const hasBrackets = quote === "'";
  let isQuoted = false;
  let depth = 0;
  let start = 0;
  for (let at = 0; at < row.length; at += 1) {
    const character = row.charAt(at);
    if (character === quote) isQuoted = !isQuoted;
    else if (isQuoted) continue;
    else if (hasBrackets && character === '(') depth += 1;
    else if (hasBrackets && character === ')') depth -= 1;
    else if (character === separator && depth === 0) {
      cells.push(row.slice(start, at));
      start = at + 1;
    }
  }
  return [...cells, row.slice(start)];
}
