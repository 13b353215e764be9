/** What opens a block of statements. */
const STATEMENT =
  /^[ \t}]*(?:(?:abstract|async|default|export|final|internal|local|override|private|protected|pub|public|static|suspend|virtual|else)[ \t]+){0,4}(?:class|def|elif|elsif|for|foreach|fn|fun|func|function|get|if|interface|method|switch|unless|until|while|with)[ \t(]/;
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
