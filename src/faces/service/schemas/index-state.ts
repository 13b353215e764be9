import * as z from 'zod';
import { RagDeploymentModel } from '../../../index.js';
import {
  asOf,
  asOfSchema,
  correctionSchema,
  degradationSchemas,
  facts,
  filterFields,
  linesSchema,
  listOf,
  noticesSchemas,
  planSchema,
  questionText,
  rankingFields,
  requestIdSchema,
  searchFields,
  semanticCacheSchema,
  stagesSchema,
  tenantText,
  topKSchema,
  wayOfPassage,
} from './common.js';
import { failedOfRun, runStats } from './runs.js';

export const indexedDocument = z
  .object({
    id: z.string(),
    externalId: z.string(),
    source: z.string(),
    sourceType: z.string(),
    project: z.string().optional(),
    title: z.string().optional(),
    url: z.string().optional(),
    metadata: facts,
    undecryptable: listOf(z.string())
      .optional()
      .describe('Fields that `metadata` leaves out, because they cannot be decrypted.'),
    access: z.object({ groups: listOf(z.string()), level: z.int() }),
    status: z.enum(['pending', 'indexed', 'failed', 'outdated']),
    indexedAt: z.string().optional(),
  })
  .meta({ id: 'IndexedDocument' });

export const documentText = z
  .object({ ...indexedDocument.shape, text: z.string() })
  .meta({ id: 'DocumentText' });

export const listQuery = z.strictObject({
  cursor: z.string().min(1).max(1_000).optional().describe('That of the page before.'),
  limit: z.coerce.number().int().min(1).max(1_000).default(100),
  source: z.string().min(1).max(1_000).optional().describe('Name of a source.'),
  documentType: z.string().min(1).max(200).optional(),
  tag: z.string().min(1).max(200).optional(),
});

export const documentPage = z.object({
  documents: listOf(indexedDocument),
  cursor: z.string().optional().describe('Absent on the last page.'),
});

export const explainRequest = z.strictObject({
  query: questionText(),
  tenantId: tenantText(),
  topK: topKSchema().nullable().default(10).describe('null: as many as the index is set to.'),
  minScore: z
    .number()
    .min(0)
    .max(1)
    .nullable()
    .default(0.5)
    .describe('Leaves out what matches less; null: what the index is set to leave out.'),
  asOf: asOf(),
  ...searchFields,
  ...rankingFields,
  ...filterFields,
});

/** A search with every part of each score. */
export const explainResponse = z
  .object({
    requestId: requestIdSchema,
    query: z.string(),
    correction: correctionSchema.optional(),
    semanticCache: semanticCacheSchema.optional(),
    asOf: asOfSchema.optional(),
    plan: planSchema.optional(),
    understanding: z
      .object({
        intent: z.string(),
        keywords: listOf(z.string()),
        parts: listOf(z.string()).optional(),
        expansions: listOf(z.object({ kind: z.string(), text: z.string(), reason: z.string() })),
      })
      .optional(),
    results: listOf(
      z.object({
        id: z.string(),
        content: z.string(),
        score: z.number(),
        match: z.enum(['strong', 'possible', 'weak']),
        probability: z.number(),
        movedBy: z.literal('variety').optional(),
        origin: z.object({ source: z.string() }).describe('Name of the source that it came from.'),
        more: z
          .object({ passages: z.int(), copies: z.int(), alike: z.int().optional() })
          .optional()
          .describe('What else was found of the same document.'),
        metadata: facts,
        documentId: z.string(),
        source: z.string(),
        title: z.string().optional(),
        lines: linesSchema,
        headingPath: listOf(z.string()),
        explanation: z
          .object({
            semanticScore: z.number().optional(),
            keywordScore: z.number().optional(),
            rerankScore: z.number().optional(),
            path: wayOfPassage,
            contributions: listOf(z.object({ signal: z.string(), value: z.number() })),
          })
          .optional(),
      }),
    ),
    lanes: listOf(
      z.object({
        lane: z.string(),
        status: z.enum(['ran', 'off', 'failed', 'empty']),
        reason: z.string().optional(),
        unfinished: z.literal(true).optional(),
        candidates: z.int(),
        tookMs: z.number(),
        weight: z.number().optional(),
      }),
    ),
    ...degradationSchemas,
    ...noticesSchemas,
    stages: stagesSchema,
    tookMs: z.number(),
  })
  .meta({ id: 'Explanation' });

export const explainMissRequest = z.strictObject({
  query: questionText(),
  document: z
    .string()
    .min(1)
    .max(1_000)
    .describe('Id or path of the document, or the end of one; with lines (`audit.md:12-18`) of a passage.'),
  tenantId: tenantText(),
  topK: topKSchema().optional(),
  minScore: z.number().min(0).max(1).optional(),
  ...searchFields,
  ...filterFields,
});

export const explainMissResponse = z
  .object({
    query: z.string(),
    correction: correctionSchema.optional(),
    document: z
      .object({ id: z.string(), source: z.string(), externalId: z.string(), title: z.string().optional() })
      .optional(),
    found: z.boolean(),
    rank: z.int().optional(),
    lostAt: z.string().optional(),
    reason: z.string(),
    remedies: listOf(z.object({ setting: z.string(), rank: z.int().optional(), detail: z.string() })),
    steps: listOf(
      z.object({ stage: z.string(), status: z.enum(['passed', 'noted', 'lost', 'off']), detail: z.string() }),
    ),
    chunk: z.object({ id: z.string(), lines: linesSchema, headingPath: listOf(z.string()) }).optional(),
  })
  .meta({ id: 'MissExplanation' });

const time = z.string().optional();

const sourceSync = z
  .object({
    isConfigured: z.boolean(),
    listingStartedAt: time,
    listingFinishedAt: time,
    lastSuccessAt: time,
    lastReconcileAt: time.describe('When everything was last listed, as against what changed.'),
    consecutiveFailures: z.int(),
    lastError: z.object({ reason: z.string(), message: z.string(), at: z.string() }).optional(),
    nextAttemptAt: time,
  })
  .meta({ id: 'SourceSync' });

const sourceStatus = z
  .object({
    source: z.string(),
    sourceType: z.string(),
    documents: z.object({ pending: z.int(), indexed: z.int(), failed: z.int(), outdated: z.int() }),
    failedItems: z.int(),
    chunks: z.int(),
    redactions: z.record(z.string(), z.int()).optional(),
    unread: z.record(z.string(), z.int()).optional().describe('What parsers met and did not read, by kind.'),
    sync: sourceSync.optional().describe('How the runs over it went; absent where it was never listed.'),
  })
  .meta({ id: 'SourceStatus' });

/** Of the process that follows them nothing is told: a service tells nothing of its machine. */
const syncStatus = z
  .object({
    isFollowed: z.boolean().describe('A process reads them when the configuration says so.'),
    sources: listOf(
      z.object({
        source: z.string(),
        state: z.enum(['idle', 'due', 'running', 'failing']),
        watch: z.enum(['on', 'interval']).optional(),
        nextAt: z.string().optional().describe('Absent where only a change leads to the next run.'),
        lastStartedAt: z.string().optional(),
        lastFinishedAt: z.string().optional(),
        lastTrigger: z.enum(['start', 'watch', 'schedule', 'missed', 'retry', 'interval']).optional(),
        failures: z.int().describe('Runs in a row that failed.'),
        problem: z.string().optional(),
      }),
    ),
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
      command: z.string(),
      startedAt: z.string(),
      finishedAt: z.string().optional(),
      success: z.boolean().optional(),
      stats: runStats.optional(),
      error: z
        .object({
          reason: z.string().describe('As `docs/errors.md` lists them; the log of the service says more.'),
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
    sources: listOf(
      z.object({
        source: z.string(),
        waiting: z.int().describe('Documents that no worker is at now.'),
        active: z.int().describe('Documents that a worker holds.'),
        oldestAt: z.string().describe('When the oldest of them was listed, ISO-8601 UTC.'),
        oldestSeconds: z.int(),
      }),
    ).describe('A source of which nothing is left is not among them.'),
    queue: z
      .object({ isUp: z.boolean(), waiting: z.int().optional(), active: z.int().optional() })
      .describe(
        'Whether its server answers, and its batches; no numbers where the index holds other tenants too or the caller is of a project.',
      ),
  })
  .meta({ id: 'WorkStatus' });

/** Of routes without a body. */
export const ownerQuery = z.strictObject({ tenantId: tenantText() });

export const statusResponse = z
  .object({
    provider: z.string(),
    embedder: z.string(),
    dimensions: z.int(),
    documents: z.int(),
    chunks: z.int(),
    sources: listOf(sourceStatus),
    ...runsResponse.shape,
    reading: z
      .object({ passages: z.int(), read: z.int() })
      .optional()
      .describe(
        'Passages that the reader has read before anybody asks; absent where it reads nothing ahead.',
      ),
    work: workStatus
      .optional()
      .describe('What is listed and left to workers; absent where no queue is configured.'),
    failures: listOf(
      z.object({ source: z.string(), item: z.string().optional(), reason: z.string(), message: z.string() }),
    ),
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
    total: z.int(),
    indexed: z.record(z.string(), z.int()).describe('Documents by the name of their source.'),
    failed: failedOfRun.optional().describe('What failed, by source and reason; absent where nothing did.'),
  })
  .meta({ id: 'IndexCounts' });

export const statsResponse = z
  .object({
    total_documents: z.int(),
    by_type: z.record(z.string(), z.int()),
    last_indexed_at: z.string().nullable(),
  })
  .meta({ id: 'IndexStats' });

export const deploymentsHealthResponse = z
  .object({
    status: z.enum(['healthy', 'unhealthy']),
    deployments: listOf(
      z.object({
        deploymentId: z.string(),
        tenantId: z.string().optional().describe('Absent where the deployment cannot be read.'),
        model: z.enum(RagDeploymentModel).optional(),
        ok: z.boolean(),
        detail: z.string().describe('What is wrong and what to do, for operators of the service.'),
      }),
    ),
  })
  .meta({ id: 'DeploymentsHealth' });

export const healthResponse = z
  .object({
    status: z
      .enum(['healthy', 'degraded', 'unhealthy'])
      .describe('`degraded`: parts are out, and searches are answered with the others.'),
    live: z
      .boolean()
      .describe(
        'The process answers: always true. A service that does not answer at all is to be started anew.',
      ),
    ready: z.boolean().describe('Requests may be sent to it: searches are answered at some level.'),
    degradationLevel: z
      .int()
      .optional()
      .describe('Least level that a search can have now; absent where none is answered.'),
    checks: z.record(z.string(), z.enum(['ok', 'failed'])),
  })
  .meta({ id: 'Health' });

export const partsHealthResponse = z
  .object({
    ok: z.boolean().describe('All parts answer.'),
    degradationLevel: z.int().optional().describe('As `Health` has it.'),
    parts: listOf(
      z.object({
        part: z.string(),
        ok: z.boolean(),
        detail: z.string().describe('In words, for operators of the service.'),
      }),
    ),
    stores: z
      .object({
        active: z.string().describe('The one that is asked first.'),
        stores: listOf(
          z.object({
            name: z.string(),
            isActive: z.boolean(),
            state: z.enum(['ready', 'behind', 'copying', 'out', 'foreign']),
            lag: z.int().describe('Writes that it lacks, as far as is known.'),
            detail: z.string().optional(),
            since: z.string().optional(),
          }),
        ),
        journal: z.object({ writes: z.int(), bytes: z.int(), maxBytes: z.int() }),
      })
      .optional()
      .describe('Of `rag.failover`; absent where there is one store.'),
  })
  .meta({ id: 'PartsHealth' });

export const liveResponse = z.object({ live: z.boolean() }).meta({ id: 'Live' });
