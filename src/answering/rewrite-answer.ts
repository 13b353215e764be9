import type { TextRange } from '../core/document.js';
import { partitionPoint } from '../core/partition-point.js';

/** Something that is put into a text. */
export interface Insertion {
  readonly at: number;
  readonly text: string;
}

export interface AnswerEdits {
  /** What goes: whole sentences, and marks with their blanks. */
  readonly removals: readonly TextRange[];
  readonly insertions: readonly Insertion[];
}

interface Line extends TextRange {
  readonly text: string;
}

/** A line that is left of a quote or a list when nothing stands in it any more. */
const MARKERS_ONLY = /^[\s>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]*)?$/;

/**
 * A Markdown text after its edits. Lines that they leave empty go, with one of the blank lines around them; all others stay as they are, so that
 * neither code nor tables change where nothing was edited.
 *
 * @param text its only line end is a line feed.
 */
export function rewriteAnswer(text: string, edits: AnswerEdits): string {
  const kept: string[] = [];
  let isBehindEmptied = false;
  const lines = linesOf(text);
  const rewritten = linesWithEdits(lines, edits);
  for (const [at, line] of rewritten.entries()) {
    const before = lines[at]?.text ?? '';
    const isEmptied = line !== before && before.trim() !== '' && MARKERS_ONLY.test(line);
    if (isEmptied && !holdsItems(line, rewritten[at + 1] ?? '')) isBehindEmptied = true;
    else if (!(isBehindEmptied && isBlank(line) && isBlank(kept.at(-1) ?? ''))) {
      kept.push(line);
      isBehindEmptied = false;
    }
  }
  return kept
    .join('\n')
    .replace(/^(?:[ \t]*\n)+/, '')
    .trimEnd();
}

const isBlank = (line: string): boolean => /^[\s>]*$/.test(line);

/** Whether the item of a list, emptied, has deeper ones below it, which would otherwise become code. */
const holdsItems = (marker: string, next: string): boolean =>
  /[-*+.)]/.test(marker) && MARKED.test(next) && indentOf(next) > indentOf(marker);

const MARKED = /^\s*(?:[-*+]|\d{1,9}[.)])\s+\S/;

const indentOf = (line: string): number => line.length - line.trimStart().length;

function linesOf(text: string): Line[] {
  let start = 0;
  return text.split('\n').map((line) => {
    const range = { start, end: start + line.length, text: line };
    start = range.end + 1;
    return range;
  });
}

/** A removal, or an insertion, whose range is empty. */
type Step = TextRange & { readonly text: string };

function linesWithEdits(lines: readonly Line[], { removals, insertions }: AnswerEdits): string[] {
  const steps = new Map<number, Step[]>();
  const lineAt = (offset: number): number =>
    partitionPoint(lines.length, (at) => (lines[at]?.start ?? 0) <= offset) - 1;
  const add = (step: Step): void => {
    for (let at = lineAt(step.start); at <= lineAt(step.end); at += 1) {
      const ofLine = steps.get(at) ?? [];
      ofLine.push(step);
      steps.set(at, ofLine);
    }
  };
  for (const { start, end } of removals) add({ start, end, text: '' });
  for (const { at, text } of insertions) add({ start: at, end: at, text });
  return lines.map((line, at) => rewriteLine(line, steps.get(at) ?? []));
}

function rewriteLine({ start, end, text }: Line, steps: Step[]): string {
  if (steps.length === 0) return text;
  let result = '';
  let at = start;
  const keep = (to: number): void => {
    if (to <= at) return;
    const part = text.slice(at - start, to - start);
    // The blanks on both sides of what was removed are those of one place.
    result += at > start && /(?:^|\s)$/.test(result) ? part.replace(/^[ \t]+/, '') : part;
    at = to;
  };
  steps.sort((a, b) => a.start - b.start || a.end - b.end);
  for (const step of steps) {
    keep(Math.min(step.start, end));
    result += step.text;
    at = Math.max(at, Math.min(step.end, end));
  }
  const isCutAtEnd = steps.at(-1)?.text === '' && text.slice(at - start).trim() === '';
  if (isCutAtEnd) return result.trimEnd();
  keep(end);
  return result;
}
