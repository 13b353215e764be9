import { RAGError } from '../core/errors.js';
import { decodeAs, detectEncoding } from './detect-encoding.js';

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
/** Share of NUL bytes at every second place above which bytes may be UTF-16, which has one beside each letter of ASCII. */
const MIN_UTF16_NULS = 0.02;
/** Share of the NUL bytes that stand at those places. */
const MIN_UTF16_PARITY = 0.99;

/**
 * Decodes UTF-8, UTF-16, or what the bytes are most likely written in, which is then said with its certainty. Bytes that are wrong in a text that is UTF-8
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
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return decodeUtf16(bytes, 'utf-16le', name);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return decodeUtf16(bytes, 'utf-16be', name);
  const share = controlShare(bytes);
  const unmarked = bytes.includes(0) ? unmarkedUtf16(bytes) : undefined;
  if (unmarked !== undefined) return unmarked;
  if (share > MAX_CONTROL_SHARE) throw notText(name, 'too many of its bytes are control characters');
  try {
    return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes), warnings: [] };
  } catch {
    if (share > MAX_CONTROL_SHARE_UNDECLARED)
      throw notText(name, 'it is not UTF-8, and too many of its bytes are control characters');
    return mostlyUtf8(bytes) ?? inDetected(bytes);
  }
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

function inDetected(bytes: Uint8Array): DecodedText {
  const { encoding, certainty } = detectEncoding(bytes);
  return {
    text: decodeAs(encoding, bytes),
    warnings: [
      `Read as ${encoding}, which its bytes suggest (certainty ${certainty} %). If letters are wrong, save it as UTF-8.`,
    ],
  };
}

/** Bytes whose NULs stand at every second place, where they are UTF-16 without any character that a text does not have. */
function unmarkedUtf16(bytes: Uint8Array): DecodedText | undefined {
  const nuls = [0, 0];
  bytes.forEach((byte, index) => {
    if (byte === 0) nuls[index % 2] = (nuls[index % 2] ?? 0) + 1;
  });
  const [even = 0, odd = 0] = nuls;
  const units = bytes.length / 2;
  const most = Math.max(even, odd);
  if (!Number.isInteger(units) || most < MIN_UTF16_NULS * units || most < MIN_UTF16_PARITY * (even + odd))
    return undefined;
  const encoding = odd > even ? 'utf-16le' : 'utf-16be';
  try {
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes);
    if (/[^\P{Cc}\s]|[\p{Co}\p{Cn}]/u.test(text)) return undefined;
    if (!isLikelier(text, bytes)) return undefined;
    const certainty = Math.min(99, Math.round(50 + (50 * most) / units));
    return {
      text,
      warnings: [
        `Read as ${encoding.toUpperCase()} without a byte order mark, which its NUL bytes suggest (certainty ${certainty} %).`,
      ],
    };
  } catch {
    return undefined;
  }
}

/** A text of one byte a letter makes ideographs of its pairs of letters; those of a text in UTF-16 are not made of ASCII. */
function isLikelier(text: string, bytes: Uint8Array): boolean {
  const printable = bytes.filter((byte) => (byte >= 0x20 && byte < 0x7f) || byte === 0x0a).length;
  const ascii = text.match(/[\x20-\x7e\n]/g)?.length ?? 0;
  return ascii * 2 >= text.length || printable < 0.9 * bytes.filter((byte) => byte !== 0).length;
}

function decodeUtf16(bytes: Uint8Array, encoding: 'utf-16le' | 'utf-16be', name: string): DecodedText {
  try {
    return { text: new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(bytes), warnings: [] };
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

/** Tab, line feed, form feed, carriage return and escape (terminal colours) are ordinary in text. */
function controlShare(bytes: Uint8Array): number {
  const sample = bytes.subarray(0, CONTROL_SAMPLE_BYTES);
  let control = 0;
  for (const byte of sample) {
    if ((byte < 0x20 && !(byte >= 0x09 && byte <= 0x0d) && byte !== 0x1b) || byte === 0x7f) control += 1;
  }
  return sample.length === 0 ? 0 : control / sample.length;
}
