import { extractIdentifiers } from '../analysis/identifiers.js';
import { type AnalyzedQuery, analyzeQuery, MAX_QUERY_LENGTH } from '../analysis/lexical-analyzer.js';
import { readStackTrace, type StackTrace } from '../analysis/stack-trace.js';
import { cutToUnits } from '../analysis/tokens.js';
import { RAGError } from '../core/errors.js';
import { type Notice, noticesOfKind } from '../core/notice.js';

/** Most identifiers of a query that are looked up: each costs a search. */
const MAX_QUERY_IDENTIFIERS = 8;

/** A query as the lanes need it. */
export interface PreparedQuery {
  /** Trimmed, and cut to `MAX_QUERY_LENGTH`; of a stack trace what it says, without its frames. */
  readonly text: string;
  readonly lexical: AnalyzedQuery;
  /** Of a stack trace those of its message come first. */
  readonly identifiers: readonly string[];
  /** Identifiers that only frames of a stack trace hold: places on the way to what went wrong. */
  readonly framed: ReadonlySet<string>;
  /** It holds no letter and no digit: there is nothing to search for. */
  readonly isWordless: boolean;
  readonly notices: readonly Notice[];
}

/** Reads a query once for all lanes. Operators, quotes and filters inside it are text. Throws `QUERY_EMPTY`. */
export function prepareQuery(text: string): PreparedQuery {
  const trimmed = text.trim();
  if (trimmed === '')
    throw new RAGError('QUERY_EMPTY', 'The query is empty; write what you are looking for.');
  const trace = readStackTrace(trimmed);
  const said = trace?.message ?? trimmed;
  const lexical = analyzeQuery(said);
  const cut = cutToUnits(said, MAX_QUERY_LENGTH);
  const named = extractIdentifiers(cut);
  const inFrames = trace === undefined ? [] : extractIdentifiers(trace.frames);
  const framed = new Set(inFrames.filter((identifier) => !named.includes(identifier)));
  const identifiers = [...named, ...framed];
  const isWordless = !/[\p{L}\p{N}]/u.test(cut);
  return {
    text: cut,
    lexical,
    identifiers: identifiers.slice(0, MAX_QUERY_IDENTIFIERS),
    isWordless,
    framed,
    notices: isWordless
      ? [NOTHING_TO_SEARCH]
      : [...noticesOf(said, lexical, named), ...(trace === undefined ? [] : [framesNotice(trace)])],
  };
}

const NOTHING_TO_SEARCH: Notice = {
  kind: 'query-wordless',
  text: 'There is nothing to search for: the query holds no letter and no digit. Write what you are looking for in words.',
};

const framesNotice = ({ frameCount }: StackTrace): Notice => ({
  kind: 'query-cut',
  text: `The query is a stack trace: what it says was searched for, and of its ${frameCount} frames names alone.`,
});

function noticesOf(text: string, lexical: AnalyzedQuery, identifiers: readonly string[]): Notice[] {
  const notices: string[] = [];
  if (text.length > MAX_QUERY_LENGTH)
    notices.push(
      `The query has ${text.length} characters; only the first ${MAX_QUERY_LENGTH} were searched for.`,
    );
  else if (lexical.truncated)
    notices.push(
      `The query has more distinct words than are looked up; the first ${lexical.terms.length} were.`,
    );
  if (identifiers.length > MAX_QUERY_IDENTIFIERS)
    notices.push(
      `The query names ${identifiers.length} identifiers; the first ${MAX_QUERY_IDENTIFIERS} were looked up exactly.`,
    );
  return noticesOfKind('query-cut', notices);
}
