import { type ErrorReason, RAGError, systemErrorCode } from '../../core/errors.js';
import { type PostgresFaultKind, postgresFaultOf } from '../../platform/postgres/postgres-fault.js';

const FAULTS: Readonly<Record<PostgresFaultKind, { reason: ErrorReason; advice: string }>> = {
  unavailable: {
    reason: 'STORE_UNAVAILABLE',
    advice: 'Check that the server runs and can be reached, then try again.',
  },
  timeout: {
    reason: 'STORE_TIMEOUT',
    advice: 'The server or another session that holds a lock is too slow; try again, or raise timeoutMs.',
  },
  login: {
    reason: 'CONFIG_INVALID',
    advice: 'The server refused the login: check user, password and database.',
  },
  'read-only': {
    reason: 'STORE_READ_ONLY',
    advice: 'The server takes no writes (a standby, or a read-only role): use the primary.',
  },
  forbidden: {
    reason: 'STORE_READ_ONLY',
    advice: 'The role lacks a privilege: grant it, or let its owner open the store once.',
  },
  conflict: {
    reason: 'STORE_UNAVAILABLE',
    advice: 'It lost against other writers again and again; try again later.',
  },
  missing: {
    reason: 'COLLECTION_NOT_FOUND',
    advice: 'The collection was dropped or made anew; open it again.',
  },
  full: {
    reason: 'STORE_FULL',
    advice: 'The disk of the server is full. What was written before is intact.',
  },
  busy: {
    reason: 'STORE_UNAVAILABLE',
    advice: 'The server is short of memory or connections; lower poolSize or try again later.',
  },
  'too-large': {
    reason: 'STORE_FILTER_UNSUPPORTED',
    advice: 'The statement is larger or deeper than PostgreSQL allows.',
  },
  'server-fault': {
    reason: 'STORE_UNAVAILABLE',
    advice: 'The server has a fault of its own; see its log.',
  },
  damaged: {
    reason: 'STORE_DAMAGED',
    advice: 'A file of the server is damaged. Rebuild the index with `ragstone index --force`.',
  },
  'damaged-index': {
    reason: 'STORE_DAMAGED',
    advice: 'An index of the server is damaged: REINDEX it, or use `ragstone index --force`.',
  },
  other: { reason: 'STORE_UNAVAILABLE', advice: 'The cause has its message.' },
};

/** An error of the driver or the server as one of ours. The message names server and action, never data or secrets. */
export function postgresError(
  error: unknown,
  { action, address }: { action: string; address: string },
): RAGError {
  if (RAGError.isInstance(error)) return error;
  const { reason, advice } = FAULTS[postgresFaultOf(error)];
  const code = systemErrorCode(error);
  const shownCode = code === undefined ? '' : ` (${code})`;
  return new RAGError(reason, `PostgreSQL at ${address} could not ${action}${shownCode}. ${advice}`, {
    cause: error,
  });
}
