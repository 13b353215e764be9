import type { PassageUnit } from '../core/analysis/passage-units.js';
import type { TextRange } from '../core/document.js';
import type { Relevance } from './relevance.js';

export interface CompressOptions {
  readonly relevance: Relevance;
  /** Tokens that the kept units may take together. */
  readonly room: number;
  readonly tokensOf: (text: string) => number;
}

/** What a gap between kept pieces is shown as. */
export const GAP_MARK = '[…]';

/**
 * The ranges of a text that tell most about a question within so many tokens, in order; adjacent units are one range. Units
 * are kept or dropped whole. A table row brings the table's head, a line of code its fences, an item or sentence the
 * heading above it. Empty where not even one unit fits.
 */
export function compressPassage(
  text: string,
  units: readonly PassageUnit[],
  { relevance, room, tokensOf }: CompressOptions,
): TextRange[] {
  const unitText = ({ start, end }: TextRange): string => text.slice(start, end);
  const costs = units.map((unit) => tokensOf(unitText(unit)) + GAP_COST);
  const gains = units.map((unit) => relevance(unitText(unit)));
  const kept = new Set<number>();
  let left = room;
  for (const index of byGain(units, gains)) {
    const wanted = [index, ...companions(units, index)].filter((each) => !kept.has(each));
    const cost = wanted.reduce((sum, each) => sum + (costs[each] ?? 0), 0);
    if (cost > left) continue;
    for (const each of wanted) kept.add(each);
    left -= cost;
  }
  return joined(units, kept);
}

/** A kept unit may stand alone, between two gap marks. */
const GAP_COST = 4;

/** Most telling first; of equals the earlier. A neighbour of a telling unit counts a part of it: answers follow their topic. */
function byGain(units: readonly PassageUnit[], gains: readonly number[]): number[] {
  const near = (index: number): number => Math.max(gains[index - 1] ?? 0, gains[index + 1] ?? 0);
  const gain = (index: number): number => (gains[index] ?? 0) + NEIGHBOUR_SHARE * near(index);
  return units.map((_, index) => index).sort((a, b) => gain(b) - gain(a) || a - b);
}

const NEIGHBOUR_SHARE = 0.25;

/** Units without which this one cannot be understood. */
function companions(units: readonly PassageUnit[], index: number): number[] {
  const kind = units[index]?.kind;
  const found: number[] = [];
  if (kind === 'table-row') {
    for (let at = index; at >= 0 && isTable(units[at]); at--)
      if (units[at]?.kind === 'table-head') found.push(at);
  }
  if (kind === 'code-line') {
    found.push(...fenceAt(units, index, -1), ...fenceAt(units, index, 1));
  }
  const heading = headingAbove(units, index);
  return heading === undefined ? found : [...found, heading];
}

const isTable = (unit: PassageUnit | undefined): boolean =>
  unit?.kind === 'table-row' || unit?.kind === 'table-head';

function fenceAt(units: readonly PassageUnit[], index: number, step: 1 | -1): number[] {
  let at = index;
  while (units[at]?.kind === 'code-line') at += step;
  return units[at]?.kind === 'fence' ? [at] : [];
}

function headingAbove(units: readonly PassageUnit[], index: number): number | undefined {
  for (let at = index - 1; at >= 0; at--) if (units[at]?.kind === 'heading') return at;
  return undefined;
}

function joined(units: readonly PassageUnit[], kept: ReadonlySet<number>): TextRange[] {
  const ranges: { start: number; end: number }[] = [];
  let previous = -2;
  for (const index of [...kept].sort((a, b) => a - b)) {
    const unit = units[index];
    const last = ranges.at(-1);
    if (unit === undefined) continue;
    if (last !== undefined && previous === index - 1) last.end = unit.end;
    else ranges.push({ start: unit.start, end: unit.end });
    previous = index;
  }
  return ranges;
}
