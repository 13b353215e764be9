import { type Comparison, compareStatements, type QuotedStatement } from './compare-statements.js';
import type { Difference } from './conflict-types.js';

/** A statement with what its document is about. */
export interface PlacedStatement extends QuotedStatement {
  /** Terms of the document's title and path, and of the headings above. */
  readonly about: ReadonlySet<string>;
}

/** What two statements have to each other. */
export type Verdict =
  | { readonly kind: 'conflict'; readonly agreement: number; readonly differences: readonly Difference[] }
  | { readonly kind: 'duplicate'; readonly agreement: number };

/** Overlap of terms from which two statements are compared at all (Dice); found with half of the planted contradictions of `bench/quality`. */
export const LEAST_OVERLAP = 0.5;

/** How much two statements must agree beside what differs, by the kind of the first difference; and in how many terms. */
const LEAST: Readonly<Record<Difference['kind'], { readonly agreement: number; readonly shared: number }>> = {
  quantity: { agreement: 0.6, shared: 3 },
  negation: { agreement: 0.7, shared: 4 },
  opposite: { agreement: 0.7, shared: 3 },
  alternative: { agreement: 0.6, shared: 3 },
  name: { agreement: 0.75, shared: 4 },
};
/** Statements that share so few terms must agree in more. */
const FEW_TERMS = 3;
const LEAST_OF_FEW = 0.7;
/** Numbers of which nobody says that they count the same. */
const LEAST_OF_UNKNOWN = 0.75;
const LEAST_OF_DUPLICATES = 0.85;

/** Judges two statements of different documents; undefined where they are neither. Symmetric but for the order of what is quoted. */
export function conflictOf(first: PlacedStatement, second: PlacedStatement): Verdict | undefined {
  const comparison = compareStatements(first, second);
  const { agreement, differences } = comparison;
  const [difference] = differences;
  if (difference === undefined) return isDuplicate(comparison) ? { kind: 'duplicate', agreement } : undefined;
  const { agreement: least, shared } = LEAST[difference.kind];
  const isConflict =
    agreement >= least &&
    comparison.shared >= shared &&
    (comparison.shared > FEW_TERMS || agreement >= LEAST_OF_FEW) &&
    (!comparison.isOfUnknownThings || agreement >= LEAST_OF_UNKNOWN) &&
    !comparison.isOfOtherThings &&
    !comparison.isOfOwnThings &&
    !areOwnThings(comparison, first, second) &&
    ![first, second].some(isNoClaim) &&
    !(difference.kind === 'name' && isOwnName(difference, first, second));
  return isConflict ? { kind: 'conflict', agreement, differences } : undefined;
}

const isDuplicate = ({ agreement }: Comparison): boolean => agreement >= LEAST_OF_DUPLICATES;

/** A question, or the row of a table: what it says depends on its neighbours. */
const isNoClaim = ({ text }: QuotedStatement): boolean => /^\s*\|/.test(text) || /\?\W*$/.test(text);

/** One speaks of what its document is about, and the other document is about something else. */
function areOwnThings(
  { ownNames: [a, b] }: Comparison,
  first: PlacedStatement,
  second: PlacedStatement,
): boolean {
  const isOwn = (names: readonly string[], own: PlacedStatement, other: PlacedStatement): boolean =>
    names.some((name) => own.about.has(name) && !other.about.has(name));
  return isOwn(a, first, second) || isOwn(b, second, first);
}

/** Each document names what it is about itself: the same is said of two things. */
function isOwnName(
  { first: a, second: b }: Difference,
  first: PlacedStatement,
  second: PlacedStatement,
): boolean {
  const names = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]{2,}/gu) ?? [];
  const isOwn = (name: string, { about }: PlacedStatement): boolean =>
    names(name).some((word) => about.has(word));
  return isOwn(a, first) || isOwn(b, second);
}
