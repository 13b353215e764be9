/** How far back a cut may move to keep a character whole; longer clusters exist only in hostile text. */
const MAX_CLUSTER_LENGTH = 32;

const EXTENDS_PREVIOUS = /^(?:\p{M}|\u200D|[\u{1F3FB}-\u{1F3FF}])/u;
const ZERO_WIDTH_JOINER = '\u200D';

/**
 * The offset itself, or the nearest before it that does not separate what a reader sees as one character: surrogate
 * pairs, combining marks, joined emoji, a carriage return and its line feed (a short form of Unicode UAX 29, the same on
 * every version of Node). Never at or before `floor`: then the next offset after it that keeps surrogate pairs whole.
 */
export function safeCut(text: string, offset: number, floor: number): number {
  const lowest = Math.max(floor + 1, offset - MAX_CLUSTER_LENGTH);
  for (let cut = offset; cut >= lowest; cut -= 1) {
    if (isClusterBoundary(text, cut)) return cut;
  }
  const fallback = Math.max(offset, floor + 1);
  return splitsSurrogatePair(text, fallback) ? fallback + 1 : fallback;
}

function isClusterBoundary(text: string, offset: number): boolean {
  if (offset <= 0 || offset >= text.length) return true;
  if (splitsSurrogatePair(text, offset)) return false;
  const before = text.charAt(offset - 1);
  if (before === '\r' && text.charAt(offset) === '\n') return false;
  return before !== ZERO_WIDTH_JOINER && !EXTENDS_PREVIOUS.test(text.slice(offset, offset + 2));
}

function splitsSurrogatePair(text: string, offset: number): boolean {
  const before = text.charCodeAt(offset - 1);
  const after = text.charCodeAt(offset);
  return before >= 0xd800 && before <= 0xdbff && after >= 0xdc00 && after <= 0xdfff;
}
