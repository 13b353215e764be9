import { RAGError } from '../core/errors.js';
import { decodeAs } from './decode-as.js';
import { detectEncoding } from './detect-encoding.js';
import { unmarkedUtf16 } from './detect-utf16.js';

/** Text as it is stored and cited: no byte order mark, line ends as they were. */
export interface DecodedText {
  readonly text: string;
  readonly warnings: readonly string[];
}

/** Share of control characters above which valid UTF-8 still counts as binary. */
const MAX_CONTROL_SHARE = 0.1;
/** The same for bytes that are no UTF-8: compressed data have more, texts in older encodings next to none. */
const MAX_CONTROL_SHARE_UNDECLARED = 0.02;
/** How much of the start is looked at for control characters. */
const CONTROL_SAMPLE_BYTES = 65_536;
/** Share of NULs up to which they strayed into valid UTF-8. */
const MAX_STRAY_NULS = 0.1;

/**
 * Decodes UTF-8, UTF-16, UTF-32 with a byte order mark, or what the bytes are most likely written in, which is then said with its certainty. Bytes that are wrong in a text that is UTF-8
 * but for them become U+FFFD, NUL characters spaces, both with a warning. A string is only checked (see `checkText`).
 *
 * @param name the document's id, for the message
 * @throws `DOCUMENT_NOT_TEXT` for many control characters; `DOCUMENT_INVALID_ENCODING` for UTF-16 with a byte order mark that is none
 */
export function decodeText(content: Uint8Array | string, name: string): DecodedText {
  const { text, warnings } =
    typeof content === 'string' ? { text: content, warnings: [] } : decodeBytes(content, name);
  const checked = checkText(text.startsWith('\uFEFF') ? text.slice(1) : text);
  return { text: checked.text, warnings: [...warnings, ...checked.warnings] };
}

/**
 * Text that never was bytes, made fit to be stored; no offset moves. Half of a surrogate pair alone (JSON escapes can
 * hold it) becomes U+FFFD and a NUL character a space, each with a warning, since no store can keep them.
 */
export function checkText(text: string): DecodedText {
  const nuls = text.split('\0').length - 1;
  const isHalved = /\p{Surrogate}/u.test(text);
  const whole = isHalved ? text.replace(/\p{Surrogate}/gu, '\uFFFD') : text;
  return {
    text: nuls === 0 ? whole : whole.replaceAll('\0', ' '),
    warnings: [
      ...(isHalved ? ['Halves of surrogate pairs were replaced by U+FFFD: they are not valid text.'] : []),
      ...(nuls === 0 ? [] : [`NUL characters were read as spaces: ${nuls}.`]),
    ],
  };
}

function decodeBytes(bytes: Uint8Array, name: string): DecodedText {
  const utf32 = inUtf32(bytes);
  if (utf32 !== undefined) return utf32;
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return decodeUtf16(bytes, 'utf-16le', name);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return decodeUtf16(bytes, 'utf-16be', name);
  const { nuls, others } = controlShares(bytes);
  const utf8 = asUtf8(bytes);
  const unmarked = bytes.includes(0) ? inUnmarkedUtf16(bytes) : undefined;
  // Letters of ASCII in UTF-16 are UTF-8 as well, with as many NULs.
  const isUtf8 = utf8 !== undefined && nuls <= MAX_STRAY_NULS && others === 0;
  if (isUtf8 && (unmarked === undefined || !isAscii(utf8) || OF_ASCII_PAIRS.test(unmarked.text)))
    return inEscapes(utf8, bytes) ?? { text: utf8, warnings: [] };
  if (unmarked !== undefined) return unmarked;
  if (nuls + others > MAX_CONTROL_SHARE) throw notText(name, 'too many of its bytes are control characters');
  if (utf8 !== undefined) return { text: utf8, warnings: [] };
  if (others > MAX_CONTROL_SHARE_UNDECLARED)
    throw notText(name, 'it is not UTF-8, and too many of its bytes are control characters');
  return inDeclared(bytes) ?? mostlyUtf8(bytes) ?? inDetected(bytes);
}

/** UTF-32 with its byte order mark, which the platform does not read; undefined for other bytes. */
function inUtf32(bytes: Uint8Array): DecodedText | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < 8 || bytes.length % 4 !== 0) return undefined;
  const isLittle = view.getUint32(0, true) === 0xfeff;
  if (!isLittle && view.getUint32(0, false) !== 0xfeff) return undefined;
  const parts: string[] = [];
  for (let at = 4; at < bytes.length; at += 4) {
    const code = view.getUint32(at, isLittle);
    if (code > 0x10ffff) return undefined;
    parts.push(String.fromCodePoint(code));
  }
  return { text: parts.join(''), warnings: [] };
}

/** Texts in two bytes a letter hold what looks like UTF-8 by chance. */
const MIN_READ_PER_WRONG = 2;

/** A text that is UTF-8 in more places than not, as after a cut or where texts were joined. */
function mostlyUtf8(bytes: Uint8Array): DecodedText | undefined {
  const text = decodeAs('utf-8', bytes);
  const read = text.match(/[^\p{ASCII}\uFFFD]/gu)?.length ?? 0;
  const wrong = text.match(/\uFFFD+/g)?.length ?? 0;
  if (read < MIN_READ_PER_WRONG * wrong || /[\p{Cn}\p{Co}]/u.test(text)) return undefined;
  return {
    text,
    warnings: [`It is UTF-8 but for ${wrong} ${wrong === 1 ? 'place' : 'places'}, read as U+FFFD.`],
  };
}

/** How much of the start may declare an encoding, in lines: as Python (PEP 263) and editors read them. */
const DECLARING_LINES = 2;
const DECLARED = /^[^\n]{0,200}?coding[:=][ \t]*["']?([\w.-]{1,40})/;

/** Text in the encoding that a comment in its first lines declares (`-*- coding: cp1251 -*-`), where its bytes are text in it. */
function inDeclared(bytes: Uint8Array): DecodedText | undefined {
  const lines = Buffer.from(bytes.subarray(0, 1_024)).toString('latin1').split('\n', DECLARING_LINES);
  const label = lines.map((line) => DECLARED.exec(line)?.[1]).find((found) => found !== undefined);
  const encoding = label === undefined ? undefined : encodingOf(label);
  const text = encoding === undefined ? undefined : decodeAs(encoding, bytes);
  return text === undefined || text.includes('\uFFFD') ? undefined : { text, warnings: [] };
}

/** An encoding of bytes by what Python and the platform call it (`latin-1`, `koi8_r`); undefined for Unicode and what the platform does not know. */
function encodingOf(label: string): string | undefined {
  const names = [label, label.replaceAll('_', '-'), label.replaceAll(/[_-]/g, '')];
  for (const name of names) {
    try {
      const { encoding } = new TextDecoder(name);
      return encoding.startsWith('utf-') ? undefined : encoding;
    } catch {}
  }
  return undefined;
}

/** The escapes that begin and end Japanese text in ISO-2022-JP, which is ASCII otherwise. */
const JAPANESE_ESCAPE = '\u001b$';

function inEscapes(text: string, bytes: Uint8Array): DecodedText | undefined {
  if (!text.includes(`${JAPANESE_ESCAPE}B`) && !text.includes(`${JAPANESE_ESCAPE}@`)) return undefined;
  const read = decodeAs('iso-2022-jp', bytes);
  return read.includes('\uFFFD')
    ? undefined
    : { text: read, warnings: ['Read as ISO-2022-JP, which its escape sequences say.'] };
}

function inDetected(bytes: Uint8Array): DecodedText {
  const { encoding, certainty } = detectEncoding(bytes);
  return {
    text: decodeAs(encoding, bytes),
    warnings: [
      `Read as ${encoding}, which its bytes suggest (certainty ${certainty} %). If letters are wrong, save it as UTF-8.`,
    ],
  };
}

const isAscii = (text: string): boolean => !/[^\p{ASCII}]/u.test(text);
/** What UTF-16 makes of pairs of letters of ASCII, but for kana, which are a figure and a letter. */
const OF_ASCII_PAIRS = /[\u2000-\u303f\u3100-\u7fff]/;

/** Bytes that are UTF-8, without the mark that it may begin with being taken off; undefined for others. */
function asUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function inUnmarkedUtf16(bytes: Uint8Array): DecodedText | undefined {
  const found = unmarkedUtf16(bytes);
  if (found === undefined) return undefined;
  const { encoding, text, certainty } = found;
  return {
    text,
    warnings: [
      `Read as ${encoding.toUpperCase()} without a byte order mark, which its NUL bytes suggest (certainty ${certainty} %).`,
      ...halfLetter(bytes),
    ],
  };
}

const halfLetter = ({ length }: Uint8Array): string[] =>
  length % 2 === 0 ? [] : ['Its last byte is half a letter of UTF-16 and was left out.'];

function decodeUtf16(bytes: Uint8Array, encoding: 'utf-16le' | 'utf-16be', name: string): DecodedText {
  try {
    const units = bytes.subarray(0, bytes.length - (bytes.length % 2));
    const text = new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(units);
    return { text, warnings: halfLetter(bytes) };
  } catch (cause) {
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

/** Shares of control characters; one NUL in a text is none, however short. Tab, line feed, form feed, carriage return and escape (terminal colours) are ordinary. */
function controlShares(bytes: Uint8Array): { readonly nuls: number; readonly others: number } {
  const sample = bytes.subarray(0, CONTROL_SAMPLE_BYTES);
  let [nuls, others] = [0, 0];
  for (const byte of sample) {
    if (byte === 0) nuls += 1;
    else if ((byte < 0x20 && !(byte >= 0x09 && byte <= 0x0d) && byte !== 0x1b) || byte === 0x7f) others += 1;
  }
  const length = Math.max(1, sample.length);
  return { nuls: (length > 2 && nuls === 1 ? 0 : nuls) / length, others: others / length };
}
