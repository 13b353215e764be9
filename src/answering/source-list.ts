import { CITATION_MARK } from '../context/citation-marks.js';
import type { ContextEntry } from '../context/context-pack.js';
import { isClaim } from './check-support.js';
import { SOURCE_WORD } from './citation-forms.js';

type NamedEntry = Pick<ContextEntry, 'n' | 'source' | 'title' | 'url' | 'headingPath'>;

/** An answer without the list of sources at its end, and that list, empty where there is none. */
export interface AnswerParts {
  readonly body: string;
  readonly list: string;
}

/**
 * Takes the list of sources off an answer: a line such as "Sources:" and what stands below it, or lines that begin with a citation below a
 * text that claims something. A line belongs to it where it holds citations of sources that exist and their names, and no other word.
 *
 * @param text its only line end is a line feed.
 */
export function splitSourceList(text: string, entries: readonly NamedEntry[]): AnswerParts {
  const whole: AnswerParts = { body: text, list: '' };
  const lines = text.split('\n');
  const isNamed = nameCheck(entries);
  let first = lines.length;
  let isNumbered = true;
  for (let at = lines.length - 1; at > 0; at -= 1) {
    const line = lines[at] ?? '';
    if (line.trim() === '') continue;
    const header = HEADER.exec(line)?.[0];
    const inline = header === undefined ? '' : line.slice(header.length).trim();
    const isHeader = header !== undefined && (inline === '' ? first < lines.length : isNamed(inline));
    if (isHeader) return split(lines, at);
    if (!isNamed(line)) break;
    first = at;
    isNumbered &&= NUMBERED.test(line);
  }
  if (first === lines.length || !isNumbered) return whole;
  const parts = split(lines, first);
  return isClaim(parts.body.replace(CITATION_MARK, '')) ? parts : whole;
}

function split(lines: readonly string[], first: number): AnswerParts {
  const body = lines.slice(0, first).join('\n');
  return body.trim() === ''
    ? { body: lines.join('\n'), list: '' }
    : { body, list: lines.slice(first).join('\n').trimEnd() };
}

const HEADER =
  /^[\s>#*_]{0,12}(?:(?:cited |used )?(?:sources?|references?)(?: cited| used)?|citations|footnotes)[\s*_]{0,4}(?::[\s*_]{0,4}|$)/i;
const NUMBERED = /^[\s>]{0,12}(?:(?:[-*+]|\d{1,3}[.)])\s{1,4})?\[\d/;
const ITEM_MARKER = /^[\s>]{0,12}(?:[-*+]|\d{1,3}[.)])\s/;
const LABEL = new RegExp(String.raw`^${SOURCE_WORD}\s{1,4}(\d{1,4})\b`, 'i');
/** Places within a source: lines and pages, also as `path:3-9`. */
const PLACE =
  /\b(?:lines?|pages?|pp?\.)\s{0,4}\d{1,6}(?:\s{0,4}[-–]\s{0,4}\d{1,6})?|:\d{1,6}(?:[-–]\d{1,6})?\b/gi;
const AROUND_NAME = '*_`"\'“”()<>.,;:–— \t';
const GENERAL = new Set(
  'source passage document doc reference ref section page line lines file and'.split(' '),
);

/** Whether a line holds citations and names of sources alone; a path or an address is a name. */
function nameCheck(entries: readonly NamedEntry[]): (line: string) => boolean {
  const names = new Map(entries.map((entry) => [entry.n, namesOf(entry)]));
  return (line) => {
    const cited = Array.from(line.matchAll(CITATION_MARK), ([, inside = '']) =>
      (inside.match(/\d+/g) ?? []).map(Number),
    ).flat();
    const item = line.replace(ITEM_MARKER, '').trimStart();
    const [label = '', labelled] = LABEL.exec(item) ?? [];
    if (labelled !== undefined) cited.push(Number(labelled));
    if (cited.some((n) => !names.has(n))) return false;
    const named = trimmed(item.slice(label.length).replace(CITATION_MARK, ' ').replace(PLACE, ' '));
    if (named === '') return cited.length > 0;
    if (IS_PATH.test(named)) return true;
    const known = cited.length > 0 ? cited : [...names.keys()];
    return wordsOf(named).every(
      (word) => GENERAL.has(word) || known.some((n) => names.get(n)?.has(word) === true),
    );
  };
}

const IS_PATH = /^(?:https?:\/\/[!-~]{1,400}|[!-~]{1,400}\.[A-Za-z][A-Za-z0-9]{0,7})$/;

/** All words, "not" included. */
const wordsOf = (text: string): readonly string[] =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? [];

const namesOf = ({ source, title, url, headingPath }: NamedEntry): ReadonlySet<string> =>
  new Set(wordsOf([source, title, url, ...headingPath].join('\n')));

function trimmed(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && AROUND_NAME.includes(text.charAt(start))) start += 1;
  while (end > start && AROUND_NAME.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(start, end);
}
