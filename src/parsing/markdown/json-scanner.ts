import type { TextRange } from '../../core/document.js';

/** Comments, as they may stand in what is nearly JSON. */
const COMMENT = /\s*(?:\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$))\s*/y;

/** Where the comments at the beginning of a text end. */
export function behindComments(source: string): number {
  let start = 0;
  COMMENT.lastIndex = 0;
  while (COMMENT.test(source)) start = COMMENT.lastIndex;
  return start;
}

/** Behind the closing brace, with comments and both kinds of quotation marks; undefined where something is never closed. */
export function endOfLikeJson(source: string): number | undefined {
  const mark = /["'{}]|\/\/|\/\*|(?<=\s)#/g;
  let depth = 0;
  for (let found = mark.exec(source); found !== null; found = mark.exec(source)) {
    const [token] = found;
    if (token === '{') depth += 1;
    else if (token === '}') {
      depth -= 1;
      if (depth === 0) return mark.lastIndex;
    } else {
      const end = endOfPart(source, token, mark.lastIndex);
      if (end === undefined) return undefined;
      mark.lastIndex = end;
    }
  }
  return undefined;
}

/** Of a text or a comment, by what opens it. */
function endOfPart(source: string, opening: string, from: number): number | undefined {
  if (opening === '"' || opening === "'") return endOfText(source, from, opening);
  const closing = opening === '/*' ? '*/' : '\n';
  const at = source.indexOf(closing, from);
  return at < 0 ? undefined : at + closing.length;
}

/** Behind the mark that closes an object or a list; undefined where none does. */
export function endOfValue(source: string): number | undefined {
  let depth = 0;
  for (const { token, index } of tokensOf(source)) {
    if (token === '{' || token === '[') depth += 1;
    if (token === '}' || token === ']') depth -= 1;
    if (depth <= 0) return index + 1;
  }
  return undefined;
}

interface Member extends TextRange {
  readonly key: string;
}

/** An object, at any depth. */
export interface JsonRecord extends TextRange {
  /** Each from its name to the comma or the brace behind it. */
  readonly members: readonly Member[];
}

/** An object or a list under way; a list has no members. */
interface Open {
  readonly start: number;
  readonly members?: Member[];
  member?: { readonly key: string; readonly start: number } | undefined;
  isName: boolean;
  isWanted: boolean;
}

/** The records of valid JSON that have a member of a wanted name; those inside others before these. */
export function recordsOf(json: string, isWanted: (key: string) => boolean): JsonRecord[] {
  const records: JsonRecord[] = [];
  const stack: Open[] = [];
  for (const { token, index } of tokensOf(json)) {
    const open = stack.at(-1);
    if (token === '{') stack.push({ start: index, members: [], isName: true, isWanted: false });
    else if (token === '[') stack.push({ start: index, isName: false, isWanted: false });
    else if (open !== undefined && token.startsWith('"')) {
      if (open.isName) {
        open.member = { key: JSON.parse(token) as string, start: index };
        open.isWanted ||= isWanted(open.member.key);
      }
      open.isName = false;
    } else if (open !== undefined) {
      if (open.member !== undefined) open.members?.push({ ...open.member, end: index });
      open.member = undefined;
      if (token === ',') open.isName = open.members !== undefined;
      else {
        stack.pop();
        if (open.members !== undefined && open.isWanted)
          records.push({ start: open.start, end: index + 1, members: open.members });
      }
    }
  }
  return records;
}

/** Marks of JSON and its texts. By hand: a regular expression overflows the stack over a text of some megabytes. */
function* tokensOf(json: string): Generator<{ readonly token: string; readonly index: number }> {
  const mark = /["{}[\],]/g;
  let isClosed = true;
  for (let found = mark.exec(json); found !== null; found = mark.exec(json)) {
    const end: number | undefined =
      found[0] === '"' && isClosed ? endOfText(json, mark.lastIndex) : mark.lastIndex;
    isClosed &&= end !== undefined;
    mark.lastIndex = end ?? mark.lastIndex;
    yield { token: json.slice(found.index, mark.lastIndex), index: found.index };
  }
}

/** Behind the quotation mark that closes a text; undefined where none does. */
function endOfText(json: string, from: number, quote: '"' | "'" = '"'): number | undefined {
  const mark = quote === '"' ? /["\\]/g : /['\\]/g;
  mark.lastIndex = from;
  for (let found = mark.exec(json); found !== null; found = mark.exec(json)) {
    if (found[0] === quote) return mark.lastIndex;
    mark.lastIndex += 1;
  }
  return undefined;
}
