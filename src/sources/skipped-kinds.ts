import type { Source } from './source.js';
import type { FileSelection, ListingSummary, RootedSelection } from './source-files.js';
import { extensionOf } from './walk-files.js';

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
      .map(([extension, count]) => [kindOf(extension), count]),
  );

const kindOf = (extension: string): string => (extension === '' ? 'without extension' : extension);

/** Counts of `listingSkipped` without files that are read all the same. */
export function withoutFiles(
  counts: Readonly<Record<string, number>>,
  paths: readonly string[],
): Record<string, number> {
  const left = new Map(Object.entries(counts));
  for (const path of paths) {
    const kind = kindOf(extensionOf(path));
    left.set(kind, (left.get(kind) ?? 0) - 1);
  }
  return Object.fromEntries([...left].filter(([, count]) => count > 0));
}

const MOST_KINDS = 5;

/** Says that patterns match nothing although files lie beside, which is a slip more often than not. */
export function describeUnmatched(
  { name, include = [] }: Pick<FileSelection, 'name' | 'include'>,
  { matched, unreadable, others }: Pick<ListingSummary, 'matched' | 'unreadable' | 'others'>,
): string[] {
  if (matched + unreadable > 0 || others.size === 0 || include.length === 0) return [];
  const kinds = Object.entries(kindsOf(others)).map(([kind, count]) => `${count} ${kind}`);
  const more = kinds.length > MOST_KINDS ? ['others'] : [];
  return [
    `Source "${name}" finds nothing: its paths (${include.join(', ')}) name none of the files there (${[...kinds.slice(0, MOST_KINDS), ...more].join(', ')}). Name them in \`paths\`; a source of type \`files\` reads documents and source code of every kind.`,
  ];
}

/** A selection, and what its source says after a listing in which the patterns matched nothing. */
export function watchUnmatched(
  options: RootedSelection,
): { readonly selection: RootedSelection } & Pick<Required<Source>, 'listingNotices' | 'listingSkipped'> {
  let listed: Pick<ListingSummary, 'matched' | 'unreadable' | 'others'> = {
    matched: 0,
    unreadable: 0,
    others: new Map(),
  };
  return {
    selection: {
      ...options,
      onListed: (summary) => {
        listed = summary;
        options.onListed?.(summary);
      },
    },
    listingNotices: () => describeUnmatched(options, listed),
    listingSkipped: () => kindsOf(listed.others),
  };
}
