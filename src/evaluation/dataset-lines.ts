import { RAGError, systemErrorCode } from '../core/errors.js';
import { openRegularFile } from '../platform/security/regular-file.js';

/** A line of a data set's file, with what a message needs to name it. */
export interface DatasetLine {
  readonly text: string;
  readonly file: string;
  /** 1-based. */
  readonly line: number;
}

/**
 * The lines of a file that are not blank, streamed. A line ends at LF only: `node:readline` would also split at U+2028 and
 * U+2029, which may stand inside JSON text. The CR of a CRLF is white space to JSON and to a last column's number.
 *
 * @throws RAGError `DATASET_INVALID` where the file is missing or unreadable.
 */
export async function* datasetLines(file: string): AsyncGenerator<DatasetLine> {
  let line = 0;
  try {
    const { handle } = await openRegularFile(file);
    for await (const text of splitLines(handle.createReadStream({ encoding: 'utf8' }))) {
      line++;
      const clean = line === 1 ? text.replace(/^\uFEFF/, '') : text;
      if (clean.trim() !== '') yield { text: clean, file, line };
    }
  } catch (cause) {
    const code = systemErrorCode(cause);
    if (code === undefined) throw cause;
    const problem = code === 'ENOENT' ? 'does not exist' : `cannot be read (${code})`;
    throw new RAGError('DATASET_INVALID', `The data set needs the file ${file}, which ${problem}.`, {
      cause,
      details: { file },
    });
  }
}

async function* splitLines(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = '';
  for await (const piece of pieces) {
    const lines = (rest + piece).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') yield rest;
}

/** An error that names file and line. */
export const datasetError = ({ file, line }: Omit<DatasetLine, 'text'>, problem: string): RAGError =>
  new RAGError('DATASET_INVALID', `${file}, line ${line}: ${problem}.`, { details: { file, line } });

/** A JSON object of a JSONL line. */
export function parseObject(line: DatasetLine): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(line.text);
  } catch {
    throw datasetError(line, 'not valid JSON; each line must be one JSON object');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw datasetError(line, 'not a JSON object');
  }
  return value as Readonly<Record<string, unknown>>;
}

/** A text field that must be there. */
export function textField(
  object: Readonly<Record<string, unknown>>,
  name: string,
  line: DatasetLine,
): string {
  const value = object[name];
  if (typeof value === 'string') return value;
  throw datasetError(
    line,
    `the field "${name}" must be text, is ${value === undefined ? 'missing' : typeof value}`,
  );
}
