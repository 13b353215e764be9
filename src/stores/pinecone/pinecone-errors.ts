import { RAGError } from '../../core/errors.js';
import { refusedRequestError, retriedAfter, type Verdict } from '../refused-request.js';
import { noAnswerError } from '../server-calls.js';

const CHECK = 'Check the network, and controllerHost where it is set.';

/** An answer that is no success. */
export interface Refusal {
  readonly status: number;
  /** What the service says about it. */
  readonly explanation: string;
}

/** Words of the explanations, first match wins; statuses alone do not tell these cases apart. */
const VERDICTS: readonly (readonly [RegExp, Verdict])[] = [
  [
    /monthly|read unit limit|write unit limit|quota|max(imum)? (number of )?(indexes|namespaces)/i,
    ['STORE_FULL', 'A limit of the account is reached. Raise it there, or wait for the next month.'],
  ],
  [
    /metadata size|message (length|too large)|too large/i,
    ['STORE_INVALID_RECORD', 'A chunk is larger than it takes.'],
  ],
  [
    /\$n?in|filter/i,
    [
      'STORE_FILTER_UNSUPPORTED',
      'It does not take the filter, which may have too many parts or values. Ask in smaller pieces.',
    ],
  ],
];

const BY_STATUS: Readonly<Record<number, Verdict>> = {
  401: ['CONFIG_INVALID', 'It does not accept the key. Set rag.storage.cloud.apiKey.'],
  403: ['CONFIG_INVALID', 'The key may not do that, or the plan does not have it. Look at the project.'],
  404: ['COLLECTION_NOT_FOUND', 'The index or namespace was removed meanwhile; open the collection again.'],
  413: ['STORE_INVALID_RECORD', 'A chunk is larger than it takes.'],
  429: ['STORE_UNAVAILABLE', 'It limits the rate of requests. Try again later, or raise the limit there.'],
};

/** Whether the same request may succeed a moment later. */
export const isRetryableStatus = retriedAfter(500);

/** A refusal as one of our errors. The message never holds the explanation, which may quote what was sent. */
export function refusalError(address: string, action: string, { status, explanation }: Refusal): RAGError {
  const isRefused = status === 400 || status === 403 || status === 422 || status === 429;
  const said = isRefused ? VERDICTS.find(([pattern]) => pattern.test(explanation))?.[1] : undefined;
  return refusedRequestError(
    { server: 'Pinecone', address, action, status, explanation },
    said ??
      BY_STATUS[status] ?? [
        'STORE_UNAVAILABLE',
        'Look at status.pinecone.io; the cause has its explanation.',
      ],
  );
}

/** A failure to get an answer as one of our errors. */
export function transportError(address: string, action: string, error: unknown): RAGError {
  return noAnswerError({ title: 'Pinecone', address }, action, CHECK, error);
}

/** A write that is not seen in time. */
export const staleError = (address: string, action: string, eventualMs: number): RAGError =>
  new RAGError(
    'STORE_TIMEOUT',
    `Pinecone at ${address} could not ${action}: after ${eventualMs} ms it still does not show what was written before. Nothing is lost; try again later.`,
    { details: { eventualMs } },
  );
