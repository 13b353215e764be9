import * as z from 'zod';
import {
  filterFields,
  linesSchema,
  listOf,
  modeFields,
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
    topK: topKSchema().optional().describe('Default: 10.'),
    minScore: z.number().min(0).max(1).optional(),
    ...modeFields,
    collapse: searchFields.collapse,
    exactWords: searchFields.exactWords,
    ...rankingFields,
  })
  .describe('What is left out is as the index is set.')
  .meta({ id: 'SearchSettings' });

const quotes = () =>
  z
    .array(
      z.object({
        path: z.string().min(1).max(1_000),
        quote: z.string().regex(/\S/).max(10_000),
        grade: z.int().min(1).max(3).optional(),
      }),
    )
    .max(100);

export const compareRequest = z.strictObject({
  query: questionText().optional().describe('One question. Either this or `questions`.'),
  questions: z
    .array(
      z.strictObject({
        id: z.string().min(1).max(200),
        question: questionText(),
        type: z.string().min(1).max(200).optional(),
        gold: quotes().optional().describe('Passages that answer it, as in a question set.'),
        alternates: quotes().optional(),
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
  tenantId: tenantText(),
  ...filterFields,
});

const side = z.object({
  results: listOf(
    z.object({
      id: z.string(),
      documentId: z.string(),
      source: z.string(),
      title: z.string().optional(),
      headingPath: listOf(z.string()),
      lines: linesSchema,
      score: z.number(),
      match: z.enum(['strong', 'possible', 'weak']),
      excerpt: z.string().describe('The beginning of its text, on one line.'),
    }),
  ),
  tookMs: z.number(),
  notices: listOf(z.string()),
});

export const compareResponse = z
  .object({
    searches: listOf(
      z.object({
        id: z.string(),
        question: z.string(),
        a: side,
        b: side,
        moves: listOf(
          z.object({
            id: z.string().describe('Of the passage.'),
            from: z.int().optional().describe('Its rank in `a`; absent where it is gained.'),
            to: z.int().optional().describe('Its rank in `b`; absent where it is lost.'),
          }),
        ),
      }),
    ),
    scores: z
      .object({
        metrics: listOf(
          z.object({
            metric: z
              .string()
              .describe('`hit@5`: a passage with a gold quote is among the first five; `file@5`: its file.'),
            a: z.number(),
            b: z.number(),
            difference: z.number().describe('`b - a`.'),
            low: z.number().describe('95 % bootstrap interval of the difference.'),
            high: z.number(),
            pValue: z.number().describe('Two-sided paired randomisation test.'),
            wins: z.int().describe('Questions on which `b` is better.'),
            losses: z.int(),
            ties: z.int(),
          }),
        ),
        changes: z
          .record(
            z.string(),
            listOf(z.object({ id: z.string(), text: z.string(), a: z.number(), b: z.number() })),
          )
          .describe('Questions whose value differs, by metric, largest loss first.'),
      })
      .optional()
      .describe('Of the questions with gold quotes; absent where there is none.'),
  })
  .meta({ id: 'SearchComparison' });
