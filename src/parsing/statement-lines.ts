/** What opens a block of statements. */
const STATEMENT =
  /^[ \t}]*(?:(?:abstract|async|default|export|final|internal|local|override|private|protected|pub|public|static|suspend|virtual|else)[ \t]+){0,4}(?:class|def|elif|elsif|for|foreach|fn|fun|func|function|get|if|interface|method|switch|unless|until|while|with)[ \t(]/;
/** The same of one that ends with a word, at its beginning or at the end of its line. */
const ENDED =
  /^[ \t]*(?:\{[#%]-?[ \t]*)?(?:(?:abstract|async|create|friend|internal|local|mutable|or|overridable|overrides|private|protected|public|pure|elemental|recursive|replace|shared|static)[ \t]+){0,4}(?:def\w*|class|classdef|module|if|elsif|elseif|unless|case|when|while|until|for|begin|function|macro|procedure|sub|subroutine|property|select|struct|structure|enum|interface|type|package|namespace|task|program|trigger|let|switch|parfor)\b|[=(,][ \t]*(?:case|if|unless|begin|function)\b|\b(?:do|then|is|begin|loop)(?:[ \t]*\|[^|\n]*\|)?[ \t]*\r?$/i;
const END =
  /^[ \t]*(?:\{(?:%-?[ \t]*|\/(?=\w)))?(?:(?<=\{\/)\w+|end(?:if|case|for|while|function|sub|procedure|class|module|type|select|program|switch)?|fi|esac|done)\b(?![ \t]*[:=([])/i;
/** What opens the body of a statement at its own depth. */
const BODY = /^[ \t]*(?:begin|when|case|is|declare|var|const|type|label|in)\b/i;
/** In front of a name that something is compared with, so that the block says what it is. */
const NAMED_THERE = /(?:=|\beq)[ \t]{0,4}["'`][^"'`]{0,80}$/;
/** In UTF-16 code units. */
const MOST_LOOKED_AT = 400;

/** Whether a line begins as one that opens a block of statements does. */
export const isStatement = (line: string): boolean => STATEMENT.test(line.slice(0, MOST_LOOKED_AT));

/** Whether a line opens a block of statements, which is no value of a name in it, that ends at a place. */
export function opensStatements(line: string, to: number): boolean {
  const tail = line.slice(-MOST_LOOKED_AT);
  if (!/(?:[{:(,]|\b(?:then|do))[ \t]*\r?$/.test(tail)) return false;
  if (isStatement(line)) return !NAMED_THERE.test(line.slice(Math.max(0, to - MOST_LOOKED_AT), to));
  if (!/[{:][ \t]*\r?$/.test(tail)) return false;
  // In brackets that are closed before, as a parameter is.
  let depth = 0;
  for (let at = to; at < Math.min(line.length, to + MOST_LOOKED_AT); at += 1) {
    if ('[({'.includes(line.charAt(at))) depth += 1;
    if ('])}'.includes(line.charAt(at))) depth -= 1;
    if (depth >= 0) continue;
    const rest = line.slice(at + 1);
    return line.charAt(at) === ')' ? !/^[ \t]*=(?![=>])/.test(rest) : /^[ \t]*[,)]/.test(rest);
  }
  return false;
}

/** A statement goes on in the next line. */
const OPEN_END = /(?:[=+*/&|?\\]|[=-]>|%[^%\s]{0,4}%|[ \t]`|\b(?:and|or|in|as|return|not))[ \t]*\r?$/;
const GOING_ON = /^[ \t]*(?:[.?:+|&=][^=]|(?:and|or|in|as|is)\b|[\])]|\\\\|(?:get|set)\(\)[ \t]*[={])/;
/** An annotation belongs to what is below it. */
const ANNOTATION = /^[ \t]*(?:@|#?\[)[\w.\\:]{1,60}\(/;
/** The body of a statement without braces. */
const BODILESS = /^[ \t}]*(?:else|(?:(?:else[ \t]+)?(?:if|for|foreach|while)\b.*\)))[ \t]*\r?$/;

/** Whether a statement goes on in the next line. */
export const isGoingOn = (line: string, next: string): boolean =>
  OPEN_END.test(line) ||
  GOING_ON.test(next) ||
  ANNOTATION.test(line) ||
  (BODILESS.test(line) && indentOf(next) > indentOf(line) && next.trim() !== '');

/** Whether the end of a line opens a block of statements: of a function, a lambda or a loop. */
export const opensBlock = (line: string): boolean =>
  /(?:(?:=>|\)|\bfunc(?:tion)?\b[^{}\n]*)[ \t]*\{|(?<!["'`}\])][ \t]*)->[ \t]*\{?|\b(?:do|then)(?:[ \t]*\|[^|\n]*\|)?|\bfunction[^()\n]*\([^()\n]*\))[ \t]*\r?$/.test(
    line,
  );

/** Another branch of the statement above. */
export const isBranch = (line: string): boolean =>
  /^[ \t]*(?:\}[ \t]*)?(?:else|elif|elsif|elseif|except|catch|rescue|ensure|finally)\b/.test(line);

/** The quotation mark that is opened and not closed. */
export function openQuote(behind: string): string | undefined {
  let open: string | undefined;
  // A backtick behind a blank goes on to the next line.
  for (const sign of behind.replace(/\\.|[ \t]`[ \t]*\r?$/g, '').replace(/(?<=\p{L})'(?=\p{L})/gu, '')) {
    if (open === undefined && (sign === '"' || sign === "'" || sign === '`')) open = sign;
    else if (sign === open) open = undefined;
  }
  return open;
}

export const indentOf = (line: string): number => line.length - line.trimStart().length;

/** Whether a line may open a block that a word ends. */
export const isEnded = (line: string): boolean =>
  ENDED.test(line.slice(0, MOST_LOOKED_AT)) && !/[{:\\][ \t]*\r?$/.test(line.slice(-MOST_LOOKED_AT));

/**
 * The line that ends the block of one: the first word for it that is indented no more, but for those of other blocks there.
 *
 * @param lineAt undefined behind the last one
 */
export function endOfEnded(
  lineAt: (at: number) => string | undefined,
  at: number,
  most: number,
): number | undefined {
  let own = indentOf(lineAt(at) ?? '');
  let depth = 1;
  let isFirst = true;
  for (let next = at + 1; next <= at + most; next += 1) {
    const line = lineAt(next);
    if (line === undefined) return undefined;
    if (line.trim() === '') continue;
    const indent = indentOf(line);
    if (isFirst && BODY.test(line)) own = Math.max(own, indent);
    // A declaration alone opens no block.
    else if (isFirst && indent <= own) return undefined;
    isFirst = false;
    if (indent > own) continue;
    if (END.test(line)) depth -= 1;
    else if (indent < own) return undefined;
    else if (isEnded(line) && !BODY.test(line)) depth += 1;
    if (depth === 0) return next;
  }
  return undefined;
}
