import { systemErrorCode } from '../../core/errors.js';
import { NOT_REGULAR } from '../security/regular-file.js';

/** What went wrong with a SQLite file, as far as a caller can act on it. */
export type SqliteFaultKind =
  /** Disk full, quota or file-size limit reached. */
  | 'full'
  | 'read-only'
  /** Not a database, truncated, overwritten or with missing tables. */
  | 'damaged'
  /** Another connection holds the lock and the busy timeout has passed. */
  | 'busy'
  | 'cannot-open'
  /** A fault of the program or of the machine. */
  | 'other';

// Primary result codes, https://www.sqlite.org/rescode.html
const PRIMARY: Readonly<Record<number, SqliteFaultKind>> = {
  5: 'busy',
  6: 'busy',
  8: 'read-only',
  11: 'damaged',
  13: 'full',
  14: 'cannot-open',
  26: 'damaged',
};

// Extended codes of SQLITE_IOERR that say more than "input or output failed". SQLite reports only ENOSPC as
// SQLITE_FULL; a quota or a file-size limit arrives as a failed write or as shared memory that cannot grow.
const EXTENDED: Readonly<Record<number, SqliteFaultKind>> = {
  522: 'damaged', // SQLITE_IOERR_SHORT_READ
  778: 'full', // SQLITE_IOERR_WRITE
  4874: 'full', // SQLITE_IOERR_SHMSIZE
  8458: 'damaged', // SQLITE_IOERR_CORRUPTFS
};

/** A stored value has not the type its column promises: the file was changed by something else. */
export class SqliteValueError extends Error {
  constructor(expected: string, column: number) {
    super(`column ${column} does not hold ${expected}`);
    this.name = 'SqliteValueError';
  }
}

/** Classifies an error thrown by the driver, or by reading a row. */
export function sqliteFaultOf(error: unknown): SqliteFaultKind {
  if (error instanceof SqliteValueError || error instanceof SyntaxError) return 'damaged';
  if (!(error instanceof Error)) return 'other';
  const systemCode = systemErrorCode(error) ?? '';
  if (systemCode === NOT_REGULAR) return 'cannot-open';
  if (['ENOSPC', 'EDQUOT', 'EFBIG'].includes(systemCode)) return 'full';
  const code = resultCodeOf(error);
  const kind = code === undefined ? undefined : (EXTENDED[code] ?? PRIMARY[code & 0xff]);
  if (kind !== undefined) return kind;
  return /^(no such (table|column)|malformed|JSON cannot hold BLOB)/.test(error.message)
    ? 'damaged'
    : 'other';
}

// The driver's constructor fails without a code, with the number at the end of its message.
function resultCodeOf(error: Error): number | undefined {
  if ('rawCode' in error && typeof error.rawCode === 'number') return error.rawCode;
  const atEnd = /ConnectionFailed\(".*: (\d+)"\)$/s.exec(error.message);
  return atEnd === null ? undefined : Number(atEnd[1]);
}
