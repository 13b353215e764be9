import * as z from 'zod';
import { linesSchema, listOf, pagesSchema } from './common.js';

export const passagesQuery = z.strictObject({
  cursor: z
    .string()
    .regex(/^\d{1,15}$/)
    .optional()
    .describe('That of the page before.'),
  limit: z.coerce.number().int().min(1).max(1_000).default(200),
});

export const passagesPage = z.object({
  passages: listOf(
    z.object({
      id: z.string(),
      offsets: z
        .object({ start: z.int(), end: z.int() })
        .describe('In UTF-16 code units of the text of the document, half-open.'),
      lines: linesSchema,
      pages: pagesSchema
        .extend({
          breaks: listOf(z.int())
            .optional()
            .describe('Of several pages: where each behind the first begins, in the text of the document.'),
        })
        .optional(),
      headingPath: listOf(z.string()),
    }),
  ).describe('In their order.'),
  cursor: z.string().optional().describe('Absent on the last page.'),
});

export const versionsResponse = z.object({
  isKept: z.boolean().describe('False where no history is kept, or it has not begun.'),
  versions: listOf(
    z.object({
      revision: z.string().describe('Content hash of its text.'),
      from: z.string().describe('A search `asOf` this moment finds it.'),
      to: z.string().optional().describe('Absent for the present one.'),
      title: z.string().optional(),
      passages: z.int(),
    }),
  ).describe('Newest first, 200 at most.'),
});
