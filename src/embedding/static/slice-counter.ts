/** Adds up the pieces of the words in a slice of a text, from sums over the words before each. */
export class SliceCounter {
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];
  /** Pieces of all words before each, and of all. */
  readonly #sums: number[] = [0];
  readonly #countWord: (start: number, end: number) => number;

  /** @param countWord Pieces of a part of a word, where a slice cuts one. */
  constructor(countWord: (start: number, end: number) => number) {
    this.#countWord = countWord;
  }

  /** Adds the next word of the text. */
  add(start: number, end: number, pieces: number): void {
    this.#starts.push(start);
    this.#ends.push(end);
    this.#sums.push(this.#sumBefore(this.#starts.length - 1) + pieces);
  }

  /** Pieces between two offsets. */
  count(start: number, end: number): number {
    if (start >= end) return 0;
    const first = this.#wordFrom(start);
    const next = this.#wordFrom(end);
    // Ends of the words that start before either offset.
    const endBefore = this.#ends[first - 1] ?? 0;
    const endOfLast = this.#ends[next - 1] ?? 0;
    const head = endBefore > start ? this.#countWord(start, Math.min(endBefore, end)) : 0;
    if (next === first) return head;
    const isCut = endOfLast > end;
    const whole = this.#sumBefore(isCut ? next - 1 : next) - this.#sumBefore(first);
    return head + whole + (isCut ? this.#countWord(this.#starts[next - 1] ?? end, end) : 0);
  }

  #sumBefore(word: number): number {
    return this.#sums[word] ?? 0;
  }

  /** The first word that starts at an offset or behind it. */
  #wordFrom(offset: number): number {
    let low = 0;
    let high = this.#starts.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#starts[middle] ?? 0) < offset) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
