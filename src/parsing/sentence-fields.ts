import { ENGLISH_STOP_WORDS } from '../core/analysis/english-stop-words.js';
import type { TextRange } from '../core/document.js';
import { madeOnce } from '../core/made-once.js';
import { type Label, labelReader } from './label-reader.js';
import type { StatedFields } from './markdown/stated-names.js';
import { isWorded } from './named-places.js';
import { blanked } from './text-range.js';

/** Of whom, or since when: `of Ann`, `for Ann Lee`, `as of 1 May`. */
const WHOSE = String.raw`(?:['’]s[ \t]+(?:name|value))?(?:[ \t]*\([^()\n]{1,60}\)|,[ \t]+(?:who|which|that)[ \t][^,.;!?\n]{1,60},)?(?:[ \t]+(?:of|for|at|in|as[ \t]+of)(?:[ \t]+[\p{L}\p{N}'’.-]{1,40}){1,4}?)?`;
const TO_BE = String.raw`(?:(?:should|must|shall|can|may|could|would|will|has|have)[ \t]+)?be(?:en)?|is|was|are|were|isn['’]t|wasn['’]t`;
const CHANGE = String.raw`equals|remains|remained|becomes?|became|stays|stayed|rises|rose|goes|went|falls|fell|drops|dropped|grew|changes|changed|moves|moved|(?:in|de)creased(?=[ \t]+(?:to|from))`;
const VERB = String.raw`[ \t]+(?:${TO_BE}|${CHANGE})(?:[ \t]+(?:now|still|only|currently))?(?:[ \t]+(?:named|called|set|raised|changed|moved|lowered|increased|cut))?(?:[ \t]+(?:up|down))?(?:[ \t]+(?:to|from|at))?[ \t]+`;
/** The end of what is said: no comma or dot between digits. */
const CLAUSE_END =
  /[;!?()\n]|,(?!\d)|\.(?![\p{L}\p{N}])|[ \t](?:and|but|because|since|which|that|who|so|when|if|while|as|than|until)(?![\p{L}\p{N}])/u;
/** The same of what is said of several, or from one to another. */
const SENTENCE_END = /[;!?\n]|\.(?![\p{L}\p{N}])/u;
/** Of a value that is told by its form: quoted, with a digit or a sign of money, or with a capital. */
const QUOTED = /^(["'`“‘])[^"'`”’\n]{1,200}["'`”’]/;
const WITH_DIGIT =
  /^(?:\p{Lu}{1,3}[ \t]?|[\p{Sc}+-]{1,3}[ \t]?)?\p{N}|^(?=[\p{L}_.-]{0,30}\p{N})[\p{L}\p{N}_.-]{2,30}(?![\p{L}\p{N}_])/u;
const CAPITAL = /^\p{Lu}/u;
/** Said of a field, not its value. */
const SAID_OF = new Set('not no none required optional mandatory missing empty null undefined'.split(' '));
/** In UTF-16 code units. */
const MAX_VALUE = 200;

/** Sentences by the names that are looked for. */
const formOf = madeOnce(
  (labelOf: Label): RegExp =>
    new RegExp(
      String.raw`(?<![\p{L}\p{N}_])(?<name>${labelOf.source})(?![\p{L}\p{N}_])["'\x60*]{0,3}(?<verb>${WHOSE}${VERB})`,
      'giu',
    ),
);

/**
 * Where sentences state fields whose names are ordinary words: a name, `is` or the like, and a value that is told by its form (`The owner of it is Ann`, `The salary is 7`). The name
 * and the value are taken out, and no other words.
 */
export function sentenceFields(text: string, names: readonly string[]): StatedFields[] {
  const labelOf = labelReader(names);
  if (!labelOf.occursIn(text)) return [];
  const { joined, joints } = joinedLines(text);
  const form = formOf(labelOf);
  form.lastIndex = 0;
  const found: StatedFields[] = [];
  for (let match = form.exec(joined); match !== null; match = form.exec(joined)) {
    const { name = '', verb = '' } = match.groups ?? {};
    const from = match.index + match[0].length;
    const length = lengthOfValue(joined.slice(from, from + MAX_VALUE), verb);
    if (length === 0) {
      // The next name may stand in what was taken for of whom it is.
      form.lastIndex = match.index + name.length;
      continue;
    }
    const own = labelOf(name);
    const ranges = inLines({ start: match.index, end: from + length }, joints);
    if (own.length > 0) found.push(...ranges.map((range) => ({ ...range, names: own })));
    form.lastIndex = from + length;
  }
  return found;
}

/** How much of what stands behind a name and a verb is a value that is told by its form. */
export function lengthOfValue(marked: string, verb: string): number {
  const mark = /^[*_]{1,3}/.exec(marked)?.[0].length ?? 0;
  const length = lengthOfPlain(marked.slice(mark), verb);
  return length === 0 ? 0 : mark + length;
}

function lengthOfPlain(rest: string, verb: string): number {
  const isOfSeveral = /[ \t](?:are|were)[ \t]|[ \t]from[ \t]+$/i.test(verb);
  const quoted = QUOTED.exec(rest)?.[0].length;
  if (quoted !== undefined && !isOfSeveral) return quoted;
  const end = (isOfSeveral ? SENTENCE_END : CLAUSE_END).exec(rest)?.index ?? rest.length;
  const value = rest.slice(0, end).trimEnd();
  const first = (/^[\p{L}\p{N}'’-]+/u.exec(value)?.[0] ?? '').toLowerCase();
  const isNoName = ENGLISH_STOP_WORDS.has(first) || SAID_OF.has(first);
  return quoted !== undefined || WITH_DIGIT.test(value) || (CAPITAL.test(value) && !isNoName)
    ? value.length
    : 0;
}

/** Between cells that blanks alone part. */
export const BLANKS = / {2,}/;

/** What parts the cells of a line. */
const SEPARATORS: readonly (readonly [RegExp, RegExp])[] = [
  [/\|/, /\|/],
  [/[│┃║¦]/, /[│┃║¦]/],
  [/\t/, /\t/],
  [/\S;\S/, /;/],
  [/^(?!.*, )[^,]*,\S/, /,/],
  [/[^\s.!?:] {2,}\S/, BLANKS],
];

/** What parts the cells of a line; undefined where it is none of a table. */
export const separatorIn = (line: string): RegExp | undefined =>
  line.length > MAX_ROW ? undefined : SEPARATORS.find(([form]) => form.test(line))?.[1];
const isTabular = (line: string): boolean => separatorIn(line) !== undefined;
/** In UTF-16 code units. */
const MAX_ROW = 4_000;

/** A line end inside of a paragraph, where it stands in the text whose lines are joined by a blank in its place, and behind what the next line opens with. */
export interface Joint {
  readonly at: number;
  readonly start: number;
  readonly end: number;
}

/** What goes on in the next line is none of these: an item, a heading, a row, a fence, a definition, what is logged. */
const OWN_LINE = /^(?:[-*+][ \t]|\d{1,9}[.)][ \t]|#{1,6}[ \t]|[|:=~\x60<{}[\]]|-{3}|\d{2,4}[-/:.T]?\d)/;

/** Whether a paragraph goes on in the next line, both without what opens them. */
const isGoingOn = (before: string, line: string): boolean =>
  before !== '' &&
  line !== '' &&
  !OWN_LINE.test(line) &&
  !/^#{1,6}[ \t]/.test(before) &&
  before.startsWith('//') === line.startsWith('//') &&
  !isTabular(line) &&
  !isTabular(before) &&
  !/[;{}]$|(?<!<br ?\/?)>$/i.test(before) &&
  !/[;{}]$/.test(line);

const contentOf = (line: string): string => line.replace(/^[ \t>]+/, '').trimEnd();

/** A label at the beginning of a line. */
const ANY_LABEL =
  /^(?:["'\p{L}\p{N}_.-]{1,60}[:=](?!\/\/)|[^\s:=][^:=]{0,60}[:=：][*_]{0,3}(?:\s|$)|(?:\S{1,40}[ \t]+){1,3}(?:[-–—]+>?|=>|→|\.{3,}|…+)[ \t])/u;
/** For a name of one word. */
const MOST_WRAPPED = 4;

/**
 * Whether a line goes on with what a label above it states: the rest of the paragraph up to the next label or item, for names of one word up to the end of a sentence.
 *
 * @param count of the lines since the label
 */
export function isWrapped(above: string, line: string, names: readonly string[], count: number): boolean {
  const [before, own] = [contentOf(above), contentOf(line)];
  const isOver = /[.!?]["'”’)*_]{0,3}$/.test(before) || count > MOST_WRAPPED;
  return isGoingOn(before, own) && !ANY_LABEL.test(own) && (!isOver || names.some(isWorded));
}

/** Paragraphs as one line each. */
export function joinedLines(text: string): { readonly joined: string; readonly joints: readonly Joint[] } {
  const joints: Joint[] = [];
  const parts: string[] = [];
  let length = 0;
  let start = 0;
  let before = '';
  for (const line of text.split('\n')) {
    const own = line.replace(/\r$/, '');
    const opened = /^[ \t>]*/.exec(own)?.[0].length ?? 0;
    const left = own.slice(opened);
    const trimmed = own.trimEnd();
    const isJoined = isGoingOn(before, left.trimEnd());
    if (start > 0) {
      if (isJoined) {
        const last = parts.pop() ?? '';
        const kept = last.trimEnd();
        length -= last.length - kept.length;
        joints.push({ at: length, start: start - 1 - (last.length - kept.length), end: start + opened });
        parts.push(kept, ' ');
        length += 1;
      } else {
        parts.push('\n');
        length += 1;
      }
    }
    const part = isJoined ? line.slice(opened) : line;
    parts.push(part);
    length += part.length;
    start += line.length + 1;
    before = trimmed === '' ? '' : left.trimEnd();
  }
  return { joined: parts.join(''), joints };
}

/** A range of joined lines as ranges of each line. */
export function inLines(range: TextRange, joints: readonly Joint[]): TextRange[] {
  let last = -1;
  for (let high = joints.length; high - last > 1; ) {
    const middle = (last + high) >> 1;
    if ((joints[middle]?.at ?? 0) < range.start) last = middle;
    else high = middle;
  }
  const inText = (at: number): number => {
    const joint = joints[last];
    return joint === undefined ? at : joint.end + at - joint.at - 1;
  };
  const ranges: TextRange[] = [];
  for (let { start } = range; ; last += 1) {
    const at = joints[last + 1]?.at ?? Infinity;
    ranges.push({ start: inText(start), end: inText(Math.min(range.end, at)) });
    if (at >= range.end) return ranges;
    start = at + 1;
  }
}

/**
 * What opens a comment: up to the end of its line behind blanks or the end of a statement (`#`, `;`, `%` and `--` begin other things, too), or up to what
 * closes it.
 */
const OPENING =
  /(?<line>(?:^|(?<=[\s;{}(),]))(?:\/\/+!?|#+(?=[ \t#]|$)|--+(?=[ \t-]|$))|^[ \t]*(?:#+(?!!|\[|define\b|include\b|if|endif\b|el|pragma\b|undef\b|error\b|region\b|endregion\b)|;+|%+(?!\{)|'(?!'')|REM\b|--+))|(?<block>\/\*|<!--|\{-|\(\*|"""|\x27\x27\x27)/gi;
const CLOSING: Readonly<Record<string, string>> = { '/*': '*/', '<!--': '-->', '{-': '-}', '(*': '*)' };
const STARS = /^[ \t]*\*+(?!\/)/;

/** Where comments of source code stand, without what opens them. */
function commentsOf(text: string): TextRange[] {
  const ranges: TextRange[] = [];
  let closing: string | undefined;
  let isSaid = true;
  let start = 0;
  for (const line of text.split('\n')) {
    let at = closing === undefined ? 0 : (STARS.exec(line)?.[0].length ?? 0);
    while (at < line.length || (closing !== undefined && at === 0)) {
      if (closing !== undefined) {
        const end = line.indexOf(closing, at);
        if (isSaid) ranges.push({ start: start + at, end: start + (end < 0 ? line.length : end) });
        at = end < 0 ? line.length + 1 : end + closing.length;
        if (end >= 0) closing = undefined;
        continue;
      }
      OPENING.lastIndex = at;
      const opened = OPENING.exec(line);
      if (opened === null) break;
      at = OPENING.lastIndex;
      const { block } = opened.groups ?? {};
      if (block !== undefined) {
        closing = CLOSING[block] ?? block;
        // A text that is a value begins behind something.
        isSaid = closing !== block || line.slice(0, opened.index).trim() === '';
      } else {
        ranges.push({ start: start + at, end: start + line.length });
        break;
      }
    }
    start += line.length + 1;
  }
  return ranges;
}

/** What documentation says of a parameter is no value of it. */
export const PARAMETER =
  /[@:\\](?:param|parameter|arg|argument|property|prop|type|var|member|attr)\b[^\n]{0,40}$/;

/** Source code in which everything but what its comments say is blank, as long as it was. */
export function commentsAlone(text: string): string {
  const said = commentsOf(text);
  return blanked(
    text,
    [...said, { start: text.length, end: text.length }].map(({ start }, at) => ({
      start: said[at - 1]?.end ?? 0,
      end: start,
    })),
  );
}
