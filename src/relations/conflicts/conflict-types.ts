import type { LineRange, TextRange } from '../../core/document.js';
import type { ToldNotices } from '../../core/notice.js';

/** `duplicate`: the same passage in several documents. `conflict`: statements about the same thing that cannot both be right. */
export const FINDING_KINDS = ['duplicate', 'conflict'] as const;

export type FindingKind = (typeof FINDING_KINDS)[number];

/**
 * `quantity`: another number, amount, date or version. `negation`: one denies what the other says. `opposite`: words that exclude each other.
 * `alternative`: another weekday, month, rhythm or rank. `name`: another name in the same place.
 */
export const DIFFERENCE_KINDS = ['quantity', 'negation', 'opposite', 'alternative', 'name'] as const;

export type DifferenceKind = (typeof DIFFERENCE_KINDS)[number];

/** What differs, in the words of each statement. */
export interface Difference {
  readonly kind: DifferenceKind;
  readonly first: string;
  readonly second: string;
}

/** Which findings are wanted. */
export interface ConflictsRequest {
  /** @default both */
  readonly kinds?: readonly FindingKind[] | undefined;
  /** Findings that a document, by its id, has a part in; none for one that may not be read. @default all */
  readonly document?: string | undefined;
  /** Most findings of each kind, 1 to 10,000. @default 100 */
  readonly limit?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Where a passage stands. */
export interface FindingPlace {
  readonly documentId: string;
  /** Name of the configured source. */
  readonly source: string;
  /** Path or id relative to the source. */
  readonly externalId: string;
  readonly title?: string | undefined;
  readonly url?: string | undefined;
  /** Last change of the document, else its creation, as its metadata says, ISO-8601; absent where it says neither. */
  readonly date?: string | undefined;
  /** Of the stored text. */
  readonly offsets: TextRange;
  /** 1-based, inclusive. */
  readonly lines: LineRange;
}

/** A passage of a finding, in the words of its first place. */
export interface FindingPassage {
  /** Exact slice of the stored text. */
  readonly quote: string;
  /** The newest first, those without a date last; at most 20. */
  readonly places: readonly FindingPlace[];
  /** Places beyond those. */
  readonly more: number;
}

export interface Finding {
  readonly kind: FindingKind;
  /** Share of terms that the passages have in common beside the differences, 0 to 1. */
  readonly agreement: number;
  /** What differs, in the order of `passages`; empty for duplicates. */
  readonly differences: readonly Difference[];
  /** Of a conflict two, of a duplicate one for each document; the newest first. */
  readonly passages: readonly FindingPassage[];
}

export interface ConflictsResponse extends ToldNotices {
  /** Conflicts first, the surest before others. */
  readonly findings: readonly Finding[];
  /** Of all that were found, also beyond `limit` and of kinds that were not asked for. */
  readonly totals: Readonly<Record<FindingKind, number>>;
  /** Documents that were compared. */
  readonly examined: number;
  /** Ids of documents that may be read and have not been examined yet, at most 100. */
  readonly notExamined: readonly string[];
}

/** What a passage of an answer's context says. */
export interface SourceStatement {
  /** Number of the passage. */
  readonly n: number;
  readonly documentId: string;
  /** Path or id relative to the root of its source. */
  readonly source: string;
  readonly title?: string;
  /** ISO-8601 UTC: last change, else creation. */
  readonly date?: string;
  /** Exact slice of the passage. */
  readonly quote: string;
}

/** Two passages of a context that contradict each other. */
export interface SourceConflict {
  /** In the order of `statements`. */
  readonly differences: readonly Difference[];
  /** The newer one first, where both have a date. */
  readonly statements: readonly [SourceStatement, SourceStatement];
}
