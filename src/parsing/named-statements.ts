import type { TextRange } from '../core/document.js';
import { endOfBracket } from './closed-brackets.js';
import { labelledValue } from './code-labels.js';
import { DEFINED_LIST, definitionsIn, usesOf } from './defined-lists.js';
import type { StatedFields } from './markdown/stated-names.js';
import { isLone, namedPlaces, withoutNames } from './named-places.js';
import { longTexts, rootsOf, type Surroundings, textAt } from './named-roots.js';
import {
  endOfEnded,
  indentOf,
  isBranch,
  isEnded,
  isGoingOn,
  isStatement,
  openQuote,
} from './statement-lines.js';
import { blanked, joinedRanges } from './text-range.js';
import type { Written } from './value-ends.js';

/** Languages in which a value is a literal, or has a name. */
const PROGRAMS =
  /^(?:[cr]|cc?|cpp|c\+\+|h|csharp|cs|css|cuda|dart|elixir|erlang|fsharp|go|golang|graphql|groovy|haskell|hs|java|javascript|jsx?|julia|kotlin|kt|lua|objective-c|perl|php|protobuf|python|py|ruby|rb|rust|rs|scala|solidity|sql|swift|tsx?|typescript|vue|svelte|zig)$/;
/** In lines. */
const MOST_LINES = 400;
/** Of a block, in UTF-16 code units. */
const MAX_BLOCK = 20_000;
/** Before a name and behind it. */
const LOOKED_AT = 400;

const PROMPT = /^[ \t]*(?:[$%>]|>>>|PS[^\n>]{0,60}>)[ \t]/;
const ROW = /^[ \t]*\|.*\|[ \t]*\r?$/;
/** The head of a section of settings. */
const SECTION = /^[ \t]*\[{1,2}[^\]\n]*\]{1,2}[ \t]*\r?$/;
/** Names of columns of what a program printed: words alone. */
const HEADER = /^[ \t]*[\p{L}_][\p{L}\p{N}_.-]*(?:[ \t]+[\p{L}_][\p{L}\p{N}_.-]*)+[ \t]*\r?$/u;
/** A statement of SQL goes on up to its sign. */
const SQL =
  /^[ \t(]*(?:select(?![ \t]*\(|[ \t]+case\b)|insert[ \t]+into|update|delete[ \t]+from|merge[ \t]+into|copy|with[ \t]+\w+[ \t]+as|values[ \t]*\(|create|alter)\b/im;
const LITERAL =
  /["'`][^"'`\n]{0,400}[\p{L}\p{N}]|(?<![\p{L}\p{N}_$])\d|(?:\/\/|#|--|\/\*)[^\n]{0,400}\p{L}|[!=]==?[^>]|<>|\b(?:enum|type|union|case|when)\b/iu;
/** It sets something, or its value stands behind. */
const ASSIGNED = /^["'`\])}]{0,3}[ \t]*(?:[?+~!*/&|.:-]{0,3}[:=](?!=))/;
const SETTER = /^(?:set|with|put|add|update|change)[\s\S]*\([ \t]*[^) \t]/i;
const CONTROL =
  /(?:^|[ \t}(])(?:if|elif|elsif|elseif|switch|select|while|for|foreach|case|match|when|unless|with|using|catch|until|class)[ \t(]/im;
/** Between the head of a statement and the bracket that opens its block. */
const CLAUSE = /^[ \t]*(?::|->|(?:where|throws|extends|implements|requires)\b)/;
/** A function of SQL is a text between such marks. */
const DOLLARS = /\b(?:as|do)\s{1,20}(\$\w{0,30}\$)/i;
interface Program extends Written {
  /** Without its texts over several lines. */
  readonly bare: string;
  readonly names: readonly string[];
  /** In which each line starts. */
  readonly starts: readonly number[];
}

const NOTHING_AROUND: Surroundings = { root: undefined, inner: -1, isRecord: false };

/**
 * Where statements of source code and data name a field: the lines of the statement, with the call, the list or the text that the name stands in, and the block that it opens. In languages
 * whose values are literals it stays where none is in it. Of a name of one word, from there on where it is a label.
 *
 * @param said what comments say, in which sentences are looked for elsewhere
 */
export function statementFields(
  text: string,
  said: string,
  names: readonly string[],
  language: string,
): StatedFields[] {
  const starts = [0, ...Array.from(text.matchAll(/\n/g), ({ index }) => index + 1)];
  const long = longTexts(text);
  const literals = literalsOf(text);
  const program = {
    ...{ text, bare: blanked(text, long), names, starts, long },
    isProgram: PROGRAMS.test(language),
    isSql: /sql$/.test(language),
  };
  const places = namedPlaces(text, names);
  const roots = rootsOf(text, places);
  const found: StatedFields[] = [];
  const apart = definitionsIn(text);
  const lists = new Map<string, readonly string[]>();
  /** Each once. */
  const definedApart = ({ start, end }: TextRange, own: readonly string[]): StatedFields[] =>
    [...text.slice(start, end).matchAll(/[\p{L}_][\p{L}\p{N}_]*/gu)].flatMap(([name]) => {
      const definition = apart.get(name);
      apart.delete(name);
      return definition === undefined
        ? []
        : [{ ...linesAround(program, definition, definition), names: own }];
    });
  const isBeside = eachOnce((line) => isBesideCode(program, said, line));
  const belowOf = eachOnce((line) => belowComment(program, said, line));
  let done = 0;
  let next = 0;
  let literal = 0;
  let free: string | undefined;
  let freeUntil = 0;
  for (const [at, place] of places.entries()) {
    const { start, end, names: own } = place;
    if (start < done) continue;
    while ((long[next]?.end ?? Infinity) <= start) next += 1;
    const longText = long[next];
    const isInText =
      longText !== undefined && longText.start < start && !isDocumentation(text, longText.start);
    const line = lineOf(starts, start);
    const isSaid = said.slice(start, end).trim() !== '';
    if (isSaid && !isInText && (!place.isWorded || !isBeside(line))) {
      const below = place.isWorded ? belowOf(line) : undefined;
      const unit = below === undefined ? undefined : statementOf(program, below, undefined, done);
      if (unit === undefined || isFree(program, unit, false)) continue;
      done = unit.end;
      found.push({ ...unit, names: own });
      continue;
    }
    const around = roots[at] ?? NOTHING_AROUND;
    if (!place.isWorded) {
      const range = labelledValue(program, place, around);
      if (range === undefined) continue;
      done = range.end;
      found.push({ ...range, names: own });
      continue;
    }
    while ((literals[literal]?.end ?? Infinity) <= start) literal += 1;
    const inLiteral = (literals[literal]?.start ?? Infinity) < start ? literals[literal] : undefined;
    const root = isInText ? longText : (inLiteral ?? around.root);
    // Of names that stand alike in one line, or in lines that go with one, the first one tells.
    const isBeyond = root !== undefined && root.end > endAt(program, line);
    const kind = isBeyond ? undefined : `${line} ${isParameterAt(text, place, starts[line] ?? 0)}`;
    if (
      !isInText &&
      ((kind !== undefined && kind === free) || Math.max(root?.end ?? 0, endAt(program, line)) < freeUntil)
    )
      continue;
    const unit = statementOf(program, place, root, done);
    if (isFree(program, unit, isInText)) {
      free = kind;
      if (!isInText) freeUntil = unit.end;
      continue;
    }
    done = unit.end;
    found.push({ ...unit, names: own }, ...(root === undefined ? [] : definedApart(unit, own)));
    const list = DEFINED_LIST.exec(text.slice(unit.start, unit.end))?.[1];
    if (list !== undefined) lists.set(list, own);
  }
  // Where a list or a text with the name is handed on.
  const left = blanked(text, joinedRanges(found));
  const uses = lists.size === 0 ? [] : usesOf(left, lists);
  done = 0;
  const usedIn = rootsOf(text, uses);
  for (const [at, use] of uses.entries()) {
    const root = usedIn[at]?.root;
    if (root === undefined || use.start < done) continue;
    const unit = statementOf(program, use, root, 0);
    found.push(...definedApart(unit, use.names));
    if (isFree(program, unit, false)) continue;
    done = unit.end;
    found.push({ ...unit, names: use.names });
  }
  return found;
}

/** The line below a comment that is a name alone. */
function belowComment(program: Program, said: string, at: number): TextRange | undefined {
  const below = program.starts[at + 1];
  if (below === undefined || isComment(lineAt(program, at + 1))) return undefined;
  return isLone(said.slice(program.starts[at], below), program.names)
    ? { start: below, end: below }
    : undefined;
}

/** Comments of a line that holds code, too. */
function isBesideCode({ text, starts }: Program, said: string, at: number): boolean {
  const [start = 0, end = text.length] = [starts[at], starts[at + 1]];
  return /[\p{L}\p{N}]/u.test(
    [...text.slice(start, end)]
      .map((sign, index) => (said.charAt(start + index) === sign ? ' ' : sign))
      .join(''),
  );
}

/** The same of each line in order, looked at once. */
function eachOnce<T>(of: (line: number) => T): (line: number) => T {
  let known: { readonly line: number; readonly result: T } | undefined;
  return (line) => {
    if (known?.line !== line) known = { line, result: of(line) };
    return known.result;
  };
}

const isDocumentation = (text: string, at: number): boolean =>
  text.charAt(at) !== '`' && /(?:^|\n)\s*$/.test(text.slice(Math.max(0, at - LOOKED_AT), at));

function lineOf(starts: readonly number[], place: number): number {
  let low = 0;
  for (let high = starts.length; high - low > 1; ) {
    const middle = (low + high) >> 1;
    if ((starts[middle] ?? 0) <= place) low = middle;
    else high = middle;
  }
  return low;
}

const lineAt = ({ text, starts }: Program, at: number): string =>
  text.slice(starts[at] ?? text.length, endAt({ text, starts }, at));
const endAt = ({ text, starts }: Pick<Program, 'text' | 'starts'>, at: number): number =>
  (starts[at + 1] ?? text.length + 1) - 1;

/** The statement of a place, from the beginning of its first line, with what is open at its end. */
function statementOf(
  program: Program,
  place: TextRange,
  root: TextRange | undefined,
  done: number,
): TextRange {
  const { text, starts } = program;
  let first = lineOf(starts, root?.start ?? place.start);
  const last = lineOf(starts, Math.max(place.end, (root?.end ?? 1) - 1));
  const rows = rowsAround(program, first);
  if (rows !== undefined && rows.end > (starts[last] ?? 0)) return rows;
  const isSql = SQL.test(paragraphAt(program, first));
  const goesOn = (line: string, next: string): boolean =>
    isSql
      ? !/;[ \t]*\r?$|^go\r?$/i.test(line) && line.trim() !== '' && next.trim() !== '' && !isComment(line)
      : isGoingOn(line, next);
  const isAfter = (at: number): boolean => (starts[at] ?? 0) >= done;
  for (let count = 0; first > 0 && isAfter(first - 1) && count < MOST_LINES; count += 1) {
    if (isComment(lineAt(program, first - 1)) || !goesOn(lineAt(program, first - 1), lineAt(program, first)))
      break;
    first -= 1;
  }
  const { end } = linesAround(
    program,
    { start: starts[first] ?? 0, end: endAt(program, last) },
    place,
    goesOn,
  );
  return { start: Math.max(done, starts[first] ?? 0), end: Math.min(end, text.length) };
}

/** Rows of a table, a section of settings, what a command printed, or what a program printed below names of columns. */
function rowsAround(program: Program, at: number): TextRange | undefined {
  const line = lineAt(program, at);
  const isRow = ROW.test(line);
  const isPrompt = PROMPT.test(line);
  const isSection = !program.isProgram && SECTION.test(line);
  const isOther = program.isProgram || !HEADER.test(line);
  if (!isRow && !isPrompt && !isSection && isOther) return undefined;
  const goesOn = (next: string): boolean =>
    isRow
      ? ROW.test(next)
      : isPrompt
        ? !PROMPT.test(next)
        : isSection
          ? !/^[ \t]*\[/.test(next)
          : next.trim() !== '';
  const near = (count: number): boolean => count < MOST_LINES;
  let first = at;
  let last = at;
  while (isRow && first > 0 && near(at - first) && goesOn(lineAt(program, first - 1))) first -= 1;
  while (last + 1 < program.starts.length && near(last - at) && goesOn(lineAt(program, last + 1))) last += 1;
  return { start: program.starts[first] ?? 0, end: endAt(program, last) };
}

const isComment = (line: string): boolean => /^[ \t]*(?:\/\/|#(?!\[)|--|\/\*|\*)/.test(line);

function paragraphAt(program: Program, at: number): string {
  let first = at;
  while (first > 0 && at - first < MOST_LINES && lineAt(program, first - 1).trim() !== '') first -= 1;
  return program.bare.slice(program.starts[first], endAt(program, at));
}

/** Lines, with those that they go on in: an open quotation, a bracket, an operator, a block, a text up to its mark. */
function linesAround(
  program: Program,
  { start, end }: TextRange,
  place: TextRange,
  goesOn = isGoingOn,
): TextRange {
  const { text, starts } = program;
  let last = lineOf(starts, end);
  const most = Math.min(starts.length - 1, last + MOST_LINES);
  while (
    last < most &&
    !isComment(lineAt(program, last + 1)) &&
    goesOn(lineAt(program, last), lineAt(program, last + 1))
  )
    last += 1;
  const isParameter = isParameterAt(text, place, start);
  last = isParameter ? last : (braceBelow(program, last) ?? last);
  const line = lineAt(program, last);
  let until = endAt(program, last);
  for (let at = start; at < until && at < start + MAX_BLOCK; at += 1) {
    if (!(isParameter ? '[(' : '[({').includes(text.charAt(at))) continue;
    const closing = endOfBracket(text, at, MAX_BLOCK) ?? 0;
    if (closing > until) until = endAt(program, lineOf(starts, closing));
  }
  const own = lineOf(starts, place.end);
  const behind = lineAt(program, own);
  const mark = /^[^\n]*<<[-~<]?[ \t]*["']?([\p{L}\p{N}_]{1,40})["']?[^\n]*$/u.exec(behind)?.[1];
  const quote = mark ?? DOLLARS.exec(text.slice(place.end, until))?.[1] ?? openQuote(behind);
  const around = textAt(program.long, endAt(program, own));
  if (around !== undefined) until = Math.max(until, endAt(program, lineOf(starts, around.end)));
  else if (quote !== undefined) {
    const closing = text.indexOf(
      quote,
      quote.startsWith('$') ? text.indexOf(quote, place.end) + 1 : endAt(program, last),
    );
    const blank = text.indexOf('\n\n', until);
    const close = closing < 0 || closing - until > MAX_BLOCK ? (blank < 0 ? text.length : blank) : closing;
    until = Math.max(until, endAt(program, lineOf(starts, close)));
  } else if (!isParameter) {
    const lines = (at: number): string | undefined => (at < starts.length ? lineAt(program, at) : undefined);
    if (/(?:[:[({,\\|>]|\b(?:do|then|of|match))[ \t]*\r?$/.test(line))
      until = Math.max(until, endOfIndented(program, last));
    const below = lineOf(starts, until);
    if (below > last && /:[ \t]*\r?$/.test(lineAt(program, below))) until = endOfIndented(program, below);
    const ended = isEnded(behind) ? endOfEnded(lines, own, MOST_LINES) : undefined;
    if (ended !== undefined) until = Math.max(until, endAt(program, ended));
    for (let at = lineOf(starts, until) + 1; at < starts.length && isBranch(lineAt(program, at)); ) {
      if (indentOf(lineAt(program, at)) !== indentOf(lineAt(program, own))) break;
      until = Math.max(endAt(program, at), endOfIndented(program, at));
      at = lineOf(starts, until) + 1;
    }
  }
  return { start, end: until };
}

/** The line below a statement, or the clauses of one, that begins with the bracket of its block. */
function braceBelow(program: Program, at: number): number | undefined {
  const line = lineAt(program, at);
  if (/[;{}([\\:][ \t]*\r?$/.test(line) || line.trim() === '') return undefined;
  let isGoing = isStatement(line);
  if (line.trimEnd().endsWith(',') && !isGoing) return undefined;
  for (let next = at + 1; next < Math.min(program.starts.length, at + MOST_CLAUSES); next += 1) {
    const below = lineAt(program, next);
    if (/^[ \t]*\{/.test(below)) return next;
    isGoing ||= CLAUSE.test(below);
    if (!isGoing || /[;}:][ \t]*\r?$/.test(below) || below.trim() === '') return undefined;
  }
  return undefined;
}

/** In lines. */
const MOST_CLAUSES = 12;

/** Whether a name is a parameter of what a line defines, whose block is about something else. */
function isParameterAt(text: string, { start, end }: TextRange, from: number): boolean {
  const before = text.slice(Math.max(from, start - LOOKED_AT), start);
  const behind = text.slice(end, end + LOOKED_AT).split('\n', 1)[0] ?? '';
  return (
    !/["'`]$|[(,][ \t]*:$/.test(before) &&
    !CONTROL.test(before) &&
    (/\([^()]*$/.test(before) || /^[ \t]*[\w"'?]*:?[^=]*,[ \t]*$/.test(behind))
  );
}

/** Behind the next line that holds something, and those below it that are indented more than the first one. */
function endOfIndented(program: Program, at: number): number {
  const own = indentOf(lineAt(program, at));
  let last = at;
  for (let next = at + 1; next < Math.min(program.starts.length, at + MOST_LINES); next += 1) {
    const line = lineAt(program, next);
    if (line.trim() === '') continue;
    if (
      indentOf(line) <= own &&
      !(last === at && !/^[ \t]*[\])}]/.test(line) && own === 0 && indentOf(line) > 0)
    )
      break;
    last = next;
  }
  return endAt(program, last);
}

/** Whether nothing in a statement can be a value. */
function isFree({ text, names, isProgram }: Program, { start, end }: TextRange, isInText: boolean): boolean {
  const unit = text.slice(start, end);
  if (isLone(unit, names)) return true;
  if (!isProgram || isInText || LITERAL.test(withoutNames(unit, names))) return false;
  return namedPlaces(unit, names).every(({ start: from, end: to }) => {
    const behind = unit.slice(to, to + LOOKED_AT);
    return !ASSIGNED.test(behind) && !SETTER.test(unit.slice(from, to + LOOKED_AT));
  });
}

/** Values of a type that is written in front of them, as in tables of tests in Go. */
function literalsOf(text: string): TextRange[] {
  const found: TextRange[] = [];
  for (const { index, 0: all } of text.matchAll(/\bstruct\s{0,8}(?=\{)/g)) {
    const type = endOfBracket(text, index + all.length, MAX_BLOCK) ?? 0;
    const end = text.charAt(type) === '{' ? endOfBracket(text, type, MAX_BLOCK) : undefined;
    if (end !== undefined && index >= (found.at(-1)?.end ?? 0)) found.push({ start: index, end });
  }
  return found;
}
