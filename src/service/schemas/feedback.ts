import * as z from 'zod';
import { linesSchema, listOf, statedTenant } from './common.js';

const MOST_COMMENT = 2_000;
const MOST_PAGE = 1_000;

export const feedbackRequest = z.strictObject({
  requestId: z
    .string()
    .regex(/^[\w.:-]{1,100}$/)
    .describe('Of the search or answer: its `requestId`, or the header `x-request-id`.'),
  helpful: z.boolean(),
  rank: z
    .int()
    .min(1)
    .max(1_000)
    .optional()
    .describe('Of the place that it is about, from 1. Default: all of them.'),
  comment: z.string().max(MOST_COMMENT).optional(),
  tenantId: statedTenant().optional(),
});

export const feedbackId = z.object({ id: z.string() });

export const feedbackQuery = z.strictObject({
  cursor: z
    .string()
    .regex(/^\d{1,15}$/)
    .optional()
    .describe('Of the page before.'),
  limit: z.coerce.number().int().min(1).max(MOST_PAGE).default(100),
});

export const feedbackPage = z.object({
  feedback: listOf(
    z.object({
      id: z.string(),
      at: z.string(),
      caller: z.string().describe('Name of the key or token.'),
      requestId: z.string(),
      helpful: z.boolean(),
      rank: z.int().optional(),
      comment: z.string().optional(),
      kind: z.enum(['search', 'answer', 'context']),
      question: z.string(),
      places: listOf(
        z.object({
          rank: z.int(),
          documentId: z.string(),
          chunkIds: listOf(z.string()),
          source: z.string(),
          lines: linesSchema,
          score: z.number(),
        }),
      ).describe('What was shown, best first.'),
    }),
  ),
  unreadable: z.int().describe('Lines of the file that are no feedback.'),
  cursor: z.string().optional().describe('For the next page; absent at the end.'),
});
