import type { TextRange } from '../../../../core/document.js';
import {
  isNameOfAThing,
  looksMade,
  NAME_OF_A_METHOD,
  OTHER_SETTING,
  passwordFarther,
} from './password-in-prose.js';
import { isPlaceholder } from './placeholder.js';

/** How a value stands to its name, from the surest to the least sure: `apart` is under it, in a cell or on a line of its own. */
export type Standing = 'quoted' | 'beside' | 'prose' | 'apart';

/** Calls, members and elements: code that fetches a secret holds none. */
export const isExpression = (value: string, next: string | undefined): boolean =>
  next === '(' ||
  /[[{}]/.test(value) ||
  /^[A-Za-z_$][\w$]*(?:(?:\?\.|\.|::|->)[A-Za-z_$][\w$]*)+$/.test(value) ||
  /^[!|>&]/.test(value) ||
  /^\/[\w.-]+\/|^\.{0,2}\//.test(value);

const CLASSES: readonly RegExp[] = [/\d/, /[a-z]/, /[A-Z]/, /[^A-Za-z0-9]/];
const classesOf = (value: string): number => CLASSES.filter((pattern) => pattern.test(value)).length;

/** A password is no word of a sentence: it mixes digits, signs or cases. */
export function isPassphrase(value: string, standing: Standing): boolean {
  const isQuoted = standing === 'quoted';
  const isProse = standing === 'prose' || standing === 'apart';
  if (value.length < 4) return false;
  if (/\s/.test(value) && !(isQuoted && /\d/.test(value))) return false;
  if (/^\d+$/.test(value)) return value.length >= 6 || !isProse;
  // So many of so many passed.
  if (/^\d+\/\d+$/.test(value)) return isQuoted;
  if (/^[\p{Lu}]?[\p{Ll}\p{Lo}]+$/u.test(value)) return standing === 'beside' && value.length >= 6;
  if (isWordsAtRandom(value)) return true;
  if (standing === 'apart' && ORDINARY.some((pattern) => pattern.test(value))) return false;
  if (/\d/.test(value)) return classesOf(value) >= 2;
  // Words joined by a hyphen and words in capitals are names of things.
  return (
    classesOf(value) >= (isProse ? 3 : 2) &&
    !/^[A-Za-z]+(?:[_-][a-z]+)+$/.test(value) &&
    !/^[A-Z_]+$/.test(value) &&
    !/^[a-z]+(?:[A-Z][a-z]+)+$/.test(value)
  );
}

const RANDOM_WORDS = /^[a-z]{3,9}([-_.])[a-z]{3,9}(?:\1[a-z]{3,9}){2,7}$/i;
/** Words of names of things and of sentences, which no list of words to throw dice for is made of. */
const OF_NAMES_AND_SENTENCES =
  /(?:^|[-_.])(?:the|and|for|from|with|your|that|this|not|per|see|set|use|must|should|will|can|has|are|was|new|old|changed?|managed|generated|stored|rotated?|kept|only|all|any|pass\w*|secrets?|credentials?|tokens?|keys?|users?|names?|values?|files?|vault|config\w*|app|api|admin|auth\w*|data\w*|server|service|default|prod\w*|staging|dev\w*|test\w*|local\w*|login|manager|operator|kube\w*|cluster|policy|reset|hash\w*|system|access|account|client|root|postgres\w*|redis|mysql|mongo\w*|path|mode|type|string|required|optional|length|min\w*|max\w*|enc\w*|random\w*)(?=$|[-_.])/i;

/** `correct-horse-battery-staple`: four words or more, thrown together. */
const isWordsAtRandom = (value: string): boolean =>
  RANDOM_WORDS.test(value) && !OF_NAMES_AND_SENTENCES.test(value);

/** What else stands under the name of a password: words, constants, numbers of tickets, dates and ranges, amounts, methods, calls, addresses. */
const ORDINARY: readonly RegExp[] = [
  /^[^\p{L}\p{N}]*\p{L}+(?:['’/_.,:&+-]+\p{L}+)*[^\p{L}\p{N}]*$/u,
  /^[^\p{L}\p{N}]*v?\d+(?:[.,:/–-]+\d+)+[^\p{L}\p{N}]*$/u,
  /^[^\p{L}\p{N}]*\d+-?(?:[dhmsx]|ms|min|[kmg]?i?b|bits?|bytes?|days?|weeks?|months?|years?|hours?|chars?|characters?|tage|zeichen)?[^\p{L}\p{N}]*$/iu,
  NAME_OF_A_METHOD,
  /^[A-Z][A-Z\d]*(?:_[A-Z\d]+)+$|^[A-Z]{2,10}-\d+$/,
  /^[\w.]+\(.*\);?$/,
  /^[^@\s]+@[\w-]+(?:\.[\w-]+)+$|:\/\//,
  /^[a-z\d-]+(?:\.[a-z\d-]+)*\.[a-z-]{2,}(?::\d+|\/[\w./-]*)?$/i,
];

/** A key is long and mixed. */
export const isKey = (value: string): boolean =>
  value.length >= 8 &&
  !/\s/.test(value) &&
  /\d/.test(value) &&
  /[A-Za-z]/.test(value) &&
  (value.length >= 16 || classesOf(value) >= 3 || /[\da-f]{8,}/.test(value) || /\d.*[a-z].*\d/i.test(value));

/** What a name that stands apart says of a value. */
export interface SecretLabel {
  readonly isPassword: boolean;
  /** No colon, heading, tag or cell marks it as a name of what follows. */
  readonly isBare: boolean;
}

/** A longer cell holds text. */
const LONGEST = 512;
const MARKUP_BEFORE = /^(?:\s+|<[a-z][^<>]{0,200}>)+/i;
const MARKUP_BEHIND = /(?:\s+|<\/?[a-z][^<>]{0,200}>)+$/i;
const QUOTED = /^(\*{1,3}|_{1,3}|`{1,3}|["'])(.+)\1$/;
/** `hunter2 (temporary)` */
const WITH_REMARK = /^(\S+)\s+\([^()]{0,80}\)$/;

/** The secret that a cell or line holds, where it holds one thing, told by the rules of values beside their names. */
export function secretAlone(text: string, range: TextRange, label: SecretLabel): TextRange | undefined {
  if (range.end - range.start > LONGEST) return undefined;
  const { start, value } = bareValue(text, range);
  return isSecretApart(value, label) ? { start, end: start + value.length } : undefined;
}

/** The same for a cell of a table, which may say more than the password. */
export const secretInCell = (text: string, range: TextRange, label: SecretLabel): TextRange | undefined =>
  secretAlone(text, range, label) ??
  (label.isPassword ? passwordFarther(text, range.start, range.end) : undefined);

/** A value without white space, tags, emphasis and quotes around it. */
function bareValue(text: string, range: TextRange): { readonly start: number; readonly value: string } {
  let { start } = range;
  let value = text.slice(start, range.end);
  for (let before = ''; before !== value; ) {
    before = value;
    const opened = MARKUP_BEFORE.exec(value)?.[0].length ?? 0;
    const inner = value
      .slice(opened)
      .replace(MARKUP_BEHIND, '')
      .replace(/^(["'`*])(.*\1)[.,;]$/, '$1$2');
    const quote = QUOTED.exec(inner)?.[1]?.length ?? 0;
    start += opened + quote;
    value = inner.slice(quote, inner.length - quote);
  }
  const shown = WITH_REMARK.exec(value)?.[1] ?? value;
  return { start, value: shown.replace(/[.,;:]+$/, '') };
}

/** `TokenRequestV1beta1` has fewer. */
const DIGITS_OF_KEY = /(?:\d.*){3}/;

function isSecretApart(value: string, { isPassword, isBare }: SecretLabel): boolean {
  if (value === '' || /[\s<>]/.test(value) || isPlaceholder(value) || isExpression(value, undefined))
    return false;
  if (OTHER_SETTING.test(value)) return false;
  if (!isPassword)
    return (
      isKey(value) && isPassphrase(value, 'apart') && !isNameOfAThing(value) && DIGITS_OF_KEY.test(value)
    );
  return isBare ? looksMade(value) : isPassphrase(value, 'apart');
}
