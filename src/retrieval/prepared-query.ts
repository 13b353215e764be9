import { ENGLISH_STOP_WORDS } from '../core/analysis/english-stop-words.js';
import { extractIdentifiers, isErrorName, withoutIdentifiers } from '../core/analysis/identifiers.js';
import {
  type AnalyzedQuery,
  analyzeQuery,
  analyzeText,
  MAX_QUERY_LENGTH,
} from '../core/analysis/lexical-analyzer.js';
import { foldCase, normaliseText } from '../core/analysis/normalise.js';
import type { QueryOperators } from '../core/analysis/query-operators.js';
import {
  MAX_QUERY_IDENTIFIERS,
  MAX_READ_IDENTIFIERS,
  MAX_READ_LENGTH,
  readQueryText,
} from '../core/analysis/query-text.js';
import type { StackTrace } from '../core/analysis/stack-trace.js';
import { cutToUnits, forEachWord } from '../core/analysis/tokens.js';
import { RAGError } from '../core/errors.js';
import { type Notice, noticesOfKind } from '../core/notice.js';
import type { ProcessedQuery, QueryIntent } from './understanding/query-expander.js';

/** Most that are counted, so that the rarest are looked up. */
const MAX_COUNTED_IDENTIFIERS = 64;

/** A query as the lanes need it. */
export interface PreparedQuery {
  /** Trimmed, and cut to `MAX_QUERY_LENGTH`; of a stack trace what it says, without its frames. */
  readonly text: string;
  readonly lexical: AnalyzedQuery;
  /** The text with its synonyms behind it, for rerankers; absent where it has none. */
  readonly withSynonyms?: string | undefined;
  /** Of what was pasted (`isPasted`) names of errors come first; those that only frames of a stack trace hold come last. */
  readonly identifiers: readonly string[];
  /** Identifiers that only frames of a stack trace hold: places on the way to what went wrong. */
  readonly framed: ReadonlySet<string>;
  /** Absent where the query has none, only leaves passages out, or was pasted. */
  readonly operators?: QueryOperators | undefined;
  /** Nobody typed it: a stack trace, a log or other lines that name an error, a text with more identifiers than are looked up. */
  readonly isPasted: boolean;
  /** It holds no letter and no digit: there is nothing to search for but operators. */
  readonly isWordless: boolean;
  readonly notices: readonly Notice[];
}

/** Reads a query once for all lanes. Filters inside it are text. Throws `QUERY_EMPTY`. */
export function prepareQuery(text: string): PreparedQuery {
  const trimmed = text.trim();
  if (trimmed === '')
    throw new RAGError('QUERY_EMPTY', 'The query is empty; write what you are looking for.');
  const { said: typed, named, trace, operators, isPasted } = readQueryText(trimmed);
  const onlyExcludes = operators?.text === '';
  const said = isPasted ? errorsFirst(typed) : typed;
  const lexical = analyzeQuery(said);
  const cut = cutToUnits(said, MAX_QUERY_LENGTH);
  const inFrames =
    trace === undefined
      ? []
      : extractIdentifiers(cutToUnits(trace.frames, MAX_READ_LENGTH), MAX_READ_IDENTIFIERS);
  const framed = new Set(inFrames.filter((identifier) => !named.includes(identifier)));
  const identifiers = [
    ...named.toSorted((a, b) => Number(isErrorName(b)) - Number(isErrorName(a))),
    ...framed,
  ];
  const isWordless = !/[\p{L}\p{N}]/u.test(cut);
  return {
    text: cut,
    lexical,
    identifiers: isPasted ? identifiers.slice(0, MAX_COUNTED_IDENTIFIERS) : named,
    isWordless,
    framed,
    isPasted,
    operators: onlyExcludes ? undefined : operators,
    notices:
      isWordless && named.length === 0
        ? [onlyExcludes ? exclusionsNotice(trimmed) : NOTHING_TO_SEARCH]
        : [...noticesOf(said, lexical, named), ...(trace === undefined ? [] : [framesNotice(trace)])],
  };
}

/** Lines that name an error before the others: what is cut off at the end is the rest. */
function errorsFirst(text: string): string {
  if (text.length <= MAX_LENGTH_IN_ORDER) return text;
  const lines = text.split('\n');
  const namesError = (line: string): boolean => extractIdentifiers(line).some(isErrorName);
  const errors = new Set(lines.filter(namesError));
  return [...errors, ...lines.filter((line) => !errors.has(line))].join('\n');
}
/** Of a shorter text little is cut off. */
const MAX_LENGTH_IN_ORDER = 1_024;

const NOTHING_TO_SEARCH: Notice = {
  kind: 'query-wordless',
  text: 'There is nothing to search for: the query holds no letter and no digit. Write what you are looking for in words.',
};

const exclusionsNotice = (query: string): Notice => ({
  kind: 'query-wordless',
  text: `The query only leaves passages out, and that finds nothing. Write what you are looking for beside it; an option of a command goes in quotes: "${cutToUnits(query.replaceAll('"', ''), 64)}".`,
});

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
      `The query names ${identifiers.length >= MAX_READ_IDENTIFIERS ? 'more than ' : ''}${identifiers.length} identifiers; the ${MAX_QUERY_IDENTIFIERS} rarest were looked up exactly, names of errors first.`,
    );
  return noticesOfKind('query-cut', notices);
}

/**
 * Identifiers that are issued rather than coined: tickets with three digits, issue numbers, vulnerabilities, versions,
 * hashes, UUIDs, error codes, HTTP statuses, paths, line references. `PD-1` and `getUserById` may be words of a sentence.
 */
const ISSUED = [
  /^[a-z][a-z0-9]+-\d{3,}$/,
  /^#\d+$/,
  /^(?:cve|ghsa)-/,
  /^v?\d+(?:\.\d+)+/,
  /^(?=.*\d)[0-9a-f-]{7,}$/,
  /^(?:0x[0-9a-f]+|[a-z]{1,6}\d{3,6}[a-z]?)$/,
  /\//,
  /:\d+$/,
];

/** A query with at most so many other terms is about its identifiers, whatever they are. */
const MAX_OTHER_TERMS = 2;

interface IdentifierRoles {
  /** Their exact hits come before everything else; hits of the others are lifted above paraphrases only. */
  readonly decisive: ReadonlySet<string>;
  /** The query is nothing but identifiers. */
  readonly isAlone: boolean;
}

/**
 * Decisive are issued identifiers, and all of them where the query hardly says anything else; never what only frames of a stack
 * trace name. Where what was pasted names errors, they alone are: times, addresses and numbers of calls are issued too.
 */
export function identifierRoles({
  text,
  identifiers,
  framed,
  lexical,
  isPasted,
}: PreparedQuery): IdentifierRoles {
  const words = new Set(analyzeText(withoutIdentifiers(text)));
  const others = lexical.terms.filter((term) => words.has(term)).length;
  const isIssued = (identifier: string): boolean => ISSUED.some((pattern) => pattern.test(identifier));
  const said = identifiers.filter((identifier) => !framed.has(identifier));
  const errors = isPasted ? said.filter(isErrorName) : [];
  const chosen = others <= MAX_OTHER_TERMS ? said : said.filter(isIssued);
  return {
    decisive: new Set(errors.length > 0 ? errors : chosen),
    isAlone: others === 0,
  };
}

/** Most keywords that are named of a query. */
const MAX_KEYWORDS = 12;

const ASKS =
  /\?\s*$|^\s*(?:who|what|which|whose|when|where|why|how|is|are|was|were|do|does|did|can|could|should|would|will|has|have|may)\b/i;

/** A query as expanders see it. */
export function processQuery(query: PreparedQuery): ProcessedQuery {
  return {
    text: query.text,
    terms: query.lexical.terms,
    identifiers: query.identifiers,
    keywords: extractKeywords(query.text),
    intent: intentOf(query),
  };
}

/** The words of a text that name something, folded to lower case, distinct, in order of appearance; at most 12. */
export function extractKeywords(text: string): string[] {
  const found = new Set<string>();
  forEachWord(normaliseText(text), (word) => {
    const folded = foldCase(word);
    if (found.size < MAX_KEYWORDS && !ENGLISH_STOP_WORDS.has(folded.replaceAll("'", ''))) found.add(folded);
  });
  return [...found];
}

/** `identifier`: the query is about the identifiers that it names. `question`: it asks. `keywords`: anything else. */
function intentOf(query: PreparedQuery): QueryIntent {
  const { decisive, isAlone } = identifierRoles(query);
  if (query.identifiers.length > 0 && (isAlone || decisive.size > 0)) return 'identifier';
  return ASKS.test(query.text) ? 'question' : 'keywords';
}
