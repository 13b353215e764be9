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

/** Behind the brace that closes an object; undefined where none does. */
export function endOfObject(source: string): number | undefined {
  let depth = 0;
  for (const { token, index } of tokensOf(source)) {
    if (token === '{') depth += 1;
    if (token === '}') depth -= 1;
    if (depth === 0) return index + 1;
  }
  return undefined;
}

/** From the name of each member of valid JSON to that of the next one. */
export function membersOf(json: string): (TextRange & { readonly key: string })[] {
  const members: { readonly key: string; readonly start: number }[] = [];
  let depth = 0;
  let isName = false;
  for (const { token, index } of tokensOf(json)) {
    if (token === '{' || token === '[') depth += 1;
    else if (token === '}' || token === ']') depth -= 1;
    else if (token !== ',' && depth === 1 && isName)
      members.push({ key: JSON.parse(token) as string, start: index });
    isName = depth === 1 && (token === '{' || token === ',');
  }
  const last = json.lastIndexOf('}');
  return members.map(({ key, start }, at) => ({ key, start, end: members[at + 1]?.start ?? last }));
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
