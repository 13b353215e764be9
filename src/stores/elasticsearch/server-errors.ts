import { type ErrorReason, RAGError } from '../../core/errors.js';
import { retriedAfter } from '../refused-request.js';
import type { CalledServer } from '../server-calls.js';

/** An answer of the server that is no success. */
export interface ErrorAnswer {
  readonly status: number;
  readonly body: unknown;
}

type Verdict = readonly [ErrorReason, string];

/** Words of the server's error types and explanations, first match wins; codes alone do not tell these cases apart. */
const VERDICTS: readonly (readonly [RegExp, Verdict])[] = [
  [
    /flood.?stage|disk usage exceeded|no space left/i,
    [
      'STORE_FULL',
      'Its disk is (nearly) full, so it refuses writes. Free space there and run the same command again.',
    ],
  ],
  [
    /cluster_block_exception/,
    [
      'STORE_READ_ONLY',
      'Its index is blocked for writing. Remove the block (setting `index.blocks`) or ask its operator.',
    ],
  ],
  [
    /index_not_found_exception|alias .* not found|alias_not_found/i,
    ['COLLECTION_NOT_FOUND', 'The collection was removed meanwhile; open it again.'],
  ],
  [
    /too_many_(nested_)?clauses|max.?clause.?count|too many (nested )?clauses|nested depth|max_terms_count/i,
    [
      'STORE_FILTER_UNSUPPORTED',
      'The filter or query has more parts than the server accepts. Write it shorter or flatter.',
    ],
  ],
  [
    /"(document|mapper)_parsing_exception"/,
    [
      'STORE_INVALID_RECORD',
      'A chunk does not fit the mapping of its index, which someone may have changed.',
    ],
  ],
  [
    /allow_expensive_queries/,
    [
      'STORE_FILTER_UNSUPPORTED',
      'Its setting `search.allow_expensive_queries: false` forbids range and prefix filters.',
    ],
  ],
];

const BY_STATUS: Readonly<Record<number, Verdict>> = {
  401: [
    'CONFIG_INVALID',
    'It does not accept the credentials. Set user and password, API key or token of the store.',
  ],
  403: [
    'CONFIG_INVALID',
    'The credentials are not allowed to do that. Grant them the index privilege `all` on the prefix.',
  ],
  408: [
    'STORE_TIMEOUT',
    'It gave up on the request. Try again, or give it more time with the timeout of the store.',
  ],
  413: ['STORE_INVALID_RECORD', 'A chunk is larger than its `http.max_content_length` (100 MB unless set).'],
  429: ['STORE_UNAVAILABLE', 'It has too much to do. Try again later, or give it more memory or nodes.'],
};

/** Whether the same request may succeed a moment later. */
export const isRetryableStatus = retriedAfter();

/** An answer as one of our errors. The message names the type of fault, never the explanation, which may quote documents. */
export function answerError(server: CalledServer, action: string, { status, body }: ErrorAnswer): RAGError {
  const explanation = JSON.stringify(body) ?? '';
  const verdict = VERDICTS.find(([pattern]) => pattern.test(explanation))?.[1] ?? BY_STATUS[status];
  const [reason, advice] = verdict ?? [
    'STORE_UNAVAILABLE',
    status >= 500 ? 'Look at its log and its health.' : 'The cause has its explanation.',
  ];
  const type = errorTypeOf(body);
  const fault = type === undefined ? `status ${status}` : `status ${status}, ${type}`;
  return new RAGError(
    reason,
    `${server.title} at ${server.address} could not ${action} (${fault}). ${advice}`,
    {
      cause: new Error(`${fault}: ${explanation.slice(0, 2_000)}`),
      details: { status },
    },
  );
}

/** A failure to get any answer as one of our errors. */
export function transportError(server: CalledServer, action: string, error: unknown): RAGError {
  if (RAGError.isInstance(error)) return error;
  const [reason, advice] = transportVerdict(error);
  return new RAGError(reason, `${server.title} at ${server.address} could not ${action}. ${advice}`, {
    cause: withoutRequest(error),
  });
}

function transportVerdict(error: unknown): Verdict {
  switch (nameOf(error)) {
    case 'TimeoutError':
      return [
        'STORE_TIMEOUT',
        'It did not answer in time. Look whether it is overloaded, or raise the timeout of the store.',
      ];
    case 'ProductNotSupportedError':
      return [
        'CONFIG_INVALID',
        'The server there is not Elasticsearch. For OpenSearch use the OpenSearch store.',
      ];
    case 'DeserializationError':
    case 'ZodError':
      return [
        'STORE_UNAVAILABLE',
        'What answered there does not talk like it. Check the address, and any proxy between.',
      ];
    default:
      return [
        'STORE_UNAVAILABLE',
        'There is no connection. Check that it runs, and the address and TLS settings of the store.',
      ];
  }
}

/**
 * Whether a failure came before or during the connection, so that trying again costs nothing and may help. A timeout is
 * none of them: it has used up the time already.
 */
export const isConnectionFailure = (error: unknown): boolean =>
  ['ConnectionError', 'NoLivingConnectionsError'].includes(nameOf(error));

const nameOf = (error: unknown): string => (error instanceof Error ? error.name : '');

/** The drivers' errors carry the whole request, with its credentials and documents; only the words may go on. */
function withoutRequest(error: unknown): Error {
  const cause = new Error(error instanceof Error ? error.message : String(error));
  cause.name = nameOf(error) || 'Error';
  return cause;
}

function errorTypeOf(body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null || !('error' in body)) return undefined;
  const { error } = body;
  if (typeof error !== 'object' || error === null || !('type' in error)) return undefined;
  return typeof error.type === 'string' ? error.type : undefined;
}
