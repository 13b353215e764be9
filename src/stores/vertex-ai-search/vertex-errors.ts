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
    /quota .*(document|storage|data ?store)|(document|storage|data ?store)s? .*quota/i,
    ['STORE_FULL', 'A quota of the project is used up. Delete data stores there, or ask for a higher quota.'],
  ],
  [
    /(SERVICE_DISABLED|API has not been used|billing)/i,
    [
      'CONFIG_INVALID',
      'The Discovery Engine API is not enabled for the project, or the project has no billing account.',
    ],
  ],
  [
    /invalid filter|filter.*(too (long|many|complex)|exceeds)/i,
    ['STORE_FILTER_UNSUPPORTED', 'It does not take the filter. Ask in smaller pieces.'],
  ],
];

const BY_STATUS: Readonly<Record<number, Verdict>> = {
  401: [
    'CONFIG_INVALID',
    'It does not accept the credentials. Set GOOGLE_APPLICATION_CREDENTIALS, or run `gcloud auth application-default login`.',
  ],
  403: [
    'CONFIG_INVALID',
    'The account is not allowed to do that. It needs the role "Discovery Engine Editor" in the project.',
  ],
  404: ['COLLECTION_NOT_FOUND', 'The data store was removed meanwhile; open the collection again.'],
  408: ['STORE_TIMEOUT', 'It gave up on the request. Try again later.'],
  413: ['STORE_INVALID_RECORD', 'A chunk is larger than the service takes.'],
  429: ['STORE_UNAVAILABLE', 'It has too much to do, or a quota of requests is used up. Try again later.'],
  503: ['STORE_UNAVAILABLE', 'It has too much to do. Try again later.'],
  504: ['STORE_TIMEOUT', 'It did not finish in time. Try again later.'],
};

/** Whether the same request may succeed a moment later. */
export const isRetryableStatus = retriedAfter(500);

/** An answer as one of our errors. The message never holds the explanation, which may quote what was sent. */
export function refusalError(address: string, action: string, { status, explanation }: Refusal): RAGError {
  const verdict = VERDICTS.find(([pattern]) => pattern.test(explanation))?.[1] ?? BY_STATUS[status];
  return refusedRequestError(
    { server: 'Vertex AI Search', address, action, status, explanation },
    verdict ?? [
      'STORE_UNAVAILABLE',
      status >= 500 ? 'Look at the state of Google Cloud.' : 'The cause has its explanation.',
    ],
  );
}

/** A failure to get an answer as one of our errors. The client's own carry the request with its token, so only their words go on. */
export function transportError(address: string, action: string, error: unknown): RAGError {
  if (RAGError.isInstance(error)) return error;
  const cause = new Error(error instanceof Error ? error.message : String(error));
  if (/default credentials|credentials? (file|could)|private key|PEM|DECODER/i.test(cause.message))
    return new RAGError(
      'CONFIG_INVALID',
      `Vertex AI Search at ${address} could not be asked to ${action}: nobody is signed in to Google Cloud. Set GOOGLE_APPLICATION_CREDENTIALS to the key file of a service account, or run \`gcloud auth application-default login\`.`,
      { cause },
    );
  return noAnswerError({ title: 'Vertex AI Search', address }, action, CHECK, cause);
}

/** gRPC's codes, which failed operations have, as the statuses that stand for them. */
const STATUS_OF_CODE: Readonly<Record<number, number>> = {
  3: 400,
  5: 404,
  6: 409,
  7: 403,
  8: 429,
  9: 400,
  10: 409,
  13: 500,
  14: 503,
  16: 401,
};

/** What the client throws for an answer that is no success; by its form, for two copies of the package have two classes. */
export function refusalOf(error: unknown): Refusal | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  const explanation = error instanceof Error ? error.message : '';
  const response: unknown = 'response' in error ? error.response : undefined;
  const answered = typeof response === 'object' && response !== null && 'status' in response;
  if (answered) {
    const status = Number(response.status);
    return status < 300 ? undefined : { status, explanation, retryAfterMs: retryAfterOf(response) };
  }
  const code = 'code' in error ? Number(error.code) : Number.NaN;
  const status = STATUS_OF_CODE[code];
  return status === undefined ? undefined : { status, explanation };
}

/** `Retry-After` in seconds. */
function retryAfterOf(response: object): number | undefined {
  if (!('headers' in response)) return undefined;
  const headers = response.headers as { get?: (name: string) => string | null };
  const seconds = Number(headers.get?.('retry-after') ?? Number.NaN);
  return Number.isFinite(seconds) && seconds > 0 ? seconds * 1_000 : undefined;
}
