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

/** What stands in an object or a list, from its name or its beginning to the comma or the bracket behind it. */
export interface JsonPart extends TextRange {
  /** Absent in lists. */
  readonly key: string | undefined;
  /** Its value, where that is a text. */
  readonly text: string | undefined;
  /** Where its value is an object or a list. */
  readonly inner: JsonContainer | undefined;
}

/** An object or a list, at any depth. */
export interface JsonContainer extends TextRange {
  readonly isList: boolean;
  readonly parent: JsonContainer | undefined;
  /** What is inside of those is not kept. */
  readonly parts: readonly JsonPart[];
}

interface Open extends JsonContainer {
  end: number;
  parts: JsonPart[];
  /** Of the part under way. */
  from: number;
  key?: string | undefined;
  text?: string | undefined;
  inner?: JsonContainer | undefined;
}

/** The objects and lists of valid JSON; those inside others before these. */
export function* containersOf(json: string): Generator<JsonContainer> {
  const stack: Open[] = [];
  for (const { token, index } of tokensOf(json)) {
    const open = stack.at(-1);
    if (token === '{' || token === '[')
      stack.push({
        start: index,
        end: index,
        isList: token === '[',
        parent: open,
        parts: [],
        from: index + 1,
      });
    else if (open !== undefined && token.startsWith('"')) {
      if (open.isList || open.key !== undefined) open.text ??= JSON.parse(token) as string;
      else {
        open.key = JSON.parse(token) as string;
        open.from = index;
      }
    } else if (open !== undefined) {
      const { from, key, text, inner } = open;
      const blanks = json.slice(from, index).search(/\S/);
      if (blanks >= 0) open.parts.push({ start: from + blanks, end: index, key, text, inner });
      Object.assign(open, { from: index + 1, key: undefined, text: undefined, inner: undefined });
      if (token === ',') continue;
      open.end = index + 1;
      stack.pop();
      yield open;
      const outer = stack.at(-1);
      if (outer !== undefined)
        outer.inner = { ...open, parts: open.parts.map((part) => ({ ...part, inner: undefined })) };
    }
  }
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
