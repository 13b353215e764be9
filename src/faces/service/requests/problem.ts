import { STATUS_CODES } from 'node:http';
import * as z from 'zod';
import { type ErrorReason, RAGError, toldOutage } from '../../../index.js';

/** An error as the service answers it (RFC 9457). */
export const problemSchema = z
  .object({
    type: z.string().describe('`urn:ragstone:error:` and the reason.'),
    title: z.string().describe('The status in words.'),
    status: z.int(),
    detail: z.string().describe('What is wrong and what to do. It holds no text of documents.'),
    code: z.string().describe('`E001` to `E005`.'),
    reason: z.string().describe('Stable reason, as `docs/errors.md` lists them.'),
    retryable: z.boolean().describe('The same request may succeed later.'),
    degradationLevel: z
      .int()
      .optional()
      .describe('4 where a question could not be answered at all, for parts are out.'),
    parts: z.array(z.string()).readonly().optional().describe('Parts that do not answer, where that is why.'),
    requestId: z.string(),
  })
  .meta({ id: 'Problem' });

export type Problem = z.infer<typeof problemSchema>;

export const PROBLEM_TYPE = 'application/problem+json';

/** Statuses of reasons that their category does not tell. */
const STATUS_OF_REASON: Partial<Record<ErrorReason, number>> = {
  UNAUTHENTICATED: 401,
  FORBIDDEN: 403,
  COLLECTION_NOT_FOUND: 404,
  DOCUMENT_NOT_FOUND: 404,
  FEEDBACK_UNKNOWN: 404,
  FEEDBACK_OFF: 409,
  ORIGINAL_UNAVAILABLE: 409,
  CONFLICTS_OFF: 409,
  ROUTE_NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  DOCUMENT_DUPLICATE_ID: 409,
  DOCUMENT_FORGOTTEN: 409,
  INDEX_EMPTY: 409,
  DOCUMENT_TOO_LARGE: 413,
  DEPLOYMENT_CONFLICT: 409,
  DEPLOYMENT_INVALID: 422,
  IDEMPOTENCY_KEY_REUSED: 422,
  RATE_LIMITED: 429,
  ABORTED: 503,
  INDEX_LOCKED: 503,
  STORE_READ_ONLY: 503,
  INDEX_READ_ONLY: 503,
  CHAT_TIMEOUT: 504,
  REQUEST_TIMEOUT: 504,
  STORE_TIMEOUT: 504,
};

const STATUS_OF_CATEGORY = { user: 400, config: 500, provider: 503, internal: 500 } as const;

const statusOf = ({ reason, category }: RAGError): number =>
  STATUS_OF_REASON[reason] ?? STATUS_OF_CATEGORY[category];

/** In place of messages about the inside of the service: they are for operators, and stand in its log. */
const NOT_FOR_CALLERS = 'The service could not do this. Its log says why, under the id of this request.';
const PUBLIC_PROVIDER_REASONS: ReadonlySet<ErrorReason> = new Set([
  'REQUEST_TIMEOUT',
  'SERVICE_UNAVAILABLE',
  'FEEDBACK_FULL',
]);

/** What callers are told in place of words that name folders of the machine. */
const IN_OTHER_WORDS: Readonly<Partial<Record<ErrorReason, string>>> = {
  FEEDBACK_OFF: 'This service keeps no feedback.',
  CONFLICTS_OFF: 'This service does not look for duplicates and conflicts.',
  INDEX_EMPTY: 'Nothing is indexed yet. Index a document first.',
  INDEX_LOCKED: 'Another process writes this index, or moves it. Try again later.',
};

/**
 * What a caller is told of an error.
 *
 * @param knownOut parts that do not answer, as far as that was known before; of a request that was late they may be why
 */
export function problemOf(error: unknown, requestId: string, knownOut: readonly string[] = []): Problem {
  const known = RAGError.isInstance(error) ? error : fromFastify(error);
  const status = isUnreadType(error) ? 415 : statusOf(known);
  const { code, reason, category, retryable, message } = known;
  const isPublic = category === 'user' || PUBLIC_PROVIDER_REASONS.has(reason);
  return {
    type: `urn:ragstone:error:${reason}`,
    title: STATUS_CODES[status] ?? 'Error',
    status,
    detail: IN_OTHER_WORDS[reason] ?? (isPublic ? message : NOT_FOR_CALLERS),
    code,
    reason,
    retryable,
    ...(reason === 'REQUEST_TIMEOUT' && knownOut.length > 0 ? { parts: knownOut } : toldOutage(known)),
    requestId,
  };
}

/** What Fastify refuses before a route sees it: a body that is no JSON, too large, of another type, or not as the schema says. */
function fromFastify(error: unknown): RAGError {
  if (!(error instanceof Error) || !('statusCode' in error))
    return new RAGError('INTERNAL', NOT_FOR_CALLERS, { cause: error });
  const { statusCode } = error;
  if (statusCode === 413) return new RAGError('DOCUMENT_TOO_LARGE', 'The body of the request is too large.');
  if (isUnreadType(error))
    return new RAGError('REQUEST_INVALID', 'The body must be JSON: send `content-type: application/json`.');
  if (statusCode === 429) return new RAGError('RATE_LIMITED', error.message);
  if (typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500)
    return new RAGError('REQUEST_INVALID', shortened(sentence(error.message)), { cause: error });
  return new RAGError('INTERNAL', NOT_FOR_CALLERS, { cause: error });
}

const isUnreadType = (error: unknown): boolean =>
  error instanceof Error && 'statusCode' in error && error.statusCode === 415;

/** What was refused may name all that a body held. */
const MOST_DETAIL = 1_000;

const shortened = (text: string): string =>
  text.length > MOST_DETAIL ? `${text.slice(0, MOST_DETAIL).toWellFormed()}…` : text;

const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);
