/** Inverse of a symmetric positive definite matrix (row-major, `size` x `size`), by its Cholesky factor. */
export function inverseOf(matrix: Float64Array, size: number): Float64Array {
  const lower = choleskyOf(matrix, size);
  const inverse = new Float64Array(size * size);
  const column = new Float64Array(size);
  for (let j = 0; j < size; j++) {
    column.fill(0);
    column[j] = 1;
    solveInPlace(lower, column, size);
    for (let i = 0; i < size; i++) inverse[i * size + j] = column[i] ?? 0;
  }
  return inverse;
}

/** The lower triangle L of L L' = matrix. */
function choleskyOf(matrix: Float64Array, size: number): Float64Array {
  const lower = new Float64Array(size * size);
  for (let i = 0; i < size; i++)
    for (let j = 0; j <= i; j++) {
      let sum = matrix[i * size + j] ?? 0;
      for (let k = 0; k < j; k++) sum -= (lower[i * size + k] ?? 0) * (lower[j * size + k] ?? 0);
      // Rounding may take a pivot that is nearly zero below it.
      lower[i * size + j] =
        i === j ? Math.sqrt(Math.max(sum, Number.EPSILON)) : sum / (lower[j * size + j] ?? 1);
    }
  return lower;
}

function solveInPlace(lower: Float64Array, x: Float64Array, size: number): void {
  for (let i = 0; i < size; i++) {
    let sum = x[i] ?? 0;
    for (let k = 0; k < i; k++) sum -= (lower[i * size + k] ?? 0) * (x[k] ?? 0);
    x[i] = sum / (lower[i * size + i] ?? 1);
  }
  for (let i = size - 1; i >= 0; i--) {
    let sum = x[i] ?? 0;
    for (let k = i + 1; k < size; k++) sum -= (lower[k * size + i] ?? 0) * (x[k] ?? 0);
    x[i] = sum / (lower[i * size + i] ?? 1);
  }
}
