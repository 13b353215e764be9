import type { TextRange } from '../../../core/document.js';
import type { Detection, RedactionType } from './detection.js';
import { textBefore } from './detection.js';
import { isWholePhone, standsBehindName } from './detectors/phone.js';
import type { Rewriting } from './rewritten-text.js';

/** Gaps between groups that are wider than a blank; ends of lines, written, escaped or of quoted-printable text, borders of cells and tags that begin a line or cell; what begins a line of a quotation, comment or list. */
const BREAK =
  /(?<=[A-Za-z\d@.:_-]|\d ?[/)])(?:[ \t]{0,8}(?:[\\=]?\r?\n|\\r\\n|\\n|\||<\/?(?:br|td|th|tr|p|div|li)(?:[ /][^<>]{0,200})?>)[ \t>#*]{0,16}(?:(?:\/\/[/!]?|--|;{1,3}|:|'|%) ?)?){1,6}(?=[A-Za-z\d@.:_-]|\(\d)|(?<=(?<![A-Za-z\d])(?:[A-Z\d]{4}|\d{6}))(?:(?:[^\S\r\n]|&nbsp;){2,8}|\t| [-\u2010-\u2015] )(?=[A-Z\d]{1,6}(?![A-Za-z\d]))/g;
/** Characters on both sides that tell whether a value can go over a break. */
const REACH = 48;
/** Of a card, the shortest number that may be broken. */
const LEAST_DIGITS = 12;
/** Of a telephone. */
const LEAST_OF_PHONE = 7;

const ADDRESS_BEFORE = /[\w.+-]@$|[\w.+-]@[\w-]+(?:\.[\w-]+)*[.-]$|(?:\d{1,3}\.){1,3}$/;
const LOCAL_BEFORE = /[\w.+]{2}[+_-]$/;
const LOCAL_AFTER = /^[\w.+-]{1,64}@/;
const DOMAIN_AFTER = /^(?:[a-z\d]|@[\w-]+\.[\w-])/;
const ADDRESS_AFTER = /^@[\w-]+(?:\.[\w-]+)*\.(?:[a-z]{2}|com|org|net|edu|gov|info|example|test|dev|app)\b/;
const NAME_BEFORE = /\w[._+-]\w+$|\w\d$/;
const DOMAIN_BEFORE = /[\w.+-]@[\w-]+(?:\.[\w-]+)*$|(?<![\w.])\d{1,3}(?:\.\d{1,3}){0,2}$/;
/** Longer than a group: the number is written in one piece. */
const LONG_DIGITS_BEFORE = /\d{7}$/;
const LONG_DIGITS_AFTER = /^\d{7}/;

/**
 * Breaks over which an address, an account or the number of a card or telephone can go, each as what joins its sides: nothing inside an
 * address, a blank between groups of digits.
 */
export function breaks(text: string): Rewriting[] {
  const found: Rewriting[] = [];
  for (const { index: start, 0: written } of text.matchAll(BREAK)) {
    const end = start + written.length;
    const as = joint(text.slice(Math.max(0, start - REACH), start), text.slice(end, end + REACH));
    if (as !== undefined) found.push({ start, end, as });
  }
  return found;
}

function joint(before: string, after: string): string | undefined {
  if (isInAddress(before, after) || isInToken(before, after)) return '';
  if (countDigits(before) + countDigits(after) < LEAST_DIGITS && !isInPhone(before, after)) return undefined;
  if (
    /[./-]$/.test(before) ||
    /^[.-]/.test(after) ||
    LONG_DIGITS_BEFORE.test(before) ||
    LONG_DIGITS_AFTER.test(after)
  )
    return '';
  return /\d/.test(before.slice(-4)) || /\d/.test(after.slice(0, 4)) ? ' ' : undefined;
}

const IPV6_BEFORE = /(?:^|[^\da-z])(?:[\da-f]{1,4}::?){2,7}$/i;
const IPV6_AFTER = /^(?:[\da-f]{1,4}::?)*[\da-f]{1,4}(?![\da-z])/i;
const GROUPS_BEFORE = /(?:^|[^\da-z])(?:[\da-f]{1,4}::?){2,6}[\da-f]{1,4}$/i;

const isInAddress = (before: string, after: string): boolean =>
  (ADDRESS_BEFORE.test(before) && DOMAIN_AFTER.test(after)) ||
  (LOCAL_BEFORE.test(before) && LOCAL_AFTER.test(after)) ||
  (NAME_BEFORE.test(before) && ADDRESS_AFTER.test(after)) ||
  (DOMAIN_BEFORE.test(before) && /^\.[a-z\d]/.test(after)) ||
  (IPV6_BEFORE.test(before) && IPV6_AFTER.test(after)) ||
  (GROUPS_BEFORE.test(before) && /^::?[\da-f]/i.test(after));

/** A part of a JSON Web Token, and what may be the rest of it: long, or on a line of its own. */
const TOKEN_BEFORE = /(?:(?<![A-Za-z\d])eyJ[\w.-]*|[\w.-]{32})$/;
const TOKEN_AFTER = /^[\w.-]{20}|^[\w.-]+(?:[^\w\s.-]|[^\S\r\n]*(?:\r?\n|$))/;

const isInToken = (before: string, after: string): boolean =>
  TOKEN_BEFORE.test(before) && TOKEN_AFTER.test(after);

/** Characters of a signature (RFC 7518, section 3.1) with keys of usual lengths. */
const WHOLE_SIGNATURE =
  /\.(?:[\w-]{43}|[\w-]{64}|[\w-]{86}|[\w-]{128}|[\w-]{176}|[\w-]{342}|[\w-]{512}|[\w-]{683})$/;
const RANDOM_BEHIND = /^[^\w-]{0,16}\n[ \t>#*]{0,16}[\w-]*(?:\d|[a-z][A-Z])/;

/** Whether the end of its signature may stand on the next line. */
export const isBrokenToken = (text: string, { start, end }: TextRange): boolean =>
  !WHOLE_SIGNATURE.test(text.slice(start, end)) && RANDOM_BEHIND.test(text.slice(end, end + REACH));

const PHONE_BEFORE = /(?:\+|(?<!\d)00|(?<![\d,.]))\(?\d[\d ()./\u00a0-]*$/;
const PHONE_AFTER = /^\(?\d[\d ()./\u00a0-]*/;

/** A number with a country code, or behind a word of telephones. */
function isInPhone(before: string, after: string): boolean {
  const [rest] = PHONE_AFTER.exec(after) ?? [];
  if (rest === undefined) return false;
  const [first] = PHONE_BEFORE.exec(before) ?? [];
  if (first === undefined) return false;
  if (countDigits(first) + countDigits(rest) < LEAST_OF_PHONE) return false;
  return HAS_COUNTRY.test(first) || standsBehindName(before.slice(0, -first.length));
}

const HAS_COUNTRY = /^(?:\+|00)/;
/** Cells hold numbers side by side. */
const CELLS = /[|<](?!br)/i;

/** With its country whole, or named; otherwise two numbers stand on two lines. */
function isBrokenPhone(text: string, { start, end }: TextRange): boolean {
  const value = text.slice(start, end);
  if (CELLS.test(value)) return false;
  const isWhole = HAS_COUNTRY.test(value) && isWholePhone(value.replaceAll(/[^\d+()]/g, ''));
  return isWhole || standsBehindName(textBefore(text, start));
}

const countDigits = (text: string): number => text.replaceAll(/\D/g, '').length;

/** Rewritings and breaks in order; the break where both claim the same place. Linear in both. */
export function withBreaks(rewritings: readonly Rewriting[], broken: readonly Rewriting[]): Rewriting[] {
  const merged: Rewriting[] = [];
  let next = 0;
  for (const rewriting of rewritings) {
    for (let at = broken[next]; at !== undefined && at.start < rewriting.end; at = broken[next]) {
      merged.push(at);
      next += 1;
    }
    if (rewriting.start >= (merged.at(-1)?.end ?? 0)) merged.push(rewriting);
  }
  return [...merged, ...broken.slice(next)];
}

const ADDRESSES: ReadonlySet<RedactionType> = new Set(['EMAIL', 'IP_ADDRESS', 'IBAN', 'JWT']);
const CARD_NAMED =
  /\bcards?\b|credit|debit|visa|master|amex|american express|diners|\bpan\b|kart|carte|tarjeta|carta|卡/i;
/** Of a card, with nothing but a separator between them, which may be dressed up. */
const TWO_GROUPS = /\d{4}(?![^\S\r\n]{2}|\t| [-\u2010-\u2015] )[^\d\n|<\\]{1,8}\d{4}/;
const ON_ONE_LINE = /^[^\n|<\\]+$/;

/** On one line, and no other number stands beside it. */
const isAlone = (text: string, { start, end }: TextRange): boolean =>
  ON_ONE_LINE.test(text.slice(start, end)) &&
  !/\d(?:[^\S\r\n]|&nbsp;| - )+$/.test(textBefore(text, start)) &&
  !/^(?:[^\S\r\n]|&nbsp;| - )+\d/.test(text.slice(end, end + REACH));

/**
 * Whether a value may go over the end of a line or cell. Addresses cannot be read otherwise and an account has check digits for 97;
 * one row of numbers in ten passes for a card, so two groups of it must stand together, or it stand alone on its line, or a word before it say what it is.
 */
export const isBreakable = (text: string, { type, start, end }: Detection): boolean =>
  ADDRESSES.has(type) ||
  (type === 'PHONE' && isBrokenPhone(text, { start, end })) ||
  (type === 'CREDIT_CARD' &&
    (TWO_GROUPS.test(text.slice(start, end)) ||
      isAlone(text, { start, end }) ||
      CARD_NAMED.test(textBefore(text, start, CARD_CONTEXT))));
/** Characters before a number: the row of headings of a table is one of them. */
const CARD_CONTEXT = 160;
