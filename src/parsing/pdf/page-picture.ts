/** A page of PDF.js, as far as its drawing is concerned. */
export interface DrawnPage {
  /** Left, bottom, right and top of the page. */
  readonly view: readonly number[];
  getOperatorList(): Promise<{ readonly fnArray: readonly number[]; readonly argsArray: readonly unknown[] }>;
}

/** Share of a page that a picture covers where it is the page. */
const MIN_COVERED = 0.5;
type Matrix = readonly [number, number, number, number];
const WHOLE: Matrix = [1, 0, 0, 1];

/** Whether a picture covers most of a page; false where its drawing cannot be read. */
export async function isPicture(page: DrawnPage): Promise<boolean> {
  const { getResolvedPDFJS } = await import('unpdf');
  const [{ OPS }, drawn] = await Promise.all([
    getResolvedPDFJS(),
    page.getOperatorList().catch(() => undefined),
  ]);
  if (drawn === undefined) return false;
  const [left = 0, bottom = 0, right = 0, top = 0] = page.view;
  const least = MIN_COVERED * Math.abs((right - left) * (top - bottom));
  const pictures: ReadonlySet<number> = new Set([
    OPS.paintImageXObject,
    OPS.paintInlineImageXObject,
    OPS.paintImageMaskXObject,
  ]);
  const saved: Matrix[] = [];
  let matrix = WHOLE;
  for (const [index, operator] of drawn.fnArray.entries()) {
    const args = drawn.argsArray[index];
    if (operator === OPS.save || operator === OPS.paintFormXObjectBegin) saved.push(matrix);
    if (operator === OPS.restore || operator === OPS.paintFormXObjectEnd) matrix = saved.pop() ?? WHOLE;
    if (operator === OPS.transform) matrix = product(matrix, args);
    if (operator === OPS.paintFormXObjectBegin && Array.isArray(args)) matrix = product(matrix, args[0]);
    // A picture fills the square of one unit.
    const [a, b, c, d] = matrix;
    if (pictures.has(operator) && Math.abs(a * d - b * c) >= least) return true;
  }
  return false;
}

/** Without the place, which changes no area. */
function product([a, b, c, d]: Matrix, other: unknown): Matrix {
  const parts: readonly unknown[] = Array.isArray(other)
    ? other
    : ArrayBuffer.isView(other)
      ? Array.from(other as Float32Array)
      : [];
  if (parts.length < 4) return [a, b, c, d];
  const [e = 1, f = 0, g = 0, h = 1] = parts.map(Number);
  return [a * e + c * f, b * e + d * f, a * g + c * h, b * g + d * h];
}
