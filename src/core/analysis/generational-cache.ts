/**
 * A bounded memory for values that cost more to make than to look up. Two generations instead of an LRU list: a hit in
 * the young one is a single lookup, and what was not asked for during a whole generation is forgotten.
 */
export class GenerationalCache<Value> {
  #young = new Map<string, Value>();
  #old = new Map<string, Value>();
  readonly #generationSize: number;

  /** Holds at most twice `generationSize` values. */
  constructor(generationSize: number) {
    this.#generationSize = generationSize;
  }

  getOrMake(key: string, make: (key: string) => Value): Value {
    const known = this.#young.get(key);
    if (known !== undefined) return known;
    const ownKey = withoutParent(key);
    const value = this.#old.get(ownKey) ?? make(ownKey);
    if (this.#young.size >= this.#generationSize) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(ownKey, value);
    return value;
  }
}

/** Shorter slices are copies anyway in V8. */
const SHORTEST_VIEW = 13;

/**
 * The same text in memory of its own. V8 makes a longer slice as a view of the text it was cut from, so a remembered word
 * would keep its whole document in memory.
 */
const withoutParent = (text: string): string =>
  text.length < SHORTEST_VIEW ? text : Buffer.from(text, 'utf16le').toString('utf16le');
