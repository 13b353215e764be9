import type { TextRange } from '../core/document.js';
import { endOfBracket } from './closed-brackets.js';
import type { StatedFields } from './markdown/stated-names.js';
import { isLone, type NamedPlace, namedPlaces, withoutNames } from './named-places.js';
import { PARAMETER } from './sentence-fields.js';
import { blanked, joinedRanges } from './text-range.js';

/** Languages in which a value is a literal, or has a name. */
const PROGRAMS =
  /^(?:[cr]|cc?|cpp|c\+\+|h|csharp|cs|css|cuda|dart|elixir|erlang|fsharp|go|golang|graphql|groovy|java|javascript|jsx?|julia|kotlin|kt|lua|objective-c|perl|php|protobuf|python|py|ruby|rb|rust|rs|scala|solidity|sql|swift|tsx?|typescript|vue|svelte|zig)$/;
/** In lines. */
const MOST_LINES = 400;
/** Of a call or a list, in UTF-16 code units. */
const MAX_UNIT = 4_000;
/** Of a block. */
const MAX_BLOCK = 20_000;
/** Before a name and behind it. */
const LOOKED_AT = 400;

/** A statement goes on in the next line. */
const OPEN_END = /(?:[=+*/&|?\\]|=>|\b(?:and|or|in|as|return|not))[ \t]*\r?$/;
const GOING_ON = /^[ \t]*(?:[.?:+|&=][^=]|(?:and|or|in|as|is)\b|[\])])/;
/** An annotation belongs to what is below it. */
const ANNOTATION = /^[ \t]*(?:@|\[)[\w.]{1,60}\(/;
const isGoingOn = (line: string, next: string): boolean =>
  OPEN_END.test(line) || GOING_ON.test(next) || ANNOTATION.test(line);
const PROMPT = /^[ \t]*(?:[$%>]|>>>|PS[^\n>]{0,60}>)[ \t]/;
const ROW = /^[ \t]*\|.*\|[ \t]*\r?$/;
/** The head of a section of settings. */
const SECTION = /^[ \t]*\[{1,2}[^\]\n]*\]{1,2}[ \t]*\r?$/;
/** Names of columns of what a program printed: words alone. */
const HEADER = /^[ \t]*[\p{L}_][\p{L}\p{N}_.-]*(?:[ \t]+[\p{L}_][\p{L}\p{N}_.-]*)+[ \t]*\r?$/u;
/** A statement of SQL goes on up to its sign. */
const SQL =
  /^[ \t(]*(?:select|insert[ \t]+into|update|delete[ \t]+from|merge[ \t]+into|copy|with[ \t]+\w+[ \t]+as|values[ \t]*\(|create|alter)\b/im;
/** What a name of one word is in front of where it is a label. */
const LABEL =
  /^(?:["'`\])}]{0,3}[ \t]*(?:[?+~!*/&|.:-]{0,3}[:=](?![=])|[<>]-|=>|->|,(?<=["'`],))|[ \t]*\([ \t]*["'`\d]|[ \t]+[^\n=;"'(){}]{0,60}=(?![=>])|[ \t]*\{[^{}\n]*\}[ \t]*=|[^,;\n]{0,80}?[ \t]default[ \t]|[ \t]+when[ \t])/i;
/** In front of a word that is its value. */
const SETTING =
  /(?:^|[ \t`("'])--?$|(?:^|[ \t(])(?:env|arg|set|setenv|export|declare|define|def)[ \t]+(?:-\w+[ \t]+)?$/i;
const LITERAL =
  /["'`][^"'`\n]{0,400}[\p{L}\p{N}]|(?<![\p{L}\p{N}_$])\d|(?:\/\/|#|--|\/\*)[^\n]{0,400}\p{L}|[!=]==?[^>]|<>|\b(?:enum|type|union|case|when)\b/iu;
/** It sets something, or its value stands behind. */
const ASSIGNED = /^["'`\])}]{0,3}[ \t]*(?:[?+~!*/&|.:-]{0,3}[:=](?!=))/;
const SETTER = /^(?:set|with|put|add|update|change)[\s\S]*\([ \t]*[^) \t]/i;
const CONTROL =
  /(?:^|[ \t}(])(?:if|elif|elsif|elseif|switch|while|for|foreach|case|match|when|unless|with|catch|until|class)[ \t(]/;
/** Texts over several lines. */
const LONG_TEXT = /("""|'''|`)(?:(?!\1)[\s\S])*\n[\s\S]*?\1/g;

interface Program {
  readonly text: string;
  readonly names: readonly string[];
  /** In which each line starts. */
  readonly starts: readonly number[];
  readonly isProgram: boolean;
}

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
  const program = { text, names, starts, isProgram: PROGRAMS.test(language) };
  const places = namedPlaces(text, names);
  const roots = rootsOf(text, places);
  const longTexts = [...text.matchAll(LONG_TEXT)].map(({ 0: all, index }) => ({
    start: index,
    end: index + all.length,
  }));
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
  let done = 0;
  let next = 0;
  for (const [at, place] of places.entries()) {
    const { start, end, names: own } = place;
    if (start < done) continue;
    while ((longTexts[next]?.end ?? Infinity) <= start) next += 1;
    const longText = longTexts[next];
    const isInText =
      longText !== undefined && longText.start < start && !isDocumentation(text, longText.start);
    const isSaid = said.slice(start, end).trim() !== '';
    if (isSaid && !isInText && (!place.isWorded || !isBesideCode(program, said, start))) {
      const below = place.isWorded ? belowComment(program, said, start) : undefined;
      const unit = below === undefined ? undefined : statementOf(program, below, undefined, done);
      if (unit === undefined || isFree(program, unit, false)) continue;
      done = unit.end;
      found.push({ ...unit, names: own });
      continue;
    }
    if (!place.isWorded) {
      const range = labelled(program, place);
      if (range === undefined) continue;
      done = range.end;
      found.push({ ...range, names: own });
      continue;
    }
    const root = isInText ? longText : roots[at];
    const unit = statementOf(program, place, root, done);
    if (isFree(program, unit, isInText)) continue;
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
    const root = usedIn[at];
    if (root === undefined || use.start < done) continue;
    const unit = statementOf(program, use, root, 0);
    found.push(...definedApart(unit, use.names));
    if (isFree(program, unit, false)) continue;
    done = unit.end;
    found.push({ ...unit, names: use.names });
  }
  return found;
}

const DEFINING = String.raw`^[ \t]*(?:(?:const|let|var|final|val|auto|my)[ \t]+)?[$@]?([\p{L}_][\p{L}\p{N}_]*)[ \t]*(?::[^=\n]{1,60})?:?=[ \t]*(?=[[("'\x60{])`;
const DEFINED_LIST = new RegExp(DEFINING.replace('{])', '])'), 'u');

/** Where names stand that are defined as something else that names a field. */
const usesOf = (text: string, lists: ReadonlyMap<string, readonly string[]>): NamedPlace[] =>
  [...text.matchAll(/[\p{L}_][\p{L}\p{N}_]*/gu)].flatMap(({ 0: name, index }) => {
    const names = lists.get(name);
    return names === undefined ? [] : [{ start: index, end: index + name.length, names, isWorded: true }];
  });

/** The line below a comment that is a name alone. */
function belowComment(program: Program, said: string, place: number): TextRange | undefined {
  const at = lineOf(program.starts, place);
  const below = program.starts[at + 1];
  if (below === undefined || isComment(lineAt(program, at + 1))) return undefined;
  return isLone(said.slice(program.starts[at], below), program.names)
    ? { start: below, end: below }
    : undefined;
}

/** Comments of a line that holds code, too. */
function isBesideCode({ text, starts }: Program, said: string, place: number): boolean {
  const at = lineOf(starts, place);
  const [start = 0, end = text.length] = [starts[at], starts[at + 1]];
  return /[\p{L}\p{N}]/u.test(
    [...text.slice(start, end)]
      .map((sign, index) => (said.charAt(start + index) === sign ? ' ' : sign))
      .join(''),
  );
}

const isDocumentation = (text: string, at: number): boolean =>
  text.charAt(at) !== '`' && text.slice(text.lastIndexOf('\n', at - 1) + 1, at).trim() === '';

/** By each place the outermost call or list around it, up to a block; a name in quotation marks may stand in a record. */
function rootsOf(text: string, places: readonly NamedPlace[]): (TextRange | undefined)[] {
  const token = /(?<!\\)"(?:[^"\\\n]|\\.)*"|(?<![\p{L}\\])'(?:[^'\\\n]|\\.)*'|[()[\]{}]/gu;
  const open: { readonly at: number; readonly root: number; readonly wide: number }[] = [];
  const roots: (TextRange | undefined)[] = [];
  let next = 0;
  const settle = (until: number): void => {
    for (; (places[next]?.start ?? Infinity) < until; next += 1) {
      const { start, end } = places[next] as NamedPlace;
      const isQuoted =
        /["'`]$/.test(text.slice(0, start).slice(-1)) && !/^["'`][ \t]*:/.test(text.slice(end, end + 9));
      const last = open.at(-1);
      const candidates = last === undefined ? [] : [isQuoted ? last.wide : -1, last.root, last.at];
      const range = candidates
        .filter((at) => at >= 0 && (text.charAt(at) !== '{' || at === (isQuoted ? last?.wide : -1)))
        .map((at) => ({ start: at, end: endOfBracket(text, at, MAX_UNIT) ?? 0 }))
        .find((each) => each.end >= end);
      roots.push(range);
    }
  };
  for (const { 0: sign, index } of text.matchAll(token)) {
    settle(index);
    if (sign.length > 1) continue;
    if ('([{'.includes(sign)) {
      const last = open.at(-1);
      const isRecord =
        sign === '{' && /[=([,:?][ \t]*$/.test(text.slice(Math.max(0, index - 40), index).trimEnd());
      const isBlock = sign === '{';
      open.push({
        at: index,
        root: isBlock ? -1 : last === undefined || last.root < 0 ? index : last.root,
        wide: isBlock && !isRecord ? -1 : last === undefined || last.wide < 0 ? index : last.wide,
      });
    } else open.pop();
  }
  settle(Infinity);
  return roots;
}

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
      ? !/;[ \t]*\r?$/.test(line) && line.trim() !== '' && next.trim() !== '' && !isComment(line)
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
  return program.text.slice(program.starts[first], endAt(program, at));
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
  const line = lineAt(program, last);
  const isParameter = isParameterAt(text, place);
  let until = endAt(program, last);
  for (let at = start; at < until && at < start + MAX_BLOCK; at += 1) {
    if (!(isParameter ? '[(' : '[({').includes(text.charAt(at))) continue;
    const closing = endOfBracket(text, at, MAX_BLOCK) ?? 0;
    if (closing > until) until = endAt(program, lineOf(starts, closing));
  }
  const behind = lineAt(program, lineOf(starts, place.end));
  const mark = /<<[-~<]?[ \t]*["']?([\p{L}\p{N}_]{1,40})["']?[^\n]*$/u.exec(behind)?.[1];
  const quote = mark ?? /("{3}|'{3}|`{3})(?!.*\1)/.exec(behind)?.[1] ?? openQuote(behind);
  if (quote !== undefined) {
    const closing = text.indexOf(quote, endAt(program, last));
    const blank = text.indexOf('\n\n', until);
    const close = closing < 0 || closing - until > MAX_BLOCK ? (blank < 0 ? text.length : blank) : closing;
    until = Math.max(until, endAt(program, lineOf(starts, close)));
  } else if (!isParameter && /(?:[:[({,\\|>]|\b(?:do|then))[ \t]*\r?$/.test(line))
    until = Math.max(until, endOfIndented(program, last));
  return { start, end: until };
}

/** Whether a name is a parameter of what a line defines, whose block is about something else. */
function isParameterAt(text: string, { start, end }: TextRange): boolean {
  const before = text.slice(Math.max(text.lastIndexOf('\n', start - 1) + 1, start - LOOKED_AT), start);
  const behind = text.slice(end, end + LOOKED_AT).split('\n', 1)[0] ?? '';
  return (
    !/["'`]$/.test(before) &&
    !CONTROL.test(before) &&
    (/\([^()]*$/.test(before) || /^[ \t]*[\w"'?]*:?[^=]*,[ \t]*$/.test(behind))
  );
}

/** The quotation mark that is opened and not closed. */
function openQuote(behind: string): string | undefined {
  let open: string | undefined;
  for (const sign of behind.replace(/\\./g, '').replace(/(?<=\p{L})'(?=\p{L})/gu, '')) {
    if (open === undefined && (sign === '"' || sign === "'" || sign === '`')) open = sign;
    else if (sign === open) open = undefined;
  }
  return open;
}

const indentOf = (line: string): number => line.length - line.trimStart().length;

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

/** What a label of one word has behind it. */
function labelled(program: Program, { start, end }: TextRange): TextRange | undefined {
  const { text } = program;
  const before = text.slice(Math.max(text.lastIndexOf('\n', start - 1) + 1, start - LOOKED_AT), start);
  const behind = text.slice(end, end + LOOKED_AT).split('\n', 1)[0] ?? '';
  const isSet = SETTING.test(before) && /^[= \t]+\S/.test(behind);
  if (PARAMETER.test(before) || !(isSet || LABEL.test(behind))) return undefined;
  if (!/[\p{L}\p{N}]/u.test(behind) && !/[:=[({,\\<][ \t]*["'`]{0,3}[ \t]*\r?$/.test(behind))
    return undefined;
  const range = linesAround(program, { start, end }, { start, end });
  const [, mark] = OPEN_TEXT.exec(behind) ?? [];
  const closing = mark === undefined ? -1 : text.indexOf(mark, range.end);
  return closing < 0 ? range : { ...range, end: closing + (mark ?? '').length };
}

/** A text over several lines begins. */
const OPEN_TEXT = /[:=][ \t]*[a-z]{0,2}("""|'''|`)(?!.*\1)/i;

/** Where names are defined as lists or texts, by these names. */
function definitionsIn(text: string): Map<string, TextRange> {
  const found = new Map<string, TextRange>();
  for (const { 1: name = '', index, 0: all } of text.matchAll(new RegExp(DEFINING, 'gmu')))
    found.set(name, { start: index, end: index + all.length });
  return found;
}
