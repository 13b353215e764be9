import { partitionPoint } from '../../../core/partition-point.js';
import { detectSensitive } from './detect.js';
import type { RedactionType } from './detection.js';
import type { Replacement } from './replacement.js';

export interface RedactionRules {
  readonly types: ReadonlySet<RedactionType>;
  readonly replacement: Replacement;
}

/** How often each type was found. */
export type RedactionCounts = Partial<Record<RedactionType, number>>;

/** A text without what was found in it, and where each place of the original now is. */
export interface RedactedText {
  readonly text: string;
  /** By type, in the original. */
  readonly found: readonly RedactionType[];
  /** An offset of the original as one of the new text; one inside a value becomes the end of what replaced it. */
  readonly at: (offset: number) => number;
}

interface Shift {
  readonly start: number;
  readonly end: number;
  /** Where the replacement ends in the new text. */
  readonly newEnd: number;
}

/** Replaces what is found. Linear in the text but for the look-up of offsets, which is a binary search. */
export function redactText(text: string, { types, replacement }: RedactionRules): RedactedText {
  const detections = detectSensitive(text, types);
  if (detections.length === 0) return { text, found: [], at: (offset) => offset };
  const shifts: Shift[] = [];
  const parts: string[] = [];
  let from = 0;
  let length = 0;
  for (const { start, end, type } of detections) {
    const substitute = replacement(text.slice(start, end), type);
    parts.push(text.slice(from, start), substitute);
    length += start - from + substitute.length;
    shifts.push({ start, end, newEnd: length });
    from = end;
  }
  parts.push(text.slice(from));
  return { text: parts.join(''), found: detections.map(({ type }) => type), at: offsetMap(shifts) };
}

function offsetMap(shifts: readonly Shift[]): (offset: number) => number {
  return (offset) => {
    // The last value that begins before the offset.
    const shift = shifts[partitionPoint(shifts.length, (at) => (shifts[at]?.start ?? 0) < offset) - 1];
    if (shift === undefined) return offset;
    return shift.newEnd + Math.max(0, offset - shift.end);
  };
}
