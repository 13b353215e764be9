/** Smallest number of insertions, deletions, replacements and swaps of neighbours (optimal string alignment distance). */
export function editDistance(left: string, right: string): number {
  const width = right.length + 1;
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: width }, (_, column) => column);
  for (let row = 1; row <= left.length; row++) {
    const current = [row];
    for (let column = 1; column < width; column++) {
      const isSame = left[row - 1] === right[column - 1];
      let best = Math.min(
        (previous[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (previous[column - 1] ?? 0) + (isSame ? 0 : 1),
      );
      const isSwap = left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
      if (row > 1 && column > 1 && isSwap) best = Math.min(best, (beforePrevious[column - 2] ?? 0) + 1);
      current.push(best);
    }
    beforePrevious = previous;
    previous = current;
  }
  return previous[width - 1] ?? 0;
}

const bare = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');

/**
 * The candidate that was most likely meant, or undefined where none is near: the same letters in another case or spelling
 * (`top_k`, `topk`), or at most a third of the letters wrong.
 */
export function nearestName(name: string, candidates: readonly string[]): string | undefined {
  const wanted = bare(name);
  let best: { candidate: string; distance: number } | undefined;
  for (const candidate of candidates) {
    const distance = editDistance(wanted, bare(candidate));
    if (best === undefined || distance < best.distance) best = { candidate, distance };
  }
  const limit = Math.max(1, Math.floor(wanted.length / 3));
  return best !== undefined && best.distance <= limit ? best.candidate : undefined;
}
