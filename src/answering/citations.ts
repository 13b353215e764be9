import { splitSentences } from '../analysis/boundaries.js';
import { type PassageUnit, passageUnits } from '../analysis/passage-units.js';
import { CITATION_MARK } from '../context/citation-marks.js';
import type { ContextEntry } from '../context/context-pack.js';
import { type Behind, type MarkdownBlock, markdownBlocks } from '../context/markdown-blocks.js';
import type { TextRange } from '../core/document.js';

/** A sentence of a model's answer, or a block of code, of which no part can be marked or left out. */
export interface CitedSentence extends TextRange {
  /** Without citation marks and fences, on one line. */
  readonly text: string;
  /** What is checked of it: the text, or code line by line. */
  readonly claims: readonly string[];
  readonly isCode: boolean;
  /** Sources that it cites and that exist, ascending. */
  readonly cites: readonly number[];
  /** It cites, and no source that exists. */
  readonly isMiscited: boolean;
  /** Where its citations and words about it go. */
  readonly behind: Behind;
}

export interface ParsedAnswer {
  /** In order; `start` and `end` are offsets of the answer. */
  readonly sentences: readonly CitedSentence[];
  /** Citation marks, with the blanks that go with them. */
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
  const sentences: (Omit<CitedSentence, 'isMiscited'> & { cites: number[] })[] = [];
  const cited: number[] = [];
  for (const { marks, text: plain, isFirst, ...unit } of units) {
    const isLeading = ({ isAtStart }: UnitMark): boolean => plain === '' || (isAtStart && !isFirst);
    const leading = marks.filter(isLeading).flatMap(({ numbers }) => numbers);
    const own = marks.filter((mark) => !isLeading(mark)).flatMap(({ numbers }) => numbers);
    cited.push(...leading, ...own);
    const previous = sentences.at(-1);
    if (previous !== undefined) previous.cites.push(...leading);
    if (plain !== '') sentences.push({ ...unit, text: plain, cites: own });
  }
  const sorted = (numbers: readonly number[]) => [...new Set(numbers)].sort((a, b) => a - b);
  return {
    sentences: sentences.map((each) => {
      const cites = sorted(each.cites).filter((n) => known.has(n));
      return { ...each, cites, isMiscited: cites.length < each.cites.length && cites.length === 0 };
    }),
    marks: units.flatMap(({ marks }) => marks.map(({ start, end }) => ({ start, end }))),
    invalid: sorted(cited).filter((n) => !known.has(n)),
  };
}

/** Text without citation marks, on one line. */
const withoutMarks = (text: string): string =>
  onOneLine(text.replace(CITATION_MARK, '').replace(/\s+([.,;:!?])/g, '$1'));

const onOneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();

/** A citation mark in offsets of the answer. */
interface UnitMark extends TextRange {
  readonly numbers: readonly number[];
  /** Only other marks stand before it. */
  readonly isAtStart: boolean;
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
  const parts = passageUnits(content);
  return partsOf(content, parts, block.wholes).flatMap((part) => {
    const { end } = block.rangeOf(part);
    return part.kind === 'code-line'
      ? [codeUnit(block, part, { at: end, before: '\n', after: '' })]
      : [proseUnit(block, part, { at: end, before: ' ', after: '' })];
  });
}

const MARKER = /^\s*(?:[-*+]|\d{1,9}[.)])\s+/;

type Part = Pick<PassageUnit, 'start' | 'end' | 'kind'>;

/** Sentences, and lines of code as one; none ends inside what is a whole. */
function partsOf(content: string, units: readonly Part[], wholes: readonly TextRange[]): Part[] {
  const parts: Part[] = [];
  for (const part of units.flatMap((unit) => sentencesOf(content, unit))) {
    const previous = parts.at(-1);
    const isOne =
      previous !== undefined &&
      ((previous.kind === 'code-line' && part.kind === 'code-line') ||
        wholes.some(({ start, end }) => start < previous.end && end > part.start));
    if (isOne) parts.splice(-1, 1, { ...previous, end: part.end });
    else parts.push(part);
  }
  return parts;
}

function sentencesOf(content: string, unit: Part): Part[] {
  if (unit.kind === 'fence' || unit.kind === 'heading' || unit.kind === 'table-head') return [];
  if (unit.kind !== 'list-item') return [unit];
  const marker = MARKER.exec(content.slice(unit.start, unit.end))?.[0].length ?? 0;
  return splitSentences(content, { start: unit.start + marker, end: unit.end }).map((range) => ({
    ...range,
    kind: 'sentence',
  }));
}

/** As `withoutMarksInCode` leaves them. */
const MARK_IN_CODE = /［[\d\s,;–-]+］/g;

function codeUnit({ content, rangeOf }: MarkdownBlock, range: TextRange, behind: Behind): AnswerUnit {
  const code = content.slice(range.start, range.end);
  const claims = code.split('\n').map((line) => withoutMarks(line.replace(MARK_IN_CODE, '')));
  return {
    text: onOneLine(code),
    claims: claims.filter((line) => line !== ''),
    isCode: true,
    ...rangeOf(range),
    behind,
    marks: [],
  };
}

const LEADING_MARKS = new RegExp(`^\\s*(?:${CITATION_MARK.source}\\s*)+`);

function proseUnit(
  { content, wholes, rangeOf }: MarkdownBlock,
  range: TextRange,
  behind: Behind,
): AnswerUnit {
  const raw = content.slice(range.start, range.end);
  const leading = LEADING_MARKS.exec(raw)?.[0].length ?? 0;
  const text = withoutMarks(raw);
  const isWhole = ({ start, end }: TextRange): boolean =>
    wholes.some((whole) => whole.start < range.start + end && whole.end > range.start + start);
  const marks = [...raw.matchAll(CITATION_MARK)].flatMap((found) => {
    const end = found.index + found[0].length;
    if (isWhole({ start: found.index, end })) return [];
    return [{ start: found.index, end, numbers: numbersIn(found[1] ?? ''), isAtStart: end <= leading }];
  });
  const own = { start: range.start + (text === '' ? 0 : leading), end: range.end };
  return {
    text,
    claims: [text],
    isCode: false,
    ...rangeOf(own),
    behind,
    marks: marks.map(({ numbers, isAtStart, ...mark }) => ({
      numbers,
      isAtStart,
      ...rangeOf(withBlanks(content, { start: range.start + mark.start, end: range.start + mark.end })),
    })),
  };
}

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
