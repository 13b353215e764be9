import type { StatementWord } from '../relations/conflicts/words.js';
import { areSameWord, type ComparedWord } from './compared-words.js';

/** Words of a claim between two that are matched, and those of the source between the same two. */
export interface AlignedGap {
  readonly claim: readonly ComparedWord[];
  readonly source: readonly ComparedWord[];
  /** Words before and behind it that are matched one by one without a gap. */
  readonly before: number;
  readonly behind: number;
}

/** How a claim lies on a text, word by word, in the order of both. */
export interface Alignment {
  /** Share of the claim's words that are matched, those of content counting most. */
  readonly copied: number;
  readonly gaps: readonly AlignedGap[];
}

const WEIGHTS: Readonly<Record<StatementWord['kind'], number>> = {
  content: 3,
  name: 3,
  number: 3,
  negation: 1,
  grammar: 1,
};
/** Shares of a word's weight that it costs to leave it out, of the claim and of the source. */
const LEFT_OUT = 0.2;
const PASSED_OVER = 0.08;

/**
 * The best alignment of all words of a claim with some part of a source (Needleman and Wunsch 1970, with free ends in the source).
 * Time and room are the product of both lengths.
 */
export function alignWords(claim: readonly ComparedWord[], source: readonly ComparedWord[]): Alignment {
  const matches = matchedPlaces(claim, source);
  const total = claim.reduce((sum, { kind }) => sum + WEIGHTS[kind], 0);
  const held = claim.reduce((sum, { kind }, i) => sum + ((matches[i] ?? -1) < 0 ? 0 : WEIGHTS[kind]), 0);
  return { copied: total === 0 ? 0 : held / total, gaps: gapsOf(claim, source, matches) };
}

/** For each word of the claim its place in the source; -1 where it has none. */
function matchedPlaces(claim: readonly ComparedWord[], source: readonly ComparedWord[]): number[] {
  const width = source.length + 1;
  const best = new Float64Array((claim.length + 1) * width);
  for (let i = 1; i <= claim.length; i++) {
    const word = claim[i - 1];
    if (word === undefined) continue;
    const cost = LEFT_OUT * WEIGHTS[word.kind];
    for (let j = 0; j <= source.length; j++) {
      let most = (best[(i - 1) * width + j] ?? 0) - cost;
      const other = source[j - 1];
      if (other !== undefined) {
        most = Math.max(most, (best[i * width + j - 1] ?? 0) - PASSED_OVER * WEIGHTS[other.kind]);
        if (areSameWord(word, other))
          most = Math.max(most, (best[(i - 1) * width + j - 1] ?? 0) + WEIGHTS[word.kind]);
      }
      best[i * width + j] = most;
    }
  }
  return traceBack({ claim, source, best, width });
}

function traceBack({
  claim,
  source,
  best,
  width,
}: {
  readonly claim: readonly ComparedWord[];
  readonly source: readonly ComparedWord[];
  readonly best: Float64Array;
  readonly width: number;
}): number[] {
  const places = claim.map(() => -1);
  let i = claim.length;
  let j = 0;
  for (let end = 1; end <= source.length; end++)
    if ((best[i * width + end] ?? 0) > (best[i * width + j] ?? 0)) j = end;
  while (i > 0) {
    const word = claim[i - 1];
    const other = source[j - 1];
    const here = best[i * width + j] ?? 0;
    if (word === undefined) break;
    const isMatch =
      other !== undefined &&
      areSameWord(word, other) &&
      here === (best[(i - 1) * width + j - 1] ?? 0) + WEIGHTS[word.kind];
    if (isMatch) {
      places[i - 1] = j - 1;
      i -= 1;
      j -= 1;
    } else if (
      other !== undefined &&
      here === (best[i * width + j - 1] ?? 0) - PASSED_OVER * WEIGHTS[other.kind]
    )
      j -= 1;
    else i -= 1;
  }
  return places;
}

function gapsOf(
  claim: readonly ComparedWord[],
  source: readonly ComparedWord[],
  places: readonly number[],
): AlignedGap[] {
  const matched = places.flatMap((place, at) => (place < 0 ? [] : [{ at, place }]));
  const runs = [{ at: -1, place: -1 }, ...matched, { at: claim.length, place: source.length }];
  const isStep = (index: number): boolean => {
    const [a, b] = [runs[index], runs[index + 1]];
    return a !== undefined && b !== undefined && b.at === a.at + 1 && b.place === a.place + 1;
  };
  return runs.slice(1).flatMap((next, index) => {
    const last = runs[index];
    if (last === undefined || isStep(index)) return [];
    let before = index === 0 ? 0 : 1;
    while (before > 0 && index - before > 0 && isStep(index - before)) before += 1;
    let behind = index + 1 === runs.length - 1 ? 0 : 1;
    while (behind > 0 && index + behind + 1 < runs.length - 1 && isStep(index + behind)) behind += 1;
    // What stands before the first match or behind the last one is no part of the frame.
    const from = index === 0 ? Math.max(0, next.place - next.at) : last.place + 1;
    const to =
      index + 1 === runs.length - 1
        ? Math.min(source.length, last.place + claim.length - last.at)
        : next.place;
    const gap = { claim: claim.slice(last.at + 1, next.at), source: source.slice(from, to), before, behind };
    return gap.claim.length === 0 && gap.source.length === 0 ? [] : [gap];
  });
}
