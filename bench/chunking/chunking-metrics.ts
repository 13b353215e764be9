import type { TextRange } from '../../src/core/document.js';
import { coveredLength, intersectRanges, sumOfLengths } from './ranges.js';

/** A stretch of one corpus. */
export interface CorpusRange extends TextRange {
  readonly corpus: string;
}

/** Passages of one corpus that together answer a question. */
export interface ChunkingQuestion {
  readonly question: string;
  readonly corpus: string;
  readonly references: readonly TextRange[];
}

/** How well the retrieved chunks cover the references of one question; each in [0, 1]. */
export interface ChunkingScores {
  /** Share of the references that was retrieved. */
  readonly recall: number;
  /** Share of the retrieved text that belongs to a reference. */
  readonly precision: number;
  /** Retrieved reference text, over all text retrieved or missed. */
  readonly iou: number;
}

/**
 * Recall, precision and intersection over union of Smith and Troynikov, "Evaluating Chunking Strategies for Retrieval"
 * (Chroma Technical Report, 2024), as their published program computes them: lengths in characters, text retrieved twice
 * counts twice in the denominators, and chunks of other corpora count as retrieved in vain.
 */
export function scoreRetrieval(
  { corpus, references }: ChunkingQuestion,
  retrieved: readonly CorpusRange[],
): ChunkingScores {
  const own = retrieved.filter((chunk) => chunk.corpus === corpus);
  const hit = coveredLength(intersections(own, references));
  const missed = coveredLength(references) - hit;
  const retrievedLength = sumOfLengths(retrieved);
  return {
    recall: ratio(hit, sumOfLengths(references)),
    precision: ratio(hit, retrievedLength),
    iou: ratio(hit, retrievedLength + missed),
  };
}

/**
 * Precision-omega of the same report: the precision that a retriever without fault would reach, which takes exactly
 * the chunks that hold some reference text. It depends on the chunks alone.
 */
export function precisionOmega(
  { corpus, references }: ChunkingQuestion,
  chunks: readonly CorpusRange[],
): number {
  const holding = chunks.filter(
    (chunk) => chunk.corpus === corpus && references.some((reference) => intersectRanges(chunk, reference)),
  );
  const hit = coveredLength(intersections(holding, references));
  return ratio(hit, coveredLength([...holding, ...references]));
}

const intersections = (chunks: readonly TextRange[], references: readonly TextRange[]): TextRange[] =>
  chunks.flatMap((chunk) =>
    references.flatMap((reference) => {
      const shared = intersectRanges(chunk, reference);
      return shared === undefined ? [] : [shared];
    }),
  );

const ratio = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole);
