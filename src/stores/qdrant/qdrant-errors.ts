import type { RAGError } from '../../core/errors.js';
import { refusedRequestError, retriedAfter, type Verdict } from '../refused-request.js';

/** An answer that is no success. */
export interface Refusal {
  readonly status: number;
  /** What the server says about it. */
  readonly explanation: string;
  /** How long it asks to wait, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
}

/** Words of the server's explanations, first match wins; statuses alone do not tell these cases apart. */
const VERDICTS: readonly (readonly [RegExp, Verdict])[] = [
  [
    /no space left|not enough (disk )?space|disk.*full|out of disk/i,
    ['STORE_FULL', 'Its disk is (nearly) full. Free space there and run the command again.'],
  ],
  [
    /resident memory|max_collection_\w+_size|max_points_count|Max (vector|payload) storage size/i,
    ['STORE_FULL', 'A limit of its strict mode is reached. Raise it there, or take a larger server.'],
  ],
  [
    /filter_max_conditions|condition_max_size|Filter.*(limit|exceed)|Condition.*limit/i,
    [
      'STORE_FILTER_UNSUPPORTED',
      'The filter has more parts or values than its strict mode takes. Ask in smaller pieces, or raise the limit there.',
    ],
  ],
  [
    /write is (forbidden|disabled)|read.?only|recovery mode/i,
    ['STORE_READ_ONLY', 'It takes no writes: it is locked or recovering. Look at its log.'],
  ],
  [/timed? ?out|deadline/i, ['STORE_TIMEOUT', 'It gave up on the request. Try again later.']],
  [
    /payload too large|larger than allowed|request entity too large/i,
    ['STORE_INVALID_RECORD', 'A chunk is larger than the server takes (`service.max_request_size_mb`).'],
  ],
];

const BY_STATUS: Readonly<Record<number, Verdict>> = {
  401: ['CONFIG_INVALID', 'It does not accept the key. Set the API key of the store.'],
  403: [
    'CONFIG_INVALID',
    'The key may not do that. Give one that may write the collections of the namespace.',
  ],
  404: ['COLLECTION_NOT_FOUND', 'The collection was removed meanwhile; open it again.'],
  413: ['STORE_INVALID_RECORD', 'A chunk is larger than the server, or a proxy before it, takes.'],
  429: ['STORE_UNAVAILABLE', 'It has too much to do, or limits the rate of requests. Try again later.'],
};

/** Whether the same request may succeed a moment later. */
export const isRetryableStatus = retriedAfter();

/** A refusal as one of our errors. The message never holds the explanation, which may quote what was sent. */
export function refusalError(address: string, action: string, { status, explanation }: Refusal): RAGError {
  const verdict = VERDICTS.find(([pattern]) => pattern.test(explanation))?.[1] ?? BY_STATUS[status];
  return refusedRequestError(
    { server: 'Qdrant', address, action, status, explanation },
    verdict ?? ['STORE_UNAVAILABLE', 'Look at its log; the cause has its explanation.'],
  );
}
