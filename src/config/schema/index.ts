import * as z from 'zod';
import { isTimezone } from '../../core/cron-schedule.js';
import { nonEmptyText, secretText, wholeNumber } from '../../core/setting-values.js';
import { answeringSchema, contextSchema } from './answering.js';
import { chunkingSchema } from './chunking.js';
import { embeddingSchema } from './embedding.js';
import { degradationSchema, failoverSchema } from './failover.js';
import { indexingSchema } from './indexing.js';
import { chatSchema, modelProvidersSchema } from './models.js';
import { monitoringSchema } from './monitoring.js';
import { retrievalSchema } from './retrieval.js';
import { securitySchema } from './security.js';
import { serverSchema } from './server.js';
import { sourcesSchema } from './sources.js';
import { PROVIDERS, storageSchema } from './storage.js';

// Sections of few settings stand here, the larger ones in files beside.

/** `rag.audit`: who did what. */
const auditSchema = z
  .strictObject({
    enabled: z
      .boolean()
      .default(true)
      .describe(
        'Write a line for each call of `ragstone serve` and `ragstone mcp`, denied ones too, and for each key that is made or revoked.',
      ),
    library: z
      .boolean()
      .default(false)
      .describe(
        "Log every call of an engine, too: those of programs and of commands. A call of the service then has the engine's line beside its own.",
      ),
    required: z
      .boolean()
      .default(false)
      .describe(
        'Refuse what cannot be logged (`AUDIT_UNAVAILABLE`), and have each line on the disk before the call is answered. Otherwise such a call is answered and the failure stands in the log of the service.',
      ),
    text: z
      .boolean()
      .default(false)
      .describe('Log the text of questions. They may hold what nobody else should read.'),
    maxFileBytes: wholeNumber(4_096)
      .default(16_777_216)
      .describe('Size at which a file of the log is put aside, in bytes (16 MiB).'),
    keepFiles: wholeNumber(0)
      .default(64)
      .describe(
        'Files put aside that are kept; the oldest are deleted, and a line of the log says so. 64 of 16 MiB are 1 GiB. 0 keeps all.',
      ),
  })
  .prefault({})
  .describe('The audit log: who did what. It is kept in the data folder, readable by its owner alone.');

/** `rag.ledger`: where is kept what is indexed. */
const ledgerSchema = z
  .strictObject({
    type: z
      .enum(['sqlite', 'postgres'])
      .default('sqlite')
      .describe(
        '`sqlite`: a file in the data folder, for one machine. `postgres`: a server (13 or later), so that several hosts with data folders of their own serve and write one index; their store must be a server too.',
      ),
    url: secretText()
      .optional()
      .describe(
        'Address of `postgres`: `postgres://user:password@host:5432/database`. Always masked in output, for it may hold a password.',
      ),
    namespace: z
      .string()
      .regex(/^[a-z][a-z0-9_]{0,31}$/, 'must be 1 to 32 lower-case letters, digits or `_`, a letter first')
      .default('ragstone')
      .describe(
        'Schema of `postgres` that holds the tables, made where it is missing. Projects that share a server must state different ones.',
      ),
    timeoutMs: wholeNumber(1)
      .max(3_600_000)
      .default(30_000)
      .describe('Longest wait for one call to the server, in milliseconds.'),
    owner: z
      .string()
      .regex(/^[\w.-]{1,64}$/, 'must be 1 to 64 letters, digits, `_`, `.` or `-`')
      .optional()
      .describe(
        'Name of this configuration among those that share the ledger; hosts with the same sources state the same one. `index --prune` gives up a source only when no other configuration indexes it. Default: the place of the configuration file, with `postgres` that of this host.',
      ),
    leaseMs: wholeNumber(1_000)
      .max(3_600_000)
      .default(60_000)
      .describe(
        'Beside other writers a run claims the documents that it writes. How long a writer that has died, or does not reach the server, keeps others from those, in milliseconds.',
      ),
  })
  .prefault({})
  .describe('Where the engine keeps what is indexed: items, revisions, texts, and what was under way.');

const extraction = z
  .strictObject({
    model: nonEmptyText()
      .optional()
      .describe(
        'Language model as `provider:model` that `ragstone graph extract` and `ragstone graph summarize` ask. Default: `rag.chat.model`.',
      ),
    concurrency: wholeNumber(1).max(64).default(4).describe('Calls of the model at a time.'),
    maxOutputTokens: wholeNumber(200)
      .max(16_000)
      .default(2_000)
      .describe('Most tokens that the model writes for one chunk or summary.'),
  })
  .prefault({})
  .describe(
    'Facts of the graph that a language model reads out of chunks. Nothing is read before `ragstone graph extract` is called.',
  );

/** `rag.graph`: the graph of documents. */
const graphSchema = z.strictObject({ extraction }).prefault({}).describe('The graph of documents.');

/** `rag.conflicts`: duplicates and contradictions between documents. */
const conflictsSchema = z
  .strictObject({
    enabled: z
      .boolean()
      .default(false)
      .describe(
        'Keep what documents say when they are indexed, so that `ragstone conflicts` finds the same and contradicting passages of different documents, and let answers name sources that contradict each other. No language model is used.',
      ),
  })
  .prefault({})
  .describe('Duplicates and conflicts between documents.');

/** `rag.deployments`: what deployments of tenants may name. */
const deploymentsSchema = z
  .strictObject({
    secrets: z
      .array(
        z
          .string()
          .regex(/^[a-z][a-z0-9-]*:\S+$/, 'must be like `keyvault:customers/*`, with a scheme in front'),
      )
      .default([])
      .describe(
        'Secrets that a deployment of the model `CustomerOwned` may name, such as `keyvault:customers/*`, `env:CUSTOMER_*` or `file:/run/secrets/customers/*`; `*` stands for any text without `/`. A caller who may save deployments (permission `admin`) can have such a secret sent to any server, so name none of the service here. Default: none.',
      ),
  })
  .prefault({})
  .describe('Deployments of tenants: which index each has.');

/** `rag.feedback`: what people opened of what they were shown, and say of it. */
const feedbackSchema = z
  .strictObject({
    enabled: z
      .boolean()
      .default(false)
      .describe(
        'Keep feedback. The questions of people are personal data: inform them before it is switched on; `ragstone forget` removes what is of a forgotten document.',
      ),
    maxBytes: wholeNumber(4_096)
      .default(67_108_864)
      .describe(
        'Most that is kept of a tenant, in bytes (64 MiB, some 60,000 searches). More is refused (`FEEDBACK_FULL`); what is there is never dropped for it.',
      ),
  })
  .prefault({})
  .describe(
    'Clicks and verdicts on results and answers, kept in the data folder, readable by its owner alone.',
  );

/** `rag.history`: what the index held before. */
const historySchema = z
  .strictObject({
    keep: z
      .string()
      .regex(/^[1-9]\d{0,4}[dwy]$/, 'must be a number of days, weeks or years, such as `90d`, `13w`, `1y`')
      .optional()
      .describe(
        'How long texts that were replaced or deleted are kept, so that `search` and `ask` can be asked what the index held at a time (`asOf`): days (`90d`), weeks (`13w`) or years of 365 days (`1y`). Default: nothing old is kept, and what was kept is deleted by the next run. What `ragstone forget` or a retention removes goes from it at once. All processes that write one index must state the same.',
      ),
  })
  .prefault({})
  .describe('History of the index.');

/** `rag.queue`: by what work is handed to workers on other hosts. */
const queueSchema = z
  .strictObject({
    url: secretText()
      .optional()
      .describe(
        'Address of a Redis or Valkey server (`redis://HOST:6379`, best by a reference such as `env:REDIS_URL`) by which `ragstone sync` hands documents to `ragstone worker` on any number of hosts; needs `rag.ledger.type: postgres` and the packages `bullmq` and `ioredis`. What is to be done is kept in the ledger, so the server may lose everything. Default: the process that lists a source indexes it.',
      ),
    prefix: z
      .string()
      .regex(/^[\w.-]{1,64}$/, 'must be 1 to 64 letters, digits, `_`, `.` or `-`')
      .default('ragstone')
      .describe(
        'Before every key on that server. Indexes that share it and have ledgers of the same namespace on different servers must state different ones.',
      ),
  })
  .prefault({})
  .describe('How work is spread over hosts: `ragstone worker`.');

/** `rag.rollout`: which items of a pipeline are enriched from the index. */
const rolloutSchema = z.strictObject({
  rag_enrichment: z
    .boolean()
    .default(true)
    .describe('`false` enriches no item from the index: each gets what it got before there was one.'),
  rolloutPercentage: z
    .number()
    .min(0)
    .max(100)
    .default(0)
    .describe(
      'Percent of the items that are enriched from the index. A hash of tenant and id decides which, so an item is always on the same side, and raising it only adds items.',
    ),
  shadow: z
    .boolean()
    .default(false)
    .describe(
      'Try out: items of the percentage are enriched both ways and answered the old way; `ragstone rollout` shows how the two compare.',
    ),
});

/** `rag.sync`: how sources are followed, by `ragstone sync` and inside `ragstone serve`. */
const syncSchema = z
  .strictObject({
    timezone: z
      .string()
      .refine(isTimezone, 'must be the name of a time zone, such as "Europe/Berlin" or "UTC"')
      .optional()
      .describe(
        'Time zone of `indexSchedule` and `updateSchedule`, such as `Europe/Berlin`. Default: that of the machine.',
      ),
    tenants: z
      .array(nonEmptyText())
      .min(1)
      .default(['default'])
      .describe(
        'For which tenants `ragstone serve` follows the sources: each has the documents in its index. `ragstone sync` reads them for the tenant that `--tenant` names.',
      ),
    settleMs: wholeNumber(0)
      .max(600_000)
      .default(500)
      .describe(
        'How long a watched source must be quiet before it is read, in milliseconds, so that many changes are one run. Changes that never end are read after ten times as long.',
      ),
    pollSeconds: wholeNumber(1)
      .max(86_400)
      .default(60)
      .describe('How often a source is read that is to be watched and cannot be, in seconds.'),
  })
  .prefault({})
  .describe('How sources are followed: `ragstone sync --watch`, `ragstone sync --daemon`, `ragstone serve`.');

const limits = z
  .strictObject({
    maxFileBytes: wholeNumber(1)
      .optional()
      .describe(
        'A larger file is reported and not read, in bytes. Default: 10 MiB, and 100 MiB for PDF, Word, workbooks, presentations, OpenDocument, EPUB, mail, CSV and JSON Lines, of which memory is the bound (`parseMemoryMb`).',
      ),
    parseTimeoutMs: wholeNumber(100)
      .max(3_600_000)
      .default(90_000)
      .describe(
        'A PDF, Word or HTML document, table or source file that takes longer to parse is given up, in milliseconds.',
      ),
    parseMemoryMb: wholeNumber(64)
      .max(65_536)
      .default(1_024)
      .describe(
        'One that takes more memory is given up, in MiB of the heap of the thread that parses it; buffers beside it may take as much again. Both together take no more than a half of what the machine or container has left.',
      ),
  })
  .prefault({})
  .describe('Limits that protect the process.');

/** Everything under `rag:`. Unknown keys are refused. */
export const ragSchema = z.strictObject({
  enabled: z
    .boolean()
    .default(true)
    .describe('`false` switches retrieval off: searches answer with nothing at degradation level 5.'),
  provider: z
    .enum(PROVIDERS)
    .default('auto')
    .describe('Store of chunks and vectors. `auto` takes `lancedb` where it is installed, else `libsql`.'),
  embedding: embeddingSchema,
  storage: storageSchema,
  ledger: ledgerSchema,
  history: historySchema,
  chunking: chunkingSchema.optional().describe('How documents are cut into chunks.'),
  indexing: indexingSchema,
  conflicts: conflictsSchema,
  graph: graphSchema,
  retrieval: retrievalSchema,
  degradation: degradationSchema,
  failover: failoverSchema,
  context: contextSchema,
  answering: answeringSchema,
  chat: chatSchema,
  modelProviders: modelProvidersSchema,
  sources: sourcesSchema,
  sync: syncSchema,
  queue: queueSchema,
  rollout: rolloutSchema
    .optional()
    .describe(
      'Which items of a backlog pipeline are enriched from the index, while that is rolled out. Without it all are.',
    ),
  security: securitySchema,
  limits,
  server: serverSchema,
  deployments: deploymentsSchema,
  audit: auditSchema,
  feedback: feedbackSchema,
  monitoring: monitoringSchema,
});

/** A whole configuration file. */
export const configFileSchema = z.strictObject({
  rag: ragSchema.prefault({}).describe('All settings of the engine.'),
  rag_embedding_model: nonEmptyText()
    .optional()
    .describe('Another spelling of `rag.embedding.model`. State one of the two.'),
  rag_top_k: wholeNumber(1)
    .max(1000)
    .optional()
    .describe('Another spelling of `rag.retrieval.topK`. State one of the two.'),
});

/** What may be written under `rag:`, every key optional. */
export type RAGSettingsInput = z.input<typeof ragSchema>;

/** A configuration as an object: the content of `rag:`, or a whole file with its `rag` key. */
export type RAGConfigInput = RAGSettingsInput | z.input<typeof configFileSchema>;

/** Settings with their defaults filled. */
export type RAGSettings = z.output<typeof ragSchema>;
