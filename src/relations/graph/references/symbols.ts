import { extname } from 'node:path';
import type { GraphReference } from '../graph.js';
import { symbolName } from '../names.js';

const SCRIPT = [
  /^(?:export[ \t]+)?(?:default[ \t]+)?(?:declare[ \t]+)?(?:abstract[ \t]+)?(?:async[ \t]+)?(?:function[ \t]*\*?|class|interface|type|enum|namespace)[ \t]+([A-Za-z_$][\w$]*)/gm,
  /^export[ \t]+(?:declare[ \t]+)?(?:const|let|var)[ \t]+(?:enum[ \t]+)?([A-Za-z_$][\w$]*)/gm,
  /^(?:module\.)?exports\.([A-Za-z_$][\w$]*)[ \t]*=/gm,
];
const PYTHON = [
  /^(?:async[ \t]+)?(?:def|class)[ \t]+([A-Za-z_]\w*)/gm,
  /^([A-Z][A-Z0-9_]{2,})[ \t]*(?::[^=\n]{1,100})?=/gm,
];
const GO = [
  /^func[ \t]+(?:\([^)\n]{0,200}\)[ \t]*)?([A-Za-z_]\w*)/gm,
  /^(?:type|const|var)[ \t]+([A-Za-z_]\w*)/gm,
];
const RUST = [
  /^[ \t]{0,8}(?:pub(?:\([^)\n]{0,40}\))?[ \t]+)?(?:(?:async|unsafe|const)[ \t]+){0,3}(?:fn|struct|enum|trait|union|type|static|const)[ \t]+([A-Za-z_]\w*)/gm,
  /^macro_rules![ \t]+([A-Za-z_]\w*)/gm,
];
/** Java, C#, Kotlin, Scala, Swift, PHP, C++: types wherever they stand, functions where a word says so. */
const TYPES = [
  /^[ \t]{0,8}(?:[a-z]{3,12}[ \t]+){0,6}(?:class|interface|enum|record|struct|object|trait|protocol|union|namespace)[ \t]+(?:class[ \t]+)?([A-Za-z_]\w*)/gm,
  /^[ \t]{0,8}(?:[a-z]{3,12}[ \t]+){0,6}(?:fun|func|def|function)[ \t]+([A-Za-z_]\w*)/gm,
];
const C = [
  ...TYPES,
  /^#[ \t]{0,8}define[ \t]+([A-Za-z_]\w*)/gm,
  /^[A-Za-z_][^\n(;={}]{0,200}[ \t*&]([A-Za-z_]\w*)\([^;{}]{0,500}\)[^;{}()]{0,40}\{/gm,
];
const RUBY = [/^[ \t]{0,12}(?:class|module|def)[ \t]+(?:self\.)?([A-Za-z_]\w*)/gm];

const DEFINITIONS: ReadonlyMap<string, readonly RegExp[]> = new Map(
  (
    [
      [SCRIPT, 'js jsx ts tsx mjs cjs mts cts'],
      [PYTHON, 'py pyi'],
      [GO, 'go'],
      [RUST, 'rs'],
      [TYPES, 'java cs kt kts scala swift php groovy'],
      [C, 'c h cc cpp cxx hpp hh'],
      [RUBY, 'rb'],
    ] as const
  ).flatMap(([patterns, extensions]) => extensions.split(' ').map((name) => [`.${name}`, patterns] as const)),
);

const patternsOf = (path: string): readonly RegExp[] => DEFINITIONS.get(extname(path).toLowerCase()) ?? [];

/** Whether a path is that of a file of which the definitions are read. */
export const hasDefinitions = (path: string): boolean => patternsOf(path).length > 0;

/** Names that a source file defines for others to name. Plain lower-case words are none: prose is full of them. */
export const definedIn = (text: string, path: string): string[] =>
  patternsOf(path)
    .flatMap((pattern) => Array.from(text.matchAll(pattern), ([, symbol = '']) => symbol))
    .filter(isSymbol);

const NAME = /(?<![\w$.-])[A-Za-z_$][\w$]{3,99}(?![\w$-])/g;
/** Of `a.b.C::d` each part. */
const PART = /[A-Za-z_$][\w$]{3,99}/g;

/** Letters of both cases, or words that `_` joins. */
const isSymbol = (name: string): boolean =>
  name.length > 3 && name.length < 100 && /[A-Z]|[a-z0-9]_[a-z0-9]/.test(name) && /[a-z]|_/i.test(name);

/** Written so in prose, a name is one of code: `createEngine`, `HttpServer`, `read_file`. */
const isMarked = (name: string): boolean => /[a-z0-9][A-Z]|[A-Za-z0-9]_[A-Za-z0-9]/.test(name);

/** Names of code in a text: in code spans and blocks as they stand, in prose those that no word is written like. */
export function symbolsNamedIn({ prose, code }: CodeParts): GraphReference[] {
  const inCode = (code.match(PART) ?? []).filter(isSymbol);
  const inProse = (prose.match(NAME) ?? []).filter((name) => isSymbol(name) && isMarked(name));
  return [...new Set([...inCode, ...inProse])].map((name) => ({ kind: 'symbol', target: symbolName(name) }));
}

/** Of HTML, which Markdown takes too. */
const COMMENT = /<!--(?:(?!<!--)[\s\S]){0,20000}?-->/g;

const FENCE = /^[ \t>]*(?:[-*+] +|\d+[.)] +)?(`{3,}|~{3,})/;

/** A page without its comments, in two parts. */
interface CodeParts {
  /** Without fenced blocks and code spans. */
  readonly prose: string;
  /** What stands in them. */
  readonly code: string;
}

/** Parts prose from code. A fence that nobody closes goes to the end, as in Markdown. */
export function codePartsOf(given: string): CodeParts {
  const text = given.replace(COMMENT, ' ');
  if (!text.includes('`') && !text.includes('~~~')) return { prose: text, code: '' };
  let fence: string | undefined;
  const fenced: string[] = [];
  const lines = text.split('\n').filter((line) => {
    const mark = FENCE.exec(line)?.[1];
    if (fence === undefined) {
      // Three backticks and more of them in one line are a span.
      if (
        mark === undefined ||
        (mark.startsWith('`') && line.slice(line.indexOf(mark) + mark.length).includes('`'))
      )
        return true;
      fence = mark;
      return false;
    }
    if (mark !== undefined && mark[0] === fence[0] && mark.length >= fence.length && isBare(line))
      fence = undefined;
    else fenced.push(line);
    return false;
  });
  const spans: string[] = [];
  const prose = withoutSpans(lines.join('\n'), spans);
  return { prose, code: [...fenced, ...spans].join('\n') };
}

const isBare = (line: string): boolean => /^[\s>]*[`~]+\s*$/.test(line);

/** Spans of one paragraph: an opening run of backticks and the next run that is as long. A link's own text may be code. */
const withoutSpans = (text: string, spans: string[]): string =>
  // A link of reStructuredText stands between backticks.
  text.replace(/(?<![`:])(`{1,3})(?!`)((?:(?!\n\s*\n)[^`]){1,2000})\1(?![`_])/g, (span, _, code: string) => {
    if (/<[^<>]+>$/.test(code)) return span;
    spans.push(code);
    return ' ';
  });
