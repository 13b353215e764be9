import { type ErrorReason, RAGError, systemErrorCode } from '../core/errors.js';

// JSON quoting keeps a name with a newline or an escape sequence from forging log lines.
const quote = (id: string): string => JSON.stringify(id);

const fileError = (reason: ErrorReason, message: string, id: string, cause?: unknown): RAGError =>
  new RAGError(reason, message, { details: { path: id }, ...(cause === undefined ? {} : { cause }) });

/** A file or folder that is there and cannot be read. */
export function unreadableError(id: string, cause: unknown): RAGError {
  const code = systemErrorCode(cause) ?? 'unknown error';
  const advice =
    code === 'EACCES' || code === 'EPERM'
      ? 'Permission is denied: grant read access to the user that runs the index, or exclude the path.'
      : `The system says ${code}. Repair or exclude the path.`;
  return fileError('DOCUMENT_UNREADABLE', `${quote(id)} cannot be read. ${advice}`, id, cause);
}

/** A file of rules that cannot be read: what they would leave out is unknown, so nothing that they are for is read. */
export const unreadableRulesError = (path: string, cause: unknown): RAGError =>
  fileError(
    'DOCUMENT_UNREADABLE',
    `${quote(path)} cannot be read (${systemErrorCode(cause) ?? 'unknown error'}), and what it leaves out is unknown. Make it readable, or set \`gitignore: false\`. What was indexed of its folder is kept.`,
    path,
    cause,
  );

export const brokenLinkError = (id: string): RAGError =>
  fileError(
    'DOCUMENT_UNREADABLE',
    `${quote(id)} is a symbolic link that leads to nothing. Remove or mend it.`,
    id,
  );

export const notAFileError = (id: string): RAGError =>
  fileError(
    'DOCUMENT_UNREADABLE',
    `${quote(id)} is not a regular file (a folder, pipe, socket or device) and is never opened. Exclude the path.`,
    id,
  );

export const outsideRootError = (id: string): RAGError =>
  fileError(
    'DOCUMENT_OUTSIDE_ROOT',
    `${quote(id)} leads outside the folder of the source and is not read. Configure the other folder as a source of its own.`,
    id,
  );

export const vanishedError = (id: string, cause: unknown): RAGError =>
  fileError(
    'DOCUMENT_VANISHED',
    `${quote(id)} was removed after it was listed. The next run sees the change.`,
    id,
    cause,
  );

export const invalidNameError = (id: string): RAGError =>
  fileError(
    'DOCUMENT_UNREADABLE',
    `The file name ${quote(id)} is not valid UTF-8 (bytes shown as \\xHH), so no text can name it. Rename the file.`,
    id,
  );

export const tooLargeError = (id: string, bytes: number, maxFileBytes: number): RAGError =>
  new RAGError(
    'DOCUMENT_TOO_LARGE',
    `${quote(id)} has ${bytes} bytes, more than the limit of ${maxFileBytes}. Raise \`maxFileBytes\` of its source, split the file, or exclude it.`,
    { details: { path: id, bytes, maxFileBytes } },
  );
