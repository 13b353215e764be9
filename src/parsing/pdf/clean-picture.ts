import type { DrawnPicture } from './draw-page.js';

/** Pixels a side of the squares of a page whose noise is measured. */
const SQUARE = 16;
/** A page has that share of squares without writing at least: its margins, and what is between its lines. */
const QUIET_SHARE = 0.1;
/** Standard deviation of grey (0 to 255) of the quiet squares above which a median is taken. */
const MAX_GRAIN = 16;
const MAX_MEDIANS = 4;
/** What is nearer to paper than so many standard deviations is paper. */
const PAPER_WIDTH = 4;

/**
 * The picture without the grain of its paper; as it is where there is none. Binarised, a grainy page is some hundred thousand specks, over which
 * Tesseract sits for minutes.
 *
 * Strong noise and specks are taken out by medians of 3 by 3 pixels. Then what is about as light as paper, the most frequent grey, becomes white.
 * A picture of which a tenth is flat, as that with a white border, counts as clean.
 */
export function withoutGrain(picture: DrawnPicture): DrawnPicture {
  let clean = picture;
  let grain = grainOf(clean);
  for (let medians = 0; grain > MAX_GRAIN && medians < MAX_MEDIANS; medians += 1) {
    clean = withMedians(clean);
    grain = grainOf(clean);
  }
  if (grain === 0) return clean;
  const paper = mostFrequent(clean.grey);
  // White on black has no paper that could become white.
  if (paper < 128) return clean;
  const least = paper - PAPER_WIDTH * grain;
  return { ...clean, grey: clean.grey.map((value) => (value >= least ? 255 : value)) };
}

/** Standard deviation of grey within squares: a tenth of them has no more. */
function grainOf({ width, height, grey }: DrawnPicture): number {
  const deviations: number[] = [];
  for (let top = 0; top + SQUARE <= height; top += SQUARE)
    for (let left = 0; left + SQUARE <= width; left += SQUARE) {
      let sum = 0;
      let squares = 0;
      for (let y = top; y < top + SQUARE; y += 1)
        for (let at = y * width + left; at < y * width + left + SQUARE; at += 1) {
          const value = grey[at] ?? 0;
          sum += value;
          squares += value * value;
        }
      const mean = sum / SQUARE ** 2;
      deviations.push(Math.sqrt(Math.max(0, squares / SQUARE ** 2 - mean * mean)));
    }
  deviations.sort((a, b) => a - b);
  return deviations[Math.floor(deviations.length * QUIET_SHARE)] ?? 0;
}

function mostFrequent(grey: Uint8Array): number {
  const counts = new Array<number>(256).fill(0);
  for (const value of grey) counts[value] = (counts[value] ?? 0) + 1;
  return counts.indexOf(Math.max(...counts));
}

/** The median of nine is that of the most of the columns' least, the median of their medians, and the least of their most. */
function withMedians({ width, height, grey }: DrawnPicture): DrawnPicture {
  const medians = Uint8Array.from(grey);
  const [least, middle, most] = [new Uint8Array(width), new Uint8Array(width), new Uint8Array(width)];
  for (let y = 1; y < height - 1; y += 1) {
    for (let x = 0, at = y * width; x < width; x += 1, at += 1) {
      const [above = 0, here = 0, below = 0] = [grey[at - width], grey[at], grey[at + width]];
      least[x] = Math.min(above, here, below);
      middle[x] = medianOf(above, here, below);
      most[x] = Math.max(above, here, below);
    }
    for (let x = 1; x < width - 1; x += 1)
      medians[y * width + x] = medianOf(
        Math.max(least[x - 1] ?? 0, least[x] ?? 0, least[x + 1] ?? 0),
        medianOf(middle[x - 1] ?? 0, middle[x] ?? 0, middle[x + 1] ?? 0),
        Math.min(most[x - 1] ?? 0, most[x] ?? 0, most[x + 1] ?? 0),
      );
  }
  return { width, height, grey: medians };
}

const medianOf = (a: number, b: number, c: number): number =>
  Math.max(Math.min(a, b), Math.min(Math.max(a, b), c));
