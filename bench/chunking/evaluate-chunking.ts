import type { TextRange } from '../../src/core/document.js';
import { type MeanAndDeviation, meanAndDeviation } from '../shared/statistics.js';
import {
  type ChunkingQuestion,
  type CorpusRange,
  precisionOmega,
  scoreRetrieval,
} from './chunking-metrics.js';

/** A text that is chunked, and the questions about it. */
export interface ChunkingCorpus {
  readonly id: string;
  readonly text: string;
}

export interface ChunkingEvaluation<Chunk extends TextRange> {
  readonly corpora: readonly ChunkingCorpus[];
  readonly questions: readonly ChunkingQuestion[];
  readonly chunk: (corpus: ChunkingCorpus) => readonly Chunk[];
  /**
   * Indexes the chunks of all corpora together. The function it gives back finds passages for a question, best first: chunks,
   * or what a retriever makes of them; more than `k` are ignored.
   */
  readonly retrieve: (
    chunks: readonly (Chunk & CorpusRange)[],
  ) => (question: string) => Promise<readonly CorpusRange[]>;
  /** @default 5 */
  readonly k?: number;
}

export interface ChunkingReport {
  readonly chunks: number;
  readonly questions: number;
  readonly recall: MeanAndDeviation;
  readonly precision: MeanAndDeviation;
  readonly precisionOmega: MeanAndDeviation;
  readonly iou: MeanAndDeviation;
}

const DEFAULT_K = 5;

/** Chunks the corpora, retrieves for each question, and scores (see `scoreRetrieval` and `precisionOmega`). */
export async function evaluateChunking<Chunk extends TextRange>(
  evaluation: ChunkingEvaluation<Chunk>,
): Promise<ChunkingReport> {
  const { corpora, questions, k = DEFAULT_K } = evaluation;
  const chunks = corpora.flatMap((corpus) =>
    evaluation.chunk(corpus).map((chunk) => ({ ...chunk, corpus: corpus.id })),
  );
  const find = evaluation.retrieve(chunks);
  const scores = [];
  for (const question of questions) {
    const retrieved = (await find(question.question)).slice(0, k);
    scores.push({ ...scoreRetrieval(question, retrieved), omega: precisionOmega(question, chunks) });
  }
  return {
    chunks: chunks.length,
    questions: questions.length,
    recall: meanAndDeviation(scores.map(({ recall }) => recall)),
    precision: meanAndDeviation(scores.map(({ precision }) => precision)),
    precisionOmega: meanAndDeviation(scores.map(({ omega }) => omega)),
    iou: meanAndDeviation(scores.map(({ iou }) => iou)),
  };
}
