import {
  appendFileSync,
  closeSync,
  existsSync,
  fstatSync,
  readSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { parseJson } from '../../core/parse-json.js';
import type { RemovedFrom } from '../../operations/forget-types.js';
import { PRIVATE_FILE } from '../../platform/security/private-files.js';
import { openRegularFileSync } from '../../platform/security/regular-file.js';

/** What of a line of feedback is looked at; see `features/feedback/feedback-log.ts`. */
interface FeedbackLine {
  readonly places?: readonly { readonly documentId?: string }[];
}

/**
 * Removes lines of feedback that name a forgotten document, for their question and comment may quote it, and lines that cannot be read. What is
 * appended meanwhile is kept; see `FeedbackLog`.
 */
export function eraseFeedback(path: string, isForgotten: (documentId: string) => boolean): RemovedFrom[] {
  if (!existsSync(path)) return [];
  const file = openRegularFileSync(path);
  try {
    const bytes = readFrom(file, 0);
    const end = bytes.lastIndexOf(0x0a) + 1;
    const lines = bytes.subarray(0, end).toString('utf8').split('\n');
    const written = lines.filter((line) => line !== '');
    const kept = written.filter((line) => isKept(line, isForgotten));
    const removed = written.length - kept.length;
    if (removed === 0) return [];
    const draft = `${path}.draft`;
    writeFileSync(draft, kept.map((line) => `${line}\n`).join(''), { mode: PRIVATE_FILE, flush: true });
    renameSync(draft, path);
    const later = readFrom(file, end);
    if (later.length > 0) appendFileSync(path, later);
    return [{ place: 'feedback', what: 'lines', count: removed }];
  } finally {
    closeSync(file);
  }
}

function isKept(line: string, isForgotten: (documentId: string) => boolean): boolean {
  const feedback = parsed(line);
  if (feedback === undefined) return false;
  return !(feedback.places ?? []).some(
    ({ documentId }) => documentId !== undefined && isForgotten(documentId),
  );
}

function parsed(line: string): FeedbackLine | undefined {
  const value = parseJson(line);
  return typeof value === 'object' && value !== null ? value : undefined;
}

function readFrom(file: number, start: number): Buffer {
  const bytes = Buffer.alloc(Math.max(0, fstatSync(file).size - start));
  return bytes.subarray(0, readSync(file, bytes, 0, bytes.length, start));
}
