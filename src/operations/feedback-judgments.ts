import * as z from 'zod';
import type { GradedQuestion } from '../evaluation/question-set.js';
import { FIELDS } from './fields.js';
import { operation } from './operation.js';
import { checked, type ShapeOf } from './requests/check-shape.js';
import { int, listOf, number, rowsOf, string, strings } from './requests/outcome-fields.js';
import { countOf, signal } from './requests/request-fields.js';

/** Which feedback is made into judgments. */
export interface FeedbackJudgmentsRequest {
  /** Name of the source whose passages are judged, where the questions are to be asked of one folder. Default: all. */
  readonly source?: string | undefined;
  /**
   * Folder that is evaluated, as the paths of results begin with it: `docs`. Paths of questions begin there, and passages elsewhere are left out.
   * Default: paths stay as they are.
   */
  readonly folder?: string | undefined;
  /** Clicks that a question needs, where no verdict is stated. @default 3 */
  readonly minClicks?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** How often people look at each rank, and how that is known. */
export interface ExaminationReport {
  /** By rank from 1: how likely a place is looked at, as a share of the first rank's. */
  readonly byRank: readonly number[];
  /** `log`: found in the feedback. `prior`: too little in it tells, and 1 / rank is taken. */
  readonly from: 'log' | 'prior';
  /** Clicks on lists of questions whose passages were shown at more than one rank: these alone tell. */
  readonly tellingClicks: number;
  /** Clicks that `log` needs. */
  readonly needed: number;
}

/** Questions with graded passages. */
export interface FeedbackJudgments {
  /** As `readQuestionSet` reads them: `ragstone eval FOLDER --questions` and `ragstone tune` take them. */
  readonly questions: readonly GradedQuestion[];
  readonly examination: ExaminationReport;
  readonly counts: {
    /** Events that were read. */
    readonly events: number;
    /** Of these, those on a request of which the same caller had said something before. What is said again counts once, and the last verdict holds. */
    readonly repeats: number;
    /** Passages that were opened, each once a request. */
    readonly clicks: number;
    /** Verdicts on single passages, each once a request. */
    readonly verdicts: number;
    /** Verdicts on whole lists and answers. They say nothing of a single passage and make no judgment. */
    readonly onTheWhole: number;
    /** Different questions. */
    readonly questions: number;
    /** Of these, those with too few clicks and no verdict. */
    readonly tooFew: number;
    /** Passages that were judged relevant and are left out: no longer in the index, not for this scope, of another source or folder. */
    readonly gone: number;
    readonly unreadable: number;
    readonly withheld: number;
  };
  readonly notices: readonly string[];
}

export const feedbackJudgmentsSchema = z.strictObject({
  source: z.string().max(200).optional().describe('Passages of this source alone.'),
  folder: z
    .string()
    .regex(/[^./]/, 'a folder')
    .max(1_000)
    .optional()
    .describe('Paths of questions begin at this folder; passages elsewhere are left out.'),
  minClicks: countOf(FIELDS.feedbackJudgments.minClicks, 'Clicks that a question needs without a verdict.'),
  signal,
} satisfies ShapeOf<FeedbackJudgmentsRequest>);

const outcome = () => {
  const quotes = rowsOf({ path: string, quote: string, grade: int.describe('1 a little, 3 best.') });
  const question = { id: string, question: string, type: string, gold: quotes, alternates: quotes };
  return z.object({
    questions: rowsOf(question),
    examination: z.object({
      byRank: listOf(number).describe("How likely each rank is looked at, as a share of the first rank's."),
      from: z.enum(['log', 'prior']).describe('`prior`: too little tells, and 1 / rank is taken.'),
      tellingClicks: int,
      needed: int,
    } satisfies ShapeOf<ExaminationReport>),
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
    } satisfies ShapeOf<FeedbackJudgments['counts']>),
    notices: strings,
  } satisfies ShapeOf<FeedbackJudgments>);
};

export const feedbackJudgments = operation({
  access: 'read',
  takes: 1,
  check: (request: FeedbackJudgmentsRequest = {}) =>
    checked(request, feedbackJudgmentsSchema, { what: 'Which judgments', reason: 'USAGE' }),
  route: () => ({
    access: 'maintain',
    tag: 'Feedback',
    summary: 'Questions with graded passages, made of the feedback',
    request: feedbackJudgmentsSchema,
    gives: 'Questions as `ragstone eval --questions` takes them, and what they rest on.',
    outcome: outcome(),
  }),
});
