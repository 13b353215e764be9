import validator from 'validator';
import type { Detection } from '../detection.js';

/** ISO 13616: country, check digits and up to 30 letters and digits, here with single separators between. */
const CANDIDATE = /(?<![A-Za-z0-9])[A-Za-z]{2}[ -]?\d{2}(?:[ \u00a0.-]?[A-Za-z0-9]){11,30}/g;
/** A number may begin where the candidate before it, which took too much, still goes on. */
const HEAD_LENGTH = 4;
const SHORTEST = 15;

/** Account numbers whose country, length and check digits are right. */
export function* detectIbans(text: string): Generator<Detection> {
  const pattern = new RegExp(CANDIDATE);
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    const { index, 0: candidate } = match;
    const length = ibanLength(candidate, text[index + candidate.length]);
    if (length !== undefined) yield { start: index, end: index + length, type: 'IBAN' };
    pattern.lastIndex = index + (length ?? HEAD_LENGTH);
  }
}

/** The candidate may have taken words after the number with it: its beginning that is right counts, from the longest. */
function ibanLength(candidate: string, next: string | undefined): number | undefined {
  for (let end = candidate.length; end >= SHORTEST; end -= 1) {
    const following = end === candidate.length ? next : candidate[end];
    if (following !== undefined && /[A-Za-z0-9]/.test(following)) continue;
    const number = candidate.slice(0, end).replaceAll(/[^A-Za-z0-9]/g, '');
    if (validator.isIBAN(number.toUpperCase())) return end;
  }
  return undefined;
}
