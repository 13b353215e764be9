/** An item, by whatever number its owner gives it. */
export interface ScoredItem {
  readonly item: number;
  readonly score: number;
}

/**
 * Keeps the `k` best of a stream of scored items: a binary heap with the worst kept item on top. Higher scores are better;
 * among equal scores the item that `isBefore` puts first is better.
 */
export class TopK {
  readonly #items: Uint32Array;
  readonly #scores: Float64Array;
  readonly #isBefore: (a: number, b: number) => boolean;
  #size = 0;

  constructor(k: number, isBefore: (a: number, b: number) => boolean) {
    this.#items = new Uint32Array(k);
    this.#scores = new Float64Array(k);
    this.#isBefore = isBefore;
  }

  /** What scores less is not kept. */
  get floor(): number {
    if (this.#size < this.#items.length) return Number.NEGATIVE_INFINITY;
    return this.#items.length === 0 ? Number.POSITIVE_INFINITY : this.#scoreAt(0);
  }

  push(item: number, score: number): void {
    if (this.#size < this.#items.length) {
      this.#place(this.#size, item, score);
      this.#siftUp(this.#size++);
    } else if (this.#isWorse(this.#itemAt(0), this.#scoreAt(0), item, score)) {
      this.#place(0, item, score);
      this.#siftDown();
    }
  }

  /** The kept items, best first. */
  sorted(): ScoredItem[] {
    const kept = Array.from({ length: this.#size }, (_, i) => ({
      item: this.#itemAt(i),
      score: this.#scoreAt(i),
    }));
    return kept.sort((a, b) => b.score - a.score || (this.#isBefore(a.item, b.item) ? -1 : 1));
  }

  #itemAt(index: number): number {
    return this.#items[index] ?? 0;
  }

  #scoreAt(index: number): number {
    return this.#scores[index] ?? 0;
  }

  #isWorse(item: number, score: number, thanItem: number, thanScore: number): boolean {
    return score === thanScore ? this.#isBefore(thanItem, item) : score < thanScore;
  }

  #isWorseAt(a: number, b: number): boolean {
    return this.#isWorse(this.#itemAt(a), this.#scoreAt(a), this.#itemAt(b), this.#scoreAt(b));
  }

  #place(index: number, item: number, score: number): void {
    this.#items[index] = item;
    this.#scores[index] = score;
  }

  #swap(a: number, b: number): void {
    const item = this.#itemAt(a);
    const score = this.#scoreAt(a);
    this.#place(a, this.#itemAt(b), this.#scoreAt(b));
    this.#place(b, item, score);
  }

  #siftUp(start: number): void {
    let child = start;
    while (child > 0) {
      const parent = (child - 1) >> 1;
      if (!this.#isWorseAt(child, parent)) return;
      this.#swap(child, parent);
      child = parent;
    }
  }

  #siftDown(): void {
    let parent = 0;
    for (;;) {
      const left = 2 * parent + 1;
      if (left >= this.#size) return;
      const right = left + 1;
      const child = right < this.#size && this.#isWorseAt(right, left) ? right : left;
      if (!this.#isWorseAt(child, parent)) return;
      this.#swap(child, parent);
      parent = child;
    }
  }
}
