import * as z from 'zod';
import { nonEmptyText } from '../core/setting-values.js';
import { datasetError, datasetLines, parseObject } from './dataset-lines.js';

/** A verbatim passage that answers a question. */
export interface GoldQuote {
  /** Relative to the root of the folder the questions are about, with `/`. */
  readonly path: string;
  readonly quote: string;
  /** How well it answers: 1 a little, 3 best. Stated by judgments of feedback. @default 1 */
  readonly grade?: number | undefined;
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

const QUOTES = z.array(
  z.object({
    path: nonEmptyText(),
    quote: z.string().regex(/\S/),
    grade: z.int().min(1).max(3).optional(),
  }),
);
/** A question of which every quote has a grade. */
export type GradedQuestion = Omit<Question, 'gold' | 'alternates'> & {
  readonly [Kind in 'gold' | 'alternates']: readonly (GoldQuote & { readonly grade: number })[];
};

const QUESTION_SCHEMA = z.object({
  id: nonEmptyText(),
  question: z.string().regex(/\S/),
  type: nonEmptyText(),
  gold: QUOTES,
  alternates: QUOTES.default([]),
});

/** The type whose questions need every gold quote. */
export const MULTI = 'multi';

/** Whether the folder answers the question; the others test abstention, not retrieval. */
export const isAnswerable = ({ gold }: Pick<Question, 'gold'>): boolean => gold.length > 0;

/** Whether quotes of any question state how well they answer, so that their order counts. */
export const areGraded = (questions: readonly Question[]): boolean =>
  questions.some(({ gold, alternates }) => [...gold, ...alternates].some(({ grade }) => grade !== undefined));

/** Questions as `readQuestionSet` reads them, one a line. */
export const formatQuestionSet = (questions: readonly Question[]): string =>
  questions.map((question) => `${JSON.stringify(question)}\n`).join('');

/**
 * Reads questions in JSONL: `id`, `question`, `type`, `gold` [{path, quote, grade}] and optionally `alternates`; `grade` is optional.
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
