/** Node of the empty prefix of pieces that start a word. */
export const WORD_START = 0;
/** Node of the empty prefix of pieces that continue a word. */
export const CONTINUATION = 1;
/** No such node, or no piece that ends here. */
export const NONE = -1;

const CONTINUATION_PREFIX = '##';
// Odd constants of Knuth's multiplicative hashing; they only have to spread the keys.
const NODE_FACTOR = 0x9e_37_79_b1;
const UNIT_FACTOR = 0x85_eb_ca_6b;

/** A prefix tree over the UTF-16 code units of a vocabulary, in flat arrays: walking it allocates nothing. */
export class PieceTrie {
  readonly #mask: number;
  readonly #parents: Int32Array;
  readonly #units: Uint16Array;
  readonly #children: Int32Array;
  readonly #pieceIds: Int32Array;
  #nodeCount = 2;

  /** @param pieces The vocabulary; the position of a piece is its id, and of equal pieces the last counts. */
  constructor(pieces: readonly string[]) {
    let nodeLimit = 2;
    for (const piece of pieces) nodeLimit += piece.length;
    const slots = 2 ** Math.ceil(Math.log2(nodeLimit * 1.5));
    this.#mask = slots - 1;
    this.#parents = new Int32Array(slots).fill(NONE);
    this.#units = new Uint16Array(slots);
    this.#children = new Int32Array(slots);
    this.#pieceIds = new Int32Array(nodeLimit).fill(NONE);
    for (const [id, piece] of pieces.entries()) this.#insert(piece, id);
  }

  /** The node one code unit further, or `NONE`. */
  childOf(node: number, unit: number): number {
    const slot = this.#slotOf(node, unit);
    return this.#parents[slot] === NONE ? NONE : (this.#children[slot] ?? NONE);
  }

  /** Id of the piece that ends at a node, or `NONE`. */
  pieceAt(node: number): number {
    return this.#pieceIds[node] ?? NONE;
  }

  #insert(piece: string, id: number): void {
    const continues = piece.startsWith(CONTINUATION_PREFIX) && piece.length > CONTINUATION_PREFIX.length;
    let node = continues ? CONTINUATION : WORD_START;
    for (let i = continues ? CONTINUATION_PREFIX.length : 0; i < piece.length; i++) {
      node = this.#childOrNew(node, piece.charCodeAt(i));
    }
    this.#pieceIds[node] = id;
  }

  #childOrNew(node: number, unit: number): number {
    const slot = this.#slotOf(node, unit);
    if (this.#parents[slot] !== NONE) return this.#children[slot] ?? NONE;
    const child = this.#nodeCount++;
    this.#parents[slot] = node;
    this.#units[slot] = unit;
    this.#children[slot] = child;
    return child;
  }

  /** Slot of an edge, or the free slot where it would stand (open addressing). */
  #slotOf(node: number, unit: number): number {
    const mixed = Math.imul(node, NODE_FACTOR) ^ Math.imul(unit, UNIT_FACTOR);
    let slot = (mixed ^ (mixed >>> 15)) & this.#mask;
    while (this.#parents[slot] !== NONE && (this.#parents[slot] !== node || this.#units[slot] !== unit)) {
      slot = (slot + 1) & this.#mask;
    }
    return slot;
  }
}
