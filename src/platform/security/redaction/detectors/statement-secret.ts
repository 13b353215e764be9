import type { TextRange } from '../../../../core/document.js';
import { type Detection, matchAt } from '../detection.js';
import { isPlaceholder } from './placeholder.js';
import { isPassphrase, type Standing } from './secret-values.js';

const LITERAL = String.raw`(?:'([^'\r\n]{1,256})'|"([^"\r\n]{1,256})")`;
const PLUGIN = String.raw`(?:(?:with|via)\s{1,8}['"\x60]?[\w-]{1,64}['"\x60]?\s{1,8})?`;
/** MySQL, MariaDB, Oracle and others. */
const IDENTIFIED = new RegExp(
  String.raw`identified\s{1,8}${PLUGIN}(?:by|as|using)\s{1,8}(?:(?:password|values)\s{0,8}\(?\s{0,8})?(?:${LITERAL}|([^\s'"\x60,;()]{1,128}))`,
  'iyd',
);
/** What the statement is, on its way there. */
const OF_USER = /\b(?:create|alter|grant)\s[^;]*$/i;
const REACH = 240;

/** Passwords of users whom a statement of SQL makes or changes: `IDENTIFIED BY '...'`. */
export function* detectIdentifiedBy(text: string): Generator<Detection> {
  for (const { index } of text.matchAll(/identified/gi)) {
    const match = matchAt(IDENTIFIED, text, index);
    if (match === null || !OF_USER.test(text.slice(Math.max(0, index - REACH), index))) continue;
    const secret = secretIn(match);
    if (secret !== undefined) yield { ...secret, type: 'API_KEY' };
  }
}

const SETS = /\bset\s{1,8}$/i;
const SET_TO = new RegExp(
  String.raw`[^;\r\n=]{0,200}(?:=|\bto\b)\s{0,8}(?:\w{0,8}password\s?\(\s?)?${LITERAL}`,
  'iyd',
);
const LOGS_IN = /\blogin\s{1,8}\S{1,128}\s{1,8}(?:account\s{1,8}\S{1,128}\s{1,8})?$/i;
const LOGIN_VALUE = /\s{1,8}(?:()"([^"\r\n]{1,256})"|([^\s'"]\S{0,127}))/dy;

/** Passwords that follow their name without a sign: `SET PASSWORD FOR ... = PASSWORD('...')`, entries of .netrc. */
export function passwordOfStatement(text: string, name: TextRange): TextRange | undefined {
  const before = text.slice(Math.max(0, name.start - REACH), name.start);
  const value = SETS.test(before) ? SET_TO : LOGS_IN.test(before) ? LOGIN_VALUE : undefined;
  const match = value === undefined ? null : matchAt(value, text, name.end);
  return match === null ? undefined : secretIn(match);
}

/** What a statement sets is a password, though it be a word; without quotes, which is the third group, it may be prose. */
function secretIn(match: RegExpExecArray): TextRange | undefined {
  const range = match.indices?.slice(1).find((group) => group !== undefined && group[1] > group[0]);
  if (range === undefined) return undefined;
  const [start, end] = range;
  const value = match[0].slice(start - match.index, end - match.index);
  const standing: Standing = match[3] === undefined ? 'beside' : 'prose';
  return !isPlaceholder(value) && isPassphrase(value, standing) ? { start, end } : undefined;
}
