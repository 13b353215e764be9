import type { OnnxGraph, OnnxNode, OnnxTensor } from '../onnx/onnx-graph.js';
import { biasOf, numberOf, rowOf, type Value, type Weights } from './graph-values.js';

type Inputs = readonly (Value | undefined)[];
/** What an operator gives of its inputs; undefined for what is no part of a BERT network. */
type Reading = (inputs: Inputs, node: OnnxNode) => Value | readonly Value[] | undefined;

const SHAPE: Value = { kind: 'shape' };
const MASK: Value = { kind: 'mask' };

/** What each value of a graph is, by its name. */
export function readValues({ nodes, constants, inputs }: OnnxGraph): ReadonlyMap<string, Value> {
  const values = new Map<string, Value>();
  for (const [name, tensor] of constants) values.set(name, constantOf({ tensor }));
  for (const name of inputs) values.set(name, INPUTS[name] ?? { kind: 'unknown', node: name });
  for (const node of nodes) {
    const given = node.inputs.map((name) => (name === '' ? undefined : values.get(name)));
    const read =
      node.domain === '' || node.domain === 'ai.onnx' ? READINGS[node.operator]?.(given, node) : undefined;
    // The first operator that is not known says most.
    const unknown: Value = given.find((input) => input?.kind === 'unknown') ?? {
      kind: 'unknown',
      node: `${node.operator} ${node.name}`.trim(),
    };
    const found = read === undefined ? [unknown] : isList(read) ? read : [read];
    for (const [at, name] of node.outputs.entries()) values.set(name, found[at] ?? unknown);
  }
  return values;
}

const isList = (read: Value | readonly Value[]): read is readonly Value[] => Array.isArray(read);

const INPUTS: Readonly<Record<string, Value>> = {
  input_ids: { kind: 'ids' },
  token_type_ids: { kind: 'types' },
  attention_mask: MASK,
};

const constantOf = (weights: Weights): Value => ({ kind: 'constant', weights });

/** Lengths, places, masks: of values that hold nothing else. A row of numbers is a weight and does not count. */
const plumbing: Reading = (inputs) => {
  const given = inputs.filter((input) => input !== undefined);
  if (!given.every((input) => input.kind === 'mask' || input.kind === 'shape' || isPlain(input)))
    return undefined;
  return given.some(({ kind }) => kind === 'mask') ? MASK : SHAPE;
};

function isPlain(value: Value): boolean {
  if (value.kind !== 'constant' || value.weights.scale !== undefined) return false;
  const { type, values } = value.weights.tensor;
  return values?.length === 1 || type === 'int64' || type === 'bool' || type === 'int32';
}

/** The same numbers, seen otherwise. */
const view: Reading = ([of]) => (of !== undefined && isPlain(of) ? SHAPE : of);

/** Reads a pair in either order. */
const eitherOrder =
  (read: (a: Value, b: Value) => Value | undefined): Reading =>
  (inputs) => {
    const [a, b] = inputs;
    if (a === undefined || b === undefined) return undefined;
    return read(a, b) ?? read(b, a) ?? plumbing([a, b], {} as OnnxNode);
  };

const READINGS: Readonly<Record<string, Reading>> = {
  Constant: (_, { tensors }) => {
    const tensor = tensors.get('value');
    return tensor === undefined ? undefined : constantOf({ tensor });
  },
  Identity: ([of]) => of,
  Cast: ([of]) => of,
  Reshape: view,
  Transpose: view,
  Unsqueeze: view,
  Squeeze: view,
  Flatten: view,
  Dropout: view,
  Shape: () => SHAPE,
  Slice: plumbing,
  Concat: plumbing,
  Expand: plumbing,
  Range: plumbing,
  ConstantOfShape: plumbing,
  Equal: plumbing,
  GreaterOrEqual: plumbing,
  And: plumbing,
  Max: plumbing,
  GatherND: plumbing,
  Gather: ([data, index], { numbers }) => {
    if (data === undefined || index === undefined) return undefined;
    if (data.kind === 'norm')
      return numberOf(index) === 0 && numbers.get('axis') === 1 ? { kind: 'first', of: data } : undefined;
    const isTable = data.kind === 'constant' && data.weights.tensor.dimensions.length === 2 && !isPlain(data);
    if (!isTable) return plumbing([data, index], {} as OnnxNode);
    const { kind } = index;
    if (kind === 'ids' || kind === 'types') return { kind: 'lookup', table: data.weights, by: kind };
    return kind === 'shape' ? { kind: 'lookup', table: data.weights, by: 'places' } : undefined;
  },
  DequantizeLinear: ([of, scale, zero]) => {
    if (scale?.kind !== 'constant' || (zero !== undefined && zero.kind !== 'constant')) return undefined;
    const quantisation = { scale: scale.weights.tensor, zero: zero?.weights.tensor };
    if (of?.kind === 'constant') return constantOf({ ...of.weights, ...quantisation });
    return of?.kind === 'lookup' ? { ...of, table: { ...of.table, ...quantisation } } : undefined;
  },
  DynamicQuantizeLinear: ([of]) =>
    of === undefined
      ? undefined
      : [
          { kind: 'quantised', of },
          { kind: 'quantised-scale', of },
          { kind: 'quantised-zero', of },
        ],
  MatMulInteger: ([x, weights, xZero, zero]) => {
    if (x?.kind !== 'quantised' || weights?.kind !== 'constant' || xZero?.kind !== 'quantised-zero')
      return undefined;
    if (xZero.of !== x.of || (zero !== undefined && zero.kind !== 'constant')) return undefined;
    return { kind: 'whole-product', of: x.of, weights: { ...weights.weights, zero: zero?.weights.tensor } };
  },
  MatMul: ([a, b]) => {
    if (a === undefined || b === undefined) return undefined;
    if (b.kind === 'constant') return { kind: 'linear', of: a, weights: b.weights, bias: undefined };
    if (a.kind === 'shares') return { ...a, kind: 'attention', value: b };
    const [query, key] = [unscaled(a), unscaled(b)];
    return { kind: 'scores', query: query.of, key: key.of, factor: query.factor * key.factor };
  },
  Gemm: ([a, b, c], { numbers }) => {
    const isPlainProduct = (numbers.get('alpha') ?? 1) === 1 && (numbers.get('beta') ?? 1) === 1;
    if (a === undefined || b?.kind !== 'constant' || !isPlainProduct || (numbers.get('transA') ?? 0) !== 0)
      return undefined;
    const bias = biasOf(c);
    if (c !== undefined && bias === undefined) return undefined;
    return {
      kind: 'linear',
      of: a,
      weights: { ...b.weights, isTransposed: numbers.get('transB') === 1 },
      bias,
    };
  },
  Add: eitherOrder(added),
  Mul: eitherOrder(multiplied),
  Sub: (inputs, node) => {
    const [a, b] = inputs;
    if (a !== undefined && b?.kind === 'mean' && b.of === a) return { kind: 'centred', of: a };
    return plumbing(inputs, node);
  },
  Div: (inputs, node) => {
    const [a, b] = inputs;
    if (a?.kind === 'centred' && b?.kind === 'deviation' && a.of === b.of)
      return { kind: 'normal', of: a.of, epsilon: b.epsilon };
    const by = numberOf(b);
    if (a !== undefined && by !== undefined && !isPlain(a))
      return multipliedBy(a, 1 / by) ?? plumbing(inputs, node);
    if (a !== undefined && b?.kind === 'shape') return multipliedBy(a, Number.NaN) ?? plumbing(inputs, node);
    return plumbing(inputs, node);
  },
  Pow: (inputs, node) => {
    const [a, b] = inputs;
    if (a?.kind === 'centred') return numberOf(b) === 2 ? { kind: 'square', of: a.of } : undefined;
    return plumbing(inputs, node);
  },
  ReduceMean: ([of]) =>
    of === undefined
      ? undefined
      : of.kind === 'square'
        ? { kind: 'variance', of: of.of }
        : { kind: 'mean', of },
  Sqrt: (inputs, node) => {
    const [of] = inputs;
    return of?.kind === 'spread' ? { ...of, kind: 'deviation' } : plumbing(inputs, node);
  },
  LayerNormalization: ([of, weight, bias], { numbers }) => {
    const [rows, shifts] = [rowOf(weight), rowOf(bias)];
    if (of === undefined || rows === undefined || shifts === undefined || (numbers.get('axis') ?? -1) !== -1)
      return undefined;
    return { kind: 'norm', of, weight: rows, bias: shifts, epsilon: numbers.get('epsilon') ?? 1e-5 };
  },
  Erf: ([of]) => {
    if (of === undefined) return undefined;
    const { of: x, factor } = unscaled(of);
    return { kind: 'erf', of: x, factor };
  },
  Tanh: ([of]) => (of === undefined ? undefined : { kind: 'tanh', of }),
  Gelu: ([of], node) =>
    of === undefined || node.numbers.has('approximate') ? undefined : { kind: 'gelu', of, factor: 0.5 },
  Softmax: ([of], { numbers }) => {
    const axis = numbers.get('axis') ?? -1;
    return of?.kind === 'scores' && (axis === -1 || axis === 3) ? { ...of, kind: 'shares' } : undefined;
  },
  // Rows of which nothing is attended to: of padding alone, which is not computed here.
  IsNaN: ([of]) => (of?.kind === 'shares' ? { ...of, kind: 'no-numbers' } : undefined),
  Where: (inputs, node) => {
    const [condition, a, b] = inputs;
    if (condition?.kind === 'no-numbers' && numberOf(a) === 0 && b?.kind === 'shares') return b;
    if (condition?.kind !== 'mask' && condition?.kind !== 'shape') return undefined;
    if (a?.kind === 'scores' && numberOf(b) !== undefined) return a;
    if (b?.kind === 'scores' && numberOf(a) !== undefined) return b;
    return plumbing(inputs, node);
  },
};

function added(a: Value, b: Value): Value | undefined {
  const number = numberOf(b);
  if (a.kind === 'variance' && number !== undefined) return { kind: 'spread', of: a.of, epsilon: number };
  if (a.kind === 'weighed') {
    const bias = rowOf(b);
    if (bias !== undefined) return { kind: 'norm', of: a.of, weight: a.weight, bias, epsilon: a.epsilon };
  }
  if (a.kind === 'linear' && a.bias === undefined) {
    const bias = biasOf(b);
    if (bias !== undefined) return { ...a, bias };
  }
  if (a.kind === 'erf' && number === 1) {
    const isOfGelu = Math.abs(a.factor - Math.SQRT1_2) < 1e-4;
    return isOfGelu ? { kind: 'one-plus-erf', of: a.of, factor: 1 } : undefined;
  }
  if (a.kind === 'scores' && (b.kind === 'mask' || b.kind === 'shape')) return a;
  const terms = [a, b].flatMap((term) => (term.kind === 'sum' ? term.terms : [term]));
  return terms.every(isTerm) ? { kind: 'sum', terms } : undefined;
}

const isTerm = ({ kind }: Value): boolean => kind === 'lookup' || kind === 'linear' || kind === 'norm';

function multiplied(a: Value, b: Value): Value | undefined {
  if (a.kind === 'constant') return b.kind === 'constant' ? dequantised(a.weights, b.weights) : undefined;
  if (a.kind === 'normal') {
    const weight = rowOf(b);
    if (weight !== undefined) return { kind: 'weighed', of: a.of, epsilon: a.epsilon, weight };
  }
  if (a.kind === 'quantised-scale' && b.kind === 'constant' && !isTable(b.weights.tensor))
    return { kind: 'product-scale', of: a.of, scale: b.weights.tensor };
  if (a.kind === 'whole-product' && b.kind === 'product-scale' && a.of === b.of)
    return { kind: 'linear', of: a.of, weights: { ...a.weights, scale: b.scale }, bias: undefined };
  if (a.kind === 'one-plus-erf') {
    const { of, factor } = unscaled(b);
    if (of === a.of) return { kind: 'gelu', of, factor: factor * a.factor };
  }
  const number = numberOf(b);
  if (number !== undefined) return multipliedBy(a, number);
  return b.kind === 'shape' ? multipliedBy(a, Number.NaN) : undefined;
}

/** A value times a number; NaN stands for one that the graph computes from shapes. */
function multipliedBy(value: Value, number: number): Value | undefined {
  switch (value.kind) {
    case 'scores':
    case 'one-plus-erf':
    case 'gelu':
    case 'scaled':
      return { ...value, factor: value.factor * number };
    case 'linear':
    case 'norm':
      return { kind: 'scaled', of: value, factor: number };
    default:
      return undefined;
  }
}

/** Integers times their scale. */
function dequantised(integers: Weights, scale: Weights): Value | undefined {
  const { type } = integers.tensor;
  const isQuantised =
    (type === 'int8' || type === 'uint8') && isTable(integers.tensor) && integers.scale === undefined;
  return isQuantised && scale.tensor.type === 'float'
    ? constantOf({ ...integers, scale: scale.tensor })
    : undefined;
}

const isTable = ({ dimensions }: OnnxTensor): boolean =>
  dimensions.length === 2 && dimensions.every((size) => size > 1);

function unscaled(value: Value): { readonly of: Value; readonly factor: number } {
  return value.kind === 'scaled' ? value : { of: value, factor: 1 };
}
