import { type ErrorReason, RAGError, systemErrorCode } from '../../core/errors.js';

/** SQLSTATE codes, whole or by class (https://www.postgresql.org/docs/16/errcodes-appendix.html), and codes of Node and SQLite. */
const ADVICE: Readonly<Record<string, string>> = {
  '28': 'The server refused the login: check user and password.',
  '3D000': 'There is no such database: check its name.',
  '42501': 'The role may not read it: `GRANT SELECT` on the table (and `USAGE` on its schema) to it.',
  '57014': 'The statement took longer than `timeoutMs`: add an index on the key column, or raise it.',
  '55P03': 'Another session holds a lock: try again later.',
  '25006': 'The query tries to write; this source only ever reads.',
  '08': 'The connection was lost: check that the server runs, then try again.',
  '53': 'The server has no connection or memory left: try again later.',
  '57P': 'The server is starting or stopping: try again later.',
  ECONNREFUSED: 'Nothing listens there: check host and port, and that the server runs.',
  ENOTFOUND: 'The host name is not known: check it.',
  EAI_AGAIN: 'The host name could not be looked up: check it and the network.',
  ETIMEDOUT: 'The server does not answer: check host, port and firewall.',
  SQLITE_BUSY: 'Another process holds the file: try again later.',
  SQLITE_NOTADB: 'The file is no SQLite database: check `path`.',
  SQLITE_READONLY: 'The query tries to write; this source only ever reads.',
};

/** Faults of the statement itself. Their message names tables and columns of the configuration, never rows. */
const STATEMENT_FAULT = /^42|^SQLITE_ERROR$/;

const READ_ONLY: ReadonlySet<string> = new Set(['25006', 'SQLITE_READONLY']);

/**
 * A fault of driver or server as one of ours. What the server says is shown only where it is about the statement: other
 * messages may quote rows.
 */
export function sqlError(error: unknown, { source, action }: { source: string; action: string }): RAGError {
  if (RAGError.isInstance(error)) return error;
  const code = systemErrorCode(error) ?? '';
  const message = error instanceof Error ? error.message : '';
  const said = STATEMENT_FAULT.test(code) && code !== '42501' ? ` The database says: ${message}.` : '';
  return new RAGError(
    reasonOf(code),
    `Source "${source}": the database could not ${action}${code === '' ? '' : ` (${code})`}.${said} ${adviceOf(code, message)} What was indexed of it is kept.`,
    { cause: error, details: { source, ...(code === '' ? {} : { code }) } },
  );
}

function reasonOf(code: string): ErrorReason {
  if (code === '42501' || code.startsWith('28')) return 'SOURCE_DENIED';
  return STATEMENT_FAULT.test(code) || READ_ONLY.has(code) ? 'SOURCE_REJECTED' : 'SOURCE_UNREADABLE';
}

function adviceOf(code: string, message: string): string {
  const known = ADVICE[code] ?? ADVICE[code.slice(0, 3)] ?? ADVICE[code.slice(0, 2)];
  if (known !== undefined) return known;
  if (/timeout/i.test(message)) return 'It took longer than `timeoutMs`: try again later, or raise it.';
  if (STATEMENT_FAULT.test(code)) return 'Check `table`, `query` and the names of the columns.';
  return 'Check the connection settings, then try again.';
}
