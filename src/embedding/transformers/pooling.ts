/** How the vectors of a text's tokens become one. */
export type Pooling = 'mean' | 'cls' | 'last-token';

export const POOLINGS = ['mean', 'cls', 'last-token'] as const satisfies readonly Pooling[];

/** What a network says about a batch. */
export interface HiddenStates {
  /** Row-major: text, token, dimension. */
  readonly data: Float32Array;
  /** Tokens a text, padding included. */
  readonly width: number;
  readonly dimensions: number;
}

/**
 * One unit-length vector a text.
 * @param lengths Tokens of each text without its padding, which stands at its end.
 */
export function poolBatch(
  states: HiddenStates,
  lengths: readonly number[],
  pooling: Pooling,
): Float32Array[] {
  return lengths.map((length, row) => normalise(poolRow(states, { row, length, pooling })));
}

function poolRow(
  { data, width, dimensions }: HiddenStates,
  { row, length, pooling }: { readonly row: number; readonly length: number; readonly pooling: Pooling },
): Float32Array {
  const first = pooling === 'last-token' ? length - 1 : 0;
  const last = pooling === 'cls' ? 1 : length;
  const sum = new Float64Array(dimensions);
  for (let token = first; token < last; token++) {
    const start = (row * width + token) * dimensions;
    for (let i = 0; i < dimensions; i++) sum[i] = (sum[i] ?? 0) + (data[start + i] ?? Number.NaN);
  }
  // The mean and the sum differ by a factor, which normalising removes.
  return Float32Array.from(sum);
}

function normalise(vector: Float32Array): Float32Array {
  let squares = 0;
  for (const value of vector) squares += value * value;
  if (squares === 0) return vector;
  const factor = 1 / Math.sqrt(squares);
  return vector.map((value) => value * factor);
}
