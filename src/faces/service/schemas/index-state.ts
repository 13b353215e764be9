import * as z from 'zod';
import { RagDeploymentModel } from '../../../index.js';
import {
  boolean,
  int,
  listOf,
  nextCursor,
  number,
  optionalInt,
  optionalNumber,
  optionalString,
  range,
  rowsOf,
  sourcePlace,
  string,
  strings,
} from '../../../operations/requests/outcome-fields.js';
import {
  asOf,
  correctionSchema,
  facts,
  filterFields,
  noticesSchemas,
  pageFields,
  passagePlace,
  questionText,
  rankingFields,
  searchFields,
  searchReport,
  stagesSchema,
  tenantText,
  topKSchema,
  wayOfPassage,
} from './common.js';
import { failedOfRun, runStats } from './runs.js';

export const indexedDocument = z
  .object({
    id: string,
    ...sourcePlace,
    sourceType: string,
    project: optionalString,
    metadata: facts,
    undecryptable: strings
      .optional()
      .describe('Fields that `metadata` leaves out, because they cannot be decrypted.'),
    access: z.object({ groups: strings, level: int }),
    status: z.enum(['pending', 'indexed', 'failed', 'outdated']),
    indexedAt: optionalString,
  })
  .meta({ id: 'IndexedDocument' });

export const documentText = z.object({ ...indexedDocument.shape, text: string }).meta({ id: 'DocumentText' });

export const listQuery = z.strictObject({
  ...pageFields(100, string.min(1).max(1_000)),
  source: string.min(1).max(1_000).optional().describe('Name of a source.'),
  documentType: string.min(1).max(200).optional(),
  tag: string.min(1).max(200).optional(),
});

export const documentPage = z.object({
  documents: listOf(indexedDocument),
  cursor: nextCursor,
});

export const explainRequest = z.strictObject({
  query: questionText,
  tenantId: tenantText,
  topK: topKSchema.nullable().default(10).describe('null: as many as the index is set to.'),
  minScore: number
    .min(0)
    .max(1)
    .nullable()
    .default(0.5)
    .describe('Leaves out what matches less; null: what the index is set to leave out.'),
  asOf,
  ...searchFields,
  ...rankingFields,
  ...filterFields,
});

/** A search with every part of each score. */
export const explainResponse = z
  .object({
    ...searchReport,
    understanding: z
      .object({
        intent: string,
        keywords: strings,
        parts: strings.optional(),
        expansions: rowsOf({ kind: string, text: string, reason: string }),
      })
      .optional(),
    results: rowsOf({
      id: string,
      content: string,
      score: number,
      match: z.enum(['strong', 'possible', 'weak']),
      probability: number,
      movedBy: z.literal('variety').optional(),
      origin: z.object({ source: string }).describe('Name of the source that it came from.'),
      more: z
        .object({ passages: int, copies: int, alike: optionalInt })
        .optional()
        .describe('What else was found of the same document.'),
      metadata: facts,
      ...passagePlace,
      explanation: z
        .object({
          semanticScore: optionalNumber,
          keywordScore: optionalNumber,
          rerankScore: optionalNumber,
          path: wayOfPassage,
          contributions: rowsOf({ signal: string, value: number }),
        })
        .optional(),
    }),
    lanes: rowsOf({
      lane: string,
      status: z.enum(['ran', 'off', 'failed', 'empty']),
      reason: optionalString,
      unfinished: z.literal(true).optional(),
      candidates: int,
      tookMs: number,
      weight: optionalNumber,
    }),
    stages: stagesSchema,
  })
  .meta({ id: 'Explanation' });

export const explainMissRequest = z.strictObject({
  query: questionText,
  document: string
    .min(1)
    .max(1_000)
    .describe('Id or path of the document, or the end of one; with lines (`audit.md:12-18`) of a passage.'),
  tenantId: tenantText,
  topK: topKSchema.optional(),
  minScore: number.min(0).max(1).optional(),
  ...searchFields,
  ...filterFields,
});

export const explainMissResponse = z
  .object({
    query: string,
    correction: correctionSchema,
    document: z.object({ id: string, source: string, externalId: string, title: optionalString }).optional(),
    found: boolean,
    rank: optionalInt,
    lostAt: optionalString,
    reason: string,
    remedies: rowsOf({ setting: string, rank: optionalInt, detail: string }),
    steps: rowsOf({ stage: string, status: z.enum(['passed', 'noted', 'lost', 'off']), detail: string }),
    chunk: z.object({ id: string, lines: range, headingPath: strings }).optional(),
  })
  .meta({ id: 'MissExplanation' });

const time = optionalString;

const sourceSync = z
  .object({
    isConfigured: boolean,
    listingStartedAt: time,
    listingFinishedAt: time,
    lastSuccessAt: time,
    lastReconcileAt: time.describe('When everything was last listed, as against what changed.'),
    consecutiveFailures: int,
    lastError: z.object({ reason: string, message: string, at: string }).optional(),
    nextAttemptAt: time,
  })
  .meta({ id: 'SourceSync' });

const sourceStatus = z
  .object({
    source: string,
    sourceType: string,
    documents: z.object({ pending: int, indexed: int, failed: int, outdated: int }),
    failedItems: int,
    chunks: int,
    redactions: z.record(string, int).optional(),
    unread: z.record(string, int).optional().describe('What parsers met and did not read, by kind.'),
    sync: sourceSync.optional().describe('How the runs over it went; absent where it was never listed.'),
  })
  .meta({ id: 'SourceStatus' });

/** Of the process that follows them nothing is told: a service tells nothing of its machine. */
const syncStatus = z
  .object({
    isFollowed: boolean.describe('A process reads them when the configuration says so.'),
    sources: rowsOf({
      source: string,
      state: z.enum(['idle', 'due', 'running', 'failing']),
      watch: z.enum(['on', 'interval']).optional(),
      nextAt: optionalString.describe('Absent where only a change leads to the next run.'),
      lastStartedAt: optionalString,
      lastFinishedAt: optionalString,
      lastTrigger: z.enum(['start', 'watch', 'schedule', 'missed', 'retry', 'interval']).optional(),
      failures: int.describe('Runs in a row that failed.'),
      problem: optionalString,
    }),
  })
  .meta({ id: 'SyncStatus' });

const followed = {
  following: syncStatus
    .optional()
    .describe('Absent where the sources never were followed, and for a caller of a project.'),
};

export const sourcesResponse = z.object({ sources: listOf(sourceStatus), ...followed });

export const runsResponse = z.object({
  lastRun: z
    .object({
      command: string,
      startedAt: string,
      finishedAt: optionalString,
      success: boolean.optional(),
      stats: runStats.optional(),
      error: z
        .object({
          reason: string.describe('As `docs/errors.md` lists them; the log of the service says more.'),
        })
        .optional()
        .describe('Why it ended, where that was by an error.'),
    })
    .optional()
    .describe(
      'Absent before the first run, and where the index holds other tenants too or the caller is of a project.',
    ),
  ...followed,
});

/** What `ragstone status --json` states as `work`. */
const workStatus = z
  .object({
    sources: rowsOf({
      source: string,
      waiting: int.describe('Documents that no worker is at now.'),
      active: int.describe('Documents that a worker holds.'),
      oldestAt: string.describe('When the oldest of them was listed, ISO-8601 UTC.'),
      oldestSeconds: int,
    }).describe('A source of which nothing is left is not among them.'),
    queue: z
      .object({ isUp: boolean, waiting: optionalInt, active: optionalInt })
      .describe(
        'Whether its server answers, and its batches; no numbers where the index holds other tenants too or the caller is of a project.',
      ),
  })
  .meta({ id: 'WorkStatus' });

/** Of routes without a body. */
export const ownerQuery = z.strictObject({ tenantId: tenantText });

export const statusResponse = z
  .object({
    provider: string,
    embedder: string,
    dimensions: int,
    documents: int,
    chunks: int,
    sources: listOf(sourceStatus),
    ...runsResponse.shape,
    reading: z
      .object({ passages: int, read: int })
      .optional()
      .describe(
        'Passages that the reader has read before anybody asks; absent where it reads nothing ahead.',
      ),
    work: workStatus
      .optional()
      .describe('What is listed and left to workers; absent where no queue is configured.'),
    failures: rowsOf({ source: string, item: optionalString, reason: string, message: string }),
    notices: noticesSchemas.notices,
  })
  .meta({ id: 'IndexStatus' });

export const indexAllResponse = z
  .object({
    status: z
      .enum(['completed', 'partial'])
      .describe(
        '`partial`: sources or documents could not be read; `failed` says of which sources and why, `GET .../status` names documents.',
      ),
    total: int,
    indexed: z.record(string, int).describe('Documents by the name of their source.'),
    failed: failedOfRun.optional().describe('What failed, by source and reason; absent where nothing did.'),
  })
  .meta({ id: 'IndexCounts' });

export const statsResponse = z
  .object({
    total_documents: int,
    by_type: z.record(string, int),
    last_indexed_at: string.nullable(),
  })
  .meta({ id: 'IndexStats' });

export const deploymentsHealthResponse = z
  .object({
    status: z.enum(['healthy', 'unhealthy']),
    deployments: rowsOf({
      deploymentId: string,
      tenantId: optionalString.describe('Absent where the deployment cannot be read.'),
      model: z.enum(RagDeploymentModel).optional(),
      ok: boolean,
      detail: string.describe('What is wrong and what to do, for operators of the service.'),
    }),
  })
  .meta({ id: 'DeploymentsHealth' });

export const healthResponse = z
  .object({
    status: z
      .enum(['healthy', 'degraded', 'unhealthy'])
      .describe('`degraded`: parts are out, and searches are answered with the others.'),
    live: boolean.describe(
      'The process answers: always true. A service that does not answer at all is to be started anew.',
    ),
    ready: boolean.describe('Requests may be sent to it: searches are answered at some level.'),
    degradationLevel: optionalInt.describe(
      'Least level that a search can have now; absent where none is answered.',
    ),
    checks: z.record(string, z.enum(['ok', 'failed'])),
  })
  .meta({ id: 'Health' });

export const partsHealthResponse = z
  .object({
    ok: boolean.describe('All parts answer.'),
    degradationLevel: optionalInt.describe('As `Health` has it.'),
    parts: rowsOf({
      part: string,
      ok: boolean,
      detail: string.describe('In words, for operators of the service.'),
    }),
    stores: z
      .object({
        active: string.describe('The one that is asked first.'),
        stores: rowsOf({
          name: string,
          isActive: boolean,
          state: z.enum(['ready', 'behind', 'copying', 'out', 'foreign']),
          lag: int.describe('Writes that it lacks, as far as is known.'),
          detail: optionalString,
          since: optionalString,
        }),
        journal: z.object({ writes: int, bytes: int, maxBytes: int }),
      })
      .optional()
      .describe('Of `rag.failover`; absent where there is one store.'),
  })
  .meta({ id: 'PartsHealth' });

export const liveResponse = z.object({ live: boolean }).meta({ id: 'Live' });
