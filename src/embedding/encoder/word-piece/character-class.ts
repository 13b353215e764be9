/** The code point separates words and is no part of one. */
export const SPACE = 2;
/** The code point is a word of its own. */
export const PUNCTUATION = 4;
/** The code point is removed before anything else. */
export const CONTROL = 8;
/** The code point is an ideograph that stands for itself: a word of its own. */
export const IDEOGRAPH = 16;
/** Canonical decomposition, or the removal of accents, may change the code point. */
export const DECOMPOSES = 32;
/** The code point is a combining mark. */
export const MARK = 64;
/** The code point is a non-spacing mark (category Mn), removed after decomposition. */
export const ACCENT = 128;

const CLASSIFIED = 1;
const CODE_POINTS = 0x11_0000;

// Filled on first sight of a code point, so that loading costs nothing and a text costs one array read a character.
const classes = new Uint8Array(CODE_POINTS);

/** The classes of a code point as BERT's uncased tokenizer sees them, or-ed together. */
export function classOf(codePoint: number): number {
  const known = classes[codePoint];
  if (known !== undefined && known !== 0) return known;
  const computed = classify(codePoint);
  classes[codePoint] = computed;
  return computed;
}

function classify(codePoint: number): number {
  const character = String.fromCodePoint(codePoint);
  let bits = CLASSIFIED;
  if (isControl(codePoint, character)) bits |= CONTROL;
  else if (/^\s$/u.test(character)) bits |= SPACE;
  else if (/^[\p{P}!-/:-@[-`{-~]$/u.test(character)) bits |= PUNCTUATION;
  if (isIdeograph(codePoint)) bits |= IDEOGRAPH;
  if (/^\p{M}$/u.test(character)) bits |= MARK;
  if (/^\p{Mn}$/u.test(character)) bits |= ACCENT;
  const lower = character.toLowerCase();
  if (lower.normalize('NFD') !== lower || /\p{M}/u.test(lower)) bits |= DECOMPOSES;
  return bits;
}

function isControl(codePoint: number, character: string): boolean {
  if (character === '\t' || character === '\n' || character === '\r') return false;
  return codePoint === 0xff_fd || /^[\p{Cc}\p{Cf}\p{Co}\p{Cs}]$/u.test(character);
}

// The blocks of BERT's reference code, as far as they lie in the basic plane: @huggingface/tokenizers, whose ids
// we match, looks at UTF-16 code units and so never splits the rarer ideographs above it.
const isIdeograph = (codePoint: number): boolean =>
  (codePoint >= 0x4e_00 && codePoint <= 0x9f_ff) ||
  (codePoint >= 0x34_00 && codePoint <= 0x4d_bf) ||
  (codePoint >= 0xf9_00 && codePoint <= 0xfa_ff);

/** Whether a code unit is the first of two. */
export const isHighSurrogate = (unit: number): boolean => unit >= 0xd8_00 && unit <= 0xdb_ff;
