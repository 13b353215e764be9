import * as z from 'zod';
import {
  boolean,
  int,
  listOf,
  number,
  optionalString,
  rowsOf,
  string,
  strings,
} from '../../../operations/requests/outcome-fields.js';
import { linesSchema, tenantText } from './common.js';

const MOST_COMMENT = 2_000;
const MOST_PAGE = 1_000;

const MOST_RANKS = 50;
const ranks = () => z.array(int.min(1).max(1_000)).max(MOST_RANKS);

export const feedbackRequest = z.strictObject({
  requestId: string
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
  helpful: boolean.optional(),
  rank: int
    .min(1)
    .max(1_000)
    .optional()
    .describe('Of the place that `helpful` is about, from 1. Default: all of them.'),
  comment: string.max(MOST_COMMENT).optional(),
  tenantId: tenantText(),
});

export const feedbackId = z.object({ id: string });

export const feedbackQuery = z.strictObject({
  cursor: string
    .regex(/^\d{1,15}$/)
    .optional()
    .describe('Of the page before.'),
  limit: z.coerce.number().int().min(1).max(MOST_PAGE).default(100),
});

export const feedbackPage = z.object({
  feedback: rowsOf({
    id: string,
    at: string,
    caller: optionalString.describe('Name of the key or token.'),
    requestId: optionalString,
    clicked: listOf(int).optional(),
    relevant: listOf(int).optional(),
    notRelevant: listOf(int).optional(),
    answer: z.enum(['good', 'bad', 'regenerated']).optional(),
    helpful: boolean.optional(),
    rank: int.optional(),
    comment: optionalString,
    kind: z.enum(['search', 'answer', 'context']),
    question: string,
    places: rowsOf({
      rank: int,
      documentId: string,
      chunkIds: strings,
      source: string,
      lines: linesSchema,
      score: number.optional(),
    }).describe('What was shown, best first. A place that was gone when the feedback came is left out.'),
    scope: z
      .object({ project: optionalString, groups: strings, clearance: int })
      .describe('Of the caller it was shown to.'),
  }),
  unreadable: int.describe('Lines of the file that are no feedback.'),
  withheld: int.describe('Feedback of people with rights that the key or token has not; it is not shown.'),
  cursor: optionalString.describe('For the next page; absent at the end.'),
});

export const judgmentsQuery = z.strictObject({
  source: string.max(200).optional().describe('Passages of this source alone.'),
  folder: string
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

const quotes = () => rowsOf({ path: string, quote: string, grade: int.describe('1 a little, 3 best.') });

export const feedbackJudgments = z.object({
  questions: rowsOf({
    id: string,
    question: string,
    type: string,
    gold: quotes(),
    alternates: quotes(),
  }),
  examination: z.object({
    byRank: listOf(number).describe("How likely each rank is looked at, as a share of the first rank's."),
    from: z.enum(['log', 'prior']).describe('`prior`: too little tells, and 1 / rank is taken.'),
    tellingClicks: int,
    needed: int,
  }),
  counts: z.object({
    events: int,
    repeats: int.describe(
      'Of these, those on a request of which the caller had said something before: the last verdict holds.',
    ),
    clicks: int,
    verdicts: int,
    onTheWhole: int,
    questions: int,
    tooFew: int,
    gone: int,
    unreadable: int,
    withheld: int,
  }),
  notices: strings,
});
