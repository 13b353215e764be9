import type { Detection } from '../detection.js';

const BOUNDARY = /-{4,5} ?(BEGIN|END) [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}/g;
/** No key is longer. */
const MAX_LENGTH = 65_536;
/** Shortest body that can be a key; less is talk of keys. */
const MIN_BODY = 32;
/** Lines of a key whose end was cut off, also as `\n` inside a string. */
const OPEN_BODY =
  /^(?:(?:\s|\\r|\\n){1,8}(?:[A-Za-z-]{4,20}: [^\r\n]{1,100}|[A-Za-z0-9+/=]{16,128}(?![A-Za-z0-9])))+/;

/** Private keys in PEM (RFC 7468) and OpenPGP armour (RFC 9580), from BEGIN to the end of END; of one cut off, what is there. */
export function* detectPrivateKeys(text: string): Generator<Detection> {
  if (!text.includes('PRIVATE KEY')) return;
  let begin: RegExpExecArray | undefined;
  for (const boundary of text.matchAll(BOUNDARY)) {
    if (begin !== undefined) yield* keyBetween(text, begin, boundary);
    begin = boundary[1] === 'BEGIN' ? boundary : undefined;
  }
  if (begin !== undefined) yield* keyBetween(text, begin, undefined);
}

/** Each character is looked at for one BEGIN only: the one before it, up to the next boundary. */
function* keyBetween(
  text: string,
  begin: RegExpExecArray,
  next: RegExpExecArray | undefined,
): Generator<Detection> {
  const bodyStart = begin.index + begin[0].length;
  const bodyEnd = Math.min(next?.index ?? text.length, bodyStart + MAX_LENGTH);
  const body = text.slice(bodyStart, bodyEnd);
  if (next?.[1] === 'END' && next.index === bodyEnd) {
    const isKey = body.replaceAll(/\\[rn]|[^A-Za-z0-9+/=]/g, '').length >= MIN_BODY;
    if (isKey) yield { start: begin.index, end: next.index + next[0].length, type: 'PRIVATE_KEY' };
    return;
  }
  const open = OPEN_BODY.exec(body)?.[0].length;
  if (open !== undefined) yield { start: begin.index, end: bodyStart + open, type: 'PRIVATE_KEY' };
}
