import { type ErrorReason, RAGError } from '../../core/errors.js';
import type { MetadataValue } from '../../core/metadata.js';
import { findJsonError, lineAndColumn, nestsDeeperThan } from './json-error.js';

/** One JSON value of a file: the whole file, or a line of NDJSON. */
export interface JsonPart {
  /** 1-based line of an NDJSON part; absent where the part is the whole file. */
  readonly line?: number;
  readonly value: MetadataValue;
}

export interface ParsedPbiFile {
  readonly parts: readonly JsonPart[];
  /** `where` is the line of an NDJSON file (`line 3`), or empty for the whole file. */
  readonly failures: readonly { readonly where: string; readonly error: RAGError }[];
}

/** Deepest nesting of arrays and objects that is read; real outputs stay below ten. */
export const MAX_JSON_DEPTH = 100;

/**
 * Bytes of a pipeline output to JSON values. NDJSON is recognised by its extension (`.ndjson`, `.jsonl`), or because
 * the file is not one JSON value and its first line is. A bad line is reported and the other lines are read.
 */
export function parsePbiFile(path: string, bytes: Uint8Array): ParsedPbiFile {
  let text: string;
  try {
    // Drops a byte order mark; refuses anything that is not UTF-8 rather than indexing replacement characters.
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    const message = `${JSON.stringify(path)} is not valid UTF-8. Save it as UTF-8; JSON allows no other encoding.`;
    return failed(fileError('DOCUMENT_INVALID_ENCODING', message, { path, cause }));
  }
  if (/\.(ndjson|jsonl)$/i.test(path)) return parseLines(path, text);
  const whole = parseJson(text);
  if (!('problem' in whole)) return { parts: [whole], failures: [] };
  if (firstLineIsJson(text)) return parseLines(path, text);
  return failed(jsonError(path, text, { problem: whole.problem }));
}

const failed = (error: RAGError): ParsedPbiFile => ({ parts: [], failures: [{ where: '', error }] });

function parseLines(path: string, text: string): ParsedPbiFile {
  const parts: JsonPart[] = [];
  const failures: { where: string; error: RAGError }[] = [];
  for (const [i, lineText] of text.split('\n').entries()) {
    if (lineText.trim() === '') continue;
    const line = i + 1;
    const parsed = parseJson(lineText);
    if ('problem' in parsed) {
      failures.push({
        where: `line ${line}`,
        error: jsonError(path, lineText, { problem: parsed.problem, line }),
      });
    } else parts.push({ line, value: parsed.value });
  }
  return { parts, failures };
}

type JsonProblem = 'too deep' | 'not JSON';

function parseJson(text: string): { value: MetadataValue } | { problem: JsonProblem } {
  if (nestsDeeperThan(text, MAX_JSON_DEPTH)) return { problem: 'too deep' };
  try {
    // JSON.parse yields JSON values and nothing else; a key `__proto__` becomes an ordinary own property.
    return { value: JSON.parse(text) as MetadataValue };
  } catch {
    return { problem: 'not JSON' };
  }
}

function firstLineIsJson(text: string): boolean {
  const start = text.trimStart();
  const end = start.indexOf('\n');
  if (end < 0) return false;
  const first = start.slice(0, end).trim();
  return first.startsWith('{') && !('problem' in parseJson(first)) && start.slice(end).trim() !== '';
}

function jsonError(
  path: string,
  text: string,
  { problem, line = 1 }: { problem: JsonProblem; line?: number },
): RAGError {
  const name = JSON.stringify(path);
  if (problem === 'too deep') {
    const message = `${name} nests arrays and objects deeper than ${MAX_JSON_DEPTH} levels${line > 1 ? ` in line ${line}` : ''}. Flatten it, or exclude it.`;
    return fileError('DOCUMENT_INVALID', message, { path });
  }
  const fault = findJsonError(text) ?? { offset: 0, problem: 'unexpected' };
  const at = lineAndColumn(text, fault.offset);
  const position = `line ${at.line + line - 1}, column ${at.column}`;
  const message =
    fault.problem === 'truncated'
      ? `${name} is truncated JSON: it ends at ${position} inside a value. Write it again completely.`
      : `${name} is not valid JSON: unexpected character at ${position}. Repair it, or exclude it.`;
  return fileError('DOCUMENT_INVALID', message, { path, line: at.line + line - 1, column: at.column });
}

/** An error about a file, with facts to branch on. */
function fileError(
  reason: ErrorReason,
  message: string,
  { cause, ...details }: { path: string; line?: number; column?: number; cause?: unknown },
): RAGError {
  return new RAGError(reason, message, { details, ...(cause === undefined ? {} : { cause }) });
}
