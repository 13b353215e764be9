/** At most `size` items each. */
export function* slicesOf<T>(items: readonly T[], size: number): Generator<T[]> {
  // Counted by steps, for a size may be infinite.
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size);
}
