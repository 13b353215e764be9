import { type ErrorReason, RAGError, systemErrorCode } from '../../core/errors.js';
import { type PostgresFaultKind, postgresFaultOf } from '../../platform/postgres/postgres-fault.js';

const FAULTS: Readonly<Record<PostgresFaultKind, { reason: ErrorReason; advice: string }>> = {
  unavailable: {
    reason: 'INDEX_UNAVAILABLE',
    advice: 'Check that the server runs and can be reached, then run the command again.',
  },
  timeout: {
    reason: 'INDEX_UNAVAILABLE',
    advice: 'The server, or another session that holds a lock, took too long; run the command again.',
  },
  login: {
    reason: 'CONFIG_INVALID',
    advice: 'The server refused the login: check user, password and database in `rag.ledger.url`.',
  },
  'read-only': {
    reason: 'INDEX_READ_ONLY',
    advice:
      'The server takes no writes (a standby, or a read-only role). Searching still works; name the primary to index.',
  },
  forbidden: {
    reason: 'INDEX_READ_ONLY',
    advice:
      'The role lacks a privilege on the tables of the ledger: grant it, or use the role that made them.',
  },
  conflict: {
    reason: 'INDEX_LOCKED',
    advice: 'It lost against other writers again and again. Run the command again when they have finished.',
  },
  missing: {
    reason: 'INDEX_DAMAGED',
    advice:
      'Tables of the ledger, or columns of them, are gone. Run `ragstone index --force` to build the index anew from its sources.',
  },
  full: {
    reason: 'INDEX_DISK_FULL',
    advice:
      'The disk of the server is full. Nothing that was finished is lost; free some space and run the command again.',
  },
  busy: {
    reason: 'INDEX_UNAVAILABLE',
    advice: 'The server is short of memory or connections. Raise its limits, or run the command again later.',
  },
  'too-large': {
    reason: 'INTERNAL',
    advice: 'The statement is larger than PostgreSQL allows. Please report it.',
  },
  'server-fault': { reason: 'INDEX_UNAVAILABLE', advice: 'The server has a fault of its own; see its log.' },
  damaged: {
    reason: 'INDEX_DAMAGED',
    advice:
      'A file of the server is damaged. Restore its backup, or run `ragstone index --force` to build the index anew.',
  },
  'damaged-index': {
    reason: 'INDEX_DAMAGED',
    advice: 'An index of the server is damaged: run REINDEX on the tables of the ledger.',
  },
  other: { reason: 'INTERNAL', advice: 'The cause has its message.' },
};

/** The ledger names none but its own. */
const UNDEFINED_COLUMN = '42703';

/** An error of the driver or the server as one of ours. The message names server and action, never data or secrets. */
export function ledgerError(
  error: unknown,
  { action, address }: { readonly action: string; readonly address: string },
): RAGError {
  if (RAGError.isInstance(error)) return error;
  const code = systemErrorCode(error);
  const { reason, advice } = FAULTS[code === UNDEFINED_COLUMN ? 'missing' : postgresFaultOf(error)];
  const shownCode = code === undefined ? '' : ` (${code})`;
  return new RAGError(
    reason,
    `The index's ledger in PostgreSQL at ${address} could not ${action}${shownCode}. ${advice}`,
    { cause: error, details: { address } },
  );
}
