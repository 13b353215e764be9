import * as z from 'zod';
import type { LineRange } from '../core/document.js';
import type { Scope } from '../core/scope.js';
import { type ANSWER_VERDICTS, type FEEDBACK_KINDS, FIELDS } from './fields.js';
import { operation } from './operation.js';
import { checked, type ShapeOf } from './requests/check-shape.js';
import {
  int,
  nextCursor,
  optionalNumber,
  optionalString,
  range,
  rowsOf,
  string,
  strings,
} from './requests/outcome-fields.js';
import { choiceOf, countOf, signal } from './requests/request-fields.js';

/** Places of a list that are stored. */
export const MOST_SHOWN = 100;

/** A place of a list that was shown: the chunks that it was made of. */
export interface ShownPassage {
  readonly chunkIds: readonly string[];
  readonly score?: number | undefined;
}

/**
 * What somebody did with a list that was shown, or says of it. At least one of `clicked`, `relevant`, `notRelevant`, `answer` and `helpful` is stated.
 * Places are named by their ranks, from 1.
 */
export interface FeedbackRequest {
  /** As it was asked. */
  readonly query: string;
  /** @default search */
  readonly kind?: (typeof FEEDBACK_KINDS)[number] | undefined;
  /**
   * All that was shown, best first, opened or not: the ids of results, or the chunks of each place. Ranks mean places of this list, so it begins
   * at the first place.
   */
  readonly shown: readonly (string | ShownPassage)[];
  /** Places that were opened. An empty list says that nobody opened any. */
  readonly clicked?: readonly number[] | undefined;
  readonly relevant?: readonly number[] | undefined;
  readonly notRelevant?: readonly number[] | undefined;
  /** Of an answer. `regenerated`: it was asked for once more. */
  readonly answer?: (typeof ANSWER_VERDICTS)[number] | undefined;
  readonly helpful?: boolean | undefined;
  /** Of the place that `helpful` is about. Default: all of them. */
  readonly rank?: number | undefined;
  readonly comment?: string | undefined;
  /** Who says so, such as the name of a key. */
  readonly caller?: string | undefined;
  /** Of the search that was answered. */
  readonly requestId?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A place as it is stored: what the index said of it when the feedback came. */
export interface FeedbackPlace extends ShownPassage {
  /** From 1. */
  readonly rank: number;
  readonly documentId: string;
  /** Path or id relative to its source. */
  readonly source: string;
  readonly lines: LineRange;
}

/** Feedback as it is stored. */
export interface FeedbackEvent extends Omit<FeedbackRequest, 'query' | 'shown' | 'signal' | 'kind'> {
  readonly id: string;
  /** ISO-8601 UTC. */
  readonly at: string;
  readonly kind: (typeof FEEDBACK_KINDS)[number];
  readonly question: string;
  /** What was shown, best first. A place whose passage was gone when the feedback came is left out, and its rank with it. */
  readonly places: readonly FeedbackPlace[];
  /** Whose it is. The tenant is that of the file. */
  readonly scope: Omit<Scope, 'tenant'>;
}

export interface FeedbackReceipt {
  readonly id: string;
  /** What a person should know, such as places that are gone. */
  readonly notices: readonly string[];
}

export interface ListFeedbackRequest {
  /** Of the page before. */
  readonly cursor?: string | undefined;
  /** 1 to 1,000. @default 100 */
  readonly limit?: number | undefined;
}

/** Feedback in the order in which it came. */
export interface FeedbackPage {
  readonly feedback: readonly FeedbackEvent[];
  /** Lines that are no feedback: torn by a death, or changed by hand. */
  readonly unreadable: number;
  /** Feedback of others of the tenant with rights that the scope has not, which is not shown. */
  readonly withheld: number;
  /** For the next page; absent at the end. */
  readonly cursor?: string | undefined;
}

/** Characters of a question and of a comment. */
const MOST_QUERY = 10_000;
const MOST_COMMENT = 2_000;
const MOST_NAME = 200;

const A_RANK = `a rank from 1 to ${MOST_SHOWN}`;
const rank = z.int(A_RANK).min(1, A_RANK).max(MOST_SHOWN, A_RANK);
const ranks = z.array(rank).max(MOST_SHOWN).optional();
const id = z.string().min(1).max(MOST_NAME);
const name = z.string().max(MOST_NAME).optional();

const passage = z.strictObject({
  chunkIds: z.array(id).min(1).max(MOST_SHOWN),
  score: z.number().optional(),
});

export const feedbackSchema = z.strictObject({
  query: z.string().regex(/\S/, 'a text that is not empty').max(MOST_QUERY),
  kind: choiceOf(FIELDS.feedback.kind),
  shown: z
    .array(z.union([id, passage], 'the id of a passage, or an object with its chunkIds'))
    .min(1)
    .max(MOST_SHOWN),
  clicked: ranks.describe(
    'Ranks of the places that were opened, from 1. An empty list says that none was opened.',
  ),
  relevant: ranks.describe('Ranks of places that are relevant.'),
  notRelevant: ranks.describe('Ranks of places that are not.'),
  answer: choiceOf(FIELDS.feedback.answer).describe(
    'Of an answer. `regenerated`: it was asked for once more.',
  ),
  helpful: z.boolean().optional(),
  rank: rank.optional().describe('Of the place that `helpful` is about, from 1. Default: all of them.'),
  comment: z.string().max(MOST_COMMENT).optional(),
  caller: name,
  requestId: name,
  signal,
} satisfies ShapeOf<FeedbackRequest>);

export const feedback = operation({
  access: 'write',
  takes: 1,
  check: (request: FeedbackRequest) =>
    checked(request, feedbackSchema, { what: 'Feedback', reason: 'USAGE' }),
  asked: ({ query }) => ({ text: query }),
});

/** What somebody says of what was shown. */
export const verdictFields = feedbackSchema.omit({
  query: true,
  kind: true,
  shown: true,
  caller: true,
  requestId: true,
  signal: true,
}).shape;

const outcome = () => {
  const place = {
    rank: int,
    documentId: string,
    chunkIds: strings,
    source: string,
    lines: range,
    score: optionalNumber,
  } satisfies ShapeOf<FeedbackPlace>;
  const event = {
    id: string,
    at: string,
    caller: optionalString.describe('Name of the key or token.'),
    requestId: optionalString,
    ...verdictFields,
    kind: z.enum(FIELDS.feedback.kind),
    question: string,
    places: rowsOf(place).describe(
      'What was shown, best first. A place that was gone when the feedback came is left out.',
    ),
    scope: z
      .object({ project: optionalString, groups: strings, clearance: int })
      .describe('Of the caller it was shown to.'),
  } satisfies ShapeOf<FeedbackEvent>;
  return z.object({
    feedback: rowsOf(event),
    unreadable: int.describe('Lines of the file that are no feedback.'),
    withheld: int.describe('Feedback of people with rights that the key or token has not; it is not shown.'),
    cursor: nextCursor,
  } satisfies ShapeOf<FeedbackPage>);
};

export const feedbackListSchema = z.strictObject({
  cursor: z
    .string()
    .regex(/^\d{1,15}$/, 'a cursor of an earlier page')
    .optional()
    .describe('Of the page before.'),
  limit: countOf(FIELDS.listFeedback.limit),
} satisfies ShapeOf<ListFeedbackRequest>);

export const listFeedback = operation({
  access: 'read',
  takes: 1,
  check: (request: ListFeedbackRequest = {}) =>
    checked(request, feedbackListSchema, { what: 'Which feedback', reason: 'USAGE' }),
  route: () => ({
    access: 'maintain',
    tag: 'Feedback',
    summary: 'What was said, in the order in which it came',
    request: feedbackListSchema.extend({
      limit: feedbackListSchema.shape.limit.default(FIELDS.listFeedback.limit.preset),
    }),
    gives: "The tenant's feedback, a page at a time.",
    outcome: outcome(),
  }),
});
