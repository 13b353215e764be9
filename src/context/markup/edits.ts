import type { TextRange } from '../../core/document.js';

/** Characters of a text and what stands there instead. */
export interface Edit extends TextRange {
  readonly text: string;
}

/** The text after all edits; of two that overlap, the one that begins first. */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  const parts: string[] = [];
  let at = 0;
  for (const edit of edits.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    if (edit.start < at) continue;
    parts.push(text.slice(at, edit.start), edit.text);
    at = edit.end;
  }
  return parts.join('') + text.slice(at);
}

export interface PartRewriting {
  readonly outside: (part: string, start: number) => string;
  readonly inside: (part: string) => string;
}

/** The parts of a text outside and inside of ranges, rewritten. The ranges may be in any order and overlap. */
export function rewriteParts(
  text: string,
  ranges: readonly TextRange[],
  { outside, inside }: PartRewriting,
): string {
  const parts: string[] = [];
  let at = 0;
  for (const { start, end } of ranges.toSorted((a, b) => a.start - b.start)) {
    if (end <= at) continue;
    if (start > at) parts.push(outside(text.slice(at, start), at));
    parts.push(inside(text.slice(Math.max(at, start), end)));
    at = end;
  }
  if (at < text.length) parts.push(outside(text.slice(at), at));
  return parts.join('');
}
