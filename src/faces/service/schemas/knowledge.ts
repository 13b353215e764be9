import * as z from 'zod';
import { type Metadata, RagDeploymentModel } from '../../../index.js';
import {
  boolean,
  int,
  listOf,
  number,
  optionalInt,
  optionalString,
  range,
  rowsOf,
  string,
  strings,
} from '../../../operations/requests/outcome-fields.js';
import {
  asOf,
  dateTime,
  deadlineMs,
  filterFields,
  idText,
  maxCost,
  modeFields,
  names,
  questionText,
  searchReport,
  tenantText,
  topKSchema,
  wayOfPassage,
} from './common.js';

/** Characters of one document; larger ones come as files. */
const MOST_CONTENT = 5_000_000;
const MOST_DOCUMENTS = 1_000;

export const ragSearchRequest = z.strictObject({
  query: questionText,
  tenantId: tenantText,
  topK: topKSchema.default(10),
  minScore: number.min(0).max(1).default(0.5).describe('Leaves out what matches less.'),
  ...modeFields,
  deadlineMs,
  maxCost,
  asOf,
  ...filterFields,
});

const deploymentFields = {
  deploymentId: string.describe("Id of the tenant's deployment."),
  deploymentModel: z.enum(RagDeploymentModel).describe("Where the tenant's documents are kept."),
};

/** A passage, under the names of the index schema. */
export const ragSearchResult = z.object({
  tenantId: string,
  ...deploymentFields,
  id: string.describe('Id of the document as it was indexed; deletes and reads take it.'),
  chunkId: string,
  documentId: string.describe('The document that this one is a part of; its own id where none was stated.'),
  documentName: optionalString,
  documentType: string,
  chunkIndex: optionalInt,
  chunkCount: optionalInt,
  content: string,
  score: number.describe('How well the passage matches, from 0 to 1.'),
  tags: strings,
  metadata: z.unknown().optional(),
  source: string,
  lines: range,
  path: wayOfPassage,
  createdAt: optionalString,
  updatedAt: optionalString,
});

export const ragSearchResponse = z
  .object({
    results: listOf(ragSearchResult),
    ...searchReport,
  })
  .meta({ id: 'RagSearchResponse' });

/** JSON that nests deeper is an attack on recursive readers. */
const DEEPEST = 20;

const isShallow = (value: unknown, left = DEEPEST): boolean =>
  typeof value !== 'object' ||
  value === null ||
  (left > 0 && Object.values(value).every((child) => isShallow(child, left - 1)));

/** A body is JSON, so what it holds is. */
const jsonFacts = z
  .record(string, z.unknown())
  .refine((value) => isShallow(value), `at most ${DEEPEST} levels deep`) as unknown as z.ZodType<Metadata>;

const documentFields = {
  id: idText.optional().describe('Default: `documentId`, with `chunkIndex` where it is stated.'),
  documentId: idText.optional().describe('The document that this one is a part of. Default: `id`.'),
  documentName: string.max(1_000).optional(),
  documentType: string.min(1).max(200).optional().describe('Such as `contract` or `policy`.'),
  chunkIndex: int.min(0).optional(),
  chunkCount: int.min(0).optional(),
  content: string.min(1).max(MOST_CONTENT),
  tags: names.optional(),
  access: z
    .strictObject({ groups: names.min(1).optional(), level: int.min(0).optional() })
    .optional()
    .describe(
      'Who may read it: of these groups (`*` is everyone), with a clearance of at least this level. Groups of the caller alone, and no level above its clearance. What is left out stays as it is; of a new document, everyone and 0.',
    ),
  metadata: z
    .union([string, jsonFacts])
    .optional()
    .describe(
      'Given back as it is, and filtered by the names of its fields; at most 64 KiB as JSON, with tags and names.',
    ),
  createdAt: dateTime.optional(),
  updatedAt: dateTime.optional(),
};

export const knowledgeDocumentInput = z.strictObject({
  ...documentFields,
  tenantId: tenantText,
  deploymentId: string.max(200).optional().describe("Where it is stated, the tenant's."),
  deploymentModel: z.enum(RagDeploymentModel).optional().describe("Where it is stated, the tenant's."),
});

export type KnowledgeDocumentInput = z.infer<typeof knowledgeDocumentInput>;

/** What was indexed. */
export const knowledgeDocument = z
  .object({
    ...documentFields,
    id: string,
    documentId: string,
    ...deploymentFields,
    tenantId: string,
  })
  .meta({ id: 'KnowledgeDocument' });

export const batchRequest = z.strictObject({
  tenantId: tenantText,
  documents: z.array(knowledgeDocumentInput).min(1).max(MOST_DOCUMENTS),
});

/** What became of several documents. */
export const pushedOutcome = <Row extends z.ZodRawShape>(ofEach: Row) =>
  z.object({
    results: rowsOf({
      id: string,
      success: boolean,
      error: z.object({ reason: string, message: string }).optional(),
      ...ofEach,
    }).describe('What became of each, in their order.'),
    indexed: int,
    failed: int,
  });

export const batchResponse = pushedOutcome({}).meta({ id: 'IndexResults' });

export const deletedParts = z.object({ deleted: int });

export const embeddingRequest = z.strictObject({
  text: questionText,
  kind: z.enum(['query', 'document']).default('document').describe('As what the text is read.'),
});

export const embeddingResponse = z
  .object({ embedding: listOf(number), model: string, dimensions: int })
  .meta({ id: 'Embedding' });
