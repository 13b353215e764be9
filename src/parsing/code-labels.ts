import type { TextRange } from '../core/document.js';
import { foldedName } from '../core/metadata.js';
import { endOfBracket } from './closed-brackets.js';
import { type Surroundings, textAt } from './named-roots.js';
import { PARAMETER } from './sentence-fields.js';
import { isGoingOn, isStatement, openQuote, opensBlock } from './statement-lines.js';
import { endOfLine } from './text-range.js';

/** What a name of one word is in front of where it is a label. */
const LABEL = new RegExp(
  [
    String.raw`["'\x60\])}]{0,3}[ \t]*(?:[?+~!*/&|.:-]{0,3}[:=](?![=])|[<>]-|=>|->|,(?<=["'\x60],))`,
    // A call.
    String.raw`[ \t]*\(\s*(?:new\s+[\w.]{1,60}\(\s*)?["'\x60\d]`,
    // A type.
    String.raw`[ \t]+(?:[^\n=;"'(){}]|\([\d, ]{1,9}\)){0,60}=(?![=>])`,
    String.raw`[ \t]*\{[^{}\n]*\}[ \t]*=`,
    String.raw`[^,;\n]{0,80}?[ \t]default[ \t]`,
    String.raw`[ \t]+when[ \t]`,
    // A comparison.
    String.raw`["'\x60\])}]{0,3}[ \t]*(?:[=!]==?|<>|[ \t](?:not[ \t]+)?(?:in|i?like|between|is)\b)[ \t]*\(?[ \t]*["'\x60]`,
    // A member or an element of it.
    String.raw`["'\x60]?\]?(?:\.\w{1,40}|\[[^[\]\n]{0,40}\]){1,3}[ \t]*=[ \t]*["'\x60\d]`,
    String.raw`["'\x60][ \t]+to[ \t]`,
  ]
    .map((form) => `^(?:${form})`)
    .join('|'),
  'i',
);
/** A key of Clojure or Ruby in front of its value. */
const KEYWORD = /(?:^|[\s({[,]):$/;
const KEYWORD_VALUE = /^(?:,[ \t]*|[ \t]+)["'`\d]/;
/** A value in front of its name. */
const VALUE_BEFORE =
  /(?:"[^"\n]*"|'[^'\n]*'|(?<![\w.])\d[\d.]*)(?:[ \t]+as[ \t]+|[ \t]*={1,3}[ \t]*|(?<=^[ \t]*["'][^"'\n]*["'])[ \t]*->[ \t]*)["'`[]?$/i;
/** In front of a word that is its value. */
const SETTING =
  /(?:^|[ \t`("'])--?$|(?:^|[ \t(])(?:env|arg|set|setenv|export|declare|#?[ \t]*define|def)[ \t]+(?:-\w+[ \t]+)?$/i;
/** A value that stands below. */
const OPEN = /[:=[({,\\<][ \t]*[@$]?["'`]{0,3}[ \t]*\r?$/;
const SIGN = /^["'`\])}]{0,3}[ \t]*(?<sign>[?+~!*&|.:-]{0,3}[:=]>?)[ \t]*/;
/** A value that is a name, whatever it is a member of. */
const NAME_ALONE =
  /^[&*@]{0,2}(?:[\p{L}\p{N}_$]{1,60}(?:\?\.|\.|->|::)){0,8}(?<name>[\p{L}_$][\p{L}\p{N}_$]*)[ \t]*(?:[,;)}\]]|\r?$)/u;
const ONE_TYPE = String.raw`[&*]{0,2}(?:(?:readonly|mut|dyn)[ \t]+)?[\p{L}_][\p{L}\p{N}_.:]*(?:[<[][^"'\x60(){};=\n]{0,200}[>\]])?[?*&!]{0,3}`;
const TYPE = new RegExp(
  String.raw`^${ONE_TYPE}(?:[ \t]*[|&][ \t]*${ONE_TYPE}){0,8}[ \t]*(?:[,;)}\]]|#|//|\r?$)`,
  'u',
);
/** Said of a value, or of its type. */
const NO_VALUE =
  /^(?:none|null|nil|undefined|string|str|text|number|int|integer|float|bool|boolean|any|unknown|object)$/i;
/** Before a name and behind it, in UTF-16 code units. */
const LOOKED_AT = 400;

/** A text as it is written. */
export interface Written {
  readonly text: string;
  /** Texts over several lines. */
  readonly long: readonly TextRange[];
  /** Values are literals, or have names: a type, a parameter and a name that is the same are none. */
  readonly isProgram: boolean;
  readonly isSql: boolean;
}

/**
 * A name of one word in source code with the value behind it, on its line or below: one argument, member or statement. What is handed on to a block of statements stays, and so does the
 * block. Undefined where the name is no label.
 */
export function labelledValue(
  written: Written,
  { start, end }: TextRange,
  around: Surroundings,
): TextRange | undefined {
  const { text } = written;
  // Nothing is looked for on the whole of a long line.
  const near = text.slice(Math.max(0, start - LOOKED_AT), start);
  const before = near.slice(near.lastIndexOf('\n') + 1);
  const behind = text.slice(end, end + LOOKED_AT);
  const place = { text, start, end };
  const value = VALUE_BEFORE.exec(before);
  const isSaidBefore = value !== null && (written.isSql || !/[ \t]as[ \t]/i.test(value[0]));
  if (isSaidBefore) return { start: start - value[0].length, end };
  if (!isLabel(place, { before, behind, around, isProgram: written.isProgram })) return undefined;
  const long = textAt(written.long, start);
  const open = long === undefined ? openQuote(before) : text.charAt(long.start);
  const closing = /^["'`\])}]{0,3}/.exec(behind)?.[0] ?? '';
  const isInText = open !== undefined && (long !== undefined || !closing.includes(open));
  const pair =
    /["'`]/.test(closing) || before.endsWith(':')
      ? (/^[ \t]*,/.exec(behind.slice(closing.length))?.[0].length ?? 0)
      : 0;
  const from = end + closing.length + pair;
  const stated = endOfValue(written, from, {
    quote: isInText ? open : undefined,
    isSql: written.isSql || isInText,
    isOption: before.endsWith('-'),
  });
  const said = text.slice(from, stated.end);
  if (stated.isBlock && !/["'`\d]/.test(said)) return undefined;
  const isQuoted = !isInText && open !== undefined && before.endsWith(open);
  return { start: isQuoted ? start - 1 : start, end: from + said.trimEnd().length };
}

interface Around {
  /** On its line. */
  readonly before: string;
  /** There and below. */
  readonly behind: string;
  readonly around: Surroundings;
  readonly isProgram: boolean;
}

function isLabel(
  { text, start, end }: TextRange & { readonly text: string },
  { before, behind: below, around, isProgram }: Around,
): boolean {
  const behind = below.split('\n', 1)[0] ?? '';
  if (PARAMETER.test(before)) return false;
  const isStated = /[\p{L}\p{N}]/u.test(behind) || OPEN.test(behind);
  if (SETTING.test(before) && /^[= \t]+\S/.test(behind)) return isStated;
  if (KEYWORD.test(before) && KEYWORD_VALUE.test(behind)) return true;
  if (!LABEL.test(below) || !isStated) return false;
  if (!isProgram) return true;
  const isQuoted = /["'`]$/.test(before);
  const isPair = /^["'`][ \t]*,/.test(behind);
  // A route has its handler behind it.
  if (before.endsWith('/') && /^["'`]/.test(behind)) return /^["'`]\s*[,:=][=>]?\s*["'`\d]/.test(below);
  if (isQuoted && isPair) return !isOfList(text, around);
  // A parameter, or a part of a route.
  if (behind.startsWith('/:') || (!isQuoted && /^\)[ \t]*(?::|[-=]>)/.test(behind))) return false;
  const { 0: all = '', groups: { sign = '' } = {} } = SIGN.exec(behind) ?? {};
  const value = behind.slice(all.length);
  if (all === '') return true;
  if (value.trim() === '') return !(sign === ':' && isStatement(before));
  const name = NAME_ALONE.exec(value)?.groups?.name;
  const isSame = name !== undefined && foldedName(name) === foldedName(text.slice(start, end));
  if (isSame || NO_VALUE.test(name ?? '')) return false;
  return isQuoted || around.isRecord || !/^[?!]?:$/.test(sign) || !TYPE.test(value);
}

/** What may end a value, and what its end is not looked for in: texts of a line, comments, parameters of a type. */
const TOKEN =
  /"(?:[^"\\\n]|\\.)*"|(?<![\p{L}\p{N}\\&<])'(?:[^'\\\n]|\\.)*'|["'`]|(?<=[ \t])(?:#[ \t]|\/\/)[^\n]*|(?<=[\p{L}\p{N}_])<[\p{L}\p{N}_\s,.:|&?*[\]]{0,100}(?:<[\p{L}\p{N}_\s,.:|&?*[\]]{0,100}>[\s,]{0,4}){0,3}>|<<[-~<]?["']?(?<mark>[\p{Lu}_][\p{Lu}\p{N}_]{0,40})["']?[^\n]*|[()[\]{},;\n]|[ \t](?<option>--?\p{L})|[ \t]+(?<next>[\p{L}_][\p{L}\p{N}_.:@-]{0,60}=(?=[^\s=>~]))|[ \t]+(?<clause>where|and|or|from|group|order|limit|returning)(?![\p{L}\p{N}_])|(?<=["'}])[ \t]*(?<tag>\/?>)/giu;
/** What a text of several lines begins behind. */
const BEFORE_TEXT = /[:=(,[{>][ \t]*[@$\p{L}]{0,2}#{0,3}$/u;
/** A text whose value is handed in behind it. */
const UNFILLED = /^[^\p{L}\p{N}]{0,9}(?:%[\w.]{1,3}|\{\w{0,20}\})?[^\p{L}\p{N}]{0,9}$/u;
const NEXT_NAME = /^[,;][ \t]?["'`]?[\p{L}_][\p{L}\p{N}_.-]{0,60}["'`]?[ \t]?[:=]/u;
/** Of a value, in UTF-16 code units. */
const MOST = 20_000;

interface Form {
  /** The mark of the text that it stands in. */
  readonly quote: string | undefined;
  readonly isSql: boolean;
  readonly isOption: boolean;
}

/** Where a value ends, and whether a block of statements begins there. */
function endOfValue(
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
    if (match === null || match.index - from > MOST) return { end: lines, isBlock: false };
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
        (isProgram || /["'`)\]}]$/.test(said.trimEnd()) || NEXT_NAME.test(text.slice(index, index + 80))));
    if (isOver) return { end: index, isBlock: false };
    if (option !== undefined || next !== undefined) at = index + 1;
    else if (mark !== undefined) {
      const closing = new RegExp(String.raw`\n[ \t]*${mark}\b`, 'g');
      closing.lastIndex = index;
      at = closing.exec(text) === null ? at : closing.lastIndex;
    } else if (`"'\x60`.includes(first)) {
      const own = textAt(long, index + 1);
      if (own?.start === index) at = own.end;
      else if (token.length === 1 && BEFORE_TEXT.test(text.slice(Math.max(0, index - LOOKED_AT), index))) {
        const closing = text.indexOf(first, at);
        if (closing >= 0 && closing - index < MOST) at = closing + 1;
      }
    } else if ('([{'.includes(first)) {
      const closing = endOfBracket(text, index, MOST);
      const end = endOfLine(text, index);
      if (
        closing !== undefined &&
        closing > end &&
        opensBlock(text.slice(index - Math.min(index - from, LOOKED_AT), end))
      )
        return { end: index, isBlock: true };
      at = closing ?? at;
    } else if (first === '\n') {
      const line = text.slice(Math.max(text.lastIndexOf('\n', index - 1) + 1, index - LOOKED_AT), index);
      if (opensBlock(line)) return { end: index, isBlock: true };
      const isEmpty = said.length <= sign.length;
      if (!isEmpty && !isGoingOn(line, text.slice(at, endOfLine(text, at))))
        return { end: index, isBlock: false };
    }
    if (at > lines) lines = endOfLine(text, at);
  }
}

/** Whether what stands in brackets is a list of names, and no pair in a list of them. */
const isOfList = (text: string, { inner }: Surroundings): boolean =>
  inner >= 0 &&
  text.charAt(inner) !== '(' &&
  !/[[{,]$/.test(text.slice(Math.max(0, inner - LOOKED_AT), inner).trimEnd());
