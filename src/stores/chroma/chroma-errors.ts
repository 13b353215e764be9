import { type ErrorReason, RAGError } from '../../core/errors.js';

type Fault = readonly [reason: ErrorReason, advice: string];

const UNAVAILABLE: Fault = [
  'STORE_UNAVAILABLE',
  'Check that the server runs and can be reached, then try again.',
];

// The driver writes the status first where the answer has no message of its own. The server locks its database for itself.
const BUSY = /^(429|50[234])\b|database is locked/i;

/** Phrases of the server's messages; it gives most of its own failures the same status. */
const PHRASES: readonly (readonly [RegExp, Fault])[] = [
  [
    /database or disk is full|no space left|os error 28\b/i,
    ['STORE_FULL', 'The disk of the server is full. Free some space there and run the same command again.'],
  ],
  [
    /readonly database|read-only file system|os error 30\b/i,
    ['STORE_READ_ONLY', 'The server may not write its folder. Give it permission there.'],
  ],
  [
    /too many SQL variables|expression tree is too large|recursion limit|parser stack overflow/i,
    [
      'STORE_FILTER_UNSUPPORTED',
      'The filter has more parts or values than the server takes. Ask in smaller pieces.',
    ],
  ],
  [
    /malformed|database disk image|corrupt/i,
    [
      'STORE_DAMAGED',
      'A file of the server is damaged. Restore it, or start with an empty folder and index again.',
    ],
  ],
  [
    /payload too large|length limit exceeded|^413\b/i,
    [
      'STORE_INVALID_RECORD',
      'A chunk is larger than the server takes (its setting `max_payload_size_bytes`).',
    ],
  ],
  [
    /(database|tenant) \[.*\] (does not exist|not found)/i,
    [
      'CONFIG_INVALID',
      'The tenant or database is not there. Make it, or set tenant and database of the store.',
    ],
  ],
  [BUSY, ['STORE_UNAVAILABLE', 'The server or a proxy before it is too busy; try again later.']],
];

/** Names of the driver's error classes. Names, because two copies of the package have two classes. */
const CLASSES: Readonly<Record<string, Fault>> = {
  ChromaConnectionError: UNAVAILABLE,
  ChromaRateLimitError: ['STORE_UNAVAILABLE', 'The server is too busy; try again later.'],
  ChromaAuthError: ['CONFIG_INVALID', 'It does not accept the token. Set the token of the store.'],
  ChromaForbiddenError: ['CONFIG_INVALID', 'The token may not do that. Check its tenant and database.'],
  ChromaQuotaExceededError: ['STORE_FULL', 'A quota of the account is used up. Raise it there.'],
  ChromaNotFoundError: [
    'COLLECTION_NOT_FOUND',
    'The collection was dropped or made anew meanwhile; open it again.',
  ],
  ChromaServerError: ['STORE_UNAVAILABLE', 'The server failed; the cause has its message. See its log.'],
  ChromaClientError: ['STORE_UNAVAILABLE', 'The server refused the request; the cause has its message.'],
};

const NOT_CHROMA: Fault = [
  'STORE_UNAVAILABLE',
  'What answers there broke off or does not talk like Chroma. Check host and port, and any proxy between.',
];

/** An error of the driver as one of ours. The message names server and action, never data or the token. */
export function chromaError(
  error: unknown,
  { action, address }: { action: string; address: string },
): RAGError {
  if (RAGError.isInstance(error)) return error;
  const [reason, advice] = faultOf(error);
  return new RAGError(reason, `Chroma at ${address} could not ${action}. ${advice}`, { cause: error });
}

/** Whether the same call may succeed a moment later: the connection broke, or the server was too busy. */
export function isPassing(error: unknown): boolean {
  const isAnswer = ['ChromaServerError', 'ChromaClientError'].includes(nameOf(error));
  return isAnswer ? BUSY.test(messageOf(error)) : faultOf(error)[0] === 'STORE_UNAVAILABLE';
}

/** Whether the collection (or tenant, or database) asked for is not there. */
export const isNotFound = (error: unknown): boolean => nameOf(error) === 'ChromaNotFoundError';

/** Whether somebody else made the collection first. */
export const isTaken = (error: unknown): boolean =>
  nameOf(error) === 'ChromaUniqueError' || /already exists/i.test(messageOf(error));

function faultOf(error: unknown): Fault {
  const known = CLASSES[nameOf(error)];
  if (known === undefined) return NOT_CHROMA;
  if (known[0] !== 'STORE_UNAVAILABLE') return known;
  return PHRASES.find(([phrase]) => phrase.test(messageOf(error)))?.[1] ?? known;
}

const nameOf = (error: unknown): string => (error instanceof Error ? error.name : '');
const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
