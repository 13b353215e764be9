import { createRequire } from 'node:module';
import type { analyse as Analyse } from 'chardet';
import { DOS, decodeAs } from './decode-as.js';

/** An encoding and how sure it is. */
export interface DetectedEncoding {
  /** Label of the WHATWG Encoding Standard. */
  readonly encoding: string;
  /** 1 to 100. */
  readonly certainty: number;
}

/** Detection takes time in proportion; what a text is written in shows in its beginning. */
const SAMPLE_BYTES = 65_536;
/** Below it a detector says no more than that an encoding is possible. */
const UNSURE = 15;
/** From it on no other statistics are asked. */
const SURE = 70;
/** No other script is made of so many letters that are frequent in Cyrillic. */
const SURE_CYRILLIC = 60;
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
  if (isLatin && isTurkish(sample)) return { encoding: 'windows-1254', certainty: SURE };
  if (isLatin && isOfDos(sample)) return { encoding: DOS, certainty: UNSURE };
  if (new Set(beyond).size < FEW_LETTERS && isWestern(sample))
    return { encoding: WESTERN, certainty: UNSURE };
  const cyrillic = cyrillicEncoding(sample);
  const candidates = candidatesOf(sample).filter(
    ({ encoding }) =>
      (isLatin || !LATIN.has(encoding)) &&
      (cyrillic !== undefined || !isCyrillic(encoding)) &&
      isReadable(sample, encoding),
  );
  const [best] = candidates;
  if (
    cyrillic !== undefined &&
    (best === undefined || best.certainty < SURE || cyrillic.certainty >= SURE_CYRILLIC)
  )
    return cyrillic;
  const likely = best === undefined || best.certainty < UNSURE ? byScript(sample, candidates) : best;
  if (likely === undefined) return { encoding: WESTERN, certainty: 1 };
  const isFew = LATIN.has(likely.encoding) && new Set(beyond).size < FEW_LETTERS;
  return isFew ? { ...likely, encoding: WESTERN } : likely;
}

/** Letters of Windows-1254 that Turkish is written with, and with a circumflex in loanwords; six of them are others in Windows-1252. */
const TURKISH =
  /^(?:[^\u00c0-\u00ff]|[\u00c2\u00c7\u00ce\u00d6\u00db\u00dc\u00e2\u00e7\u00ee\u00f6\u00fb\u00fc]|[\u00d0\u00dd\u00de\u00f0\u00fd\u00fe])*$/u;
const OWN_TURKISH = /[\u00d0\u00dd\u00de\u00f0\u00fd\u00fe]/gu;
/** Letters of Turkish alone that a text needs, and different ones of them. */
const MIN_TURKISH = 3;
const MIN_TURKISH_KINDS = 2;

/** Whether no letters are those of Icelandic, Czech or others that have `\u00fd` and `\u00fe` too, and enough are Turkish. */
function isTurkish(sample: Uint8Array): boolean {
  const text = Buffer.from(sample).toString('latin1');
  const own = text.match(OWN_TURKISH) ?? [];
  return own.length >= MIN_TURKISH && new Set(own).size >= MIN_TURKISH_KINDS && TURKISH.test(text);
}

/** Letters of Western Europe where DOS has them (code pages 437 and 850 alike), and its degree sign. */
const OF_DOS = /^(?:\p{ASCII}|[\u0080-\u0090\u0093-\u009a\u00a0-\u00a8\u00ad-\u00af\u00e1\u00f8])*$/u;
/** Umlauts and accents of DOS in a word, where Windows-1252 has signs. */
const DOS_IN_WORD =
  /(?<=[A-Za-z])[\u0081\u0082\u0084\u0087\u0088\u008a\u0094](?=[a-z\u00e1])|(?<![^\s(])[\u0081\u008e\u009a](?=[a-z])/gu;
const MIN_DOS = 2;

function isOfDos(sample: Uint8Array): boolean {
  const text = Buffer.from(sample).toString('latin1');
  return OF_DOS.test(text) && (text.match(DOS_IN_WORD)?.length ?? 0) >= MIN_DOS;
}

/** Whether all that is beyond ASCII are common letters in words of ASCII, or signs that stand alone. */
function isWestern(sample: Uint8Array): boolean {
  const rest = decodeAs(WESTERN, sample).replace(IN_WESTERN_WORD, '');
  return !/[^\p{ASCII}]/u.test(rest);
}

const IN_WESTERN_WORD =
  /(?<=[a-z])[ßà-ïñ-öø-ü]{1,2}(?=[^\p{Ll}]|[a-z]|$)|(?<![^\p{ASCII}])[ÀÄÅÇÉÑÖØÜßà-ïñ-öø-ü](?=[a-z])|(?<=[A-Z])[ÄÑÖØÜÉÇ](?![a-zà-ÿ])|^[ßà-ïñ-öø-ü]$|(?<![^\p{ASCII}])[§©®°±½¼¾«»¿¡·–…€“”‘’](?![^\p{ASCII}])/gmu;

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
    const share = own.length / Math.max(1, letters.length);
    // Ideographs stand among kana, and kana among nothing else.
    const isKana = own.length > 0 && share >= MIN_KANA && isJapanese(candidate);
    // Korean has blanks between its words, and the others have none.
    const isKorean =
      share === 1 && candidate.encoding === 'euc-kr' && /[\uac00-\ud7a3] [\uac00-\ud7a3]/u.test(read);
    return { candidate, share: isKana || isKorean ? 1.1 : share };
  });
  const ranks = scored.map(({ candidate, share }) => {
    const rank = MULTI_BYTE.indexOf(candidate.encoding);
    return { candidate, order: share * 100 + candidate.certainty / 10 - (rank < 0 ? 0 : rank) / 100 };
  });
  return ranks.sort((a, b) => b.order - a.order)[0]?.candidate;
}

const MIN_KANA = 0.4;
const isJapanese = ({ encoding }: DetectedEncoding): boolean =>
  encoding === 'shift_jis' || encoding === 'euc-jp';
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

/** Of each line what stands from its first word with more than ASCII to its last one, up to what is looked at: code around them says nothing of their encoding. */
function sampleOf(bytes: Uint8Array): Uint8Array {
  const parts: Uint8Array[] = [];
  let size = 0;
  for (let at = 0; at < bytes.length && size < SAMPLE_BYTES; ) {
    const first = bytes.subarray(at).findIndex((byte) => byte >= 0x80);
    if (first < 0) break;
    const end = bytes.indexOf(0x0a, at + first);
    const line = bytes.subarray(at, (end < 0 ? bytes.length : end) + 1);
    const part = line
      .subarray(
        wordStart(line, first),
        wordEnd(
          line,
          line.findLastIndex((byte) => byte >= 0x80),
        ),
      )
      .subarray(0, SAMPLE_BYTES - size);
    parts.push(part, LINE_END);
    size += part.length + 1;
    at += line.length;
  }
  return Buffer.concat(parts);
}

const LINE_END = Uint8Array.of(0x0a);
const isBlank = (byte: number): boolean => byte <= 0x20;
const wordStart = (line: Uint8Array, at: number): number => line.subarray(0, at).findLastIndex(isBlank) + 1;
const wordEnd = (line: Uint8Array, at: number): number => {
  const end = line.subarray(at).findIndex(isBlank);
  return end < 0 ? line.length : at + end;
};

/** In the order in which they are preferred where a text is as likely in several. */
const ENCODINGS = ['windows-1251', 'koi8-r', 'ibm866', 'iso-8859-5', 'koi8-u', 'x-mac-cyrillic'];

const isCyrillic = (encoding: string): boolean => ENCODINGS.includes(encoding);

/** Words of more than one letter, some beyond ASCII, with signs that stand among them. */
const WORD = /(?<![a-z\P{ASCII}])[a-z]*[^\p{ASCII}][a-z\P{ASCII}]*/giu;
/** As Russian, Ukrainian, Bulgarian and Serbian are written: small letters, with one capital in front, or capitals alone. */
const WRITTEN = /^(?:[А-ЯЁІЇЄҐЎЈЉЊЋЂЏЅ]?[а-яёіїєґўјљњћђџѕ]+|[А-ЯЁІЇЄҐЎЈЉЊЋЂЏЅ]+)$/u;
/** The twelve most frequent letters of Russian, with `і`; they are two thirds of long texts in the Cyrillic script. */
const FREQUENT = /[оеаинтсрвлкмі]/giu;
const MIN_WRITTEN = 0.8;
const MIN_FREQUENT = 0.42;

/** The encoding in which bytes are words of the Cyrillic script; undefined where there is none. Certainty from 1 to 100, by how many letters are frequent ones. */
function cyrillicEncoding(
  sample: Uint8Array,
): { readonly encoding: string; readonly certainty: number } | undefined {
  const [best] = ENCODINGS.flatMap((encoding) => {
    const words =
      decodeAs(encoding, sample)
        .match(WORD)
        ?.filter(({ length }) => length > 1) ?? [];
    const all = words.join('');
    const written = words.filter((word) => WRITTEN.test(word)).join('');
    const frequent = written.match(FREQUENT)?.length ?? 0;
    const isLikely =
      written.length > 0 &&
      written.length >= MIN_WRITTEN * all.length &&
      frequent >= MIN_FREQUENT * written.length;
    return isLikely ? [{ encoding, frequent, share: frequent / all.length }] : [];
  }).sort((a, b) => b.share - a.share);
  return best === undefined
    ? undefined
    : { encoding: best.encoding, certainty: Math.min(99, Math.round(100 * best.share)) };
}
