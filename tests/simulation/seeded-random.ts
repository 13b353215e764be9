/** Chance that is the same for the same seed (sfc32 of Chris Doty-Humphrey's PractRand, begun with three equal words and a counter). */
export class SeededRandom {
  #a: number;
  #b: number;
  #c: number;
  #counter = 1;

  constructor(seed: number) {
    this.#a = seed >>> 0;
    this.#b = Math.floor(seed / 2 ** 32) >>> 0;
    this.#c = 0x9e3779b9;
    for (let i = 0; i < 12; i++) this.#word();
  }

  #word(): number {
    const sum = (this.#a + this.#b + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + sum) | 0;
    return sum >>> 0;
  }

  /** From 0 up to 1, and never 1. */
  number(): number {
    return this.#word() / 2 ** 32;
  }

  /** A whole number from 0 up to so many, and never that. */
  below(limit: number): number {
    return Math.floor(this.number() * limit);
  }

  between(least: number, most: number): number {
    return least + this.number() * (most - least);
  }

  chance(probability: number): boolean {
    return probability > 0 && this.number() < probability;
  }

  pick<T>(all: readonly T[]): T | undefined {
    return all[this.below(all.length)];
  }

  /** One of them, each as often as its weight says. */
  weighed<T extends string>(weights: Readonly<Record<T, number>>): T {
    const entries = Object.entries(weights) as [T, number][];
    let left = this.number() * entries.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [name, weight] of entries) {
      left -= weight;
      if (left < 0) return name;
    }
    return (entries.at(-1) as [T, number])[0];
  }

  /** Hexadecimal digits. */
  hex(digits: number): string {
    let text = '';
    while (text.length < digits) text += this.#word().toString(16).padStart(8, '0');
    return text.slice(0, digits);
  }
}
