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

/**
 * A prefix tree over the UTF-16 code units of a vocabulary, in flat arrays: walking it allocates nothing. The edges of a node are made
 * when it is first walked from, of the pieces that were handed down to it, so that a process that reads one query makes a small part.
 */
export class PieceTrie {
  readonly #pieces: readonly string[];
  readonly #mask: number;
  // Of edges; a slot without a child is free.
  readonly #parents: Int32Array;
  readonly #units: Uint16Array;
  readonly #children: Int32Array;
  // Of nodes: code units of their prefix in its pieces, the id that ends there plus 1, and the last piece that waits there plus 1.
  readonly #depths: Uint32Array;
  readonly #pieceIds: Int32Array;
  readonly #waiting: Int32Array;
  /** The piece that waits at the same node, plus 1; 0 behind the first. */
  readonly #next: Int32Array;
  #nodeCount = 2;

  /** @param pieces The vocabulary; the position of a piece is its id, and of equal pieces the last counts. */
  constructor(pieces: readonly string[]) {
    let nodeLimit = 2;
    for (const piece of pieces) nodeLimit += piece.length;
    const slots = 2 ** Math.ceil(Math.log2(nodeLimit * 1.5));
    this.#pieces = pieces;
    this.#mask = slots - 1;
    this.#parents = new Int32Array(slots);
    this.#units = new Uint16Array(slots);
    this.#children = new Int32Array(slots);
    this.#depths = new Uint32Array(nodeLimit);
    this.#pieceIds = new Int32Array(nodeLimit);
    this.#waiting = new Int32Array(nodeLimit);
    this.#next = new Int32Array(pieces.length);
    this.#depths[CONTINUATION] = CONTINUATION_PREFIX.length;
    for (const [id, piece] of pieces.entries()) {
      const continues = piece.startsWith(CONTINUATION_PREFIX) && piece.length > CONTINUATION_PREFIX.length;
      this.#handTo(continues ? CONTINUATION : WORD_START, id);
    }
  }

  /** The node one code unit further, or `NONE`. */
  childOf(node: number, unit: number): number {
    if (this.#waiting[node] !== 0) this.#makeEdges(node);
    return (this.#children[this.#slotOf(node, unit)] ?? 0) || NONE;
  }

  /** Id of the piece that ends at a node, or `NONE`. */
  pieceAt(node: number): number {
    return (this.#pieceIds[node] ?? 0) - 1;
  }

  /** A piece waits at a node, or ends there. */
  #handTo(node: number, id: number): void {
    if (this.#pieces[id]?.length === this.#depths[node]) {
      this.#pieceIds[node] = Math.max(this.#pieceIds[node] ?? 0, id + 1);
      return;
    }
    this.#next[id] = this.#waiting[node] ?? 0;
    this.#waiting[node] = id + 1;
  }

  #makeEdges(node: number): void {
    const depth = this.#depths[node] ?? 0;
    let piece = this.#waiting[node] ?? 0;
    this.#waiting[node] = 0;
    while (piece !== 0) {
      const id = piece - 1;
      piece = this.#next[id] ?? 0;
      this.#handTo(this.#childOrNew(node, this.#pieces[id]?.charCodeAt(depth) ?? 0, depth + 1), id);
    }
  }

  #childOrNew(node: number, unit: number, depth: number): number {
    const slot = this.#slotOf(node, unit);
    const known = this.#children[slot] ?? 0;
    if (known !== 0) return known;
    const child = this.#nodeCount++;
    this.#parents[slot] = node;
    this.#units[slot] = unit;
    this.#children[slot] = child;
    this.#depths[child] = depth;
    return child;
  }

  /** Slot of an edge, or the free slot where it would stand (open addressing). */
  #slotOf(node: number, unit: number): number {
    const mixed = Math.imul(node, NODE_FACTOR) ^ Math.imul(unit, UNIT_FACTOR);
    let slot = (mixed ^ (mixed >>> 15)) & this.#mask;
    while (this.#children[slot] !== 0 && (this.#parents[slot] !== node || this.#units[slot] !== unit)) {
      slot = (slot + 1) & this.#mask;
    }
    return slot;
  }
}
