import type { TextRange } from '../core/document.js';
import { foldedName } from '../core/metadata.js';
import type { Surroundings } from './named-roots.js';
import { PARAMETER } from './sentence-fields.js';
import { isStatement } from './statement-lines.js';

/** What a name of one word is in front of where it is a label. */
const LABEL =
  /^(?:["'`\])}]{0,3}[ \t]*(?:[?+~!*/&|.:-]{0,3}[:=](?![=])|[<>]-|=>|->|,(?<=["'`],))|[ \t]*\([ \t]*["'`\d]|[ \t]+[^\n=;"'(){}]{0,60}=(?![=>])|[ \t]*\{[^{}\n]*\}[ \t]*=|[^,;\n]{0,80}?[ \t]default[ \t]|[ \t]+when[ \t])/i;
/** In front of a word that is its value. */
const SETTING =
  /(?:^|[ \t`("'])--?$|(?:^|[ \t(])(?:env|arg|set|setenv|export|declare|define|def)[ \t]+(?:-\w+[ \t]+)?$/i;
/** A value that stands below. */
const OPEN = /[:=[({,\\<][ \t]*["'`]{0,3}[ \t]*\r?$/;
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

/**
 * Whether a name of one word in source code has a value behind it, on its line or below.
 *
 * @param isProgram values are literals, or have names: a type, a parameter and a name that is the same are none
 */
export function isCodeLabel(
  text: string,
  { start, end }: TextRange,
  around: Surroundings,
  isProgram: boolean,
): boolean {
  // Nothing is looked for on the whole of a long line.
  const near = text.slice(Math.max(0, start - LOOKED_AT), start);
  const before = near.slice(near.lastIndexOf('\n') + 1);
  const behind = text.slice(end, end + LOOKED_AT).split('\n', 1)[0] ?? '';
  if (PARAMETER.test(before)) return false;
  if (SETTING.test(before) && /^[= \t]+\S/.test(behind))
    return /[\p{L}\p{N}]/u.test(behind) || OPEN.test(behind);
  if (!LABEL.test(behind) || !(/[\p{L}\p{N}]/u.test(behind) || OPEN.test(behind))) return false;
  if (!isProgram) return true;
  const isQuoted = /["'`]$/.test(before);
  if (isQuoted && /^["'`][ \t]*,/.test(behind)) return !isOfList(text, around);
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
