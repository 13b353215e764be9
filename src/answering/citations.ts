import { CITATION_MARK } from '../context/citation-marks.js';
import type { ContextEntry } from '../context/context-pack.js';
import { type Behind, type MarkdownBlock, markdownBlocks } from '../context/markdown-blocks.js';
import { splitSentences } from '../core/analysis/boundaries.js';
import { type PassageUnit, passageUnits } from '../core/analysis/passage-units.js';
import type { TextRange } from '../core/document.js';
import { oneLine } from '../core/one-line.js';

/** A sentence of a model's answer, or a block of code, of which no part can be marked or left out. */
export interface CitedSentence extends TextRange {
  /** Without citation marks and fences, on one line. */
  readonly text: string;
  /** What is checked of it: the text, or code line by line. */
  readonly claims: readonly string[];
  readonly isCode: boolean;
  /** Sources that it cites and that exist, ascending. */
  readonly cites: readonly number[];
  /** Those of `cites` whose marks are words of it and stay: "according to [2]". */
  readonly citedInWords: readonly number[];
  /** It cites, and no source that exists. */
  readonly isMiscited: boolean;
  /** Where its citations and words about it go. */
  readonly behind: Behind;
}

export interface ParsedAnswer {
  /** In order; `start` and `end` are offsets of the answer. */
  readonly sentences: readonly CitedSentence[];
  /** Citation marks that no word needs, with the blanks and brackets that go with them. */
  readonly marks: readonly TextRange[];
  /** Numbers that were cited and that no source has. */
  readonly invalid: readonly number[];
}

/**
 * The sentences of a model's answer with the sources each cites. A mark after the full stop belongs to the sentence before
 * it, at the beginning of a paragraph or an item to the one behind it. Numbers without a source are reported and dropped.
 *
 * @param text its only line end is a line feed.
 */
export function parseCitedAnswer(text: string, entries: readonly Pick<ContextEntry, 'n'>[]): ParsedAnswer {
  const known = new Set(entries.map(({ n }) => n));
  const units = markdownBlocks(text).flatMap((block) =>
    unitsOf(block).map((unit, at) => ({ ...unit, isFirst: at === 0 })),
  );
  const stays = ({ isWord, numbers }: UnitMark): boolean => isWord && numbers.every((n) => known.has(n));
  const sentences: (Omit<CitedSentence, 'isMiscited'> & { cites: number[] })[] = [];
  const cited: number[] = [];
  for (const { marks, text: plain, isFirst, ...unit } of units) {
    const isLeading = ({ isAtStart }: UnitMark): boolean => plain === '' || (isAtStart && !isFirst);
    const leading = marks.filter(isLeading).flatMap(({ numbers }) => numbers);
    const own = marks.filter((mark) => !isLeading(mark)).flatMap(({ numbers }) => numbers);
    cited.push(...leading, ...own);
    const previous = sentences.at(-1);
    if (previous !== undefined) previous.cites.push(...leading);
    const citedInWords = marks.filter(stays).flatMap(({ numbers }) => numbers);
    if (plain !== '') sentences.push({ ...unit, text: plain, cites: own, citedInWords });
  }
  const sorted = (numbers: readonly number[]) => [...new Set(numbers)].sort((a, b) => a - b);
  return {
    sentences: sentences.map((each) => {
      const cites = sorted(each.cites).filter((n) => known.has(n));
      return { ...each, cites, isMiscited: cites.length < each.cites.length && cites.length === 0 };
    }),
    marks: units.flatMap(({ marks }) =>
      marks.flatMap((mark) => (stays(mark) ? [] : [{ start: mark.start, end: mark.end }])),
    ),
    invalid: sorted(cited).filter((n) => !known.has(n)),
  };
}

/** Brackets that pointed to a citation and say nothing without it: "(see )". */
const ONLY_POINTING =
  /[([]\s{0,4}(?:see|cf\.?|per|sources?|references?|refs?\.?|passages?|documents?)\s{0,4}:?\s{0,4}[)\]]/gi;

/** Text without citation marks, on one line. */
const withoutMarks = (text: string, marks: readonly TextRange[]): string => {
  const parts = [...marks, { start: text.length, end: text.length }].map(({ start }, at) =>
    text.slice(at === 0 ? 0 : marks[at - 1]?.end, start),
  );
  return oneLine(
    parts
      .join('')
      .replace(ONLY_POINTING, '')
      .replace(/\s+([.,;:!?])/g, '$1'),
  );
};

/** A citation mark in offsets of the answer. */
interface UnitMark extends TextRange {
  readonly numbers: readonly number[];
  /** Only other marks stand before it. */
  readonly isAtStart: boolean;
  /** The sentence lacks a word without it: "according to [2]", "[2] says that". */
  readonly isWord: boolean;
}

interface AnswerUnit extends Pick<CitedSentence, 'text' | 'claims' | 'isCode' | 'start' | 'end' | 'behind'> {
  readonly marks: readonly UnitMark[];
}

function unitsOf(block: MarkdownBlock): AnswerUnit[] {
  const { kind, content, behind } = block;
  const whole = { start: 0, end: content.length };
  if (kind === 'code') return [codeUnit(block, whole, behind)];
  // What is written about something; a number in it is a statement all the same.
  if (kind === 'heading' || kind === 'head')
    return /\d/.test(content) ? [proseUnit(block, whole, behind)] : [];
  if (kind === 'row') return [proseUnit(block, whole, behind)];
  const stopped = stopsBehindMarks(content);
  return partsOf(stopped, passageUnits(stopped), block.wholes).flatMap((part) => {
    const { end } = block.rangeOf(part);
    return part.kind === 'code-line'
      ? [codeUnit(block, part, { at: end, before: '\n', after: '' })]
      : [proseUnit(block, part, { at: end, before: ' ', after: '' })];
  });
}

/** `.[2] Next` as `[2]. Next`, of the same length: only a stop before white space ends a sentence. */
const stopsBehindMarks = (content: string): string =>
  content.replace(
    MARKED_STOP,
    (_, stop: string, closing: string, marks: string) => `${closing}${marks}${stop}`,
  );

const MARKED_STOP = new RegExp(
  String.raw`([.!?…])(["'”’»)*_]{0,4})((?:${CITATION_MARK.source}){1,8})(?=\s|$)`,
  'g',
);

const MARKER = /^\s*(?:[-*+]|\d{1,9}[.)])\s+/;

type Part = Pick<PassageUnit, 'start' | 'end' | 'kind'>;

/** What stands before a number and ends with a full stop that ends no sentence; "No." alone is an answer. */
const BEFORE_NUMBER =
  /(?:[^\s.!?]\s|\()(?:no|nr|art|ch|chap|para?|sect?|ref|rev|ver|tab|abs|abb|app|ext|tel|pos)\.$/iu;
const LONGEST_BEFORE_NUMBER = 8;

/** Sentences, and lines of code as one; none ends inside what is a whole, or between "no." and its number. */
function partsOf(content: string, units: readonly Part[], wholes: readonly TextRange[]): Part[] {
  const parts: Part[] = [];
  for (const part of units.flatMap((unit) => sentencesOf(content, unit))) {
    const previous = parts.at(-1);
    const isOne =
      previous !== undefined &&
      ((previous.kind === 'code-line' && part.kind === 'code-line') ||
        isNumbered(content, previous, part) ||
        wholes.some(({ start, end }) => start < previous.end && end > part.start));
    if (isOne) parts.splice(-1, 1, { ...previous, end: part.end });
    else parts.push(part);
  }
  return parts;
}

const isNumbered = (content: string, previous: Part, part: Part): boolean =>
  part.kind === 'sentence' &&
  /^[ \t]\d/.test(content.slice(previous.end, part.start + 1)) &&
  BEFORE_NUMBER.test(
    content.slice(Math.max(previous.start, previous.end - LONGEST_BEFORE_NUMBER), previous.end),
  );

function sentencesOf(content: string, unit: Part): Part[] {
  if (unit.kind === 'fence' || unit.kind === 'heading' || unit.kind === 'table-head') return [];
  if (unit.kind !== 'list-item') return [unit];
  const marker = MARKER.exec(content.slice(unit.start, unit.end))?.[0].length ?? 0;
  return splitSentences(content, { start: unit.start + marker, end: unit.end }).map((range) => ({
    ...range,
    kind: 'sentence',
  }));
}

function codeUnit({ content, rangeOf }: MarkdownBlock, range: TextRange, behind: Behind): AnswerUnit {
  const code = content.slice(range.start, range.end);
  const claims = code.split('\n').map((line) => withoutMarks(line, marksIn(line)));
  return {
    text: oneLine(code),
    claims: claims.filter((line) => line !== ''),
    isCode: true,
    ...rangeOf(range),
    behind,
    marks: [],
  };
}

/** The words of links without their addresses, and no marks of notes: they are no words. */
const asClaim = (text: string): string =>
  text.replace(/!?\[([^\]\n]{1,300})\]\([^()\s]{1,2000}\)/g, '$1').replace(NOTE_MARK, '');

const NOTE_MARK = /(?<=[\p{L}\d.,;:!?)])(?<!\b[ckdm]?m)[¹²³⁰⁴-⁹]{1,3}(?=[\s.,;:!?)]|$)/gu;

interface FoundMark extends TextRange {
  readonly numbers: readonly number[];
}

/** Marks in order, those that stand together as one, with the brackets that hold nothing else: `[1], [2]`, `[[2]]`, `([1] and [2])`. */
function marksIn(text: string): FoundMark[] {
  const marks: FoundMark[] = [];
  for (const found of text.matchAll(CITATION_MARK)) {
    const end = found.index + found[0].length;
    if (
      /[\p{L}_]$/u.test(text.slice(Math.max(0, found.index - 2), found.index)) &&
      ELEMENT.test(text.slice(end, end + 2))
    )
      continue;
    const mark = withBrackets(text, { start: found.index, end, numbers: numbersIn(found[1] ?? '') });
    const previous = marks.at(-1);
    if (previous === undefined || !BETWEEN_MARKS.test(text.slice(previous.end, mark.start))) marks.push(mark);
    else {
      const numbers = [...previous.numbers, ...mark.numbers];
      marks.splice(-1, 1, withBrackets(text, { start: previous.start, end: mark.end, numbers }));
    }
  }
  return marks;
}

/** Behind `x[1]` these make it an element of something. */
const ELEMENT = /^\s?[=+*/%<>|^]/;
const BETWEEN_MARKS = /^\s{0,4}(?:[,;&/–—-]|,?\s{0,4}\band\b)?\s{0,4}$/;
const CLOSING: Readonly<Record<string, string>> = { '[': ']', '(': ')', '{': '}', '<': '>' };
/** Emphasis and quotes, which stand close to what they hold. */
const AROUND = /[*_"'“”]/;

function withBrackets(text: string, mark: FoundMark): FoundMark {
  let { start, end } = mark;
  for (;;) {
    const before = text.charAt(start - 1);
    const inner = { start: start - (before === ' ' ? 1 : 0), end: end + (text.charAt(end) === ' ' ? 1 : 0) };
    const opening = text.charAt(inner.start - 1);
    if (opening !== '' && CLOSING[opening] === text.charAt(inner.end)) {
      start = inner.start - 1;
      end = inner.end + 1;
    } else if (AROUND.test(before) && before === text.charAt(end)) {
      start -= 1;
      end += 1;
    } else return { ...mark, start, end };
  }
}

/** Words that a mark completes: a sentence that ends with one would be cut off. */
const NEEDS_MARK =
  /(?:^|[\s("'])(?:see|cf\.?|per|to|in|of|by|from|with|than|as|under|and|or|both|sources?:?|passages?:?|documents?:?|entry|entries|references?:?|refs?[.:]?)\s*$/i;

function proseUnit(
  { content, wholes, rangeOf }: MarkdownBlock,
  range: TextRange,
  behind: Behind,
): AnswerUnit {
  const raw = content.slice(range.start, range.end);
  const isWhole = ({ start, end }: TextRange): boolean =>
    wholes.some((whole) => whole.start < range.start + end && whole.end > range.start + start);
  const found = marksIn(raw).filter((mark) => !isWhole(mark));
  const text = withoutMarks(raw, found);
  const isSubject = (end: number): boolean => /^\s*\p{Ll}/u.test(raw.slice(end));
  let leading = 0;
  for (const { start, end } of found)
    if (raw.slice(leading, start).trim() === '' && !isSubject(end)) leading = end;
  const own = { start: range.start + (text === '' ? 0 : leading), end: range.end };
  return {
    text,
    claims: [asClaim(text)],
    isCode: false,
    ...rangeOf(own),
    behind,
    marks: found.map(({ start, end, numbers }) => ({
      numbers,
      isAtStart: end <= leading,
      isWord:
        NEEDS_MARK.test(raw.slice(Math.max(0, start - LONGEST_NEEDING), start)) ||
        (raw.slice(0, start).trim() === '' && isSubject(end)),
      ...rangeOf(withBlanks(content, { start: range.start + start, end: range.start + end })),
    })),
  };
}

const LONGEST_NEEDING = 16;

/** With the blanks before it, where it does not hold two words apart. */
function withBlanks(content: string, { start, end }: TextRange): TextRange {
  if (!/^(?:[\s.,;:!?)\]*_|]|\[|$)/.test(content.slice(end, end + 1))) return { start, end };
  return { start: content.slice(0, start).trimEnd().length, end };
}

const MAX_RANGE = 20;

const numbersIn = (inside: string): number[] =>
  inside.split(/[,;]/).flatMap((part) => {
    const [first = 0, last = first] = part.split(/[-–]/).map((number) => Number(number.trim()));
    const length = Math.min(MAX_RANGE, Math.max(1, last - first + 1));
    return Array.from({ length }, (_, i) => first + i);
  });
