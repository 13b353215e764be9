/** How far a cut may move to keep a character whole; longer clusters exist only in hostile text. */
const MAX_CLUSTER_LENGTH = 32;

const EXTENDS_PREVIOUS = /^(?:\p{M}|\u200D|[\u{1F3FB}-\u{1F3FF}])/u;
const ZERO_WIDTH_JOINER = '\u200D';

/**
 * The offset itself, or the nearest before it that does not separate what a reader sees as one character: surrogate
 * pairs, combining marks, joined emoji, a carriage return and its line feed (a short form of Unicode UAX 29, the same on
 * every version of Node). Where there is none after `floor`, the nearest behind the offset.
 */
export function safeCut(text: string, offset: number, floor: number): number {
  const start = Math.max(offset, floor + 1);
  for (let cut = start; cut > Math.max(floor, start - MAX_CLUSTER_LENGTH); cut -= 1) {
    if (isClusterBoundary(text, cut)) return cut;
  }
  for (let cut = start + 1; cut < start + MAX_CLUSTER_LENGTH; cut += 1) {
    if (isClusterBoundary(text, cut)) return cut;
  }
  return splitsSurrogatePair(text, start) ? start + 1 : start;
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
