import { endianness } from 'node:os';
import { ACCENT, CONTROL, classOf, DECOMPOSES, IDEOGRAPH, MARK, SPACE } from './character-class.js';

/** Longest word, in code points, that WordPiece tries to split; a longer one is the unknown token. */
export const MAX_WORD_CHARACTERS = 100;

// With fewer marks in a text, canonical ordering is cheap however they stand.
const MANY_MARKS = 64;
const ACCENTS = /\p{Mn}+/gu;

/**
 * BERT's uncased normalisation: control characters out, space around ideographs, lower case, canonical decomposition
 * (NFD) and accents (category Mn) out. Linear in the length of the text, whatever the text.
 */
export function normaliseText(text: string): string {
  const { bits, marks } = surveyOf(text);
  const cleaned = (bits & (CONTROL | IDEOGRAPH)) === 0 ? text : cleanText(text);
  const lower = cleaned.toLowerCase();
  if ((bits & DECOMPOSES) === 0) return lower;
  const safe = marks < MANY_MARKS ? lower : shortenMarkRuns(lower);
  return safe.normalize('NFD').replace(ACCENTS, '');
}

/** UTF-16 code units of a text. */
export function unitsOf(text: string): Uint16Array {
  const bytes = Buffer.from(text, 'utf16le');
  if (endianness() === 'BE') bytes.swap16();
  return new Uint16Array(bytes.buffer, bytes.byteOffset, text.length);
}

/** Code units of the normalised text. Printable ASCII, which most text is, needs nothing but its capitals lowered. */
export function normalisedUnits(text: string): Uint16Array {
  const units = unitsOf(text);
  for (let i = 0; i < units.length; i++) {
    const unit = units[i] ?? 0;
    if (unit >= 0x7f || (unit < 0x20 && unit !== 0x09 && unit !== 0x0a && unit !== 0x0d))
      return unitsOf(normaliseText(text));
    if (unit >= 0x41 && unit <= 0x5a) units[i] = unit + 0x20;
  }
  return units;
}

/**
 * The text in lower case where that is all that normalisation does to it and to every slice of it, character by character;
 * else undefined.
 */
export function lowerCaseOfPlain(text: string): string | undefined {
  // The one letter whose lower case depends on what stands around it.
  if (text.includes('Σ')) return undefined;
  if ((surveyOf(text).bits & (CONTROL | IDEOGRAPH | DECOMPOSES)) !== 0) return undefined;
  const lower = text.toLowerCase();
  return lower.length === text.length ? lower : undefined;
}

/** All classes that occur in the text, and how many combining marks. */
function surveyOf(text: string): { bits: number; marks: number } {
  let bits = 0;
  let marks = 0;
  for (let i = 0; i < text.length; i++) {
    const codePoint = codePointAt(text, i);
    if (codePoint > 0xff_ff) i++;
    const found = classOf(codePoint);
    bits |= found;
    if ((found & MARK) !== 0) marks++;
  }
  return { bits, marks };
}

function cleanText(text: string): string {
  const units = new Uint16Array(text.length * 3);
  let length = 0;
  for (let i = 0; i < text.length; i++) {
    const codePoint = codePointAt(text, i);
    const bits = classOf(codePoint);
    const isPair = codePoint > 0xff_ff;
    if (isPair) i++;
    if ((bits & CONTROL) !== 0) continue;
    if ((bits & IDEOGRAPH) !== 0) units[length++] = 0x20;
    if (isPair) units[length++] = text.charCodeAt(i - 1);
    units[length++] = (bits & SPACE) === 0 ? text.charCodeAt(i) : 0x20;
    if ((bits & IDEOGRAPH) !== 0) units[length++] = 0x20;
  }
  return decodeUtf16(units.subarray(0, length));
}

// Pieces, because the arguments of one call are limited.
function decodeUtf16(units: Uint16Array): string {
  const pieces: string[] = [];
  for (let i = 0; i < units.length; i += 8192) {
    pieces.push(String.fromCharCode(...units.subarray(i, i + 8192)));
  }
  return pieces.join('');
}

/**
 * Canonical ordering is an insertion sort: quadratic in the length of a run of marks, hours for megabytes of them.
 * Accents may go before it as well as after, and marks beyond the longest word make an unknown word anyhow.
 */
function shortenMarkRuns(text: string): string {
  const units = new Uint16Array(text.length);
  let length = 0;
  let run = 0;
  for (let i = 0; i < text.length; i++) {
    const codePoint = codePointAt(text, i);
    const bits = classOf(codePoint);
    const isPair = codePoint > 0xff_ff;
    if (isPair) i++;
    if ((bits & ACCENT) !== 0) continue;
    run = (bits & MARK) === 0 ? 0 : run + 1;
    if (run > MAX_WORD_CHARACTERS + 1) continue;
    if (isPair) units[length++] = text.charCodeAt(i - 1);
    units[length++] = text.charCodeAt(i);
  }
  return decodeUtf16(units.subarray(0, length));
}

// `codePointAt` for every unit would cost twice: few texts hold surrogates.
function codePointAt(text: string, position: number): number {
  const unit = text.charCodeAt(position);
  return unit >= 0xd8_00 && unit <= 0xdb_ff ? (text.codePointAt(position) ?? unit) : unit;
}
