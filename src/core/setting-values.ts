import * as z from 'zod';
import { DURATION } from './durations.js';
import { Secret } from './secret.js';

/** Splits at commas that stand outside brackets, so that the glob `{a,b}/*.md` stays whole. Blank parts are dropped. */
export function splitCommaList(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let index = 0; index < text.length; index++) {
    const character = text[index] ?? '';
    if ('{[('.includes(character)) depth++;
    else if (depth > 0 && '}])'.includes(character)) depth--;
    else if (character === ',' && depth === 0) {
      parts.push(text.slice(start, index));
      start = index + 1;
    }
  }
  parts.push(text.slice(start));
  return parts.map((part) => part.trim()).filter((part) => part !== '');
}

/** A list of texts, or one text with commas (`TECH,ARCH`), as environment variables hold them. */
export const stringList = () =>
  z
    .union([z.string(), z.array(z.string())], { error: 'must be a list of texts, or one text with commas' })
    .transform((value) => (typeof value === 'string' ? splitCommaList(value) : value));

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', '\\': '\\' };

/** Backslash escapes `\n`, `\r`, `\t` and `\\`, which YAML keeps as two characters inside single quotes. */
export const unescapeText = (text: string): string =>
  text.replaceAll(/\\([nrt\\])/g, (whole, letter: string) => ESCAPES[letter] ?? whole);

/** A text of at least one character. */
export const nonEmptyText = () => z.string().min(1);

/** A text that never appears in output; see `Secret`. */
export const secretText = () => z.string().transform((value) => new Secret(value));

/** The same where an empty text is none, so that `${NAME:-}` leaves it to the environment whether there is one. */
export const optionalSecretText = () =>
  z
    .string()
    .transform((value) => (value === '' ? undefined : new Secret(value)))
    .optional();

/** A whole number of at least `minimum`. */
export const wholeNumber = (minimum: number) => z.number().int().min(minimum);

/** SHA-256 of a file, as `sha256sum` writes it. */
export const sha256Text = () =>
  z.string().regex(/^[0-9a-f]{64}$/, 'sixty-four hexadecimal digits are wanted');

/** A share between 0 and 1, both included. */
export const share = () => z.number().min(0).max(1);

/** Any JSON value, for facts that are passed through. */
export const jsonValue = z.json();

/** A length of time as a number with its unit; see `durationMs`. */
export const duration = () =>
  z.string().regex(DURATION, 'must be a number with a unit (ms, s, m, h, d), such as 30s, 15m, 6h or 7d');

/** A length of time, or `never`. */
export const durationOrNever = () => z.union([z.literal('never'), duration()]);
