import { RAGError } from '../../core/errors.js';
import { refusedRequestError, retriedAfter, type Verdict } from '../refused-request.js';
import { noAnswerError } from '../server-calls.js';

const CHECK = 'Check the address of the store, and any proxy between.';

/** An answer of the service that is no success. */
export interface Refusal {
  readonly status: number;
  /** What it says of the reason. May quote what was sent. */
  readonly explanation: string;
  /** How long it asks to wait, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
}

/** Words of the service's explanations, first match wins; statuses alone do not tell these cases apart. */
const VERDICTS: readonly (readonly [RegExp, Verdict])[] = [
  [
    /storage quota|quota has been exceeded|exceeded the (maximum|limit).*(storage|document|partition)|vector (index )?quota/i,
    [
      'STORE_FULL',
      'Its quota of storage, vectors or indexes is used up. Delete indexes there, or add partitions or a higher tier.',
    ],
  ],
  [
    /filter.*(too (many|complex|large|deep)|clauses|exceeds)|too many (filter )?clauses|recursion limit/i,
    ['STORE_FILTER_UNSUPPORTED', 'The filter has more parts than the service takes. Ask in smaller pieces.'],
  ],
  [
    /api-?version/i,
    ['CONFIG_INVALID', 'It does not know the version of the interface that the installed client speaks.'],
  ],
];

const BY_STATUS: Readonly<Record<number, Verdict>> = {
  401: [
    'CONFIG_INVALID',
    'It does not accept the credentials. Set the API key of the store, or give this identity its roles.',
  ],
  403: [
    'CONFIG_INVALID',
    'The credentials are not allowed to do that. It needs an admin key, or the roles "Search Service Contributor" and "Search Index Data Contributor".',
  ],
  404: ['COLLECTION_NOT_FOUND', 'The index was removed meanwhile; open the collection again.'],
  408: ['STORE_TIMEOUT', 'It gave up on the request. Try again later.'],
  413: ['STORE_INVALID_RECORD', 'A chunk is larger than the service takes (16 MB).'],
  429: ['STORE_UNAVAILABLE', 'It has too much to do. Try again later, or add replicas.'],
  503: ['STORE_UNAVAILABLE', 'It has too much to do. Try again later, or add replicas.'],
};

/** Whether the same request may succeed a moment later; 409 and 422 are told of single documents. */
export const isRetryableStatus = retriedAfter(409, 422);

/** An answer as one of our errors. The message never holds the explanation, which may quote what was sent. */
export function refusalError(address: string, action: string, { status, explanation }: Refusal): RAGError {
  const verdict = VERDICTS.find(([pattern]) => pattern.test(explanation))?.[1] ?? BY_STATUS[status];
  return refusedRequestError(
    { server: 'Azure AI Search', address, action, status, explanation },
    verdict ?? [
      'STORE_UNAVAILABLE',
      status >= 500 ? 'Look at the state of the service.' : 'The cause has its explanation.',
    ],
  );
}

/** A failure to get an answer as one of our errors. The client's own carry the request with its key, so only their words go on. */
export function transportError(address: string, action: string, error: unknown): RAGError {
  if (RAGError.isInstance(error)) return error;
  const cause = new Error(error instanceof Error ? error.message : String(error));
  cause.name = nameOf(error);
  if (/credential/i.test(nameOf(error)))
    return new RAGError(
      'CONFIG_INVALID',
      `Azure AI Search at ${address} could not be asked to ${action}: nobody is signed in to Azure. Set rag.storage.server.apiKey, set up a managed identity, or run \`az login\`.`,
      { cause },
    );
  return noAnswerError({ title: 'Azure AI Search', address }, action, CHECK, cause);
}

const nameOf = (error: unknown): string => (error instanceof Error ? error.name : 'Error');

/** What the client throws for an answer that is no success; by its form, for two copies of the package have two classes. */
export function refusalOf(error: unknown): Refusal | undefined {
  if (typeof error !== 'object' || error === null || !('statusCode' in error)) return undefined;
  const status = Number(error.statusCode);
  // With status 200 it is an answer that cannot be read.
  if (!Number.isInteger(status) || status < 300) return undefined;
  const body = 'details' in error ? JSON.stringify(error.details) : undefined;
  const explanation = `${error instanceof Error ? error.message : ''} ${body ?? ''}`;
  return { status, explanation, retryAfterMs: retryAfterOf(error) };
}

/** `Retry-After` in seconds, or `retry-after-ms`; a date is not sent by the service. */
function retryAfterOf(error: object): number | undefined {
  const response: unknown = 'response' in error ? error.response : undefined;
  if (typeof response !== 'object' || response === null || !('headers' in response)) return undefined;
  const headers = response.headers as { get?: (name: string) => string | undefined };
  const milliseconds = Number(headers.get?.('retry-after-ms'));
  if (Number.isFinite(milliseconds) && milliseconds > 0) return milliseconds;
  const seconds = Number(headers.get?.('retry-after'));
  return Number.isFinite(seconds) && seconds > 0 ? seconds * 1_000 : undefined;
}
