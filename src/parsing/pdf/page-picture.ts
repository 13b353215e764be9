/** What a page of PDF.js keeps beside its drawing: pictures, once they are decoded. */
interface PageObjects {
  get(name: string, callback: (value: unknown) => void): unknown;
}

/** A page of PDF.js, as far as its drawing is concerned. */
export interface DrawnPage {
  /** Left, bottom, right and top of the page. */
  readonly view: readonly number[];
  getOperatorList(): Promise<{ readonly fnArray: readonly number[]; readonly argsArray: readonly unknown[] }>;
}

/** A page whose pictures can be drawn. */
export interface PicturedPage extends DrawnPage {
  readonly objs: PageObjects;
  readonly commonObjs: PageObjects;
  getViewport(of: { readonly scale: number }): {
    readonly width: number;
    readonly height: number;
    readonly transform: readonly number[];
  };
}

/** `[a, b, c, d, e, f]` of ISO 32000-1, 8.3.4. */
export type Matrix = readonly [number, number, number, number, number, number];

/** A picture as the page paints it: it fills the square of one unit under its matrix. */
export interface PaintedPicture {
  /** Its pixels, or the name under which PDF.js keeps them. */
  readonly image: unknown;
  readonly matrix: Matrix;
  /** It is a stencil through which a colour is painted. */
  readonly isMask: boolean;
}

/** Share of a page that pictures cover where they are the page. */
const MIN_COVERED = 0.5;
const WHOLE: Matrix = [1, 0, 0, 1, 0, 0];

/** The pictures of a page in the order in which they are painted, if they cover most of it; none where its drawing cannot be read. */
export async function pagePictures(page: DrawnPage): Promise<readonly PaintedPicture[]> {
  const { getResolvedPDFJS } = await import('unpdf');
  const [{ OPS }, drawn] = await Promise.all([
    getResolvedPDFJS(),
    page.getOperatorList().catch(() => undefined),
  ]);
  if (drawn === undefined) return [];
  const pictures: ReadonlySet<number> = new Set([
    OPS.paintImageXObject,
    OPS.paintInlineImageXObject,
    OPS.paintImageMaskXObject,
  ]);
  const painted: PaintedPicture[] = [];
  const saved: Matrix[] = [];
  let matrix = WHOLE;
  for (const [index, operator] of drawn.fnArray.entries()) {
    const args = drawn.argsArray[index];
    if (operator === OPS.save || operator === OPS.paintFormXObjectBegin) saved.push(matrix);
    if (operator === OPS.restore || operator === OPS.paintFormXObjectEnd) matrix = saved.pop() ?? WHOLE;
    if (operator === OPS.transform) matrix = product(matrix, args);
    if (operator === OPS.paintFormXObjectBegin && Array.isArray(args)) matrix = product(matrix, args[0]);
    if (!pictures.has(operator) || !Array.isArray(args)) continue;
    painted.push({ image: args[0], matrix, isMask: operator === OPS.paintImageMaskXObject });
  }
  const [left = 0, bottom = 0, right = 0, top = 0] = page.view;
  const covered = painted.reduce((sum, { matrix: of }) => sum + areaOf(of), 0);
  return covered >= MIN_COVERED * Math.abs((right - left) * (top - bottom)) ? painted : [];
}

/** What the square of one unit covers. */
export const areaOf = ([a, b, c, d]: Matrix): number => Math.abs(a * d - b * c);

/** The matrix that applies `other` first; as it is where `other` is none. */
export function product(matrix: Matrix, other: unknown): Matrix {
  const parts: readonly unknown[] = Array.isArray(other)
    ? other
    : ArrayBuffer.isView(other)
      ? Array.from(other as Float32Array)
      : [];
  if (parts.length < 6) return matrix;
  const [a, b, c, d, e, f] = matrix;
  const [g = 1, h = 0, i = 0, j = 1, k = 0, l = 0] = parts.map(Number);
  return [a * g + c * h, b * g + d * h, a * i + c * j, b * i + d * j, a * k + c * l + e, b * k + d * l + f];
}
