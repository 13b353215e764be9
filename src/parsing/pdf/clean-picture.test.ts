import { expect, test } from 'vitest';
import { scannedPicture } from '../../../tests/fixtures/documents/make-scan.js';
import { withoutGrain } from './clean-picture.js';
import type { DrawnPicture } from './draw-page.js';

/** Between 0 and 1, the same each time (Numerical Recipes). */
function random(): () => number {
  let state = 1;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
function withNoise(
  { grey, ...picture }: DrawnPicture,
  noise: (value: number, chance: () => number) => number,
) {
  const chance = random();
  return {
    ...picture,
    grey: Uint8Array.from(grey, (value) => Math.min(255, Math.max(0, noise(value, chance)))),
  };
}
const grain = (value: number, chance: () => number): number =>
  value * 0.9 + 12 * Math.sqrt(12 / 4) * (chance() + chance() + chance() + chance() - 2);
const specks = (value: number, chance: () => number): number =>
  chance() < 0.1 ? 255 * Math.round(chance()) : value;
const shareOf = ({ grey }: DrawnPicture, is: (value: number) => boolean): number =>
  grey.filter(is).length / grey.length;

/** The beginning of a page: 250 lines of pixels. */
function beginning(lines: readonly string[]): DrawnPicture {
  const { width, grey } = scannedPicture(lines);
  return { width, height: 250, grey: grey.subarray(0, 250 * width) };
}
const empty = beginning([]);
const written = beginning(['REPLACE THE COOLANT PUMP']);

test.each([
  ['grain with a deviation of 12', grain],
  ['specks on a tenth of the page', specks],
])('takes %s out and leaves the letters', (_, noise) => {
  expect(shareOf(withoutGrain(withNoise(empty, noise)), (value) => value < 255)).toBeLessThan(0.001);
  const clean = withoutGrain(withNoise(written, noise));
  const black = shareOf(written, (value) => value === 0);
  expect(Math.abs(shareOf(clean, (value) => value < 128) / black - 1)).toBeLessThan(0.05);
});

test('leaves a clean picture, and white on black, as they are', () => {
  expect(Buffer.compare(withoutGrain(written).grey, written.grey)).toBe(0);
  const inverted = { ...written, grey: written.grey.map((value) => 255 - value) };
  expect(Buffer.compare(withoutGrain(inverted).grey, inverted.grey)).toBe(0);
});
