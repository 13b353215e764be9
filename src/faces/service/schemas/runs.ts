import * as z from 'zod';
import {
  boolean,
  int,
  listOf,
  nextCursor,
  number,
  optionalInt,
  optionalNumber,
  optionalString,
  rowsOf,
  string,
  strings,
} from '../../../operations/requests/outcome-fields.js';
import { pageFields, tenantText } from './common.js';

const counts = z.record(string, z.record(string, int));

/** What a run did. */
export const runStats = z
  .object({
    documentsProcessed: int,
    documentsUnchanged: int,
    documentsFailed: int,
    documentsDeleted: int,
    documentsMoved: optionalInt.describe('Of those deleted: taken over by another source.'),
    chunksCreated: int,
    chunksUnchanged: int,
    embeddingsComputed: int,
    timeElapsed: number.describe('Milliseconds.'),
    skipped: counts
      .optional()
      .describe('What was left out by rule, by source and kind: `png`, `hidden`, `in .gitignore`.'),
    unread: counts.optional().describe('What parsers met and did not read, by source and kind.'),
    redactions: counts.optional().describe('What was taken out, by source and type.'),
    itemsHandedOver: optionalInt.describe('Left to workers.'),
  })
  .meta({ id: 'RunStats' });

/** What failed of a run, by source and reason. */
export const failedOfRun = rowsOf({
  source: string,
  reason: string.describe('As `docs/errors.md` lists them.'),
  documents: optionalInt.describe(
    'Documents that failed for this reason; absent where the source failed as a whole.',
  ),
});

export const runRequest = z.strictObject({
  sources: z
    .array(string.min(1).max(1_000))
    .min(1)
    .max(100)
    .optional()
    .describe('Names of configured sources. Default: all.'),
  retry: boolean.optional().describe('Try again what failed, also what was given up, and nothing else.'),
  tenantId: tenantText,
});

export const indexRun = z
  .object({
    id: string,
    by: z.enum(['request', 'sync']).describe('`sync`: the service follows the sources.'),
    sources: strings.optional().describe('Absent where all are meant.'),
    retry: boolean.optional(),
    startedAt: string,
    progress: z
      .object({
        stage: z.enum(['listing', 'indexing', 'optimizing', 'done']),
        source: optionalString.describe('The one that is listed or indexed now.'),
        sourceNumber: int,
        sourcesTotal: int,
        itemsTotal: int.describe('To read, as far as is known; final when the last source is listed.'),
        itemsDone: int,
        itemsListed: int.describe('Named by the present listing.'),
        itemsPerSecond: number,
        chunksWritten: int,
        chunksPerSecond: number,
        etaMs: optionalNumber.describe('Milliseconds left of the present source.'),
      })
      .optional()
      .describe('Absent before the first word of it.'),
    finishedAt: optionalString.describe('Absent while it is under way, or waits for another writer.'),
    success: boolean.optional(),
    stats: runStats.optional(),
    failed: failedOfRun.optional(),
    error: z.object({ reason: string }).optional().describe('Why it ended, where that was by an error.'),
  })
  .meta({ id: 'IndexRun' });

export const runsState = z
  .object({
    runs: listOf(indexRun).describe(
      'Under way, and the last ten that ended since the service began; newest first.',
    ),
  })
  .meta({ id: 'RunsState' });

export const stoppedRuns = z.object({ stopped: int });

export const failuresQuery = z.strictObject({
  source: string.min(1).max(1_000).optional().describe('Name of a source.'),
  ...pageFields(),
});

export const failuresPage = z.object({
  failures: listOf(
    z
      .object({
        source: string,
        item: string,
        reason: string,
        message: string,
        attempts: int.describe('Failures in a row of its present version.'),
        failedAt: string,
        state: z
          .enum(['due', 'waiting', 'given-up'])
          .describe('`given-up`: left alone until it changes, or until a run with `retry`.'),
        nextAttemptAt: optionalString,
      })
      .meta({ id: 'FailedItem' }),
  ),
  total: int,
  cursor: nextCursor,
});
