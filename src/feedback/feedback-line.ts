import * as z from 'zod';
import { ANSWER_VERDICTS, FEEDBACK_KINDS, type FeedbackEvent } from './feedback-types.js';

const rank = z.int().min(1);
const ranks = z.array(rank).optional();
const range = z.object({ start: z.number(), end: z.number() });

/** A line of the log. Lines of an older version do not say whose they are, and are none. */
const LINE = z.object({
  id: z.string(),
  at: z.string(),
  kind: z.enum(FEEDBACK_KINDS),
  question: z.string(),
  places: z.array(
    z.object({
      rank,
      documentId: z.string(),
      chunkIds: z.array(z.string()).min(1),
      source: z.string(),
      lines: range,
      score: z.number().optional(),
    }),
  ),
  scope: z.object({ project: z.string().optional(), groups: z.array(z.string()), clearance: z.number() }),
  clicked: ranks,
  relevant: ranks,
  notRelevant: ranks,
  answer: z.enum(ANSWER_VERDICTS).optional(),
  helpful: z.boolean().optional(),
  rank: rank.optional(),
  comment: z.string().optional(),
  caller: z.string().optional(),
  requestId: z.string().optional(),
});

/** Feedback of a line; undefined for a line that is none. */
export function feedbackLine(line: string): FeedbackEvent | undefined {
  try {
    return LINE.parse(JSON.parse(line));
  } catch {
    return undefined;
  }
}
