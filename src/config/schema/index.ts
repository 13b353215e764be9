import * as z from 'zod';
import { wholeNumber } from '../../core/setting-values.js';
import { answeringSchema, contextSchema } from './answering.js';
import { auditSchema } from './audit.js';
import { chunkingSchema } from './chunking.js';
import { conflictsSchema } from './conflicts.js';
import { degradationSchema } from './degradation.js';
import { deploymentsSchema } from './deployments.js';
import { embeddingSchema } from './embedding.js';
import { failoverSchema } from './failover.js';
import { feedbackSchema } from './feedback.js';
import { graphSchema } from './graph.js';
import { historySchema } from './history.js';
import { indexingSchema } from './indexing.js';
import { ledgerSchema } from './ledger.js';
import { chatSchema, modelProvidersSchema } from './models.js';
import { monitoringSchema } from './monitoring.js';
import { queueSchema } from './queue.js';
import { retrievalSchema } from './retrieval.js';
import { rolloutSchema } from './rollout.js';
import { securitySchema } from './security.js';
import { serverSchema } from './server.js';
import { sourcesSchema } from './sources.js';
import { PROVIDERS, storageSchema } from './storage.js';
import { syncSchema } from './sync.js';

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
  rag_embedding_model: z
    .string()
    .min(1)
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
