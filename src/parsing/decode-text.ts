import { RAGError } from '../core/errors.js';

/** Text as it is stored and cited: no byte order mark, line ends as they were. */
export interface DecodedText {
  readonly text: string;
  readonly warnings: readonly string[];
}

/** Share of control characters above which valid UTF-8 still counts as binary. */
const MAX_CONTROL_SHARE = 0.1;
/** How much of the start is looked at for control characters. */
const CONTROL_SAMPLE_BYTES = 65_536;

/**
 * Decodes UTF-8, or UTF-16 where a byte order mark says so; a string is only checked (see `checkText`).
 *
 * @param name the document's id, for the message
 * @throws `DOCUMENT_NOT_TEXT` for NUL bytes or many control characters; `DOCUMENT_INVALID_ENCODING` with the offset of
 * the first wrong byte
 */
export function decodeText(content: Uint8Array | string, name: string): DecodedText {
  if (typeof content === 'string')
    return checkText(content.startsWith('\uFEFF') ? content.slice(1) : content, name);
  const text = decodeBytes(content, name);
  return { text: text.startsWith('\uFEFF') ? text.slice(1) : text, warnings: [] };
}

/**
 * Text that never was bytes, made fit to be stored; no offset moves. Half of a surrogate pair alone (JSON escapes can
 * hold it) becomes U+FFFD with a warning, since no store can keep it.
 *
 * @throws `DOCUMENT_NOT_TEXT` for a NUL character
 */
export function checkText(text: string, name: string): DecodedText {
  refuseNul(text, name);
  if (!/\p{Surrogate}/u.test(text)) return { text, warnings: [] };
  return {
    text: text.replace(/\p{Surrogate}/gu, '\uFFFD'),
    warnings: ['Halves of surrogate pairs were replaced by U+FFFD: they are not valid text.'],
  };
}

function refuseNul(text: string, name: string): void {
  const nul = text.indexOf('\0');
  if (nul >= 0) throw notText(name, `it holds a NUL character at position ${nul}`);
}

function decodeBytes(bytes: Uint8Array, name: string): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return decodeUtf16(bytes, 'utf-16le', name);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return decodeUtf16(bytes, 'utf-16be', name);
  const nul = bytes.indexOf(0);
  if (nul >= 0) {
    throw notText(name, `it holds a NUL byte at offset ${nul} (UTF-16 is read only with a byte order mark)`);
  }
  if (controlShare(bytes) > MAX_CONTROL_SHARE)
    throw notText(name, 'too many of its bytes are control characters');
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    const offset = firstInvalidUtf8(bytes);
    throw new RAGError(
      'DOCUMENT_INVALID_ENCODING',
      `"${name}" is not valid UTF-8: the byte at offset ${offset} is wrong. Save the file as UTF-8 (for instance: iconv -f WINDOWS-1252 -t UTF-8), or exclude it.`,
      { cause, details: { offset } },
    );
  }
}

function decodeUtf16(bytes: Uint8Array, encoding: 'utf-16le' | 'utf-16be', name: string): string {
  try {
    const text = new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(bytes);
    refuseNul(text, name);
    return text;
  } catch (cause) {
    if (RAGError.isInstance(cause)) throw cause;
    throw new RAGError(
      'DOCUMENT_INVALID_ENCODING',
      `"${name}" starts with a ${encoding.toUpperCase()} byte order mark but is not valid ${encoding.toUpperCase()}. Save the file as UTF-8, or exclude it.`,
      { cause },
    );
  }
}

function notText(name: string, why: string): RAGError {
  return new RAGError(
    'DOCUMENT_NOT_TEXT',
    `"${name}" is not a text file: ${why}. Exclude it, or give it the extension of its real format.`,
  );
}

/** Tab, line feed, form feed, carriage return and escape (terminal colours) are ordinary in text. */
function controlShare(bytes: Uint8Array): number {
  const sample = bytes.subarray(0, CONTROL_SAMPLE_BYTES);
  let control = 0;
  for (const byte of sample) {
    if ((byte < 0x20 && !(byte >= 0x09 && byte <= 0x0d) && byte !== 0x1b) || byte === 0x7f) control += 1;
  }
  return sample.length === 0 ? 0 : control / sample.length;
}

/** A lenient decoder writes U+FFFD at the first fault; everything before it is valid, so its byte length is the offset. */
function firstInvalidUtf8(bytes: Uint8Array): number {
  const lenient = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  let offset = 0;
  let from = 0;
  for (let at = lenient.indexOf('\uFFFD'); at >= 0; at = lenient.indexOf('\uFFFD', from)) {
    offset += Buffer.byteLength(lenient.slice(from, at));
    const isWritten = bytes[offset] === 0xef && bytes[offset + 1] === 0xbf && bytes[offset + 2] === 0xbd;
    if (!isWritten) return offset;
    offset += 3;
    from = at + 1;
  }
  return offset;
}
