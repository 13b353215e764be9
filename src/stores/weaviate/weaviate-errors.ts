import type { RAGError } from '../../core/errors.js';
import { refusedRequestError, retriedAfter, type Verdict } from '../refused-request.js';

/** An answer of the server, whatever its status. */
export interface ServerAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** Words of the server's explanations, first match wins; statuses alone do not tell these cases apart. */
const VERDICTS: readonly (readonly [RegExp, Verdict])[] = [
  [
    /no space left|disk usage.*threshold|store is read.?only|status READONLY/i,
    [
      'STORE_FULL',
      'Its disk is (nearly) full, so it refuses writes. Free space there and run the command again.',
    ],
  ],
  [
    /could not find class|class .* (does not exist|not found|not present)|Cannot query field/i,
    ['COLLECTION_NOT_FOUND', 'The collection was removed meanwhile; open it again.'],
  ],
  [/deadline exceeded|timed? ?out/i, ['STORE_TIMEOUT', 'It gave up on the request. Try again later.']],
];

const BY_STATUS: Readonly<Record<number, Verdict>> = {
  401: ['CONFIG_INVALID', 'It does not accept the credentials. Set the API key of the store.'],
  403: [
    'CONFIG_INVALID',
    'The credentials are not allowed to do that. Grant them the collections of the namespace.',
  ],
  413: ['STORE_INVALID_RECORD', 'A chunk is larger than the server, or a proxy before it, accepts.'],
  429: ['STORE_UNAVAILABLE', 'It has too much to do. Try again later, or give it more memory or nodes.'],
};

/** Whether the same request may succeed a moment later. */
export const isRetryableStatus = retriedAfter();

/** Whether the server says that a tenant has never been written to. */
export const isTenantMissing = ({ body }: ServerAnswer): boolean =>
  /tenant not found/i.test(JSON.stringify(body) ?? '');

/** An answer as one of our errors. The message never holds the explanation, which may quote what was sent. */
export function answerError(address: string, action: string, { status, body }: ServerAnswer): RAGError {
  const explanation = JSON.stringify(body) ?? '';
  const verdict = BY_STATUS[status] ?? VERDICTS.find(([pattern]) => pattern.test(explanation))?.[1];
  return refusedRequestError(
    { server: 'Weaviate', address, action, status, explanation },
    verdict ?? ['STORE_UNAVAILABLE', 'Look at its log; the cause has its explanation.'],
  );
}
