import * as z from 'zod';
import {
  int,
  number,
  optionalInt,
  rowsOf,
  string,
  strings,
} from '../../../operations/requests/outcome-fields.js';
import {
  filterFields,
  modeFields,
  passagePlace,
  questionText,
  rankingFields,
  searchFields,
  tenantText,
  topKSchema,
} from './common.js';

/** A request asks each of them twice. */
const MOST_QUESTIONS = 200;

const settings = z
  .strictObject({
    topK: topKSchema.optional().describe('Default: 10.'),
    minScore: number.min(0).max(1).optional(),
    ...modeFields,
    collapse: searchFields.collapse,
    exactWords: searchFields.exactWords,
    ...rankingFields,
  })
  .describe('What is left out is as the index is set.')
  .meta({ id: 'SearchSettings' });

const quotes = z
  .array(
    z.object({
      path: string.min(1).max(1_000),
      quote: string.regex(/\S/).max(10_000),
      grade: int.min(1).max(3).optional(),
    }),
  )
  .max(100);

export const compareRequest = z.strictObject({
  query: questionText.optional().describe('One question. Either this or `questions`.'),
  questions: z
    .array(
      z.strictObject({
        id: string.min(1).max(200),
        question: questionText,
        type: string.min(1).max(200).optional(),
        gold: quotes.optional().describe('Passages that answer it, as in a question set.'),
        alternates: quotes.optional(),
      }),
    )
    .min(1)
    .max(MOST_QUESTIONS)
    .refine(
      (asked) => new Set(asked.map(({ id }) => id)).size === asked.length,
      'a list of questions with ids of their own',
    )
    .optional()
    .describe('A question set, such as that of `GET .../feedback/judgments`; for keys that may `maintain`.'),
  a: settings,
  b: settings,
  tenantId: tenantText,
  ...filterFields,
});

const side = z.object({
  results: rowsOf({
    id: string,
    ...passagePlace,
    score: number,
    match: z.enum(['strong', 'possible', 'weak']),
    excerpt: string.describe('The beginning of its text, on one line.'),
  }),
  tookMs: number,
  notices: strings,
});

export const compareResponse = z
  .object({
    searches: rowsOf({
      id: string,
      question: string,
      a: side,
      b: side,
      moves: rowsOf({
        id: string.describe('Of the passage.'),
        from: optionalInt.describe('Its rank in `a`; absent where it is gained.'),
        to: optionalInt.describe('Its rank in `b`; absent where it is lost.'),
      }),
    }),
    scores: z
      .object({
        metrics: rowsOf({
          metric: string.describe(
            '`hit@5`: a passage with a gold quote is among the first five; `file@5`: its file.',
          ),
          a: number,
          b: number,
          difference: number.describe('`b - a`.'),
          low: number.describe('95 % bootstrap interval of the difference.'),
          high: number,
          pValue: number.describe('Two-sided paired randomisation test.'),
          wins: int.describe('Questions on which `b` is better.'),
          losses: int,
          ties: int,
        }),
        changes: z
          .record(string, rowsOf({ id: string, text: string, a: number, b: number }))
          .describe('Questions whose value differs, by metric, largest loss first.'),
      })
      .optional()
      .describe('Of the questions with gold quotes; absent where there is none.'),
  })
  .meta({ id: 'SearchComparison' });
