import { messageOf, RAGError, systemErrorCode } from '../../core/errors.js';

/** What went wrong between us and PostgreSQL, as far as a caller can act on it. */
export type PostgresFaultKind =
  /** The server cannot be reached, is starting or stopping, or the connection broke. */
  | 'unavailable'
  | 'timeout'
  /** Wrong user, password or database. */
  | 'login'
  /** A standby, or a read-only role. */
  | 'read-only'
  /** The role lacks a privilege. */
  | 'forbidden'
  /** Rolled back because of another session, again and again. */
  | 'conflict'
  /** A table of ours is not there. */
  | 'missing'
  | 'full'
  /** Short of memory or connections. */
  | 'busy'
  /** The statement is larger or deeper than the server allows. */
  | 'too-large'
  | 'server-fault'
  | 'damaged'
  | 'damaged-index'
  | 'other';

/** SQLSTATE codes, whole or by class (their first two digits): https://www.postgresql.org/docs/16/errcodes-appendix.html */
const KINDS: Readonly<Record<string, PostgresFaultKind>> = {
  '08': 'unavailable',
  '25006': 'read-only',
  '28': 'login',
  '3D': 'login',
  '40': 'conflict',
  '42501': 'forbidden',
  '42P01': 'missing',
  '53100': 'full',
  '53': 'busy',
  '54': 'too-large',
  '55P03': 'timeout',
  '57014': 'timeout',
  '57P': 'unavailable',
  '58': 'server-fault',
  XX001: 'damaged',
  XX002: 'damaged-index',
};

/** Faults after which a transaction that was rolled back may be tried again at once. */
// A duplicate key means that two sessions made the same schema or extension at once; rows are written with ON CONFLICT.
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

/** The server did not answer within the time that a call has. */
export class PostgresTimeout extends Error {
  constructor(timeoutMs: number) {
    super(`PostgreSQL did not answer within ${timeoutMs} ms.`);
    this.name = 'PostgresTimeout';
  }
}

/** Classifies an error of the driver or the server. */
export function postgresFaultOf(error: unknown): PostgresFaultKind {
  if (error instanceof PostgresTimeout) return 'timeout';
  const code = systemErrorCode(error) ?? '';
  const message = messageOf(error);
  if (CONNECTION_TIMEOUT.test(message)) return 'timeout';
  if (NETWORK_CODES.has(code) || CONNECTION_LOST.test(message)) return 'unavailable';
  return KINDS[code] ?? KINDS[code.slice(0, 3)] ?? KINDS[code.slice(0, 2)] ?? 'other';
}

/** Whether the server rolled the work back because of another session, so that nothing of it was done. */
export const isConflict = (error: unknown): boolean => CONFLICTS.has(systemErrorCode(error) ?? '');

/** Whether the server, or its limit for the role, has no connection to spare. */
export const isFull = (error: unknown): boolean => systemErrorCode(error) === '53300';

/** Whether the same idempotent call may succeed if it is made again at once. A timeout is not: it was long already. */
export function isPassing(error: unknown): boolean {
  if (RAGError.isInstance(error)) return false;
  return isConflict(error) || postgresFaultOf(error) === 'unavailable';
}
