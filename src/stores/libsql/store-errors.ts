import { type ErrorReason, RAGError } from '../../core/errors.js';
import type { SqliteFaultKind } from '../../platform/sqlite/sqlite-fault.js';

const FAULTS: Readonly<Record<SqliteFaultKind, { reason: ErrorReason; problem: string }>> = {
  full: {
    reason: 'STORE_FULL',
    problem:
      'could not be written: the disk is full, or a quota or file-size limit is reached. Free some space and run the command again.',
  },
  'read-only': {
    reason: 'STORE_READ_ONLY',
    problem: 'cannot be written: the file or its folder is read-only. Searching still works.',
  },
  damaged: {
    reason: 'STORE_DAMAGED',
    problem: 'is damaged and cannot be read. Run `ragstone index --force` to build it anew.',
  },
  busy: { reason: 'STORE_TIMEOUT', problem: 'is being written by another process. Try again.' },
  'cannot-open': {
    reason: 'STORE_UNAVAILABLE',
    problem: 'cannot be opened or made. Check that its folder exists and that you may write to it.',
  },
  other: { reason: 'STORE_UNAVAILABLE', problem: 'could not be used. See the cause.' },
};

/** The error a fault of the store's file is shown as; names the file and says what to do. */
export function storeError(path: string, kind: SqliteFaultKind, cause?: unknown): RAGError {
  const { reason, problem } = FAULTS[kind];
  return new RAGError(reason, `The libSQL store ${path} ${problem}`, { cause, details: { path } });
}
