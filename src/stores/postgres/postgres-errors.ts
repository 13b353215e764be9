import { type ErrorReason, RAGError, systemErrorCode } from '../../core/errors.js';

type Fault = readonly [reason: ErrorReason, advice: string];

const UNAVAILABLE: Fault = [
  'STORE_UNAVAILABLE',
  'Check that the server runs and can be reached, then try again.',
];
const TIMED_OUT: Fault = [
  'STORE_TIMEOUT',
  'The server or another session that holds a lock is too slow; try again, or raise timeoutMs.',
];
const REFUSED_LOGIN: Fault = [
  'CONFIG_INVALID',
  'The server refused the login: check user, password and database.',
];

/** SQLSTATE codes, whole or by class (their first two digits): https://www.postgresql.org/docs/16/errcodes-appendix.html */
const FAULTS: Readonly<Record<string, Fault>> = {
  '08': UNAVAILABLE,
  '25006': [
    'STORE_READ_ONLY',
    'The server takes no writes (a standby, or a read-only role): use the primary.',
  ],
  '28': REFUSED_LOGIN,
  '3D': REFUSED_LOGIN,
  '40': ['STORE_UNAVAILABLE', 'It lost against other writers again and again; try again later.'],
  '42501': ['STORE_READ_ONLY', 'The role lacks a privilege: grant it, or let its owner open the store once.'],
  '42P01': ['COLLECTION_NOT_FOUND', 'The collection was dropped or made anew; open it again.'],
  '53100': ['STORE_FULL', 'The disk of the server is full. What was written before is intact.'],
  '53': [
    'STORE_UNAVAILABLE',
    'The server is short of memory or connections; lower poolSize or try again later.',
  ],
  '54': ['STORE_FILTER_UNSUPPORTED', 'The statement is larger or deeper than PostgreSQL allows.'],
  '55P03': TIMED_OUT,
  '57014': TIMED_OUT,
  '57P': UNAVAILABLE,
  '58': ['STORE_UNAVAILABLE', 'The server has a fault of its own; see its log.'],
  XX001: [
    'STORE_DAMAGED',
    'A file of the server is damaged. Rebuild the index with `ragstone index --force`.',
  ],
  XX002: ['STORE_DAMAGED', 'An index of the server is damaged: REINDEX it, or use `ragstone index --force`.'],
};

/** Faults after which a transaction that was rolled back may be tried again at once. */
// A duplicate key means that two sessions made the same schema or extension at once; chunks are written with ON CONFLICT.
const CONFLICTS: ReadonlySet<string> = new Set(['40001', '40P01', '23505']);

const NETWORK_CODES: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOENT',
  'ETIMEDOUT',
]);

// What the driver throws without a code.
const CONNECTION_LOST =
  /connection terminated|client has encountered a connection error|not queryable|client was closed/i;
const CONNECTION_TIMEOUT =
  /timeout exceeded when trying to connect|due to connection timeout|timeout expired/i;

/** An error of the driver or the server as one of ours. The message names server and action, never data or secrets. */
export function postgresError(
  error: unknown,
  { action, address }: { action: string; address: string },
): RAGError {
  if (RAGError.isInstance(error)) {
    if (error.reason !== 'STORE_TIMEOUT') return error;
    const within = `PostgreSQL at ${address} could not ${action} within the time it has`;
    return new RAGError('STORE_TIMEOUT', `${within}. ${TIMED_OUT[1]}`, { cause: error });
  }
  const [reason, advice] = faultOf(error);
  const code = systemErrorCode(error);
  const shownCode = code === undefined ? '' : ` (${code})`;
  return new RAGError(reason, `PostgreSQL at ${address} could not ${action}${shownCode}. ${advice}`, {
    cause: error,
  });
}

function faultOf(error: unknown): Fault {
  const code = systemErrorCode(error) ?? '';
  const message = error instanceof Error ? error.message : String(error);
  if (CONNECTION_TIMEOUT.test(message)) return TIMED_OUT;
  if (NETWORK_CODES.has(code) || CONNECTION_LOST.test(message)) return UNAVAILABLE;
  return (
    FAULTS[code] ??
    FAULTS[code.slice(0, 3)] ??
    FAULTS[code.slice(0, 2)] ?? ['STORE_UNAVAILABLE', 'The cause has its message.']
  );
}

/** Whether the server rolled the work back because of another session, so that nothing of it was done. */
export const isConflict = (error: unknown): boolean => CONFLICTS.has(systemErrorCode(error) ?? '');

/** Whether the same idempotent call may succeed if it is made again at once. A timeout is not: it was long already. */
export function isPassing(error: unknown): boolean {
  if (isConflict(error)) return true;
  const code = systemErrorCode(error) ?? '';
  if (RAGError.isInstance(error)) return false;
  return faultOf(error) === UNAVAILABLE || code === '53300';
}
