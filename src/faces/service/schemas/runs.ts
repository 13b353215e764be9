import * as z from 'zod';
import { listOf, tenantText } from './common.js';

const counts = z.record(z.string(), z.record(z.string(), z.int()));

/** What a run did. */
export const runStats = z
  .object({
    documentsProcessed: z.int(),
    documentsUnchanged: z.int(),
    documentsFailed: z.int(),
    documentsDeleted: z.int(),
    documentsMoved: z.int().optional().describe('Of those deleted: taken over by another source.'),
    chunksCreated: z.int(),
    chunksUnchanged: z.int(),
    embeddingsComputed: z.int(),
    timeElapsed: z.number().describe('Milliseconds.'),
    skipped: counts
      .optional()
      .describe('What was left out by rule, by source and kind: `png`, `hidden`, `in .gitignore`.'),
    unread: counts.optional().describe('What parsers met and did not read, by source and kind.'),
    redactions: counts.optional().describe('What was taken out, by source and type.'),
    itemsHandedOver: z.int().optional().describe('Left to workers.'),
  })
  .meta({ id: 'RunStats' });

/** What failed of a run, by source and reason. */
export const failedOfRun = listOf(
  z.object({
    source: z.string(),
    reason: z.string().describe('As `docs/errors.md` lists them.'),
    documents: z
      .int()
      .optional()
      .describe('Documents that failed for this reason; absent where the source failed as a whole.'),
  }),
);

export const runRequest = z.strictObject({
  sources: z
    .array(z.string().min(1).max(1_000))
    .min(1)
    .max(100)
    .optional()
    .describe('Names of configured sources. Default: all.'),
  retry: z.boolean().optional().describe('Try again what failed, also what was given up, and nothing else.'),
  tenantId: tenantText(),
});

export const indexRun = z
  .object({
    id: z.string(),
    by: z.enum(['request', 'sync']).describe('`sync`: the service follows the sources.'),
    sources: listOf(z.string()).optional().describe('Absent where all are meant.'),
    retry: z.boolean().optional(),
    startedAt: z.string(),
    progress: z
      .object({
        stage: z.enum(['listing', 'indexing', 'optimizing', 'done']),
        source: z.string().optional().describe('The one that is listed or indexed now.'),
        sourceNumber: z.int(),
        sourcesTotal: z.int(),
        itemsTotal: z.int().describe('To read, as far as is known; final when the last source is listed.'),
        itemsDone: z.int(),
        itemsListed: z.int().describe('Named by the present listing.'),
        itemsPerSecond: z.number(),
        chunksWritten: z.int(),
        chunksPerSecond: z.number(),
        etaMs: z.number().optional().describe('Milliseconds left of the present source.'),
      })
      .optional()
      .describe('Absent before the first word of it.'),
    finishedAt: z.string().optional().describe('Absent while it is under way, or waits for another writer.'),
    success: z.boolean().optional(),
    stats: runStats.optional(),
    failed: failedOfRun.optional(),
    error: z.object({ reason: z.string() }).optional().describe('Why it ended, where that was by an error.'),
  })
  .meta({ id: 'IndexRun' });

export const runsState = z
  .object({
    runs: listOf(indexRun).describe(
      'Under way, and the last ten that ended since the service began; newest first.',
    ),
  })
  .meta({ id: 'RunsState' });

export const stoppedRuns = z.object({ stopped: z.int() });

export const failuresQuery = z.strictObject({
  source: z.string().min(1).max(1_000).optional().describe('Name of a source.'),
  cursor: z
    .string()
    .regex(/^\d{1,15}$/)
    .optional()
    .describe('Of the page before.'),
  limit: z.coerce.number().int().min(1).max(1_000).default(100),
});

export const failuresPage = z.object({
  failures: listOf(
    z
      .object({
        source: z.string(),
        item: z.string(),
        reason: z.string(),
        message: z.string(),
        attempts: z.int().describe('Failures in a row of its present version.'),
        failedAt: z.string(),
        state: z
          .enum(['due', 'waiting', 'given-up'])
          .describe('`given-up`: left alone until it changes, or until a run with `retry`.'),
        nextAttemptAt: z.string().optional(),
      })
      .meta({ id: 'FailedItem' }),
  ),
  total: z.int(),
  cursor: z.string().optional().describe('For the next page; absent at the end.'),
});
