import * as z from 'zod';
import { RAGError } from '../../core/errors.js';
import type { PushedDocument } from '../../sources/push/push-source.js';
import type { AskRequest, IndexRequest, ListRequest, SearchQuery, VerifyRequest } from '../engine.js';
import type { CreateEngineOptions } from '../engine-options.js';
import { assertFilterShape } from './check-filter.js';
import { assertShape } from './check-shape.js';
import {
  askSchema,
  documentSchema,
  engineSchema,
  indexSchema,
  listSchema,
  searchSchema,
  verifySchema,
} from './request-schemas.js';

/** The border of the engine: what callers without a compiler hand in is held against the types before anything is done. */

/** A search with `topK` among its options, wherever it stood. Throws `QUERY_INVALID`. */
export function checkedSearch(query: string | SearchQuery): SearchQuery {
  if (typeof query === 'string') return { text: query };
  assertShape(searchSchema, query, { what: 'A search', reason: 'QUERY_INVALID' });
  if (query.filter !== undefined) assertFilterShape(query.filter);
  const { topK: _, ...rest } = query;
  const topK = oneTopK(query);
  return topK === undefined ? rest : { ...rest, options: { ...query.options, topK } };
}

/** A question with `topK` at its top, wherever it stood. Throws `QUERY_INVALID`. */
export function checkedQuestion(request: string | AskRequest): AskRequest {
  if (typeof request === 'string') return { question: request };
  assertShape(askSchema, request, { what: 'A question', reason: 'QUERY_INVALID' });
  if (request.filter !== undefined) assertFilterShape(request.filter);
  const { options: _, ...rest } = request;
  return { ...rest, topK: oneTopK(request) };
}

function oneTopK({ topK, options }: Pick<AskRequest, 'topK' | 'options'>): number | undefined {
  const inner = options?.topK;
  if (topK !== undefined && inner !== undefined && topK !== inner)
    throw new RAGError('QUERY_INVALID', `topK is ${topK} and under options ${inner}; state it once.`);
  return topK ?? inner;
}

/** A list of documents, and deletions alone, are pushes too. Throws `USAGE`, and `DOCUMENT_INVALID` for a document. */
export function checkedIndexing(given: IndexRequest | readonly PushedDocument[]): IndexRequest {
  const request = isList(given) ? { documents: given } : given;
  assertShape(indexSchema, request, { what: 'What to index', reason: 'USAGE' });
  for (const [at, document] of (request.documents ?? []).entries()) assertDocument(document, at);
  return request.deleted !== undefined && request.documents === undefined
    ? { ...request, documents: [] }
    : request;
}

const isList = (given: unknown): given is readonly PushedDocument[] => Array.isArray(given);

function assertDocument(document: PushedDocument, at: number): void {
  const what = `Document ${at + 1}`;
  assertShape(documentSchema, document, { what, reason: 'DOCUMENT_INVALID' });
  if ((document.text === undefined) === (document.bytes === undefined))
    throw new RAGError(
      'DOCUMENT_INVALID',
      `${what} (${JSON.stringify(document.id)}) needs text or bytes, one of the two.`,
    );
}

/** Throws `QUERY_INVALID`. */
export function checkedListing(request: ListRequest): ListRequest {
  assertShape(listSchema, request, { what: 'What to list', reason: 'QUERY_INVALID' });
  if (request.filter !== undefined) assertFilterShape(request.filter);
  return request;
}

/** Throws `USAGE`. */
export function checkedVerification(request: VerifyRequest): VerifyRequest {
  assertShape(verifySchema, request, { what: 'What to verify', reason: 'USAGE' });
  return request;
}

const nameSchema = z.string();
const namesSchema = z.array(nameSchema);

/** A document's id, or its name in `explainMiss`. Throws `USAGE`. */
export function checkedName(name: string): string {
  assertShape(nameSchema, name, { what: 'The id of a document', reason: 'USAGE' });
  return name;
}

/** Throws `USAGE`. */
export function checkedNames(names: readonly string[]): readonly string[] {
  assertShape(namesSchema, names, { what: 'What to delete', reason: 'USAGE' });
  return names;
}

/** Throws `USAGE`. */
export function checkedEngineOptions(options: CreateEngineOptions): CreateEngineOptions {
  assertShape(engineSchema, options, { what: 'createEngine', reason: 'USAGE' });
  return options;
}
