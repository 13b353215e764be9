import type { Metadata } from './filter.js';

export interface Row {
  readonly id: string;
  readonly values: Float32Array;
  readonly metadata?: Metadata | undefined;
}

/**
 * Rows of one namespace. Writes are numbered and shown some time later, in their order, as the service does it
 * (https://docs.pinecone.io/guides/index-data/check-data-freshness).
 */
export class Namespace {
  readonly #delayMs: number;
  readonly #waiting: { readonly at: number; readonly apply: (rows: Map<string, Row>) => void }[] = [];
  readonly #rows = new Map<string, Row>();
  #written = 0;

  constructor(delayMs: number) {
    this.#delayMs = delayMs;
  }

  /** The number of the write. */
  write(apply: (rows: Map<string, Row>) => void): number {
    this.#waiting.push({ at: Date.now() + this.#delayMs, apply });
    return ++this.#written;
  }

  /** What is shown now, and the number of the last write in it. */
  read(): { readonly rows: ReadonlyMap<string, Row>; readonly seen: number } {
    while (this.#waiting[0] !== undefined && this.#waiting[0].at <= Date.now())
      this.#waiting.shift()?.apply(this.#rows);
    return { rows: this.#rows, seen: this.#written - this.#waiting.length };
  }
}

/** Cosine of two vectors. */
export function cosine(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let [dot, normA, normB] = [0, 0, 0];
  for (let i = 0; i < a.length; i++) {
    const [x, y] = [a[i] ?? 0, b[i] ?? 0];
    dot += x * y;
    normA += x * x;
    normB += y * y;
  }
  return Math.fround(dot / Math.sqrt(normA * normB));
}
