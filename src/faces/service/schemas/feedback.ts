import * as z from 'zod';
import { linesSchema, listOf, tenantText } from './common.js';

const MOST_COMMENT = 2_000;
const MOST_PAGE = 1_000;

const MOST_RANKS = 50;
const ranks = () => z.array(z.int().min(1).max(1_000)).max(MOST_RANKS);

export const feedbackRequest = z.strictObject({
  requestId: z
    .string()
    .regex(/^[\w.:-]{1,100}$/)
    .describe('Of the search or answer: its `requestId`, or the header `x-request-id`.'),
  clicked: ranks()
    .optional()
    .describe('Ranks of the places that were opened, from 1. An empty list says that none was opened.'),
  relevant: ranks().optional().describe('Ranks of places that are relevant.'),
  notRelevant: ranks().optional().describe('Ranks of places that are not.'),
  answer: z
    .enum(['good', 'bad', 'regenerated'])
    .optional()
    .describe('Of an answer. `regenerated`: it was asked for once more.'),
  helpful: z.boolean().optional(),
  rank: z
    .int()
    .min(1)
    .max(1_000)
    .optional()
    .describe('Of the place that `helpful` is about, from 1. Default: all of them.'),
  comment: z.string().max(MOST_COMMENT).optional(),
  tenantId: tenantText(),
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
      caller: z.string().optional().describe('Name of the key or token.'),
      requestId: z.string().optional(),
      clicked: listOf(z.int()).optional(),
      relevant: listOf(z.int()).optional(),
      notRelevant: listOf(z.int()).optional(),
      answer: z.enum(['good', 'bad', 'regenerated']).optional(),
      helpful: z.boolean().optional(),
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
          score: z.number().optional(),
        }),
      ).describe('What was shown, best first. A place that was gone when the feedback came is left out.'),
      scope: z
        .object({ project: z.string().optional(), groups: listOf(z.string()), clearance: z.int() })
        .describe('Of the caller it was shown to.'),
    }),
  ),
  unreadable: z.int().describe('Lines of the file that are no feedback.'),
  withheld: z
    .int()
    .describe('Feedback of people with rights that the key or token has not; it is not shown.'),
  cursor: z.string().optional().describe('For the next page; absent at the end.'),
});

export const judgmentsQuery = z.strictObject({
  source: z.string().max(200).optional().describe('Passages of this source alone.'),
  folder: z
    .string()
    .regex(/[^./]/)
    .max(1_000)
    .optional()
    .describe('Paths of questions begin at this folder; passages elsewhere are left out.'),
  minClicks: z.coerce
    .number()
    .int()
    .min(1)
    .max(1_000)
    .optional()
    .describe('Clicks that a question needs without a verdict. Default: 3.'),
});

const quotes = () =>
  listOf(z.object({ path: z.string(), quote: z.string(), grade: z.int().describe('1 a little, 3 best.') }));

export const feedbackJudgments = z.object({
  questions: listOf(
    z.object({
      id: z.string(),
      question: z.string(),
      type: z.string(),
      gold: quotes(),
      alternates: quotes(),
    }),
  ),
  examination: z.object({
    byRank: listOf(z.number()).describe("How likely each rank is looked at, as a share of the first rank's."),
    from: z.enum(['log', 'prior']).describe('`prior`: too little tells, and 1 / rank is taken.'),
    tellingClicks: z.int(),
    needed: z.int(),
  }),
  counts: z.object({
    events: z.int(),
    repeats: z
      .int()
      .describe(
        'Of these, those on a request of which the caller had said something before: the last verdict holds.',
      ),
    clicks: z.int(),
    verdicts: z.int(),
    onTheWhole: z.int(),
    questions: z.int(),
    tooFew: z.int(),
    gone: z.int(),
    unreadable: z.int(),
    withheld: z.int(),
  }),
  notices: listOf(z.string()),
});
