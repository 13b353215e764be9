const SEGMENTER = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Code units that the segmenter is given at once: it takes the square of their number. A longer cluster is several. */
const WINDOW = 256;

const ALONE = 1;
const JOINS = 2;
// Filled on first sight of a code point.
const classes = new Uint8Array(0x11_0000);

/** Whether a code point may be in one cluster with another that has not this property, before or behind it. */
function joins(codePoint: number): boolean {
  const known = classes[codePoint];
  if (known !== 0) return known === JOINS;
  const character = String.fromCodePoint(codePoint);
  const clusters = [...SEGMENTER.segment(`a${character}${character}a`)].length;
  classes[codePoint] = character === '\r' || clusters < 4 ? JOINS : ALONE;
  return classes[codePoint] === JOINS;
}

type VisitCluster = (start: number, end: number) => void;

/** Calls `visit` with start and end of each extended grapheme cluster (UAX #29) of a text in order; the segmenter sees what may join alone. */
export function forEachCluster(text: string, visit: VisitCluster): void {
  for (let start = 0, end = 0; start < text.length; start = end) {
    let codePoint = text.codePointAt(start) ?? 0;
    let isJoined = joins(codePoint);
    end = start + widthOf(codePoint);
    const first = end;
    while (end < text.length) {
      codePoint = text.codePointAt(end) ?? 0;
      const joinsNext = joins(codePoint);
      if (!isJoined && !joinsNext) break;
      isJoined = joinsNext;
      end += widthOf(codePoint);
    }
    if (end === first) visit(start, end);
    else forEachJoined(text, start, end, visit);
  }
}

function forEachJoined(text: string, start: number, end: number, visit: VisitCluster): void {
  for (let from = start; from < end; ) {
    let to = Math.min(end, from + WINDOW);
    if (to < end && (text.codePointAt(to - 1) ?? 0) > 0xff_ff) to--;
    let next = from;
    for (const { segment } of SEGMENTER.segment(text.slice(from, to))) {
      // The last cluster of a window may go on behind it.
      if (to < end && next > from && next + segment.length === to) break;
      visit(next, next + segment.length);
      next += segment.length;
    }
    from = next;
  }
}

const widthOf = (codePoint: number): number => (codePoint > 0xff_ff ? 2 : 1);
