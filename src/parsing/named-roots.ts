import type { TextRange } from '../core/document.js';
import { endOfBracket } from './closed-brackets.js';
import type { NamedPlace } from './named-places.js';

/** Which brackets stand around a place. */
export interface Surroundings {
  /** The outermost call or list, up to a block; a name in quotation marks may stand in a record. */
  readonly root: TextRange | undefined;
  /** Where the innermost bracket opens; -1 where none does. */
  readonly inner: number;
  /** That one is a record. */
  readonly isRecord: boolean;
}

/** Of a call or a list, in UTF-16 code units. */
const MAX_UNIT = 4_000;

/** What stands around each place. */
export function rootsOf(text: string, places: readonly NamedPlace[]): Surroundings[] {
  const token = /(?<!\\)"(?:[^"\\\n]|\\.)*"|(?<![\p{L}\\])'(?:[^'\\\n]|\\.)*'|[()[\]{}]/gu;
  const open: { readonly at: number; readonly root: number; readonly wide: number }[] = [];
  const roots: Surroundings[] = [];
  let next = 0;
  const settle = (until: number): void => {
    for (; (places[next]?.start ?? Infinity) < until; next += 1) {
      const { start, end } = places[next] as NamedPlace;
      const isQuoted =
        /["'`]$/.test(text.slice(0, start).slice(-1)) && !/^["'`][ \t]*:/.test(text.slice(end, end + 9));
      const last = open.at(-1);
      const candidates = last === undefined ? [] : [isQuoted ? last.wide : -1, last.root, last.at];
      const root = candidates
        .filter((at) => at >= 0 && (text.charAt(at) !== '{' || at === (isQuoted ? last?.wide : -1)))
        .map((at) => ({ start: at, end: endOfBracket(text, at, MAX_UNIT) ?? 0 }))
        .find((each) => each.end >= end);
      const inner = last?.at ?? -1;
      roots.push({ root, inner, isRecord: text.charAt(inner) === '{' && (last?.wide ?? -1) >= 0 });
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

/**
 * Comments, texts and expressions between slashes of one line, and texts that may have several: three quotation marks, or backticks.
 * What opens one inside of another opens none.
 */
const QUOTED =
  /\/\*(?:[^*\n]|\*(?!\/))*|^[ \t]*\*[^\n]*|(?<=^|[\s;{}(),])(?:\/\/|#(?=[ \t#!])|--(?=[ \t]))[^\n]*|(?<long>("""|''')[\s\S]*?\2|(?<!\\)`(?:[^`\\]|\\[\s\S])*`)|(?<!\\)"(?:[^"\\\n]|\\.)*"|(?<![\p{L}\p{N}\\])'(?:[^'\\\n]|\\.)*'|(?<=[=(,:?&|!][ \t]{0,20})\/(?![/*])(?:[^/\\\n]|\\.)+\//gmu;

/** Texts over several lines, paired from the beginning. */
export const longTexts = (text: string): TextRange[] =>
  [...text.matchAll(QUOTED)]
    .filter(({ groups }) => groups?.long?.includes('\n') === true)
    .map(({ 0: all, index }) => ({ start: index, end: index + all.length }));

/** The text of several lines that a place lies in. */
export function textAt(long: readonly TextRange[], place: number): TextRange | undefined {
  let low = 0;
  for (let high = long.length; low < high; ) {
    const middle = (low + high) >> 1;
    if ((long[middle]?.end ?? 0) <= place) low = middle + 1;
    else high = middle;
  }
  const found = long[low];
  return found !== undefined && found.start < place ? found : undefined;
}
