import { type ErrorReason, RAGError } from '../../core/errors.js';
import type { SqliteFaultKind } from '../../platform/sqlite/sqlite-fault.js';

const FAULTS: Readonly<Record<SqliteFaultKind, { reason: ErrorReason; problem: string }>> = {
  full: {
    reason: 'INDEX_DISK_FULL',
    problem:
      'could not be written: the disk is full, or a quota or file-size limit is reached. Nothing that was finished is lost; free some space and run the command again.',
  },
  'read-only': {
    reason: 'INDEX_READ_ONLY',
    problem:
      'cannot be written: the file or its folder is read-only. Searching still works; make the folder writable to index.',
  },
  damaged: {
    reason: 'INDEX_DAMAGED',
    problem:
      'is damaged and cannot be read. Run `ragstone index --force` to build the index anew from its sources.',
  },
  busy: {
    reason: 'INDEX_LOCKED',
    problem: 'is being written by another process. Wait until it has finished and try again.',
  },
  'cannot-open': {
    reason: 'INDEX_READ_ONLY',
    problem: 'cannot be opened or made. Check that its folder exists and that you may write to it.',
  },
  other: { reason: 'INTERNAL', problem: 'could not be used. See the cause.' },
};

/** The error a fault of the ledger's file is shown as; names the file and says what to do. */
export function ledgerError(path: string, kind: SqliteFaultKind, cause?: unknown): RAGError {
  const { reason, problem } = FAULTS[kind];
  return new RAGError(reason, `The index's ledger ${path} ${problem}`, { cause, details: { path } });
}
