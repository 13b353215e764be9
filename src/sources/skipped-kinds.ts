import type { ListingSummary } from './source-files.js';

/** How much a listing left out by rule, by kind, the most first: extensions, then what the rules are. */
export function skippedKinds({
  others,
  skipped,
}: Pick<ListingSummary, 'others' | 'skipped'>): Record<string, number> {
  const { hidden, gitignored, symlinks, special } = skipped;
  const rules = { hidden, 'in .gitignore': gitignored, 'symbolic link': symlinks, 'pipe or device': special };
  return {
    ...kindsOf(others),
    ...Object.fromEntries(Object.entries(rules).filter(([, count]) => count > 0)),
  };
}

/** Counts by extension, as people name kinds of files. */
export const kindsOf = (byExtension: ReadonlyMap<string, number>): Record<string, number> =>
  Object.fromEntries(
    [...byExtension]
      .sort(([a, left], [b, right]) => right - left || (a < b ? -1 : 1))
      .map(([extension, count]) => [extension === '' ? 'without extension' : extension, count]),
  );
