import { lastAtOrBefore } from '../../../core/last-at-or-before.js';

type CountSlice = (start: number, end: number) => number;

/** Characters of a stretch, before what is left of its last word. */
const STRETCH = 65_536;
/** Stretches that are remembered: chunking goes through a text from its start to its end, with short ways back. */
const REMEMBERED = 4;

/**
 * Counts slices of a text of any length by counting in one stretch of it at a time. Stretches end before white space, which
 * is part of no word, so that the sum over them is the count of the whole, and what is remembered does not grow with the text.
 *
 * @param countIn counts in slices of one stretch, offsets being its own
 * @param length characters of a stretch, before what is left of its last word
 */
export function sumOverStretches(
  text: string,
  countIn: (stretch: string) => CountSlice,
  length: number = STRETCH,
): CountSlice {
  if (text.length <= length) return countIn(text);
  const starts = stretchStarts(text, length);
  const counters = new Map<number, CountSlice>();
  const counterOf = (stretch: number, from: number, to: number): CountSlice => {
    const counter = counters.get(stretch) ?? countIn(text.slice(from, to));
    // Asked for last, forgotten last.
    counters.delete(stretch);
    counters.set(stretch, counter);
    const oldest = counters.size > REMEMBERED ? counters.keys().next().value : undefined;
    if (oldest !== undefined) counters.delete(oldest);
    return counter;
  };
  return (start, end) => {
    let sum = 0;
    for (let stretch = lastAtOrBefore(starts, start, (at) => at); stretch < starts.length; stretch += 1) {
      const from = starts[stretch] ?? text.length;
      if (from >= end) break;
      const to = starts[stretch + 1] ?? text.length;
      sum += counterOf(stretch, from, to)(Math.max(start, from) - from, Math.min(end, to) - from);
    }
    return sum;
  };
}

/** Offsets at which stretches start; a run without white space is in one, however long it is. */
function stretchStarts(text: string, length: number): number[] {
  const starts = [0];
  for (let from = length; from < text.length; ) {
    const cut = nextSpace(text, from);
    if (cut === undefined) break;
    starts.push(cut);
    from = cut + length;
  }
  return starts;
}

function nextSpace(text: string, from: number): number | undefined {
  for (let at = from; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit === 0x20 || unit === 0x0a) return at;
  }
  return undefined;
}
