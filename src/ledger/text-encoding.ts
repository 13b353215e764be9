/*
 * Stored texts, which citations quote by offset, are kept as bytes: a text column cuts or refuses NUL. UTF-8, unless the text
 * holds half a surrogate pair (JSON can), which UTF-8 cannot represent.
 */
export const TEXT_ENCODINGS = ['utf8', 'utf16le'] as const;

export type TextEncoding = (typeof TEXT_ENCODINGS)[number];

const LONE_SURROGATE = /\p{Surrogate}/u;

/** A text as bytes, and how to read them. */
export function encodeText(text: string): { readonly encoding: TextEncoding; readonly bytes: Buffer } {
  const encoding = LONE_SURROGATE.test(text) ? 'utf16le' : 'utf8';
  return { encoding, bytes: Buffer.from(text, encoding) };
}
