import type { TextRange } from '../core/document.js';
import { foldedName } from '../core/metadata.js';
import { type Surroundings, textAt } from './named-roots.js';
import { PARAMETER } from './sentence-fields.js';
import { isStatement, openQuote } from './statement-lines.js';
import { endOfArgument, LOOKED_AT, type Written } from './value-ends.js';

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
  const stated = endOfArgument(written, from, {
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

/** Whether what stands in brackets is a list of names, and no pair in a list of them. */
const isOfList = (text: string, { inner }: Surroundings): boolean =>
  inner >= 0 &&
  text.charAt(inner) !== '(' &&
  !/[[{,]$/.test(text.slice(Math.max(0, inner - LOOKED_AT), inner).trimEnd());
