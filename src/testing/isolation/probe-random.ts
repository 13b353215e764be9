import { seededRandom } from '../vector-store/records.js';

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
const WORD_LENGTH = 12;

/** Choices that are the same for the same seed. */
export class ProbeRandom {
  readonly #next: () => number;

  constructor(seed: number) {
    this.#next = seededRandom(seed * 2_654_435_761);
  }

  /** A whole number from 0 to below `end`. */
  below(end: number): number {
    return Math.floor(this.#next() * end);
  }

  /** One of them; they are at least one. */
  of<Item>(items: readonly [Item, ...Item[]] | readonly Item[]): Item {
    const item = items[this.below(items.length)];
    if (item === undefined && items.length === 0) throw new RangeError('There is nothing to choose from.');
    return item as Item;
  }

  /** A name, as often as its weight says. */
  weighted<Name extends string>(weights: Readonly<Record<Name, number>>): Name {
    const entries = Object.entries<number>(weights) as [Name, number][];
    let left = this.#next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [name, weight] of entries) {
      left -= weight;
      if (left < 0) return name;
    }
    return this.of(entries.map(([name]) => name));
  }

  /** A word that occurs nowhere else. */
  word(): string {
    return Array.from({ length: WORD_LENGTH }, () => this.of([...LETTERS])).join('');
  }
}
