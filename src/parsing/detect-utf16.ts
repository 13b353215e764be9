/** A text in UTF-16 that no byte order mark announces. */
export interface UnmarkedUtf16 {
  readonly encoding: 'utf-16le' | 'utf-16be';
  readonly text: string;
  /** 50 to 99. */
  readonly certainty: number;
}

/** How much of a text is looked at for what it is made of, in code units. */
const SAMPLE_UNITS = 32_768;
/** Share of code units that another order of bytes, or no text, explains better, above which the reading is dropped. */
const MAX_ODD = 0.5;
/** Texts of one byte a letter are made of at least this much ASCII, where NULs strayed into them. */
const MIN_ASCII = 0.9;

/** What a letter that is cut begins with, or an editor adds at the end. */
const mayBeLeft = (byte: number): boolean => byte === 0 || byte === 0x0a || byte >= 0x20;

/** Bytes of which a NUL is half a letter, in the order of bytes that makes the likelier text; an odd byte at the end is left out. */
export function unmarkedUtf16(bytes: Uint8Array): UnmarkedUtf16 | undefined {
  const units = bytes.subarray(0, bytes.length - (bytes.length % 2));
  if (units.length < bytes.length && !mayBeLeft(bytes.at(-1) ?? 0)) return undefined;
  const [best] = (['utf-16le', 'utf-16be'] as const)
    .flatMap((encoding) => {
      const text = textIn(units, encoding);
      return text === undefined ? [] : [{ encoding, text, odd: oddShare(text.slice(0, SAMPLE_UNITS)) }];
    })
    .sort((a, b) => a.odd - b.odd);
  if (best === undefined || best.odd > MAX_ODD || !isLikelier(best.text, units)) return undefined;
  return { encoding: best.encoding, text: best.text, certainty: Math.round(99 - 98 * best.odd) };
}

/** Without any character that a text does not have; the escapes of terminals are some that it has. */
function textIn(bytes: Uint8Array, encoding: UnmarkedUtf16['encoding']): string | undefined {
  try {
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes);
    return /[^\P{Cc}\s]|[\p{Co}\p{Cn}]/u.test(text.replaceAll('\u001b', '')) ? undefined : text;
  } catch {
    return undefined;
  }
}

/** Blocks that texts change between in the middle of a word no more than they change their script; code units by their upper byte. */
const SCRIPT_STARTS = [0x00, 0x03, 0x04, 0x05, 0x06, 0x07, 0x20, 0x30, 0xa0, 0xac, 0xd8, 0xe0];
/** Letters as wide as ideographs stand among them. */
const WIDE = 0xff;
const scriptOf = (unit: number): number =>
  unit >>> 8 === WIDE ? scriptOf(0x30_00) : SCRIPT_STARTS.findLastIndex((start) => unit >>> 8 >= start);

/**
 * Share of code units that are a letter of ASCII with its bytes swapped, or of another script than both of their neighbours. ASCII stands among all scripts.
 */
function oddShare(text: string): number {
  let odd = 0;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if ((unit & 0xff) === 0) odd += 1;
    else if (unit >= 0x80 && isAlone(text, at)) odd += 1;
  }
  return odd / Math.max(1, text.length);
}

function isAlone(text: string, at: number): boolean {
  const own = scriptOf(text.charCodeAt(at));
  const neighbours = [at - 1, at + 1].filter((other) => other >= 0 && other < text.length);
  return (
    neighbours.length > 0 &&
    neighbours.every((other) => {
      const unit = text.charCodeAt(other);
      return unit >= 0x80 && scriptOf(unit) !== own;
    })
  );
}

/** A text of one byte a letter makes ideographs of its pairs of letters; those of a text in UTF-16 are not made of ASCII. */
function isLikelier(text: string, bytes: Uint8Array): boolean {
  const common = text.match(/[\x20-\x7e\n\u3040-\u30ff]/g)?.length ?? 0;
  if (common * 2 >= text.length) return true;
  let [ascii, nuls] = [0, 0];
  for (const byte of bytes) {
    if (byte === 0) nuls += 1;
    else if ((byte >= 0x20 && byte < 0x7f) || byte === 0x0a) ascii += 1;
  }
  return ascii < MIN_ASCII * (bytes.length - nuls) && !isWestern(bytes);
}

/** Words of Latin letters, some of them beyond ASCII, as older encodings of one byte write them. */
function isWestern(bytes: Uint8Array): boolean {
  const text = Buffer.from(bytes).toString('latin1');
  const beyond = text.match(/[^\0-\x7f]/g)?.length ?? 0;
  const within =
    text.match(/[a-zA-Z][\u00c0-\u00ff]{1,2}(?![^\0-\x7f])|(?<![^\0-\x7f])[\u00c0-\u00ff]{1,2}[a-zA-Z]/g)
      ?.length ?? 0;
  return beyond > 0 && within * 2 >= beyond && /[a-zA-Z]{2}/.test(text);
}
