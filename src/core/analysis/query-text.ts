import { extractIdentifiers, isErrorName, isOperator } from './identifiers.js';
import { type QueryOperators, readOperators } from './query-operators.js';
import { readStackTrace, type StackTrace } from './stack-trace.js';
import { cutToUnits } from './tokens.js';

/** Most identifiers of a query that are looked up: each costs some searches. */
export const MAX_QUERY_IDENTIFIERS = 8;
/** Most that are read; what names an error is taken before others. */
export const MAX_READ_IDENTIFIERS = 1_024;
/** Longest text that is read for identifiers, in UTF-16 code units. */
export const MAX_READ_LENGTH = 131_072;
/** Lines of a text with the name of an error that was not typed. */
const LEAST_LINES = 4;

/** What a query or question is: typed, or pasted from a program. */
export interface QueryText {
  /** Without operators; of a stack trace what it says, without its frames. */
  readonly said: string;
  /** Identifiers of `said`, in order. */
  readonly named: readonly string[];
  readonly trace: StackTrace | undefined;
  readonly operators: QueryOperators | undefined;
  /** Nobody typed it: a stack trace, a log or other lines that name an error, a text with more identifiers than are looked up. */
  readonly isPasted: boolean;
}

/** Reads a query or question that is trimmed. Linear time. */
export function readQueryText(trimmed: string): QueryText {
  const trace = readStackTrace(trimmed);
  const operators = readOperators(trimmed);
  const said = trace?.message ?? operators?.text ?? trimmed;
  const named = extractIdentifiers(cutToUnits(said, MAX_READ_LENGTH), MAX_READ_IDENTIFIERS);
  const isPasted =
    trace !== undefined ||
    named.filter((identifier) => !isOperator(identifier)).length > MAX_QUERY_IDENTIFIERS ||
    (named.some(isErrorName) && trimmed.split('\n').length >= LEAST_LINES);
  return { said, named, trace, operators, isPasted };
}
