import type { TextRange } from '../../../../core/document.js';
import { isPlaceholder } from './placeholder.js';

/** `port=5432` behind `password` is another setting. */
export const OTHER_SETTING = /^[A-Za-z][\w.-]{0,40}[:=][^=]/;
/** How far behind the name of a password it may stand, and how long it may be. */
const REACH = 48;
const LONGEST = 128;
const SENTENCE_END = /[\r\n;。！？]|[.!?](?=\s)/;
/** What a password of a sentence or a table is made of; quotes, brackets and bars stand around it. */
const TOKEN = /[\p{Script=Latin}0-9!#$%&*+\-.:=?@^_~\\/]+/gu;

/**
 * `Passwort für den Testserver: ...`, `| password | ... |`, `hasło do bazy to ...`: the first thing with a digit behind the name in
 * its sentence, where that is a password by its look.
 *
 * @param limit offset at which it must have ended
 */
export function passwordFarther(text: string, nameEnd: number, limit = text.length): TextRange | undefined {
  const window = text.slice(nameEnd, Math.min(limit, nameEnd + REACH + LONGEST));
  const sentence = window.slice(0, SENTENCE_END.exec(window)?.index);
  for (const { index, 0: token } of sentence.matchAll(TOKEN)) {
    if (index > REACH) return undefined;
    if (!/\d/.test(token)) continue;
    if (OTHER_SETTING.test(token)) return undefined;
    const value = token.replace(/^[:=]+|[.:=?*]+$/g, '');
    const start = nameEnd + index + token.indexOf(value);
    return looksMade(value) ? { start, end: start + value.length } : undefined;
  }
  return undefined;
}

/** What stands between a password and its name behind it; no longer than this. */
const NAMED_BEHIND = /["'`]?\s(?:\(|as (?:the|a|your|my|our|its) (?:\w{1,20} )?)$/;
const LONGEST_NAMING = 40;

/** `... (password)`, `use ... as the password`. */
export function passwordBefore(text: string, nameStart: number): TextRange | undefined {
  const naming = NAMED_BEHIND.exec(text.slice(Math.max(0, nameStart - LONGEST_NAMING), nameStart))?.[0];
  if (naming === undefined) return undefined;
  const end = nameStart - naming.length;
  const value = text.slice(Math.max(0, end - LONGEST), end).replace(/^.*[\s"'`,;<>()]/s, '');
  return looksMade(value) ? { start: end - value.length, end } : undefined;
}

/** Words, words in capitals and numbers, joined by signs or by capitals: `Web-Server01`, `SHA-256`, `MyService2`, `v1.2`. */
const NAME_OF_A_THING = /^(?:(?:[a-z]+|(?:[A-Z][a-z]+)+|[A-Z]+)?\d*(?:[-_.:/\\]|$))+$/;
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;
const GIT_HASH = /^[\da-f]{7,12}$|^[\da-f]{40}$/;
const ADDRESS = /^@|@.*\.|:\/\/|^[./~\\]/;
/** `argon2id`, `SHA-256`, `RFC8452`. */
export const NAME_OF_A_METHOD =
  /^(?:sha|md|aes|rsa|argon|pbkdf|base|utf|oauth|hmac|ed|[hrep]s|ntlm|tls|scram-sha|iso|rfc|v)-?\d{1,5}(?:id?|v\d)?$/i;
const LEAST_LENGTH = 8;

export const isNameOfAThing = (value: string): boolean => NAME_OF_A_THING.test(value);

/** No word, no name of a thing and no address, but letters and digits thrown together, or with signs as people do. */
export const looksMade = (value: string): boolean =>
  value.length >= LEAST_LENGTH &&
  /\d/.test(value) &&
  /[A-Za-z]/.test(value) &&
  ![NAME_OF_A_THING, NAME_OF_A_METHOD, UUID, GIT_HASH, ADDRESS].some((pattern) => pattern.test(value)) &&
  !isPlaceholder(value);
