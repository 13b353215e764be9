export { slicesOf } from '../core/slices.js';

/** What one request holds at most. */
export interface BatchLimits {
  readonly items: number;
  /** In the unit of `sizeOf`; what is larger alone is sent alone. */
  readonly size: number;
}

/** Items in requests of a fair size, made one at a time. */
export function* batchesOf<T>(
  items: Iterable<T>,
  limits: BatchLimits,
  sizeOf: (item: T) => number,
): Generator<T[]> {
  let batch: T[] = [];
  let total = 0;
  for (const item of items) {
    const size = sizeOf(item);
    if (batch.length > 0 && (batch.length >= limits.items || total + size > limits.size)) {
      yield batch;
      batch = [];
      total = 0;
    }
    batch.push(item);
    total += size;
  }
  if (batch.length > 0) yield batch;
}
