import type { Detection } from '../detection.js';

const BEGIN = /-{4,5} ?BEGIN ([A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?) ?-{4,5}/g;
/** No key is longer; beyond, what looks for the end of one would read a whole file for each beginning. */
const MAX_LENGTH = 65_536;
/** Shortest body that can be a key; less is talk of keys. */
const MIN_BODY = 32;
/** Lines of a key whose end was cut off, also as `\n` inside a string. */
const OPEN_BODY =
  /^(?:(?:\s|\\r|\\n){1,8}(?:[A-Za-z-]{4,20}: [^\r\n]{1,100}|[A-Za-z0-9+/=]{16,128}(?![A-Za-z0-9])))+/;

/** Private keys in PEM (RFC 7468) and OpenPGP armour (RFC 9580), from BEGIN to the end of END; of one cut off, what is there. */
export function* detectPrivateKeys(text: string): Generator<Detection> {
  let from = 0;
  for (const { index, 0: begin, 1: label } of text.matchAll(BEGIN)) {
    if (index < from) continue;
    const body = index + begin.length;
    const rest = text.slice(body, body + MAX_LENGTH);
    const end = endOf(rest, label ?? '');
    if (end === undefined) continue;
    from = body + end;
    yield { start: index, end: from, type: 'PRIVATE_KEY' };
  }
}

function endOf(rest: string, label: string): number | undefined {
  const end = /-{4,5} ?END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}/.exec(rest);
  const nextBegin = rest.indexOf(`BEGIN ${label}`);
  if (end !== null && (nextBegin < 0 || end.index < nextBegin)) {
    const body = rest.slice(0, end.index).replaceAll(/\\[rn]|[^A-Za-z0-9+/=]/g, '');
    return body.length >= MIN_BODY ? end.index + end[0].length : undefined;
  }
  return OPEN_BODY.exec(rest)?.[0].length;
}
