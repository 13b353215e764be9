import type { TextRange } from '../../../core/document.js';

/**
 * The runs of at least so many characters of a class, in order. Such a run holds a place whose number is a multiple of its least
 * length, so the others need not be looked at.
 *
 * @param isPart of a UTF-16 code unit below 128: 1 where it belongs to the class
 */
export function* longWords(text: string, least: number, isPart: Uint8Array): Generator<TextRange> {
  for (let at = least - 1; at < text.length; at += least) {
    if (isPart[text.charCodeAt(at)] !== 1) continue;
    let start = at;
    while (start > 0 && isPart[text.charCodeAt(start - 1)] === 1) start -= 1;
    let end = at + 1;
    while (end < text.length && isPart[text.charCodeAt(end)] === 1) end += 1;
    if (end - start >= least) yield { start, end };
    // The next multiple behind the word.
    at += Math.floor((end - at) / least) * least;
  }
}

/** The code units below 128 that a pattern of one character fits. */
export const characterClass = (pattern: RegExp): Uint8Array =>
  Uint8Array.from({ length: 128 }, (_, code) => (pattern.test(String.fromCharCode(code)) ? 1 : 0));
