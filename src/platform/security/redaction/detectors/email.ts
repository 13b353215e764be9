import type { Detection } from '../detection.js';
import { characterClass } from '../long-words.js';

/** Longest local part and domain (RFC 5321, section 4.5.3.1). */
const MAX_LOCAL = 64;
const MAX_DOMAIN = 255;
// Letters of alphabets that separate words by blanks: an address glued to Chinese text ends where that begins.
const LETTER = String.raw`\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{M}\p{Nd}`;
const LOCAL_CHARACTER = new RegExp(String.raw`^[${LETTER}.!#$&'*+\-?^_{|}~%]$`, 'u');
const ASCII_LOCAL = characterClass(LOCAL_CHARACTER);
const QUOTED_LOCAL = /(?<![\w"])"[^"\r\n@]{1,62}"$/;
const ASCII_DOMAIN = /^[A-Za-z0-9.-]+(?![A-Za-z0-9.-]|[^\0-\x7f])/;
const DOMAIN = new RegExp(String.raw`^[${LETTER}\-]+(?:\.[${LETTER}\-]+)+`, 'u');
const LAST_LABEL = /\.(?:[\p{L}\p{M}]{2,63}|xn--[a-z0-9-]{2,59})$/iu;
/** `types@20.11.30`, `icon@2x.png`: versions and pixel densities. */
const NO_DOMAIN = /^\d+(?:\.\d|x\.)/;
/** `git@host.example:group/repository` names a place, not a person. */
const REMOTE_PATH = /^:[\p{L}~/]/u;
/** Markdown escapes the sign where it must not become a link. */
const SEPARATOR = /\\?@|＠|%40/g;

/** E-mail addresses (RFC 5322 addr-spec without comments; RFC 6531 letters), also with `@` as `%40` or full width. */
export function* detectEmails(text: string): Generator<Detection> {
  let from = 0;
  for (const { index, 0: separator } of text.matchAll(SEPARATOR)) {
    if (index < from) continue;
    const before = text.slice(Math.max(from, index - MAX_LOCAL), index);
    const local = localPart(before);
    if (local === '') continue;
    const after = index + separator.length;
    const domain = domainPart(text.slice(after, after + MAX_DOMAIN));
    if (domain === '' || REMOTE_PATH.test(text.slice(after + domain.length, after + domain.length + 3)))
      continue;
    const start = index - local.length;
    if (isUserOfUrl(text, start)) continue;
    from = after + domain.length;
    yield { start, end: from, type: 'EMAIL' };
  }
}

function localPart(before: string): string {
  const quoted = before.endsWith('"') ? QUOTED_LOCAL.exec(before) : null;
  if (quoted !== null) return quoted[0];
  let start = before.length;
  while (start > 0 && isLocal(before, start - 1)) start -= 1;
  const found = before.slice(start);
  // Punctuation of the sentence around an address is no part of it.
  return found.replace(/^[^\p{L}\p{Nd}_+]+/u, '').replace(/^.*\.\./, '');
}

function isLocal(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code < 128 ? ASCII_LOCAL[code] === 1 : LOCAL_CHARACTER.test(text[at] ?? '');
}

/** All that may be a domain; most are ASCII, for which no table of Unicode is asked. */
function wholeDomain(after: string): string | undefined {
  const ascii = ASCII_DOMAIN.exec(after)?.[0];
  return ascii !== undefined && !ascii.includes('..') ? ascii : DOMAIN.exec(after)?.[0];
}

function domainPart(after: string): string {
  let domain = (wholeDomain(after) ?? '').replace(/[.-]+$/, '');
  if (NO_DOMAIN.test(domain)) return '';
  // A sentence glued to the address by a full stop, or a last label that is a number, is cut away.
  while (domain !== '' && !LAST_LABEL.test(domain)) {
    const cut = domain.lastIndexOf('.');
    domain = cut < 0 ? '' : domain.slice(0, cut);
  }
  return domain.includes('.') ? domain : '';
}

/** `ssh://git@host.example/path`: the user of an address on the network. */
const isUserOfUrl = (text: string, start: number): boolean => text.slice(start - 3, start) === '://';
