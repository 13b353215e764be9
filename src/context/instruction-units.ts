import type { TextRange } from '../core/document.js';
import { commentRanges } from './comments.js';
import { passageUnits } from './passage-units.js';

/** A part of a passage that is looked at on its own. */
export interface CandidateUnit extends TextRange {
  readonly kind: string;
}

/** Longer units are read in parts, so that a long line neither hides an order nor collects one from all over. */
const LONGEST = 500;

/** Sentences, items, rows and lines; comments are looked at whole. In order, and together the whole text. */
export function candidateUnits(text: string): CandidateUnit[] {
  const comments = commentRanges(text).map((range) => ({ ...range, kind: 'comment' }));
  const all = [...comments, ...passageUnits(text)].sort((a, b) => a.start - b.start || b.end - a.end);
  let commentEnd = 0;
  return all.flatMap((unit) => {
    if (unit.kind === 'comment') commentEnd = unit.end;
    else if (unit.start < commentEnd) return [];
    return parts(text, unit);
  });
}

function parts(text: string, { start, end, kind }: CandidateUnit): CandidateUnit[] {
  const cut: CandidateUnit[] = [];
  let at = start;
  while (end - at > LONGEST) {
    const space = text.lastIndexOf(' ', at + LONGEST);
    const next = space > at + LONGEST / 2 ? space + 1 : at + LONGEST;
    cut.push({ start: at, end: next, kind });
    at = next;
  }
  return [...cut, { start: at, end, kind }];
}
