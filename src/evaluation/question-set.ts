import * as z from 'zod';
import { datasetError, datasetLines, parseObject } from './dataset-lines.js';

/** A verbatim passage that answers a question. */
export interface GoldQuote {
  /** Relative to the root of the folder the questions are about, with `/`. */
  readonly path: string;
  readonly quote: string;
}

/** A question whose answer was marked in real files. */
export interface Question {
  readonly id: string;
  readonly question: string;
  /** `multi` needs every gold quote; any other type needs one. */
  readonly type: string;
  /** Empty for a question that the folder does not answer. */
  readonly gold: readonly GoldQuote[];
  /** Other passages that answer as well; they do not count for `multi`. */
  readonly alternates: readonly GoldQuote[];
}

const QUOTES = z.array(z.object({ path: z.string().min(1), quote: z.string().regex(/\S/) }));
const QUESTION_SCHEMA = z.object({
  id: z.string().min(1),
  question: z.string().regex(/\S/),
  type: z.string().min(1),
  gold: QUOTES,
  alternates: QUOTES.default([]),
});

/** The type whose questions need every gold quote. */
export const MULTI = 'multi';

/** Whether the folder answers the question; the others test abstention, not retrieval. */
export const isAnswerable = ({ gold }: Pick<Question, 'gold'>): boolean => gold.length > 0;

/**
 * Reads questions in JSONL: `id`, `question`, `type`, `gold` [{path, quote}] and optionally `alternates`.
 *
 * @throws RAGError `DATASET_INVALID` naming file and line.
 */
export async function readQuestionSet(file: string): Promise<Question[]> {
  const questions: Question[] = [];
  const seen = new Set<string>();
  for await (const line of datasetLines(file)) {
    const parsed = QUESTION_SCHEMA.safeParse(parseObject(line));
    if (!parsed.success) throw datasetError(line, z.prettifyError(parsed.error).replaceAll('\n', ' '));
    if (seen.has(parsed.data.id)) throw datasetError(line, `the id "${parsed.data.id}" is there twice`);
    seen.add(parsed.data.id);
    questions.push(parsed.data);
  }
  return questions;
}
