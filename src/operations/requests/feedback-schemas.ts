import * as z from 'zod';
import { isSignal } from '../../core/plain-copy.js';
import type { FeedbackJudgmentsRequest } from '../feedback-judgments.js';
import {
  ANSWER_VERDICTS,
  FEEDBACK_KINDS,
  type FeedbackRequest,
  type ListFeedbackRequest,
  MOST_SHOWN,
} from '../feedback-types.js';
import type { ShapeOf } from './check-shape.js';

/** Characters of a question and of a comment. */
const MOST_QUERY = 10_000;
const MOST_COMMENT = 2_000;
const MOST_NAME = 200;

const signal = z.custom<AbortSignal>(isSignal, 'an AbortSignal').optional();
const rank = z.int('a rank from 1 up').min(1, 'a rank from 1 up');
const ranks = z.array(rank).max(MOST_SHOWN, `at most ${MOST_SHOWN} ranks`).optional();
const id = z.string('an id').min(1, 'an id').max(MOST_NAME, `at most ${MOST_NAME} characters`);
const name = z.string().max(MOST_NAME, `at most ${MOST_NAME} characters`).optional();

const passage = z.strictObject({
  chunkIds: z.array(id).min(1, 'at least one id').max(MOST_SHOWN, `at most ${MOST_SHOWN} ids`),
  score: z.number('a number').optional(),
});

export const feedbackSchema = z.strictObject({
  query: z
    .string('a text')
    .regex(/\S/, 'a text that is not empty')
    .max(MOST_QUERY, `at most ${MOST_QUERY} characters`),
  kind: z.enum(FEEDBACK_KINDS, `one of ${FEEDBACK_KINDS.join(', ')}`).optional(),
  shown: z
    .array(z.union([id, passage], 'the id of a passage, or an object with its chunkIds'))
    .min(1, 'a list of at least one passage')
    .max(MOST_SHOWN, `a list of at most ${MOST_SHOWN} passages`),
  clicked: ranks,
  relevant: ranks,
  notRelevant: ranks,
  answer: z.enum(ANSWER_VERDICTS, `one of ${ANSWER_VERDICTS.join(', ')}`).optional(),
  helpful: z.boolean('true or false').optional(),
  rank: rank.optional(),
  comment: z.string().max(MOST_COMMENT, `at most ${MOST_COMMENT} characters`).optional(),
  caller: name,
  requestId: name,
  signal,
} satisfies ShapeOf<FeedbackRequest>);

const limitOf = (most: number) => {
  const words = `a whole number from 1 to ${most}`;
  return z.int(words).min(1, words).max(most, words).optional();
};

export const feedbackListSchema = z.strictObject({
  cursor: z
    .string('a cursor')
    .regex(/^\d{1,15}$/, 'a cursor of an earlier page')
    .optional(),
  limit: limitOf(1_000),
} satisfies ShapeOf<ListFeedbackRequest>);

export const feedbackJudgmentsSchema = z.strictObject({
  source: z.string('the name of a source').optional(),
  folder: z.string('a folder').regex(/[^./]/, 'a folder').optional(),
  minClicks: limitOf(1_000),
  signal,
} satisfies ShapeOf<FeedbackJudgmentsRequest>);
