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
/** Below it a detector says no more than that an encoding is possible. */
const UNSURE = 15;
/** Fewer letters beyond ASCII do not tell the Latin encodings apart, and the most common one is taken. */
const FEW_LETTERS = 4;

const LATIN: ReadonlySet<string> = new Set([
  ...['windows-1252', 'windows-1250', 'windows-1254', 'windows-1257', 'iso-8859-2', 'iso-8859-4'],
  ...['iso-8859-10', 'iso-8859-13', 'iso-8859-15', 'iso-8859-16'],
]);
const WESTERN = 'windows-1252';
/** Of encodings that are as likely, the first is taken. */
const MULTI_BYTE = ['gb18030', 'shift_jis', 'euc-kr', 'euc-jp', 'big5'];

/** The encoding of bytes that are no UTF-8, by the statistics of chardet, held against what each candidate makes of them. */
export function detectEncoding(bytes: Uint8Array): DetectedEncoding {
  const sample = sampleOf(bytes);
  const beyond = sample.filter((byte) => byte >= 0x80);
  // Latin scripts are mostly ASCII.
  const isLatin = beyond.length * 2 < sample.length;
  const candidates = candidatesOf(sample).filter(
    ({ encoding }) => (isLatin || !LATIN.has(encoding)) && isReadable(sample, encoding),
  );
  const [best] = candidates;
  const likely = best === undefined || best.certainty < UNSURE ? byScript(sample, candidates) : best;
  if (likely === undefined) return { encoding: WESTERN, certainty: 1 };
  const isFew = LATIN.has(likely.encoding) && new Set(beyond).size < FEW_LETTERS;
  return isFew ? { ...likely, encoding: WESTERN } : likely;
}

function candidatesOf(sample: Uint8Array): DetectedEncoding[] {
  const found = loadAnalyse()(sample).map(({ name, confidence }) => ({
    encoding: labelOf(name),
    certainty: Math.max(1, Math.round(confidence)),
  }));
  const known = found.filter((one): one is DetectedEncoding => one.encoding !== undefined);
  const possible = MULTI_BYTE.filter((encoding) => !known.some((one) => one.encoding === encoding));
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

/** Short texts: the encoding in which they are in the letters of the language that it is for. */
function byScript(sample: Uint8Array, candidates: readonly DetectedEncoding[]): DetectedEncoding | undefined {
  const scored = candidates.map((candidate) => {
    const read = decodeAs(candidate.encoding, sample);
    const letters = read.match(BEYOND_ASCII) ?? [];
    const own = letters.filter((letter) => COMMON[candidate.encoding]?.test(letter));
    return { candidate, share: own.length / Math.max(1, letters.length) };
  });
  const ranks = scored.map(({ candidate, share }) => {
    const rank = MULTI_BYTE.indexOf(candidate.encoding);
    return { candidate, order: share * 100 + candidate.certainty / 10 - (rank < 0 ? 0 : rank) / 100 };
  });
  return ranks.sort((a, b) => b.order - a.order)[0]?.candidate;
}

const BEYOND_ASCII = /[^\p{ASCII}]/gu;
/** Letters that texts of an encoding are made of: kana beside ideographs, syllables, the first level of GB 2312. */
const COMMON: Readonly<Record<string, RegExp>> = {
  shift_jis: /[\u3040-\u30ff\u3000-\u3002]/u,
  'euc-jp': /[\u3040-\u30ff\u3000-\u3002]/u,
  'euc-kr': /[\uac00-\ud7a3]/u,
  gb18030: /[\u4e00-\u9fff\u3000-\u3002\uff00-\uff5e]/u,
  big5: /[\u4e00-\u9fff\u3000-\u3002\uff00-\uff5e]/u,
  [WESTERN]: /[\u00a0-\u00ff\u2010-\u203a\u20ac]/u,
};

/** Whether an encoding has a letter for every byte, none of them a control character or of private use. */
function isReadable(sample: Uint8Array, encoding: string): boolean {
  try {
    // The sample may end within a letter.
    const text = new TextDecoder(encoding, { fatal: true }).decode(sample, { stream: true });
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
