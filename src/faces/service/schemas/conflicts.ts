import * as z from 'zod';
import { DIFFERENCE_KINDS, FINDING_KINDS } from '../../../index.js';
import { listOf, noticesSchemas, requestIdSchema, tenantText } from './common.js';

/** A longer page is not read; the whole list is for operators. */
const MOST_FINDINGS = 1_000;

export const conflictsRequest = z.strictObject({
  kinds: z
    .array(z.enum(FINDING_KINDS))
    .min(1)
    .max(FINDING_KINDS.length)
    .optional()
    .describe('Kinds of findings. Default: all.'),
  document: z
    .string()
    .min(1)
    .max(1_000)
    .optional()
    .describe('Findings that the document of this id has a part in.'),
  limit: z.int().min(1).max(MOST_FINDINGS).optional().describe('Most findings of each kind. Default: 100.'),
  tenantId: tenantText(),
});

const range = z.object({ start: z.int(), end: z.int() });

const findingPlace = z.object({
  documentId: z.string(),
  source: z.string(),
  externalId: z.string().describe('Path or id relative to the source.'),
  title: z.string().optional(),
  url: z.string().optional(),
  date: z.string().optional().describe('Last change of the document, else its creation, where it says so.'),
  offsets: range.describe('Of the stored text.'),
  lines: range.describe('From 1, both included.'),
});

export const conflictsResponse = z.object({
  requestId: requestIdSchema,
  findings: listOf(
    z.object({
      kind: z.enum(FINDING_KINDS),
      agreement: z.number().describe('What the passages have in common beside the differences, 0 to 1.'),
      differences: listOf(
        z.object({ kind: z.enum(DIFFERENCE_KINDS), first: z.string(), second: z.string() }),
      ).describe('In the order of `passages`.'),
      passages: listOf(
        z.object({
          quote: z.string(),
          places: listOf(findingPlace).describe('The newest first, at most 20.'),
          more: z.int().describe('Places beyond those.'),
        }),
      ).describe('The newest first.'),
    }),
  ).describe('Conflicts first, the surest before others.'),
  totals: z
    .object({ conflict: z.int(), duplicate: z.int() })
    .describe('Of all, also beyond `limit` and of kinds that were not asked for.'),
  examined: z.int().describe('Documents that were compared.'),
  notExamined: listOf(z.string()).describe('Ids of documents that were not examined yet, at most 100.'),
  ...noticesSchemas,
});
