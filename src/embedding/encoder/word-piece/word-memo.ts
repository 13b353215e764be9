import type { TextRange } from '../../../core/document.js';

/** Longest word that is remembered, in code units, and most pieces; rarer words are split each time. */
const MAX_UNITS = 24;
const MAX_PIECES = 8;

/** Words at most; about 2.5 MB in all. */
const SLOTS = 2 ** 15;

// Odd constants of the FNV-1a hash and of Knuth's multiplicative hashing; they only have to spread the words.
const PRIME = 0x01_00_01_93;
const FACTOR = 0x9e_37_79_b1;

/**
 * Remembers the pieces of words, in flat arrays: to ask allocates nothing and reads two short stretches of memory, where a walk
 * through the tree of pieces reads a far place a letter. A new word takes the place of whatever hashes to the same slot.
 */
export class WordMemo {
  readonly #lengths = new Uint8Array(SLOTS);
  readonly #units = new Uint16Array(SLOTS * MAX_UNITS);
  readonly #counts = new Uint8Array(SLOTS);
  readonly #pieces = new Int32Array(SLOTS * MAX_PIECES);

  /** Writes the pieces of a word of the text to `target`, which has room, and returns how many; 0 where it is not known. */
  read(text: Uint16Array, { start, end }: TextRange, target: Int32Array): number {
    if (end - start > MAX_UNITS) return 0;
    const slot = slotOf(text, start, end);
    if (this.#lengths[slot] !== end - start) return 0;
    const offset = slot * MAX_UNITS - start;
    for (let i = start; i < end; i++) if (this.#units[offset + i] !== text[i]) return 0;
    const count = this.#counts[slot] ?? 0;
    for (let i = 0; i < count; i++) target[i] = this.#pieces[slot * MAX_PIECES + i] ?? 0;
    return count;
  }

  /** Remembers the pieces of a word of the text, unless it is unusually long. */
  write(text: Uint16Array, { start, end }: TextRange, pieces: Int32Array): void {
    if (end - start > MAX_UNITS || pieces.length > MAX_PIECES) return;
    const slot = slotOf(text, start, end);
    this.#lengths[slot] = end - start;
    this.#units.set(text.subarray(start, end), slot * MAX_UNITS);
    this.#counts[slot] = pieces.length;
    this.#pieces.set(pieces, slot * MAX_PIECES);
  }
}

function slotOf(text: Uint16Array, start: number, end: number): number {
  let hash = 0;
  for (let i = start; i < end; i++) hash = Math.imul(hash ^ (text[i] ?? 0), PRIME);
  const mixed = Math.imul(hash, FACTOR);
  return (mixed ^ (mixed >>> 15)) & (SLOTS - 1);
}
