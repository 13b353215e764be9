import { isErrorName } from '../core/analysis/identifiers.js';
import { readQueryText } from '../core/analysis/query-text.js';
import { literalPattern } from '../core/literal-pattern.js';
import type { IsKnownWord } from './missing-names.js';

/** What a question asks that was pasted: a stack trace or a log, with or without a question before it. */
export interface PastedError {
  /** The question before it, and each error with its message: what passages are read for. */
  readonly text: string;
  /** Names of the errors, without what stands before their last dot, as written, in order. */
  readonly errors: readonly string[];
}

/** Undefined for a question that was typed. */
export function readPastedError(question: string): PastedError | undefined {
  const { said, named, trace, isPasted } = readQueryText(question.trim());
  const names = [...new Set(named.filter(isErrorName).map((name) => name.split(/[.#:>/-]+/).at(-1) ?? name))];
  if (!isPasted || (trace === undefined && names.length === 0)) return undefined;
  const written = names.map((name) => firstMatch(said, name));
  if (written.length === 0) return { text: said, errors: [] };
  const holders = written.map(holderOf);
  const lines = said.split(/\r?\n/).flatMap((line) => {
    const at = Math.min(...holders.flatMap((holder) => holder.exec(line)?.index ?? []));
    return Number.isFinite(at) ? [line.slice(at)] : [];
  });
  const [before = ''] = said.split(/\n\s*\n/);
  const isAsked = before !== said && !holders.some((holder) => holder.test(before)) && /\?\s*$/.test(before);
  return { text: [...(isAsked ? [before] : []), ...new Set(lines)].join('\n'), errors: written };
}

/** Errors that a question names that was typed, for what they mean or how they are mended: not when they came, or what a log says. */
export function askedErrors(question: string): readonly string[] {
  const { said, named, isPasted } = readQueryText(question.trim());
  if (isPasted || ASKS_FOR_LOG.test(question)) return [];
  return named.filter(isErrorName).map((name) => firstMatch(said, name));
}
const ASKS_FOR_LOG = /\b(?:when|logs?|logged|traces?|tracebacks?|stack ?traces?|how often|last time)\b/i;

/** Whether a text names an error as a whole word. */
export const namesError = (error: string, text: string): boolean => holderOf(error).test(text);

/** Its errors where nothing names any of them; what frames and messages name besides need not be told of anywhere. */
export async function missingErrors(
  { errors }: PastedError,
  found: readonly string[],
  isKnownWord: IsKnownWord,
): Promise<readonly string[]> {
  if (errors.some((error) => found.some((text) => namesError(error, text)))) return [];
  const known = await Promise.all(errors.map((error) => isKnownWord(error)));
  return known.includes(true) ? [] : errors;
}

const holderOf = (error: string): RegExp =>
  new RegExp(String.raw`(?<![\p{L}\p{N}_])${literalPattern(error)}(?![\p{L}\p{N}_])`, 'iu');

const firstMatch = (text: string, name: string): string => holderOf(name).exec(text)?.[0] ?? name;
