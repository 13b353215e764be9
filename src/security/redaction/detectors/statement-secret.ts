import { type Detection, matchAt } from '../detection.js';
import { isPlaceholder } from './placeholder.js';
import { isPassphrase, type Standing } from './secret-values.js';

const LITERAL = String.raw`(?:'([^'\r\n]{1,256})'|"([^"\r\n]{1,256})")`;
const PLUGIN = String.raw`(?:with\s{1,8}['"\x60]?[\w-]{1,64}['"\x60]?\s{1,8})?`;

/** Statements in which words stand before a password and no sign does, and how they are introduced. */
const STATEMENTS: readonly { readonly keyword: RegExp; readonly rest: RegExp; readonly before?: RegExp }[] = [
  // MySQL, MariaDB, Oracle and others.
  {
    keyword: /identified/gi,
    rest: new RegExp(
      String.raw`identified\s{1,8}${PLUGIN}(?:by|as|using)\s{1,8}(?:(?:password|values)\s{0,8}\(?\s{0,8})?(?:${LITERAL}|([^\s'"\x60,;()]{1,128}))`,
      'iyd',
    ),
    before: /\b(?:create|alter|grant)\s[^;]*$/i,
  },
  {
    keyword: /\bset\s{1,8}password\b/gi,
    rest: new RegExp(
      String.raw`set\s{1,8}password\b[^;\r\n=]{0,200}(?:=|\bto\b)\s{0,8}(?:\w{0,8}password\s?\(\s?)?${LITERAL}`,
      'iyd',
    ),
  },
  // Entries of .netrc.
  {
    keyword: /\blogin\s/gi,
    rest: /login\s{1,8}\S{1,128}\s{1,8}(?:account\s{1,8}\S{1,128}\s{1,8})?password\s{1,8}(?:()"([^"\r\n]{1,256})"|([^\s'"]\S{0,127}))/diy,
  },
];
/** Characters before a keyword that may say what the statement is. */
const REACH = 240;

/** Passwords in statements of SQL and in entries of .netrc. */
export function* detectStatementSecrets(text: string): Generator<Detection> {
  for (const { keyword, rest, before } of STATEMENTS) {
    for (const { index } of text.matchAll(keyword)) {
      const match = matchAt(rest, text, index);
      const range = match?.indices?.slice(1).find((group) => group !== undefined && group[1] > group[0]);
      if (match === null || range === undefined) continue;
      if (before !== undefined && !before.test(text.slice(Math.max(0, index - REACH), index))) continue;
      const [start, end] = range;
      const value = text.slice(start, end);
      // What a statement sets is a password, though it be a word; without quotes it may be prose.
      const standing: Standing = match[3] === undefined ? 'beside' : 'prose';
      if (!isPlaceholder(value) && isPassphrase(value, standing)) yield { start, end, type: 'API_KEY' };
    }
  }
}
