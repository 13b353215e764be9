import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { RAGError } from '../core/errors.js';

/*
 * Stored texts, which citations quote by offset, are kept as bytes: a text column cuts or refuses NUL. UTF-8, unless the text
 * holds half a surrogate pair (JSON can), which UTF-8 cannot represent. A long text is deflated: databases copy a value several
 * times while they write it.
 */
export const TEXT_ENCODINGS = ['utf8', 'utf16le', 'deflate'] as const;

export type TextEncoding = (typeof TEXT_ENCODINGS)[number];

/** A text as bytes, and how to read them; `deflate` is raw DEFLATE of UTF-8. */
export interface EncodedText {
  readonly encoding: TextEncoding;
  readonly bytes: Uint8Array;
}

const LONE_SURROGATE = /\p{Surrogate}/u;
/** Bytes of UTF-8 from which a text is deflated; most files are never so large. */
const DEFLATED_FROM = 8 * 1024 * 1024;
/** Bytes that a text has at most once it is read: V8 holds no longer string, and a few stored bytes may claim to be any number. */
const LONGEST_TEXT = 512 * 1024 * 1024;

/** A text as it is stored; one that is encoded stays as it is. */
export function encodeText(text: string | EncodedText): EncodedText {
  if (typeof text !== 'string') return text;
  return LONE_SURROGATE.test(text)
    ? { encoding: 'utf16le', bytes: Buffer.from(text, 'utf16le') }
    : encodeUtf8(Buffer.from(text, 'utf8'));
}

/** The same of a text that is UTF-8 already. */
export const encodeUtf8 = (utf8: Uint8Array): EncodedText =>
  utf8.length < DEFLATED_FROM
    ? { encoding: 'utf8', bytes: utf8 }
    : { encoding: 'deflate', bytes: deflateRawSync(utf8, { level: 1 }) };

/** Inverse of `encodeText`, of what a database holds. Throws `INDEX_DAMAGED` for an encoding or bytes that it cannot have made. */
export function decodeText({
  encoding,
  bytes,
}: Pick<EncodedText, 'bytes'> & { readonly encoding: string }): string {
  if (encoding === 'deflate') return inflated(bytes);
  if (encoding !== 'utf8' && encoding !== 'utf16le') throw damagedText();
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString(encoding);
}

function inflated(bytes: Uint8Array): string {
  try {
    return inflateRawSync(bytes, { maxOutputLength: LONGEST_TEXT }).toString('utf8');
  } catch (cause) {
    throw damagedText(cause);
  }
}

const damagedText = (cause?: unknown): RAGError =>
  new RAGError(
    'INDEX_DAMAGED',
    'The text of a document is damaged in the index. `ragstone index --force` reads all documents again.',
    { cause },
  );
