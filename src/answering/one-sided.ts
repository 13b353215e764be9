import type { ContextEntry } from '../context/context-pack.js';
import { analyzeText } from '../core/analysis/lexical-analyzer.js';
import { comparedSides, contentTerms } from '../core/analysis/question-parts.js';
import { type Notice, noticesOfKind } from '../core/notice.js';

/** Share of a side's own words with which a text tells of it. */
const ENOUGH = 0.5;

interface Side {
  readonly text: string;
  /** Words that the other side has not. */
  readonly own: readonly string[];
}

/**
 * Where a question compares two things and the answer tells of one of them alone: which one is missing, and whether a passage that was found
 * tells of it. By words alone, so that a thing under another name counts as missing.
 *
 * @param told texts of the answer, with titles and headings of what is quoted
 */
export function oneSidedNotices(
  question: string,
  told: readonly string[],
  entries: readonly ContextEntry[],
): Notice[] {
  const sides = sidesOf(question);
  if (sides === undefined) return [];
  const missing = sides.filter((side) => !tellsOf(side, told));
  const [side] = missing;
  const [other] = sides.filter((one) => one !== side);
  if (missing.length !== 1 || side === undefined || other === undefined) return [];
  const places = entries.filter((entry) => tellsOf(side, textsOf(entry))).map(({ n }) => `[${n}]`);
  const where =
    places.length === 0
      ? 'no passage that was found mentions it'
      : `${places.join(', ')} among the sources ${places.length === 1 ? 'mentions' : 'mention'} it`;
  return noticesOfKind('answer-one-sided', [
    `The answer tells of "${other.text}" and not of "${side.text}", with which the question compares it: ${where}.`,
  ]);
}

function sidesOf(question: string): readonly [Side, Side] | undefined {
  const [left, right] = comparedSides(question);
  if (left === undefined || right === undefined) return undefined;
  const [ofLeft, ofRight] = [contentTerms(left), contentTerms(right)];
  const sides = [
    { text: left, own: ofLeft.filter((term) => !ofRight.includes(term)) },
    { text: right, own: ofRight.filter((term) => !ofLeft.includes(term)) },
  ] as const;
  return sides.every(({ own }) => own.length > 0) ? sides : undefined;
}

function tellsOf({ own }: Side, texts: readonly string[]): boolean {
  const terms = new Set(texts.flatMap(analyzeText));
  return own.filter((term) => terms.has(term)).length >= own.length * ENOUGH;
}

/** What a passage says, with what it stands under. */
const textsOf = ({ title = '', headingPath, pieces }: ContextEntry): string[] => [
  title,
  ...headingPath,
  ...pieces.map(({ text }) => text),
];
