import { isErrorName, withoutIdentifiers } from '../core/analysis/identifiers.js';
import { analyzeText } from '../core/analysis/lexical-analyzer.js';
import type { PreparedQuery } from './prepared-query.js';

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

export interface IdentifierRoles {
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
