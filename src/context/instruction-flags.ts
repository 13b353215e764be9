import { passageUnits } from '../core/analysis/passage-units.js';
import type { TextRange } from '../core/document.js';
import { sigmoid } from '../core/logistic.js';
import { commentRanges } from './comments.js';
import { readUnit } from './instruction-features.js';
import { builtinInstructionModel } from './instruction-model.js';
import { neutraliseLine } from './neutralise.js';

/** A place that reads like an instruction to a language model rather than like something said to a reader. */
export interface InstructionFlag extends TextRange {
  /** What made it look like one, at most four, strongest first: `override`, `reply`, `encoded`, ... */
  readonly signals: readonly string[];
  /** How sure the model of flags is, from 0 to 1. */
  readonly score: number;
  /** The place, neutralised, at most 160 characters. */
  readonly excerpt: string;
}

const EXCERPT_LENGTH = 160;

/**
 * Finds the sentences, list items, rows and comments of a passage that read like instructions to a language model. It is a
 * warning, not a wall: what protects is that retrieved text only ever stands between delimiters it cannot close. Linear in
 * the length of the passage.
 *
 * @param offset of the passage in the stored text; flags are in the same coordinates.
 */
export function flagInstructions(text: string, offset = 0): InstructionFlag[] {
  const model = builtinInstructionModel();
  const units = candidateUnits(text);
  const readings = units.map(({ start, end, kind }) => readUnit(text.slice(start, end), kind, model.reader));
  return units.flatMap(({ start, end }, index) => {
    const reading = readings[index];
    if (reading === undefined) return [];
    const logOdds = model.logOdds(reading, readings[index - 1], readings[index + 1]);
    if (logOdds < model.thresholdOf(reading, end - start)) return [];
    const excerpt = neutraliseLine(text.slice(start, end).replace(/<!--|-->/g, ''));
    return [
      {
        start: offset + start,
        end: offset + end,
        signals: model.reasons(reading),
        score: sigmoid(logOdds),
        excerpt: excerpt.slice(0, EXCERPT_LENGTH),
      },
    ];
  });
}

/** A part of a passage that is looked at on its own. */
interface CandidateUnit extends TextRange {
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
