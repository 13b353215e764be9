import { createRequire } from 'node:module';
import type { analyse as Analyse } from 'chardet';

/** An encoding and how sure it is. */
export interface DetectedEncoding {
  /** Label of the WHATWG Encoding Standard. */
  readonly encoding: string;
  /** 1 to 100. */
  readonly certainty: number;
}

/** Detection takes time in proportion; what a text is written in shows in its beginning. */
const SAMPLE_BYTES = 65_536;
/** Bytes beyond ASCII that are taken along with the ASCII around them, for texts that begin with much ASCII. */
const CONTEXT_BYTES = 32;
/** Fewer letters beyond ASCII do not tell the Latin encodings apart, and the most common one is taken. */
const FEW_LETTERS = 4;
/** Bytes beyond ASCII in a row, at the mean, below which a text is in a Latin script. */
const LATIN_RUN = 2.5;
/** From here on the statistics of letters in two bytes are right. */
const SURE = 90;
/** From here on those of letters in one byte outweigh that a short text could be in two. */
const LIKELY = 45;
/** Share of common letters that makes a short text one in two bytes a letter. */
const MIN_COMMON = 0.75;

const LATIN: ReadonlySet<string> = new Set([
  ...['windows-1252', 'windows-1250', 'windows-1254', 'windows-1257', 'iso-8859-2', 'iso-8859-4'],
  ...['iso-8859-10', 'iso-8859-13', 'iso-8859-15', 'iso-8859-16'],
]);
const WESTERN = 'windows-1252';
/** Of encodings that are as likely, the first is taken. */
const DOUBLE_BYTE = ['gb18030', 'shift_jis', 'euc-kr', 'euc-jp', 'big5'] as const;
type DoubleByte = (typeof DOUBLE_BYTE)[number];

/** The encoding of bytes that are no UTF-8: by the statistics of chardet, and of short texts by how common the letters are that they would have. */
export function detectEncoding(bytes: Uint8Array): DetectedEncoding {
  const sample = sampleOf(bytes);
  const isLatin = meanRun(sample) < LATIN_RUN;
  const readable = candidatesOf(sample).filter(({ encoding }) =>
    isReadable(sample, encoding, sample === bytes),
  );
  const sure = readable.find(({ encoding, certainty }) => isDoubleByte(encoding) && certainty >= SURE);
  if (sure !== undefined) return sure;
  const single = readable.find(({ encoding }) => !isDoubleByte(encoding) && LATIN.has(encoding) === isLatin);
  const cyrillic = isLatin || (single?.certainty ?? 0) >= LIKELY ? undefined : byCase(sample);
  if (cyrillic !== undefined) return cyrillic;
  const short = byLetters(sample, readable, isLatin);
  if (short !== undefined && (single === undefined || isLatin || single.certainty < LIKELY)) return short;
  return western(sample, single ?? readable.find(({ encoding }) => !isDoubleByte(encoding)));
}

/** Of the Cyrillic encodings the one in which words are small letters behind a capital or none: what is capital in one of them is small in the other. */
function byCase(sample: Uint8Array): DetectedEncoding | undefined {
  const fitting = ['koi8-r', 'windows-1251'].filter((encoding) => {
    const text = decodeAs(encoding, sample);
    const words = text.match(/[^\p{ASCII}]+/gu) ?? [];
    return words.every((word) => /^[\u0410-\u042f\u0401]?[\u0430-\u044f\u0451]+$/.test(word));
  });
  const [encoding] = fitting;
  return encoding === undefined || fitting.length > 1 ? undefined : { encoding, certainty: LIKELY };
}

/** Few letters do not tell the Latin encodings apart. */
function western(sample: Uint8Array, best: DetectedEncoding | undefined): DetectedEncoding {
  if (best === undefined) return { encoding: WESTERN, certainty: 1 };
  const letters = new Set(sample.filter((byte) => byte >= 0x80));
  return LATIN.has(best.encoding) && letters.size < FEW_LETTERS ? { ...best, encoding: WESTERN } : best;
}

const isDoubleByte = (encoding: string): encoding is DoubleByte =>
  DOUBLE_BYTE.some((one) => one === encoding);

/** How many bytes beyond ASCII stand in a row, at the mean. */
function meanRun(sample: Uint8Array): number {
  let [runs, all] = [0, 0];
  for (const [at, byte] of sample.entries()) {
    if (byte < 0x80) continue;
    all += 1;
    if ((sample[at - 1] ?? 0) < 0x80) runs += 1;
  }
  return all / Math.max(1, runs);
}

function candidatesOf(sample: Uint8Array): DetectedEncoding[] {
  const found = loadAnalyse()(sample).map(({ name, confidence }) => ({
    encoding: labelOf(name),
    certainty: Math.max(1, Math.round(confidence)),
  }));
  const known = found.filter((one): one is DetectedEncoding => one.encoding !== undefined);
  const possible = DOUBLE_BYTE.filter((encoding) => !known.some((one) => one.encoding === encoding));
  return [...known, ...possible.map((encoding) => ({ encoding, certainty: 1 }))];
}

/** What the platform calls an encoding, where it is none of Unicode and the platform knows it. */
function labelOf(name: string): string | undefined {
  try {
    const { encoding } = new TextDecoder(name);
    return encoding.startsWith('utf-') ? undefined : encoding;
  } catch {
    return undefined;
  }
}

/**
 * Bytes as text, with U+FFFD for what the encoding has no letter for. In two steps: in one, Node.js 20 reads Windows-1252 as Latin-1.
 *
 * @param encoding label of the WHATWG Encoding Standard
 */
export function decodeAs(encoding: string, bytes: Uint8Array): string {
  const decoder = new TextDecoder(encoding, { ignoreBOM: true });
  return decoder.decode(bytes, { stream: true }) + decoder.decode();
}

let analyse: typeof Analyse | undefined;
const loadAnalyse = (): typeof Analyse => {
  // Sync, for parsers that need nothing else loaded.
  analyse ??= (createRequire(import.meta.url)('chardet') as { analyse: typeof Analyse }).analyse;
  return analyse;
};

/** The encoding of two bytes a letter of whose common letters a text is made. */
function byLetters(
  sample: Uint8Array,
  candidates: readonly DetectedEncoding[],
  isLatin: boolean,
): DetectedEncoding | undefined {
  const scored = candidates.flatMap(({ encoding, certainty }) => {
    if (!isDoubleByte(encoding)) return [];
    const { letters, common, kana, blanks } = lettersOf(sample, encoding);
    const share = common / Math.max(1, letters);
    // Korean has blanks between its words, and the others have none.
    const isKorean = encoding === 'euc-kr' && share === 1 && (blanks > 0 || letters >= MANY_LETTERS);
    const isSpaced = encoding !== 'euc-kr' && letters >= MANY_LETTERS && blanks > MAX_BLANKS * letters;
    // Quotation marks of Windows-1252 are ideographs with the letter behind them, and signs of degree are too.
    const isByChance = isLatin && (encoding === 'shift_jis' ? kana < MIN_KANA * letters : letters < 3);
    const isMadeOfThem = letters > 1 && share >= MIN_COMMON && !isSpaced && !isByChance;
    return isMadeOfThem ? [{ encoding, certainty, letters, share, isKorean }] : [];
  });
  const [first] = scored.sort(
    (a, b) =>
      b.share - a.share ||
      Number(b.isKorean) - Number(a.isKorean) ||
      DOUBLE_BYTE.indexOf(a.encoding) - DOUBLE_BYTE.indexOf(b.encoding),
  );
  if (first === undefined) return undefined;
  const { encoding, certainty, share, letters } = first;
  return { encoding, certainty: Math.max(certainty, Math.round(share * Math.min(80, 40 + 5 * letters))) };
}

const MAX_BLANKS = 0.15;
const MIN_KANA = 0.3;
const MANY_LETTERS = 8;

/** Weights of the rows of letters by their first byte: punctuation, syllables and the first level of ideographs are common. */
const ROWS: Readonly<Record<DoubleByte, readonly (readonly [from: number, to: number, weight: number])[]>> = {
  gb18030: [
    [0xa1, 0xa3, 1],
    [0xb0, 0xd7, 1],
    [0xd8, 0xf7, 0.5],
  ],
  big5: [
    [0xa1, 0xc6, 1],
    [0xc9, 0xf9, 0.3],
  ],
  shift_jis: [
    [0x81, 0x83, 1],
    [0x88, 0x97, 1],
    [0x98, 0x9f, 0.3],
    [0xe0, 0xea, 0.3],
  ],
  'euc-jp': [
    [0xa1, 0xa5, 1],
    [0xb0, 0xcf, 1],
    [0xd0, 0xf4, 0.3],
  ],
  'euc-kr': [
    [0xa1, 0xa3, 1],
    [0xb0, 0xc8, 1],
    [0xca, 0xfd, 0.2],
  ],
};

interface Letters {
  /** Beyond ASCII. */
  readonly letters: number;
  /** Of them, those that are common, by weight. */
  readonly common: number;
  /** Of them, those of the rows of kana of Shift-JIS. */
  readonly kana: number;
  /** Blanks between two of them. */
  readonly blanks: number;
}

/** What letters beyond ASCII a text has in an encoding. */
function lettersOf(sample: Uint8Array, encoding: DoubleByte): Letters {
  let [letters, common, kana, blanks, end] = [0, 0, 0, 0, -2];
  for (let at = 0; at < sample.length; at += 1) {
    const byte = sample[at] ?? 0;
    if (byte < 0x80) continue;
    letters += 1;
    if (end === at - 1 && sample[end] === 0x20) blanks += 1;
    // Half a letter wide, and seldom.
    if (encoding === 'shift_jis' && byte >= 0xa1 && byte <= 0xdf) continue;
    at += 1;
    // Letters that were added to GB 2312 later are rare.
    const isAdded = encoding === 'gb18030' && (sample[at] ?? 0) < 0xa1;
    common += isAdded ? 0 : (ROWS[encoding].find(([from, to]) => byte >= from && byte <= to)?.[2] ?? 0);
    if (byte === 0x82 || byte === 0x83) kana += 1;
    end = at + 1;
  }
  return { letters, common, kana, blanks };
}

/** Whether an encoding has a letter for every byte, none of them a control character or of private use. */
function isReadable(sample: Uint8Array, encoding: string, isWhole: boolean): boolean {
  try {
    const decoder = new TextDecoder(encoding, { fatal: true });
    // A part may end within a letter.
    const text = decoder.decode(sample, { stream: true }) + (isWhole ? decoder.decode() : '');
    return !/[\u0080-\u009f\p{Co}\p{Cn}]/u.test(text) && !(LATIN.has(encoding) && IN_WORD.test(text));
  } catch {
    return false;
  }
}

/** Signs between letters stand for letters of another encoding. */
const IN_WORD = /\p{Ll}[\u00a1-\u00a9\u00ab-\u00b1\u00b4-\u00b9\u00bb-\u00bf\u00d7\u00f7]\p{Ll}/u;

/** The lines of the text that hold more than ASCII, as they are ordered, up to what is looked at. */
function sampleOf(bytes: Uint8Array): Uint8Array {
  if (bytes.length <= SAMPLE_BYTES) return bytes;
  const first = bytes.findIndex((byte) => byte >= 0x80);
  const lineStart = bytes.lastIndexOf(0x0a, first) + 1;
  const start = first - lineStart > SAMPLE_BYTES / 2 ? Math.max(0, first - CONTEXT_BYTES) : lineStart;
  return bytes.subarray(start, start + SAMPLE_BYTES);
}
