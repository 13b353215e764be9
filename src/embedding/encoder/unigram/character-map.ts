/** Clusters of so many bytes in UTF-8 are looked up as a whole, longer ones character by character. */
const MOST_BYTES = 5;

/**
 * The map of characters of a SentencePiece model (`precompiled_charsmap`, Kudo & Richardson 2018): the length of a double-array trie in bytes, the trie over
 * UTF-8, and the texts that its values point to, each closed by a zero.
 */
export class CharacterMap {
  readonly #trie: Uint32Array;
  readonly #texts: Buffer;
  /** By code point; null for one that stays. */
  readonly #known = new Map<number, string | null>();

  /** @throws Error for bytes that are none */
  constructor(bytes: Buffer) {
    const length = bytes.length < 4 ? 0 : bytes.readUInt32LE(0);
    if (length === 0 || length % 4 !== 0 || bytes.length < 4 + length)
      throw new Error('the map of characters of its tokenizer is cut short');
    this.#trie = Uint32Array.from({ length: length / 4 }, (_, at) => bytes.readUInt32LE(4 + 4 * at));
    this.#texts = bytes.subarray(4 + length);
  }

  /** The text as the tokenizer reads it. As in `tokenizers` of Hugging Face, a cluster is replaced by what stands for its first characters. */
  apply(text: string): string {
    let mapped = '';
    let copied = 0;
    const replace = (start: number, end: number, by: string): void => {
      mapped += text.slice(copied, start) + by;
      copied = end;
    };
    forEachCluster(text, (start, end) => {
      const isOne = end - start === 1 || (end - start === 2 && (text.codePointAt(start) ?? 0) > 0xff_ff);
      const whole = isOne || end - start > MOST_BYTES ? undefined : this.#find(text.slice(start, end));
      if (whole !== undefined) {
        replace(start, end, whole);
        return;
      }
      for (let at = start; at < end; ) {
        const codePoint = text.codePointAt(at) ?? 0;
        const next = at + (codePoint > 0xff_ff ? 2 : 1);
        const by = this.#ofCharacter(codePoint);
        if (by !== null) replace(at, next, by);
        at = next;
      }
    });
    return copied === 0 ? text : mapped + text.slice(copied);
  }

  #ofCharacter(codePoint: number): string | null {
    const known = this.#known.get(codePoint);
    if (known !== undefined) return known;
    const found = this.#find(String.fromCodePoint(codePoint)) ?? null;
    this.#known.set(codePoint, found);
    return found;
  }

  /** What stands for the shortest key that a short text starts with. */
  #find(text: string): string | undefined {
    const bytes = Buffer.from(text);
    if (bytes.length > MOST_BYTES) return undefined;
    let at = offsetOf(this.#trie[0] ?? 0);
    for (const byte of bytes) {
      at ^= byte;
      const unit = this.#trie[at] ?? 0;
      if ((unit & LABEL) !== byte) return undefined;
      at ^= offsetOf(unit);
      if ((unit & HAS_VALUE) !== 0) return this.#textAt((this.#trie[at] ?? 0) & VALUE);
    }
    return undefined;
  }

  #textAt(start: number): string {
    const end = this.#texts.indexOf(0, start);
    return this.#texts.toString('utf8', start, end < 0 ? this.#texts.length : end);
  }
}

// Of a unit of the trie (Darts-clone): the byte that leads to it, or a value; whether a value stands below; and where what is below stands.
const LABEL = 0x80_00_00_ff | 0;
const HAS_VALUE = 0x1_00;
const VALUE = 0x7f_ff_ff_ff;

const offsetOf = (unit: number): number => (unit >>> 10) << ((unit & 0x2_00) >>> 6);

const SEGMENTER = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Code units that the segmenter is given at once: it takes the square of their number. A longer cluster is several. */
const WINDOW = 256;

const ALONE = 1;
const JOINS = 2;
// Filled on first sight of a code point.
const classes = new Uint8Array(0x11_0000);

/** Whether a code point may be in one cluster with another that has not this property, before or behind it. */
function joins(codePoint: number): boolean {
  const known = classes[codePoint];
  if (known !== 0) return known === JOINS;
  const character = String.fromCodePoint(codePoint);
  const clusters = [...SEGMENTER.segment(`a${character}${character}a`)].length;
  classes[codePoint] = character === '\r' || clusters < 4 ? JOINS : ALONE;
  return classes[codePoint] === JOINS;
}

type VisitCluster = (start: number, end: number) => void;

/** Calls `visit` with start and end of each extended grapheme cluster (UAX #29) of a text in order; the segmenter sees what may join alone. */
function forEachCluster(text: string, visit: VisitCluster): void {
  for (let start = 0, end = 0; start < text.length; start = end) {
    let codePoint = text.codePointAt(start) ?? 0;
    let isJoined = joins(codePoint);
    end = start + widthOf(codePoint);
    const first = end;
    while (end < text.length) {
      codePoint = text.codePointAt(end) ?? 0;
      const joinsNext = joins(codePoint);
      if (!isJoined && !joinsNext) break;
      isJoined = joinsNext;
      end += widthOf(codePoint);
    }
    if (end === first) visit(start, end);
    else forEachJoined(text, start, end, visit);
  }
}

function forEachJoined(text: string, start: number, end: number, visit: VisitCluster): void {
  for (let from = start; from < end; ) {
    let to = Math.min(end, from + WINDOW);
    if (to < end && (text.codePointAt(to - 1) ?? 0) > 0xff_ff) to--;
    let next = from;
    for (const { segment } of SEGMENTER.segment(text.slice(from, to))) {
      // The last cluster of a window may go on behind it.
      if (to < end && next > from && next + segment.length === to) break;
      visit(next, next + segment.length);
      next += segment.length;
    }
    from = next;
  }
}

const widthOf = (codePoint: number): number => (codePoint > 0xff_ff ? 2 : 1);
