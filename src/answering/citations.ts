import { splitSentences } from '../chunking/boundaries.js';
import { CITATION_MARK } from '../context/citation-marks.js';
import type { ContextEntry } from '../context/context-pack.js';
import { passageUnits } from '../context/passage-units.js';
import type { TextRange } from '../core/document.js';

const TRAILING_MARKS = new RegExp(`^\\s*(?:${CITATION_MARK.source}\\s*)+`);

/** A sentence of a model's answer. */
export interface CitedSentence extends TextRange {
  /** Without citation marks, on one line. */
  readonly text: string;
  /** Sources that it cites and that exist, ascending. */
  readonly cites: readonly number[];
  /** It cites, and no source that exists. */
  readonly isMiscited: boolean;
}

export interface ParsedAnswer {
  /** In order; `start` and `end` are offsets of the answer, the marks of the sentence included. */
  readonly sentences: readonly CitedSentence[];
  /** Numbers that were cited and that no source has. */
  readonly invalid: readonly number[];
}

/**
 * The sentences of a model's answer with the sources each cites. A mark after the full stop belongs to the sentence before
 * it. Numbers without a source are reported and dropped.
 */
export function parseCitedAnswer(text: string, entries: readonly Pick<ContextEntry, 'n'>[]): ParsedAnswer {
  const known = new Set(entries.map(({ n }) => n));
  const sentences: { start: number; end: number; text: string; cites: number[] }[] = [];
  const cited: number[] = [];
  for (const { start, end } of answerSentences(text)) {
    const raw = text.slice(start, end);
    const own = raw.replace(TRAILING_MARKS, '');
    const ownStart = end - own.length;
    const trailing = numbersIn(raw.slice(0, raw.length - own.length));
    const plain = withoutMarks(own);
    const numbers = plain === '' ? [...trailing, ...numbersIn(own)] : numbersIn(own);
    cited.push(...trailing, ...numbers);
    const previous = sentences.at(-1);
    if (previous !== undefined && ownStart > start) {
      previous.cites.push(...trailing);
      previous.end = ownStart;
    }
    if (plain !== '') sentences.push({ start: ownStart, end, text: plain, cites: numbers });
    else if (previous !== undefined) {
      previous.cites.push(...numbers);
      previous.end = end;
    }
  }
  const sorted = (numbers: readonly number[]) => [...new Set(numbers)].sort((a, b) => a - b);
  return {
    sentences: sentences.map((each) => {
      const cites = sorted(each.cites).filter((n) => known.has(n));
      return { ...each, cites, isMiscited: cites.length < each.cites.length && cites.length === 0 };
    }),
    invalid: sorted(cited).filter((n) => !known.has(n)),
  };
}

/** Text without citation marks, on one line. */
export const withoutMarks = (text: string): string =>
  text
    .replace(CITATION_MARK, '')
    .replace(/\s+([.,;:!?])/g, '$1')
    .replace(/\s+/g, ' ')
    .trim();

const MARKER = /^\s*(?:[-*+]|\d{1,9}[.)])\s+/;

function answerSentences(text: string): TextRange[] {
  return passageUnits(text).flatMap((unit) => {
    if (unit.kind === 'fence' || unit.kind === 'heading' || unit.kind === 'table-head') return [];
    if (unit.kind !== 'list-item') return [unit];
    const marker = MARKER.exec(text.slice(unit.start, unit.end))?.[0].length ?? 0;
    return splitSentences(text, { start: unit.start + marker, end: unit.end });
  });
}

const MAX_RANGE = 20;

function numbersIn(text: string): number[] {
  return [...text.matchAll(CITATION_MARK)].flatMap(([, inside = '']) =>
    inside.split(/[,;]/).flatMap((part) => {
      const [first = 0, last = first] = part.split(/[-–]/).map((number) => Number(number.trim()));
      const length = Math.min(MAX_RANGE, Math.max(1, last - first + 1));
      return Array.from({ length }, (_, i) => first + i);
    }),
  );
}
