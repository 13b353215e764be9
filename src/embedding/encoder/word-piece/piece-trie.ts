/** Node of the empty prefix of pieces that start a word. */
export const WORD_START = 0;
/** Node of the empty prefix of pieces that continue a word. */
export const CONTINUATION = 1;
/** No such node, or no piece that ends here. */
export const NONE = -1;

/** How many code units there are. */
const UNITS = 0x1_00_00;
/** A power of two. Edges lie scattered over the table, so that a large one for few of them would cost a page of memory each. */
const FEWEST_SLOTS = 0x10_00;
/** Share of the slots that are taken before there are twice as many. */
const MOST_TAKEN = 2 / 3;
// Odd constants of Knuth's multiplicative hashing; they only have to spread the keys.
const NODE_FACTOR = 0x9e_37_79_b1;
const UNIT_FACTOR = 0x85_eb_ca_6b;

/**
 * A prefix tree over the UTF-16 code units of a vocabulary, in flat arrays: walking it allocates nothing. The edges of a node are made
 * when it is first walked from, of the pieces that were handed down to it, so that a process that reads one query makes a small part.
 */
export class PieceTrie {
  readonly #pieces: readonly string[];
  // Of edges, hashed; a slot without a child is free.
  #mask = FEWEST_SLOTS - 1;
  #parents = new Int32Array(FEWEST_SLOTS);
  #units = new Uint16Array(FEWEST_SLOTS);
  #children = new Int32Array(FEWEST_SLOTS);
  // Of nodes: code units of their prefix in its pieces, the id that ends there plus 1, and the last piece that waits there plus 1.
  readonly #depths: Uint32Array;
  readonly #pieceIds: Int32Array;
  readonly #waiting: Int32Array;
  /** The last piece that waits to be the edge of its first code unit, plus 1: of those that start a word, then of those that continue one. */
  readonly #starting = new Int32Array(2 * UNITS);
  /** The piece that waits at the same place, plus 1; 0 behind the first. */
  readonly #next: Int32Array;
  #nodeCount = 2;

  /**
   * @param pieces The vocabulary; the position of a piece is its id, and of equal pieces the last counts.
   * @param prefix What pieces that continue a word begin with; absent where all pieces start at `WORD_START`.
   */
  constructor(pieces: readonly string[], prefix?: string) {
    const next = new Int32Array(pieces.length);
    const starting = this.#starting;
    let nodeLimit = 2;
    let empty = 0;
    // A plain loop over local names: it runs once, before anything is optimised, over 30,000 pieces.
    for (let id = 0; id < pieces.length; id++) {
      const piece = pieces[id] ?? '';
      nodeLimit += piece.length;
      if (piece.length === 0) {
        empty = id + 1;
        continue;
      }
      const isContinuation = prefix !== undefined && piece.length > prefix.length && piece.startsWith(prefix);
      const place = isContinuation ? UNITS + piece.charCodeAt(prefix.length) : piece.charCodeAt(0);
      next[id] = starting[place] ?? 0;
      starting[place] = id + 1;
    }
    this.#pieces = pieces;
    this.#next = next;
    this.#depths = new Uint32Array(nodeLimit);
    this.#pieceIds = new Int32Array(nodeLimit);
    this.#waiting = new Int32Array(nodeLimit);
    this.#depths[CONTINUATION] = prefix?.length ?? 0;
    this.#pieceIds[WORD_START] = empty;
  }

  /** The node one code unit further, or `NONE`. */
  childOf(node: number, unit: number): number {
    if (node <= CONTINUATION) this.#makeFirstEdge(node, unit);
    else if (this.#waiting[node] !== 0) this.#makeEdges(node);
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

  #makeFirstEdge(node: number, unit: number): void {
    const place = node * UNITS + unit;
    const last = this.#starting[place] ?? 0;
    if (last === 0) return;
    this.#starting[place] = 0;
    const child = this.#childOrNew(node, unit, (this.#depths[node] ?? 0) + 1);
    this.#forEachOf(last, (id) => this.#handTo(child, id));
  }

  #makeEdges(node: number): void {
    const depth = this.#depths[node] ?? 0;
    const last = this.#waiting[node] ?? 0;
    this.#waiting[node] = 0;
    this.#forEachOf(last, (id) =>
      this.#handTo(this.#childOrNew(node, this.#pieces[id]?.charCodeAt(depth) ?? 0, depth + 1), id),
    );
  }

  /** The pieces that wait at one place, each of which may be handed on. */
  #forEachOf(last: number, hand: (id: number) => void): void {
    for (let piece = last; piece !== 0; ) {
      const id = piece - 1;
      piece = this.#next[id] ?? 0;
      hand(id);
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
    if (this.#nodeCount > MOST_TAKEN * this.#mask) this.#makeRoom();
    return child;
  }

  #makeRoom(): void {
    const [parents, units, children] = [this.#parents, this.#units, this.#children];
    const slots = 2 * children.length;
    this.#mask = slots - 1;
    this.#parents = new Int32Array(slots);
    this.#units = new Uint16Array(slots);
    this.#children = new Int32Array(slots);
    for (const [old, child] of children.entries()) {
      if (child === 0) continue;
      const slot = this.#slotOf(parents[old] ?? 0, units[old] ?? 0);
      this.#parents[slot] = parents[old] ?? 0;
      this.#units[slot] = units[old] ?? 0;
      this.#children[slot] = child;
    }
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
