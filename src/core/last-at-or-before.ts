/**
 * Index of the last item that starts at an offset or before it, by binary search; 0 where none does.
 *
 * @param items in the order of their starts
 */
export function lastAtOrBefore<T>(items: readonly T[], offset: number, startOf: (item: T) => number): number {
  let low = 0;
  let high = items.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    const item = items[middle];
    if (item !== undefined && startOf(item) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}
