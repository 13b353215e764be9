import { GenerationalCache } from './generational-cache.js';
import { foldCase, normaliseText } from './normalise.js';

/** Most identifiers that are kept of one passage, in order of first appearance. */
export const MAX_IDENTIFIERS = 64;

/** Longest identifier, in characters; what is longer is data, not a name. */
const MAX_LENGTH = 200;

// Only ASCII: identifiers stand out between CJK characters too, and accents are folded before.
const RUN = /[\w.\-/\\#:@~+$]+/g;
// Most runs; the patterns below need not see them.
const PLAIN_WORD = /^[A-Za-z]?[a-z]*[.:]?$/;
const HTTP_STATUS = /\bHTTP(?:\/[123](?:\.\d)?)?[ -](?:status )?([1-5]\d\d)\b/gi;

const FLAG = /^--[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/i;
const SCOPED_PACKAGE = /^@[a-z0-9][a-z0-9._-]*\/[a-z0-9][a-z0-9._-]*$/i;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const VULNERABILITY = /^(?:CVE-\d{4}-\d{4,7}|GHSA(?:-[0-9a-z]{4}){3})$/i;
const VERSION = /^v?(\d{1,5}(?:\.\d{1,6}){2,3}(?:-[a-z0-9]+(?:\.[a-z0-9]+)*)?)$/i;
const SHORT_VERSION = /^v\d{1,5}\.\d{1,5}$/i;
const HEX_NUMBER = /^0x[0-9a-f]{2,16}$/i;
const HASH = /^(?=[a-f]*[0-9])(?=[0-9]*[a-f])[0-9a-f]{7,64}$/i;
/** Letters then digits, as compilers and databases number their messages: `E1234`, `TS2304`, `CS0103`. */
const ERROR_CODE = /^(?:E\d{3,5}|[A-Z]{2,6}\d{3,6}[A-Z]?)$/;
const ISSUE_NUMBER = /^#\d{1,7}$/;
/** In lower case only with three digits or more, for `top-10`, `step-2` and `covid-19` are words. */
const TICKET = /(?<![A-Za-z0-9])(?:[A-Z][A-Z0-9]{1,9}-\d{1,7}|[a-z][a-z0-9]{1,9}-\d{3,7})(?![A-Za-z0-9])/g;
const SNAKE_CASE = /^(?=\d*_*[a-z])[a-z0-9]+(?:_+[a-z0-9]+)+$/i;
/** At least one lower-to-upper step inside, and more than an acronym's plural (`APIs`). */
const CAMEL_CASE =
  /^[A-Za-z][a-z0-9]*[a-z][A-Z]+[a-z0-9][A-Za-z0-9]*$|^[a-z]{2,}[A-Z]+[A-Za-z0-9]*$|^[A-Z]{2,}[a-z]{2,}[a-z0-9]*[A-Z][A-Za-z0-9]*$|^[A-Z]{2,}[a-z][a-z0-9]{2,}$/;
const QUALIFIED_NAME = /^[A-Za-z_$][\w$]*(?:(?:\.|::|#|->)[A-Za-z_$][\w$]*)+$/;
const LINE_REFERENCE = /^(.+\.[a-z][a-z0-9]{0,7}):(\d{1,6})(?::\d{1,6})?$/i;
const FILE_NAME =
  /^\.?[\w-]+(?:\.[\w-]+)*\.(?:[cm]?[jt]sx?|d\.ts|json[l5]?|ya?ml|toml|ini|cfg|conf|properties|env|md|mdx|rst|txt|csv|tsv|log|xml|html?|css|scss|py|ipynb|java|kt|scala|go|rs|c|h|cc|cpp|hpp|cs|rb|php|swift|sh|bash|ps1|bat|sql|proto|tf|gradle|lock|jar|so|dll|exe|zip|tar|gz|pdf|docx?|xlsx?|png|svg|dockerfile|service|pem|key|crt)$/i;
/** Names of languages that end or begin in signs: `C++`, `C#`, `F#`, `g++`, `.NET`; not `i++`, `page#part`. */
const SIGNED_NAME =
  /(?<![\w.#+])(?:(?:[A-Z][A-Za-z]{0,8}|[cfg])(?:\+\+(?![A-Za-z+])|#(?![\w#+]))|\.(?:NET|net)(?![\w-]))/g;
/** Operators of languages that people ask about by their signs, longest first; what prose is full of (`-`, `/`, `--`, `...`) is none. */
const OPERATORS = String.raw`\?\?=|\?\?(?!\?)|\?\.|\?:|===|!==|==|!=|<=>|=>|:=|\|>|\|\|=|\|\||&&=|&&|\*\*=|>>>|>>=|=~|~=|!~|::|!!`;
/** It stands alone, as in text about it and between backticks; `?.` and `??` between names, too. */
const OPERATOR = new RegExp(
  String.raw`(?<![^\s\x60"'(\[])(?:${OPERATORS})(?![^\s\x60"')\],;:?])|(?<=[\w)\]])(?:\?\.(?=[a-z_$([])|\?\?(?=[\w$([]))`,
  'gi',
);
const HAS_EXTENSION = /[^/.]\.[a-z][a-z0-9]{0,9}$/i;

/**
 * Exact identifiers of a text, normalised (lower case, `/` in paths, versions of three parts without `v`), distinct, in
 * order of first appearance.
 *
 * Ticket ids, issue numbers, versions, error codes, HTTP statuses (`http-404`), vulnerabilities, hashes, UUIDs, file names
 * and paths, line references of stack frames, qualified names, snake_case and camelCase names, command line flags,
 * environment variables, languages with signs (`c++`, `.net`), operators that stand alone (`?.`). A plain word is never one. The same function reads documents and queries: what it finds inside
 * a text it finds where the identifier stands alone. Linear time.
 * @param most how many are given at most
 */
export function extractIdentifiers(text: string, most = MAX_IDENTIFIERS): string[] {
  const found = new Set<string>();
  const normalised = normaliseText(text);
  for (const run of normalised.match(RUN) ?? []) {
    if (found.size >= most) break;
    if (PLAIN_WORD.test(run)) continue;
    for (const identifier of identifiersOfRuns.getOrMake(run, identifiersOfRun)) found.add(identifier);
  }
  for (const [, status] of normalised.matchAll(HTTP_STATUS)) found.add(`http-${status ?? ''}`);
  for (const operator of normalised.match(OPERATOR) ?? []) found.add(operator);
  return [...found].slice(0, most);
}

/** Whether a normalised identifier is an operator: it holds neither letter nor digit. */
export const isOperator = (identifier: string): boolean => !/[a-z0-9]/.test(identifier);

/** The text that is left where the runs of characters that name an identifier are taken out. */
export const withoutIdentifiers = (text: string): string =>
  normaliseText(text)
    .replaceAll(HTTP_STATUS, ' ')
    .replaceAll(RUN, (run) => (identifiersOfRuns.getOrMake(run, identifiersOfRun).length > 0 ? ' ' : run));

// Names recur all over a folder, and telling what a run is takes a dozen patterns.
const identifiersOfRuns = new GenerationalCache<readonly string[]>(8_192);

function identifiersOfRun(run: string): readonly string[] {
  const found = new Set<string>();
  for (const [name] of run.matchAll(SIGNED_NAME)) found.add(name.toLowerCase());
  visitRun(run, found);
  return [...found];
}

function visitRun(run: string, found: Set<string>): void {
  // A longer run is a blob or a URL with its arguments; its pieces may still be names.
  if (run.length > MAX_LENGTH) {
    for (const piece of run.split(/[/\\:]+/)) if (piece.length <= MAX_LENGTH) visitName(piece, found);
    return;
  }
  const trimmed = run.replace(/^[.:+$]+(?=[^./\\])|(?<=.)[.:/\\#@~+$-]+$/g, '');
  if (FLAG.test(trimmed)) found.add(trimmed.toLowerCase());
  else if (SCOPED_PACKAGE.test(trimmed)) found.add(trimmed.toLowerCase());
  else if (/[/\\]/.test(trimmed)) visitPath(trimmed.replaceAll('\\', '/'), found);
  else visitName(trimmed, found);
}

function visitPath(path: string, found: Set<string>): void {
  const [, file = path, line] = LINE_REFERENCE.exec(path) ?? [];
  const segments = file
    .replace(/^[a-z][a-z0-9+]*:\/\//i, '')
    .split('/')
    .filter((segment) => segment !== '');
  // `and/or` and `client/server` are words; a root or an extension makes a path.
  const isRooted = /^(?:~|\.{1,2}|[a-z]:)?\/[\w.@-]/i.test(file) && segments.length >= 2;
  if (isRooted || (segments.length >= 2 && HAS_EXTENSION.test(file))) {
    found.add(file.toLowerCase());
    if (line !== undefined) found.add(`${file}:${line}`.toLowerCase());
  }
  for (const segment of segments) visitName(segment, found);
}

function visitName(raw: string, found: Set<string>): void {
  const name = raw.replace(/^[.:@~+$-]+(?=[A-Za-z0-9#_])|^_+(?=[A-Za-z0-9])|[.:@~+$_-]+$/g, '');
  const whole = wholeIdentifier(name);
  if (whole !== undefined) {
    found.add(whole);
    if (isAtomic(name)) return;
  }
  for (const [ticket] of name.matchAll(TICKET)) found.add(ticket.toLowerCase());
  const [, file, line] = LINE_REFERENCE.exec(name) ?? [];
  if (file !== undefined && line !== undefined) found.add(`${file}:${line}`.toLowerCase());
  visitSegments(name, found);
}

function visitSegments(name: string, found: Set<string>): void {
  const pieces = name.split(/::|->|[#:@~+$]/).filter((piece) => piece !== name && piece.length >= 3);
  for (const piece of pieces) {
    const identifier = wholeIdentifier(piece);
    if (identifier !== undefined) found.add(identifier);
  }
  for (const word of name.split(/[.#:@~+$-]+/)) {
    if (word !== name && isCodeName(word)) found.add(word.toLowerCase());
  }
}

/** The normalised identifier that the name is as a whole, or undefined. */
function wholeIdentifier(name: string): string | undefined {
  const version = VERSION.exec(name)?.[1];
  if (version !== undefined) return version.toLowerCase();
  const is = isAtomic(name) || isCodeName(name) || FILE_NAME.test(name) || isQualifiedName(name);
  return is ? name.toLowerCase() : undefined;
}

/** Whether a normalised identifier is the name of a file. */
export const isFileName = (identifier: string): boolean => FILE_NAME.test(identifier);

/** Whether a normalised identifier is a dotted name of code: `a.b.c`, `class#method`. */
export const isDottedName = (identifier: string): boolean =>
  QUALIFIED_NAME.test(identifier) && !FILE_NAME.test(identifier);

const ATOMIC = [UUID, VULNERABILITY, VERSION, SHORT_VERSION, HEX_NUMBER, HASH, ERROR_CODE, ISSUE_NUMBER];
const isAtomic = (name: string): boolean => ATOMIC.some((pattern) => pattern.test(name));

const isCodeName = (name: string): boolean => SNAKE_CASE.test(name) || CAMEL_CASE.test(name);

/** `a.b.c`, `Class#method`, or two parts of which one looks like code: `end.The` is a missing space. */
function isQualifiedName(name: string): boolean {
  if (!QUALIFIED_NAME.test(name)) return false;
  const parts = name.split(/::|->|[.#]/);
  // `e.g.`, `U.S.`, `Ph.D.` are abbreviations.
  if (parts.every((part) => part.length < 3)) return false;
  return parts.length >= 3 || /::|#|->/.test(name) || parts.some(isCodeName);
}

/** Whether a normalised identifier is the name of a language with signs: `c++`, `c#`, `.net`. */
export const isSignedName = (identifier: string): boolean =>
  /^(?:[a-z]{1,9}(?:\+\+|#)|\.net)$/.test(identifier);

/** Whether a normalised identifier is called as errors are: `poolexhaustederror`, `java.io.ioexception`, `err_pool`. */
export const isErrorName = (identifier: string): boolean => ERROR_NAME.test(identifier);
const ERROR_NAME = /[a-z0-9](?:_?(?:error|exception|failure|fault|warning|panic))$|^e(?:rr)?_[a-z0-9_]+$/;

/** Whether a normalised identifier is the key of a ticket or a number, as items are called by. */
export const isItemKey = (identifier: string): boolean => /^(?:[a-z][a-z0-9]*-|#)?\d+$/.test(identifier);

/** What stands among the identifiers of a chunk that defines a name: no text has it. */
export const definitionKey = (name: string): string => `definition:${foldCase(normaliseText(name))}`;

/** What stands among the identifiers of the first chunk of a document that is called so, by its id or as an item: no text has it. */
export const calledKey = (name: string): string => `called:${foldCase(normaliseText(name))}`;

/** The same for dotted names, each also by its last part: `Store.open` is found as `open` too. Distinct. */
export const definitionKeys = (names: readonly string[]): string[] => [
  ...new Set(names.flatMap((name) => [name, name.slice(name.lastIndexOf('.') + 1)]).map(definitionKey)),
];
