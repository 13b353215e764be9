import * as z from 'zod';
import { RAGError } from '../../core/errors.js';
import { isList, ownElements, ownFields, plainCopy, type Refuse, reading } from '../../core/plain-copy.js';
import type { ConflictsRequest } from '../../relations/conflicts/conflict-types.js';
import type { PushedDocument } from '../../sources/push/push-source.js';
import type {
  AskRequest,
  ContextQuery,
  DocumentRequest,
  EmbedRequest,
  FailuresRequest,
  IndexRequest,
  ListRequest,
  RelatedRequest,
  RetryRequest,
  SearchQuery,
  VerifyRequest,
} from '../engine.js';
import type { CreateEngineOptions } from '../engine-options.js';
import type {
  EstimateRequest,
  ExtractRequest,
  SummariesRequest,
  SummarizeRequest,
} from '../extraction-types.js';
import type { FeedbackJudgmentsRequest } from '../feedback-judgments.js';
import type { FeedbackRequest, ListFeedbackRequest } from '../feedback-types.js';
import type { ForgetRequest } from '../forget-types.js';
import type { ReembedRequest } from '../upgrade-types.js';
import { assertFilterShape } from './check-filter.js';
import { assertShape, type Refusal, refusing } from './check-shape.js';
import { feedbackJudgmentsSchema, feedbackListSchema, feedbackSchema } from './feedback-schemas.js';
import {
  askSchema,
  conflictsSchema,
  contextSchema,
  documentSchema,
  embedSchema,
  engineSchema,
  estimateSchema,
  extractSchema,
  failuresSchema,
  forgetSchema,
  indexSchema,
  listSchema,
  readingSchema,
  reembedSchema,
  relatedSchema,
  retrySchema,
  searchSchema,
  summariesSchema,
  summarizeSchema,
  verifySchema,
} from './request-schemas.js';

/**
 * The border of the engine: what callers hand in is copied into plain data and the copy is held against the types, before anything is
 * done. Only the copy goes further.
 */

function checked<T>(given: T, schema: z.ZodType, refusal: Refusal): T {
  const copy = plainCopy(given, refusing(refusal));
  assertShape(schema, copy, refusal);
  return copy;
}

/** A search with `topK` among its options, wherever it stood. Throws `QUERY_INVALID`. */
export function checkedSearch(query: string | SearchQuery): SearchQuery {
  if (typeof query === 'string') return { text: query };
  const asked = checked(query, searchSchema, { what: 'A search', reason: 'QUERY_INVALID', orText: true });
  if (asked.filter !== undefined) assertFilterShape(asked.filter);
  assertHops(asked);
  const { topK: _, ...rest } = asked;
  const topK = oneTopK(asked);
  return topK === undefined ? rest : { ...rest, options: { ...asked.options, topK } };
}

/** Steps that nobody walks would be ignored in silence. */
function assertHops({ options: { mode, hops } = {} }: SearchQuery): void {
  if (hops !== undefined && mode !== 'graph')
    throw new RAGError(
      'QUERY_INVALID',
      'hops is for the mode "graph" alone: ask for that mode too (mode: "graph", --mode graph), or leave hops out.',
    );
}

/** A question with `topK` at its top, wherever it stood. Throws `QUERY_INVALID`. */
export function checkedQuestion(request: string | AskRequest): AskRequest {
  if (typeof request === 'string') return { question: request };
  const asked = checked(request, askSchema, { what: 'A question', reason: 'QUERY_INVALID', orText: true });
  if (asked.filter !== undefined) assertFilterShape(asked.filter);
  return { ...asked, topK: oneTopK(asked) };
}

/** Throws `QUERY_INVALID`. */
export function checkedContext(query: string | ContextQuery): ContextQuery {
  if (typeof query === 'string') return { text: query };
  assertShape(contextSchema, query, { what: 'A context', reason: 'QUERY_INVALID', orText: true });
  if (query.filter !== undefined) assertFilterShape(query.filter);
  return query;
}

/** Throws `USAGE`. */
export function checkedTexts(request: EmbedRequest): EmbedRequest {
  assertShape(embedSchema, request, { what: 'What to embed', reason: 'USAGE' });
  return request;
}

function oneTopK({ topK, options }: Pick<AskRequest, 'topK' | 'options'>): number | undefined {
  const inner = options?.topK;
  if (topK !== undefined && inner !== undefined && topK !== inner)
    throw new RAGError('QUERY_INVALID', `topK is ${topK} and under options ${inner}; state it once.`);
  return topK ?? inner;
}

const INDEXING: Refusal = { what: 'What to index', reason: 'USAGE' };

/** A list of documents, and deletions alone, are pushes too. Throws `USAGE`; `DOCUMENT_INVALID` and `DOCUMENT_TOO_LARGE` for a document. */
export function checkedIndexing(given: IndexRequest | readonly PushedDocument[]): IndexRequest {
  const { documents, ...rest } = isDocuments(given)
    ? { documents: given }
    : ownFields(given, refusing(INDEXING));
  const request = checked(rest, indexSchema, INDEXING);
  if (documents === undefined) return request.deleted === undefined ? request : { ...request, documents: [] };
  assertShape(indexSchema, { documents }, INDEXING);
  return { ...request, documents: ownElements(documents, refusing(INDEXING)).map(checkedDocument) };
}

const isDocuments = (given: unknown): given is readonly PushedDocument[] => isList(given);

/** Errors name the document by its id, where that can be read. */
function checkedDocument(given: PushedDocument, at: number): PushedDocument {
  const unnamed: Refusal = { what: `Document ${at + 1}`, reason: 'DOCUMENT_INVALID' };
  const fields = ownFields(given, refusing(unnamed));
  const id: unknown = fields.id;
  const name = typeof id === 'string' ? ` (${JSON.stringify(id.slice(0, LONGEST_NAME))})` : '';
  const refusal: Refusal = { ...unnamed, what: `Document ${at + 1}${name}` };
  const copy = plainCopy(fields, refusing(refusal));
  const document: PushedDocument =
    copy.metadata === undefined ? copy : { ...copy, metadata: withoutUndefined(copy.metadata) };
  assertShape(documentSchema, document, refusal);
  if ((document.text === undefined) === (document.bytes === undefined))
    throw new RAGError('DOCUMENT_INVALID', `${refusal.what} needs text or bytes, one of the two.`);
  const metadataBytes = Buffer.byteLength(JSON.stringify(document.metadata ?? {}));
  if (metadataBytes > MOST_METADATA)
    throw new RAGError(
      'DOCUMENT_TOO_LARGE',
      `${refusal.what} has ${metadataBytes} bytes of metadata, as JSON; ${MOST_METADATA} are the most. Put long texts into the document's text, or keep them elsewhere and name their place.`,
    );
  return document;
}

/** Bytes of the metadata of a document, as JSON: every chunk has a copy of it. */
const MOST_METADATA = 64 * 1024;

const LONGEST_NAME = 200;

/** To state `undefined` is to leave a key out, as in JSON. */
function withoutUndefined<T>(value: T): T {
  if (typeof value !== 'object' || value === null || !isRecord(value)) return value;
  const stated = Object.entries(value).filter(([, inner]) => inner !== undefined);
  return Object.fromEntries(stated.map(([key, inner]) => [key, withoutUndefined(inner)])) as T;
}

const isRecord = (value: object): boolean => Object.getPrototypeOf(value) === Object.prototype;

/** Throws `QUERY_INVALID`. */
export function checkedListing(request: ListRequest): ListRequest {
  const asked = checked(request, listSchema, { what: 'What to list', reason: 'QUERY_INVALID' });
  if (asked.filter !== undefined) assertFilterShape(asked.filter);
  return asked;
}

/** Throws `USAGE`. */
export const checkedRelated = (request: string | RelatedRequest): RelatedRequest =>
  typeof request === 'string'
    ? { item: request }
    : checked(request, relatedSchema, { what: 'What is related', reason: 'USAGE', orText: true });

/** Throws `USAGE`. */
export const checkedFeedback = (request: FeedbackRequest): FeedbackRequest =>
  checked(request, feedbackSchema, { what: 'Feedback', reason: 'USAGE' });

/** Throws `USAGE`. */
export const checkedFeedbackListing = (request: ListFeedbackRequest): ListFeedbackRequest =>
  checked(request, feedbackListSchema, { what: 'Which feedback', reason: 'USAGE' });

/** Throws `USAGE`. */
export const checkedFeedbackJudgments = (request: FeedbackJudgmentsRequest): FeedbackJudgmentsRequest =>
  checked(request, feedbackJudgmentsSchema, { what: 'Which judgments', reason: 'USAGE' });

/** Throws `USAGE`. */
export const checkedConflicts = (request: ConflictsRequest): ConflictsRequest =>
  checked(request, conflictsSchema, { what: 'Which conflicts', reason: 'USAGE' });

/** Throws `USAGE`. */
export const checkedVerification = (request: VerifyRequest): VerifyRequest =>
  checked(request, verifySchema, { what: 'What to verify', reason: 'USAGE' });

/** Throws `USAGE`. */
export const checkedFailures = (request: FailuresRequest): FailuresRequest =>
  checked(request, failuresSchema, { what: 'Which failures', reason: 'USAGE' });

/** Throws `USAGE`. */
export const checkedRetry = (request: RetryRequest): RetryRequest =>
  checked(request, retrySchema, { what: 'What to try again', reason: 'USAGE' });

const nameSchema = z.string();
const namesSchema = z.array(nameSchema);
const generationSchema = z.int('a whole number');

/** Throws `USAGE` for what is no request, `QUERY_INVALID` for its filter. */
export function checkedForgetting(request: ForgetRequest): ForgetRequest {
  const asked = checked(request, forgetSchema, { what: 'What to forget', reason: 'USAGE' });
  if (asked.filter !== undefined) assertFilterShape(asked.filter);
  return asked;
}

/** Throws `USAGE`. */
export const checkedReembedding = (request: ReembedRequest): ReembedRequest =>
  checked(request, reembedSchema, { what: 'What to embed anew', reason: 'USAGE' });

/** Throws `USAGE`. */
export const checkedEstimation = (request: EstimateRequest): EstimateRequest =>
  checked(request, estimateSchema, { what: 'What to estimate', reason: 'USAGE' });

/** Throws `USAGE`. */
export const checkedExtraction = (request: ExtractRequest): ExtractRequest =>
  checked(request, extractSchema, { what: 'What to extract', reason: 'USAGE' });

/** Throws `USAGE`. */
export const checkedSummarizing = (request: SummarizeRequest): SummarizeRequest =>
  checked(request, summarizeSchema, { what: 'What to summarise', reason: 'USAGE' });

/** Throws `USAGE`. */
export const checkedSummaries = (request: SummariesRequest): SummariesRequest =>
  checked(request, summariesSchema, { what: 'Which summaries', reason: 'USAGE' });

/** A document's id, or its name in `explainMiss`. Throws `USAGE`. */
export const checkedName = (name: string): string =>
  checked(name, nameSchema, { what: 'The id of a document', reason: 'USAGE' });

/** Throws `USAGE`. */
export const checkedReading = (request: string | DocumentRequest): DocumentRequest =>
  typeof request === 'string'
    ? { id: checkedName(request) }
    : checked(request, readingSchema, { what: 'Which document', reason: 'USAGE', orText: true });

/** Throws `USAGE`. */
export const checkedEntityName = (name: string): string =>
  checked(name, nameSchema, { what: 'The name of an entity', reason: 'USAGE' });

/** Throws `USAGE`. */
export const checkedNames = (names: readonly string[]): readonly string[] =>
  checked(names, namesSchema, { what: 'What to delete', reason: 'USAGE' });

/** Throws `USAGE`. */
export const checkedGeneration = (generation: number): number =>
  checked(generation, generationSchema, { what: 'The number of a generation', reason: 'USAGE' });

// The variables of a process are no plain object.
const copiedVariables = (env: CreateEngineOptions['env'], refuse: Refuse): CreateEngineOptions['env'] =>
  typeof env === 'object' && env !== null ? reading(['env'], refuse, () => ({ ...env })) : env;

/** Settings are copied; parts are borrowed as they are, lists of them copied. Throws `USAGE`. */
export function checkedEngineOptions(options: CreateEngineOptions): CreateEngineOptions {
  const refusal: Refusal = { what: 'createEngine', reason: 'USAGE' };
  const { config, env, overrides, ...parts } = ownFields(options, refusing(refusal));
  const own = {
    ...Object.fromEntries(
      Object.entries(parts).map(([key, part]: [string, unknown]) => [
        key,
        isList(part) ? ownElements(part, refusing(refusal), [key]) : part,
      ]),
    ),
    ...withoutUndefined(plainCopy({ config, overrides }, refusing(refusal))),
    env: copiedVariables(env, refusing(refusal)),
  };
  assertShape(engineSchema, own, refusal);
  return own;
}
