import type { OnnxTensor } from '../onnx/onnx-graph.js';

/** A matrix or table of a network: numbers, or integers minus a zero times a scale. */
export interface Weights {
  readonly tensor: OnnxTensor;
  readonly scale?: OnnxTensor | undefined;
  readonly zero?: OnnxTensor | undefined;
  /** An output a row, where an output is a column otherwise. */
  readonly isTransposed?: boolean;
}

export interface Linear {
  readonly kind: 'linear';
  readonly of: Value;
  readonly weights: Weights;
  readonly bias: OnnxTensor | undefined;
}

export interface Norm {
  readonly kind: 'norm';
  readonly of: Value;
  readonly weight: OnnxTensor;
  readonly bias: OnnxTensor;
  readonly epsilon: number;
}

export interface Lookup {
  readonly kind: 'lookup';
  readonly table: Weights;
  readonly by: 'ids' | 'types' | 'places';
}

export interface Attention {
  readonly kind: 'attention';
  readonly query: Value;
  readonly key: Value;
  readonly value: Value;
  /** What products of queries and keys are multiplied by; NaN where the graph computes it from shapes. */
  readonly factor: number;
}

/** x (1 + erf(x / 2^.5)) times a factor, which is .5 of GELU. */
export interface Gelu {
  readonly kind: 'gelu';
  readonly of: Value;
  readonly factor: number;
}

/**
 * What a value of a graph is, as far as the parts of a BERT network go. Views (another shape, another order of axes, another type) are the value
 * itself: heads and rows are laid out as every BERT has them, which the number of heads and the factor of attention are held against.
 */
export type Value =
  | { readonly kind: 'constant'; readonly weights: Weights }
  | { readonly kind: 'ids' }
  | { readonly kind: 'types' }
  /** The attention mask, and what is made of it, of shapes and of single numbers. */
  | { readonly kind: 'mask' }
  /** What follows from lengths and single numbers alone. */
  | { readonly kind: 'shape' }
  | Lookup
  | { readonly kind: 'sum'; readonly terms: readonly Value[] }
  // The parts of a normalisation.
  | { readonly kind: 'mean' | 'centred' | 'square' | 'variance'; readonly of: Value }
  | { readonly kind: 'spread' | 'deviation' | 'normal'; readonly of: Value; readonly epsilon: number }
  | { readonly kind: 'weighed'; readonly of: Value; readonly epsilon: number; readonly weight: OnnxTensor }
  | Norm
  | Linear
  | { readonly kind: 'scaled'; readonly of: Value; readonly factor: number }
  | { readonly kind: 'erf'; readonly of: Value; readonly factor: number }
  | { readonly kind: 'one-plus-erf'; readonly of: Value; readonly factor: number }
  | Gelu
  | {
      readonly kind: 'scores' | 'shares' | 'no-numbers';
      readonly query: Value;
      readonly key: Value;
      readonly factor: number;
    }
  | Attention
  /** The row of the first token. */
  | { readonly kind: 'first'; readonly of: Value }
  | { readonly kind: 'tanh'; readonly of: Value }
  // The parts of a product of quantised numbers.
  | { readonly kind: 'quantised' | 'quantised-scale' | 'quantised-zero'; readonly of: Value }
  | { readonly kind: 'whole-product'; readonly of: Value; readonly weights: Weights }
  | { readonly kind: 'product-scale'; readonly of: Value; readonly scale: OnnxTensor }
  | { readonly kind: 'unknown'; readonly node: string };

/** The one number of a tensor; undefined for others. */
export function numberOf(value: Value | undefined): number | undefined {
  if (value?.kind !== 'constant' || value.weights.scale !== undefined) return undefined;
  const { values } = value.weights.tensor;
  return values?.length === 1 ? Number(values[0]) : undefined;
}

/** A constant that is one row of numbers. */
export function rowOf(value: Value | undefined): OnnxTensor | undefined {
  const bias = biasOf(value);
  return bias !== undefined && bias.dimensions.at(-1) !== 1 ? bias : undefined;
}

/** A constant that is one row of numbers, or the one number that a product with one output has. */
export function biasOf(value: Value | undefined): OnnxTensor | undefined {
  if (value?.kind !== 'constant' || value.weights.scale !== undefined) return undefined;
  const { tensor } = value.weights;
  const isRow = tensor.values instanceof Float32Array && tensor.values.length === tensor.dimensions.at(-1);
  return isRow ? tensor : undefined;
}
