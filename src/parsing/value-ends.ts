/**
 * Where the value of a name ends, in prose and data and in source code.
 *
 * @module
 */

import type { TextRange } from '../core/document.js';
import { endOfBracket } from './closed-brackets.js';
import { textAt } from './named-roots.js';
import { isWrapped } from './sentence-fields.js';
import { indentOf, isGoingOn, opensBlock, opensStatements } from './statement-lines.js';
import { endOfLine, startOfLine } from './text-range.js';

/** Longest value, in UTF-16 code units. */
export const MAX_VALUE = 20_000;
/** Around a name of a pair, in UTF-16 code units. */
export const MAX_PAIR = 1_000;
/** Between a name and its value, in UTF-16 code units. */
export const MAX_GAP = 80;
/** Before a name in source code and behind it, in UTF-16 code units. */
export const LOOKED_AT = 400;

/** The next name of a line of several; behind a single blank only where values follow their names at once. */
const NEXT_NAME =
  /(?:[,;|&•·/\t]|[ \t][-–—]|&nbsp;|[ \t]{2})[ \t]{0,4}["'*_`]{0,3}[\p{L}_][\p{L}\p{N}_.-]{0,60}["'*_`]{0,3}[ \t]?[:=]/u;
const NEXT_PACKED = /[,;|& \t]["']?[\p{L}_][\p{L}\p{N}_.-]{0,60}["']?=/u;

const isQuote = (character: string): boolean => character === '"' || character === "'" || character === '`';

/** On the next line where a name stands alone on its line. */
function firstOfValue(text: string, from: number): number {
  let at = from;
  while (at - from < MAX_GAP && /\s/.test(text.charAt(at))) at += 1;
  return at;
}

/** Of what a line or a paragraph says of a name; undefined where it says nothing. */
export function endOfStated(
  text: string,
  { start: name, end: from }: TextRange,
  { sign, wrapped }: { readonly sign: string; readonly wrapped: readonly string[] },
): number | undefined {
  const lineEnd = endOfLine(text, from);
  const value = firstOfValue(text, from);
  const first = text.charAt(value);
  if (isQuote(first)) return endOfQuoted(text, value) ?? endOfParagraph(text, value);
  if (first !== '' && '{[('.includes(first)) return endOfBlock(text, value);
  const rest = text.slice(from, lineEnd);
  if (rest.trim() === '') return undefined;
  const start = startOfLine(text, from);
  const next = (sign === '=' ? NEXT_PACKED : NEXT_NAME).exec(rest)?.index ?? Infinity;
  const last = Math.min(from + next, closingAround(text, name, from));
  if (last < lineEnd) return last;
  const line = text.slice(start, lineEnd);
  return opensStatements(line, from - start) ? lineEnd : endOfLines(text, from, wrapped);
}

/** Where what is opened on the line before a name is closed behind its value: a bracket, a comment, code. */
function closingAround(text: string, name: number, from: number): number {
  const start = Math.max(startOfLine(text, name), name - MAX_PAIR);
  const opened = OPENED.exec(text.slice(start, name));
  if (opened === null) return Infinity;
  const closing = CLOSED_BY[opened[0]];
  if (closing === undefined) return (endOfBracket(text, start + opened.index, MAX_VALUE) ?? Infinity) - 1;
  const end = text.indexOf(closing, from);
  return end < 0 ? Infinity : end;
}

const OPENED = /[([{](?=[^()[\]{}]*$)|<!--(?=[^>]*$)|[<`](?=["']?$)/;
const CLOSED_BY: Readonly<Record<string, string>> = { '<!--': '-->', '<': '>', '`': '`' };

/** Of a line with those below that go on with its value. */
function endOfLines(text: string, from: number, names: readonly string[]): number {
  const start = startOfLine(text, from);
  const indent = /^[ \t]*/.exec(text.slice(start, from))?.[0].length ?? 0;
  let end = endOfLine(text, from);
  const first = text.slice(start, end);
  for (let above = first, count = 1; ; count += 1) {
    const next = text.slice(end + 1, endOfLine(text, end + 1));
    if (!goesOn(next, { first, indent, above, names, count })) return end;
    end += 1 + next.length;
    above = next;
  }
}

interface Above {
  /** The line that names what is stated. */
  readonly first: string;
  readonly indent: number;
  /** The line before. */
  readonly above: string;
  /** Of which a paragraph that goes on is the value. */
  readonly names: readonly string[];
  /** Of the lines since the first one. */
  readonly count: number;
}

/** Whether a line goes on with the value of one above: it is indented more, or of the same paragraph. */
export const goesOn = (line: string, { first, indent, above, names, count }: Above): boolean =>
  line.trim() !== '' &&
  ((indentOf(line) > indent && !isAligned(first, line)) ||
    (names.length > 0 && isWrapped(above, line, names, count)));

/** Whether labels of two lines end in the same place, as those that are set flush right do. */
const isAligned = (line: string, below: string): boolean => {
  const [place, own] = [line, below].map((each) => each.indexOf(': '));
  return place === own && /^\s+[\p{L}\p{N}_ -]+: /u.test(below);
};

/** Of what stands in brackets. */
export const endOfBlock = (text: string, at: number): number =>
  endOfBracket(text, at, MAX_VALUE) ?? endOfParagraph(text, at);

/** Of one that is never closed. */
const endOfParagraph = (text: string, from: number): number => {
  const end = text.indexOf('\n\n', from);
  return Math.min(end < 0 ? text.length : end, from + MAX_VALUE);
};

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
    if (closing >= 0 && closing < endOfLine(text, at)) return closing + 2;
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

/** A text as it is written. */
export interface Written {
  readonly text: string;
  /** Texts over several lines. */
  readonly long: readonly TextRange[];
  /** Values are literals, or have names: a type, a parameter and a name that is the same are none. */
  readonly isProgram: boolean;
  readonly isSql: boolean;
}

/** What may end a value, and what its end is not looked for in: texts of a line, comments, parameters of a type. */
const TOKEN =
  /"(?:[^"\\\n]|\\.)*"|(?<![\p{L}\p{N}\\&<])'(?:[^'\\\n]|\\.)*'|["'`]|(?<=[ \t])(?:#[ \t]|\/\/)[^\n]*|(?<=[\p{L}\p{N}_])<[\p{L}\p{N}_\s,.:|&?*[\]]{0,100}(?:<[\p{L}\p{N}_\s,.:|&?*[\]]{0,100}>[\s,]{0,4}){0,3}>|<<[-~<]?["']?(?<mark>[\p{Lu}_][\p{Lu}\p{N}_]{0,40})["']?[^\n]*|[()[\]{},;\n]|[ \t](?<option>--?\p{L})|[ \t]+(?<next>[\p{L}_][\p{L}\p{N}_.:@-]{0,60}=(?=[^\s=>~]))|[ \t]+(?<clause>where|and|or|from|group|order|limit|returning)(?![\p{L}\p{N}_])|(?<=["'}])[ \t]*(?<tag>\/?>)/giu;
/** What a text of several lines begins behind. */
const BEFORE_TEXT = /[:=(,[{>][ \t]*[@$\p{L}]{0,2}#{0,3}$/u;
/** A text whose value is handed in behind it. */
const UNFILLED = /^[^\p{L}\p{N}]{0,9}(?:%[\w.]{1,3}|\{\w{0,20}\})?[^\p{L}\p{N}]{0,9}$/u;
const NEXT_ARGUMENT = /^[,;][ \t]?["'`]?[\p{L}_][\p{L}\p{N}_.-]{0,60}["'`]?[ \t]?[:=]/u;
interface Form {
  /** The mark of the text that it stands in. */
  readonly quote: string | undefined;
  readonly isSql: boolean;
  readonly isOption: boolean;
}

/** Of a value in source code, and whether a block of statements begins there. */
export function endOfArgument(
  { text, long, isProgram }: Written,
  from: number,
  { quote: within, isSql, isOption }: Form,
): { readonly end: number; readonly isBlock: boolean } {
  const sign = /^[^\p{L}\p{N}"'`([{\n]*/u.exec(text.slice(from, from + LOOKED_AT))?.[0] ?? '';
  const isTag = /^=["'{]/.test(text.slice(from, from + 2));
  let quote = within;
  let at = from;
  let lines = endOfLine(text, from);
  for (;;) {
    TOKEN.lastIndex = at;
    const match = TOKEN.exec(text);
    if (match === null || match.index - from > MAX_VALUE) return { end: lines, isBlock: false };
    const { 0: token, index, groups: { mark, option, next, clause, tag } = {} } = match;
    at = index + token.length;
    const first = token.charAt(0);
    const said = text.slice(from, index);
    if (first === quote && UNFILLED.test(said)) {
      quote = undefined;
      at = index + 1 + (/^[ \t]*,/.exec(text.slice(index + 1, index + LOOKED_AT))?.[0].length ?? 0);
      continue;
    }
    const isOver =
      (option !== undefined && isOption) ||
      (next !== undefined && said.includes('=')) ||
      (clause !== undefined &&
        isSql &&
        said.length > sign.length &&
        !/^[ \t]+between\b(?!.*and)/i.test(said)) ||
      (tag !== undefined && isTag) ||
      first === quote ||
      ')]};'.includes(first) ||
      (first === ',' &&
        (isProgram ||
          /["'`)\]}]$/.test(said.trimEnd()) ||
          NEXT_ARGUMENT.test(text.slice(index, index + 80))));
    if (isOver) return { end: index, isBlock: false };
    if (option !== undefined || next !== undefined) at = index + 1;
    else if (mark !== undefined) {
      const closing = new RegExp(String.raw`\n[ \t]*${mark}\b`, 'g');
      closing.lastIndex = index;
      at = closing.exec(text) === null ? at : closing.lastIndex;
    } else if (isQuote(first)) {
      const own = textAt(long, index + 1);
      if (own?.start === index) at = own.end;
      else if (token.length === 1 && BEFORE_TEXT.test(text.slice(Math.max(0, index - LOOKED_AT), index))) {
        const closing = text.indexOf(first, at);
        if (closing >= 0 && closing - index < MAX_VALUE) at = closing + 1;
      }
    } else if ('([{'.includes(first)) {
      const closing = endOfBracket(text, index, MAX_VALUE);
      const end = endOfLine(text, index);
      if (
        closing !== undefined &&
        closing > end &&
        opensBlock(text.slice(index - Math.min(index - from, LOOKED_AT), end))
      )
        return { end: index, isBlock: true };
      at = closing ?? at;
    } else if (first === '\n') {
      const line = text.slice(Math.max(startOfLine(text, index), index - LOOKED_AT), index);
      if (opensBlock(line)) return { end: index, isBlock: true };
      const isEmpty = said.length <= sign.length;
      if (!isEmpty && !isGoingOn(line, text.slice(at, endOfLine(text, at))))
        return { end: index, isBlock: false };
    }
    if (at > lines) lines = endOfLine(text, at);
  }
}
