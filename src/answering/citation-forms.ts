import type { ContextEntry } from '../context/context-pack.js';
import { rewriteOutsideCode } from '../context/outside-code.js';

/** What models call a source before its number. */
export const SOURCE_WORD = '(?:sources?|passages?|documents?|docs?|references?|refs?\\.?)';
const NEXT = String.raw`(?:\s{0,4}[,;&–-]\s{0,4}(?:and\s{1,4})?|\s{1,4}and\s{1,4})(?:${SOURCE_WORD}\s{1,4})?`;
const LABEL = String.raw`${SOURCE_WORD}\s{0,4}[:#]?\s{0,4}`;
const LIST = String.raw`\d{1,4}(?:${NEXT}\d{1,4}){0,40}`;
const NUMBERS = String.raw`\s{0,4}(?:${LABEL})?(${LIST})\s{0,4}`;
const BRACKETED = String.raw`\[${NUMBERS}\](?!\()|【${NUMBERS}(?:†[^】\n]{0,60})?】`;
/** Behind these a raised number is an exponent, as it is behind a number or a letter or two. */
const LENGTHS = String.raw`(?:foot|feet|inch(?:es)?|yards?|miles?|\p{L}{0,5}met(?:re|er)s?|seconds?)`;
const RAISED = String.raw`(?<=[.!?,;:"'”’)*_\]]\s?|\p{L}{3}\s?)(?<!\b${LENGTHS}\s?)(?:<sup>\s{0,4}\[?\s{0,4}${LIST}\s{0,4}\]?\s{0,4}</sup>|\^\[?${LIST}\]?\^|[¹²³⁰⁴-⁹]{1,3}(?![\p{L}\p{N}]))`;
/** A source with a place in it, or the first and the last of some; only where it ends a sentence. */
const PLACED = String.raw`(?<![\p{L}\p{N}_)\]])\[\d{1,4}:\d{1,4}\](?=["'”’»)*_]{0,4}(?:[.!?…]|\s{0,4}$|\n|\s{1,4}\|))`;
/** Forms that say that they cite. */
const SAID = new RegExp(String.raw`\(\s{0,4}${LABEL}${LIST}\s{0,4}\)|${RAISED}|${PLACED}`, 'giu');
const TARGET = String.raw`(?:<[^<>\n]{0,2000}>|[^()\s]{1,2000}(?:\([^()\s]{0,200}\)[^()\s]{0,200}){0,4})(?:\s{1,4}"[^"\n]{0,300}")?`;
const LINK = String.raw`\[\d{1,4}\]\(${TARGET}\)`;
const FOOTNOTE = String.raw`\[\^\d{1,4}\](?![(:])`;
const DEFINED = String.raw`\[(?:\^|${LABEL})?\d{1,4}\]`;
const runOf = (form: string): string => `${form}(?:[,;]?\\s?${form}){0,19}`;

const FORM = new RegExp(
  `(?<definition>${DEFINED}:)(?=\\s)|${BRACKETED}|(?<links>(?<!!)${runOf(LINK)})|(?<footnotes>${runOf(FOOTNOTE)})`,
  'gi',
);
const DEFINITION = /^ {0,3}\[\^(\d{1,4})\]:(.{0,1000})/gm;

/**
 * A model's answer whose citations all read `[2]`: `[Source 2]`, `[doc: 2]`, `(Ref. 2)`, `【2】`, `[1 and 2]`, `<sup>2</sup>`, `^2^`, `²`, footnotes `[^2]`, and at the end of a
 * sentence links whose words are a number, `[2](url)`, and `[2:1]`. Only where a source has such a number; code stays as it is.
 *
 * @param asWritten its only line end is a line feed.
 */
export function withPlainCitations(
  asWritten: string,
  entries: readonly Pick<ContextEntry, 'n' | 'source'>[],
): string {
  const known = new Set(entries.map(({ n }) => n));
  const isKnown = (numbers: readonly number[]): boolean =>
    numbers.some((n) => known.has(n)) && !numbers.includes(0);
  const text = rewriteOutsideCode(asWritten, (part) =>
    part.replace(SAID, (whole) => {
      const inside = whole.normalize('NFKC').replace(/^\D+|\D+$/g, '');
      const numbers = inside.match(/\d+/g)?.map(Number) ?? [];
      if (!isKnown(numbers)) return whole;
      if (!inside.includes(':')) return `[${plainList(inside)}]`;
      const [first = 0, last = 0] = numbers;
      return known.has(first) ? `[${known.has(last) && last > first ? `${first}-${last}` : first}]` : whole;
    }),
  );
  const defined = new Map(
    Array.from(text.matchAll(DEFINITION), ([, n, rest = '']) => [
      Number(n),
      definedSource(Number(n), rest, entries),
    ]),
  );
  return rewriteOutsideCode(text, (part, offset) =>
    part.replace(FORM, (...found: readonly unknown[]) => {
      const { whole, inside, at, groups } = matchOf(found);
      const start = offset + at;
      const end = start + whole.length;
      const written =
        (inside ?? whole).match(inside === undefined ? NUMBER_OF_EACH : /\d+/g)?.map(Number) ?? [];
      const listed = whole.startsWith('[^') ? written.map((n) => defined.get(n) ?? n) : written;
      if (!isKnown(listed)) return whole;
      if (inside !== undefined) return `[${plainList(inside)}]`;
      if (groups.definition !== undefined)
        return isAtLineStart(text, start) ? `[${listed.join(', ')}]` : whole;
      if (groups.footnotes !== undefined)
        return written.every((n) => defined.has(n)) || isSentenceEnd(text, start, end)
          ? `[${listed.join(', ')}]`
          : whole;
      const isElement = /[\p{L}\p{N}_]$/u.test(text.slice(Math.max(0, start - 2), start));
      return isSentenceEnd(text, start, end) && !(isElement && !/\([^)]*[./:#]/.test(whole))
        ? `[${listed.join(', ')}]`
        : whole;
    }),
  );
}

interface FoundForm {
  readonly whole: string;
  /** Of brackets: their numbers and the words between them. */
  readonly inside: string | undefined;
  readonly at: number;
  readonly groups: Readonly<Record<string, string | undefined>>;
}

function matchOf(found: readonly unknown[]): FoundForm {
  const [whole, , square, corner] = found.map((each) => (typeof each === 'string' ? each : undefined));
  const at = found.find((each) => typeof each === 'number');
  return {
    whole: whole ?? '',
    inside: square ?? corner,
    at: at ?? 0,
    groups: (found.at(-1) ?? {}) as FoundForm['groups'],
  };
}

const NUMBER_OF_EACH = new RegExp(String.raw`(?<=\[(?:\^|${LABEL})?)\d{1,4}(?=\])`, 'gi');

/** A model may number its footnotes itself: the one source that a definition names is meant. */
function definedSource(
  n: number,
  rest: string,
  entries: readonly Pick<ContextEntry, 'n' | 'source'>[],
): number {
  const named = entries.filter(({ source }) => source !== '' && rest.includes(source));
  const [only] = named;
  return named.length === 1 && only !== undefined ? only.n : n;
}

const plainList = (inside: string): string =>
  inside
    .replace(new RegExp(SOURCE_WORD, 'gi'), ' ')
    .replace(/\s*[,;]?\s*(?:and|&)\s*/gi, ', ')
    .replace(/\s+/g, ' ')
    .trim();

const isAtLineStart = (text: string, at: number): boolean =>
  LINE_START.test(text.slice(Math.max(0, at - LONGEST_START), at));

const LONGEST_START = 40;
const LINE_START = /(?:^|\n)[\s>]{0,12}(?:(?:[-*+]|\d{1,3}[.)])\s{1,4})?$/;
const LONGEST_END = 12;
const STOP_BEHIND = /^["'”’»)*_]{0,4}(?:[.!?…]["'”’»)*_]{0,4}(?:\s|$)|[ \t]{0,4}(?:$|\n|\|))/;
const STOP_BEFORE = /[.!?…]["'”’»)*_]{0,4}\s?$/;

/** Whether a stop or nothing stands behind a place, or a stop before it. */
const isSentenceEnd = (text: string, start: number, end: number): boolean =>
  STOP_BEHIND.test(text.slice(end, end + LONGEST_END)) ||
  (STOP_BEFORE.test(text.slice(Math.max(0, start - LONGEST_END), start)) && /^\s/.test(text.charAt(end)));
