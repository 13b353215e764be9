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
    const value = this.#old.get(key) ?? make(key);
    if (this.#young.size >= this.#generationSize) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(key, value);
    return value;
  }
}
