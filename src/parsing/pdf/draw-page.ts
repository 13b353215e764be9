import * as z from 'zod';
import { areaOf, type Matrix, type PaintedPicture, type PicturedPage, product } from './page-picture.js';

/** Resolution at which letters are recognised best; finer pictures are made coarser. In pixels a point of 1/72 inch. */
const MOST_SCALE = 300 / 72;
/** A picture of less of the page is a logo, and says nothing of the resolution of the scan. */
const MIN_SHARE = 0.05;

/** A page as grey pixels, row by row from the top; 0 is black. */
export interface DrawnPicture {
  readonly width: number;
  readonly height: number;
  readonly grey: Uint8Array;
}

/** Pixels of a picture as PDF.js gives them: 1 bit, 3 or 4 bytes each (`ImageKind`). */
const decoded = z.object({
  width: z.int().positive(),
  height: z.int().positive(),
  kind: z.int().optional(),
  data: z.union([z.instanceof(Uint8ClampedArray), z.instanceof(Uint8Array)]),
});
type Decoded = z.infer<typeof decoded>;
const KIND = { bits: 1, rgb: 2 };

/**
 * Draws the pictures of a page, turned as the page is shown, one over the other on white; nothing else of the page.
 *
 * @param most pixels; a page that would have more is drawn coarser
 * @returns undefined where no picture can be decoded, or one is larger than `PDF.js` was told to decode
 */
export async function drawPage(
  page: PicturedPage,
  pictures: readonly PaintedPicture[],
  most: number,
): Promise<DrawnPicture | undefined> {
  const found: { readonly image: Decoded; readonly picture: PaintedPicture }[] = [];
  for (const picture of pictures) {
    const image = await pixelsOf(page, picture.image);
    if (image !== undefined) found.push({ image, picture });
  }
  const { width: points, height: high } = page.getViewport({ scale: 1 });
  const scales = found.flatMap(({ image: { width, height }, picture: { matrix } }) => {
    const area = areaOf(matrix);
    return area < MIN_SHARE * points * high ? [] : Math.sqrt((width * height) / area);
  });
  if (scales.length === 0) return undefined;
  const scale = Math.min(MOST_SCALE, Math.sqrt(most / (points * high)), Math.max(...scales));
  const viewport = page.getViewport({ scale });
  const [width, height] = [Math.round(viewport.width), Math.round(viewport.height)];
  const drawn = { width, height, grey: new Uint8Array(width * height).fill(255) };
  const whole: Matrix = product([1, 0, 0, 1, 0, 0], viewport.transform);
  for (const { image, picture } of found)
    paint(drawn, picture.isMask ? asMask(image) : asGrey(image), product(whole, picture.matrix));
  return drawn;
}

async function pixelsOf(page: PicturedPage, image: unknown): Promise<Decoded | undefined> {
  // Stencils have their name in the place of their pixels.
  const stencil = z.object({ data: z.string() }).safeParse(image);
  const name = stencil.success ? stencil.data.data : image;
  const value =
    typeof name === 'string'
      ? await new Promise((resolve) =>
          (name.startsWith('g_') ? page.commonObjs : page.objs).get(name, resolve),
        )
      : image;
  const { data } = decoded.safeParse(value);
  return data;
}

interface Grey {
  readonly width: number;
  readonly height: number;
  readonly grey: Uint8Array;
  /** 0 where nothing is painted; absent where all is. */
  readonly alpha?: Uint8Array;
}

function asGrey(image: Decoded): Grey {
  const { width, height, kind, data } = image;
  const grey = new Uint8Array(width * height);
  if (kind === KIND.bits) {
    eachBit(image, (at, bit) => {
      grey[at] = bit * 255;
    });
    return { width, height, grey };
  }
  const bytes = kind === KIND.rgb ? 3 : 4;
  const alpha = bytes === 4 ? new Uint8Array(grey.length) : undefined;
  for (let at = 0, from = 0; at < grey.length; at += 1, from += bytes) {
    // ITU-R BT.601, in parts of 256.
    grey[at] = (77 * (data[from] ?? 0) + 150 * (data[from + 1] ?? 0) + 29 * (data[from + 2] ?? 0)) >> 8;
    if (alpha !== undefined) alpha[at] = data[from + 3] ?? 0;
  }
  return { width, height, grey, ...(alpha === undefined ? {} : { alpha }) };
}

/** Stencils of scans are painted in black: a bit of 0 is painted. */
function asMask(image: Decoded): Grey {
  const { width, height } = image;
  const alpha = new Uint8Array(width * height);
  eachBit(image, (at, bit) => {
    alpha[at] = bit === 0 ? 255 : 0;
  });
  return { width, height, grey: new Uint8Array(alpha.length), alpha };
}

function eachBit({ width, height, data }: Decoded, use: (at: number, bit: number) => void): void {
  const stride = (width + 7) >> 3;
  for (let y = 0, at = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1, at += 1)
      use(at, ((data[y * stride + (x >> 3)] ?? 0) >> (7 - (x & 7))) & 1);
}

/** Paints a picture whose square of one unit lies under the matrix; where it is finer than the page, each pixel is the mean of those in it. */
function paint(page: DrawnPicture, picture: Grey, matrix: Matrix): void {
  const [a, b, c, d, e, f] = matrix;
  const determinant = a * d - b * c;
  if (determinant === 0) return;
  const { width, height, grey, alpha } = picture;
  const corners = [
    [e, f],
    [e + a, f + b],
    [e + c, f + d],
    [e + a + c, f + b + d],
  ];
  const bounds = (axis: 0 | 1, most: number): [number, number] => {
    const places = corners.map((corner) => corner[axis] ?? 0);
    return [Math.max(0, Math.floor(Math.min(...places))), Math.min(most, Math.ceil(Math.max(...places)))];
  };
  const [left, right] = bounds(0, page.width);
  const [top, bottom] = bounds(1, page.height);
  // The picture's rows go down, those of its square go up.
  const xAt = (x: number, y: number): number => (((x - e) * d - (y - f) * c) / determinant) * width;
  const yAt = (x: number, y: number): number => height - (((y - f) * a - (x - e) * b) / determinant) * height;
  const steps = [Math.hypot(d * width, b * height), Math.hypot(c * width, a * height)];
  // As many looks a pixel and axis as the picture is finer; 1 where it is not.
  const looks = Math.max(1, Math.round(Math.max(...steps) / Math.abs(determinant)));
  for (let row = top; row < bottom; row += 1)
    for (let column = left; column < right; column += 1) {
      let sum = 0;
      let painted = 0;
      for (let down = 0; down < looks; down += 1)
        for (let along = 0; along < looks; along += 1) {
          const [px, py] = [column + (along + 0.5) / looks, row + (down + 0.5) / looks];
          const x = Math.floor(xAt(px, py));
          const y = Math.floor(yAt(px, py));
          if (x < 0 || y < 0 || x >= width || y >= height) continue;
          const at = y * width + x;
          const share = alpha === undefined ? 255 : (alpha[at] ?? 0);
          sum += (grey[at] ?? 0) * share;
          painted += share;
        }
      const all = 255 * looks * looks;
      const place = row * page.width + column;
      if (painted > 0) page.grey[place] = (sum + (all - painted) * (page.grey[place] ?? 255)) / all;
    }
}

/** The picture turned clockwise. */
export function turned(picture: DrawnPicture, quarters: number): DrawnPicture {
  if (quarters === 0) return picture;
  const { width, height, grey } = picture;
  const isSide = quarters % 2 === 1;
  const [wide, high] = isSide ? [height, width] : [width, height];
  const turning = new Uint8Array(grey.length);
  for (let y = 0, from = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1, from += 1) {
      const [column, row] =
        quarters === 1
          ? [height - 1 - y, x]
          : quarters === 2
            ? [width - 1 - x, height - 1 - y]
            : [y, width - 1 - x];
      turning[row * wide + column] = grey[from] ?? 255;
    }
  return { width: wide, height: high, grey: turning };
}
