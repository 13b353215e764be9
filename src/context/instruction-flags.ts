import type { TextRange } from '../core/document.js';
import { commentRanges } from './comments.js';
import { addressesModel } from './instruction-signals.js';
import { neutralise } from './neutralise.js';
import { passageUnits } from './passage-units.js';

/** A place where a text speaks to a language model rather than to a reader. */
export interface InstructionFlag extends TextRange {
  /** Signals that fired, strongest first: `override`, `addressee`, `hidden`, `encoded`, ... */
  readonly signals: readonly string[];
  /** Sum of the signals; at least `FLAG_THRESHOLD`. */
  readonly score: number;
  /** The place, neutralised, at most 160 characters. */
  readonly excerpt: string;
}

/** From here on a unit is flagged; chosen on the development half of the labelled documents (docs/answering.md). */
export const FLAG_THRESHOLD = 3;

const EXCERPT_LENGTH = 160;

/**
 * Finds the sentences, list items, rows and comments of a passage that give orders to a language model. It is a warning, not
 * a wall: what protects is that retrieved text only ever stands between delimiters it cannot close.
 *
 * @param offset of the passage in the stored text; flags are in the same coordinates.
 */
export function flagInstructions(text: string, offset = 0): InstructionFlag[] {
  return candidates(text).flatMap(({ start, end }) => {
    const unit = text.slice(start, end);
    const { score, signals } = addressesModel(unit);
    if (score < FLAG_THRESHOLD) return [];
    const excerpt = neutralise(unit.replace(/<!--|-->/g, ''))
      .replace(/\s+/g, ' ')
      .trim();
    return [
      { start: offset + start, end: offset + end, signals, score, excerpt: excerpt.slice(0, EXCERPT_LENGTH) },
    ];
  });
}

/** Units with the next sentence: an order is often spread over two. Comments are looked at whole. */
function candidates(text: string): TextRange[] {
  const units = passageUnits(text);
  const comments = commentRanges(text);
  const outside = units.filter(
    ({ start }) => !comments.some((comment) => start >= comment.start && start < comment.end),
  );
  return [...comments, ...outside].sort((a, b) => a.start - b.start);
}
