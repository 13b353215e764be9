import {
  type EncoderShape,
  isProjectable,
  type Matrix,
  type Normalisation,
} from '../kernel/encoder-layers.js';
import { readOnnxGraph } from '../onnx/onnx-graph.js';
import { findParts, floatsOf } from './find-parts.js';
import type { Linear, Norm, Weights } from './graph-values.js';

/** What a network's `config.json` says of its shape. */
export interface BertConfig {
  readonly heads: number;
  /** Types of tokens. */
  readonly typeCount: number;
}

/** Vectors of tokens by their ids: integers less `zero`, times the scale of a row, or of all. */
export interface WordTable {
  readonly values: Int8Array | Uint8Array | Float32Array;
  readonly zero: number;
  readonly scales: Float32Array;
}

/** A BERT network as the kernel runs it; plain data, which threads share where the file's bytes are shared. */
export interface BertNetwork extends EncoderShape {
  readonly words: WordTable;
  /** Where the vectors of the places, with that of the first type added, stand among the weights, in bytes. */
  readonly places: number;
  readonly norm: Normalisation;
  /** What the vector of a token has more where it is of the second type, as in the second text of a pair. */
  readonly secondType: Float32Array | undefined;
  /** Of a sequence classifier: what makes logits of the first token. */
  readonly head: { readonly pooler: Dense; readonly classifier: Dense } | undefined;
}

/** A product in floating point, an output a row. */
export interface Dense {
  readonly rows: Float32Array;
  readonly bias: Float32Array;
}

/** Largest magnitude of an 8-bit weight. */
const MOST_WEIGHT = 127;
const HEAD_NUMBERS = 32;

/**
 * Makes the weights that the kernel runs of an ONNX file: 8-bit integers as they are, others rounded to such, a scale an output.
 *
 * @throws Error that says why the kernel cannot run the network
 */
export function readBertNetwork(bytes: Uint8Array, { heads, typeCount }: BertConfig): BertNetwork {
  const graph = readOnnxGraph(bytes);
  const parts = findParts(graph, { heads, typeCount });
  const [vocabularySize = 0, width = 0] = parts.words.tensor.dimensions;
  const [maxTokens = 0] = parts.places.tensor.dimensions;
  if (width % (heads * HEAD_NUMBERS) !== 0 || parts.layers.length === 0)
    throw new Error(`a width of ${width} in ${heads} heads is not built`);
  const epsilon = parts.norm.epsilon;
  const weights = new WeightWriter();
  const norm = ({ weight, bias, epsilon: own }: Norm): Normalisation => {
    if (own !== epsilon) throw new Error('its normalisations differ');
    return { weight: weights.floats(floatsOf(weight), width), bias: weights.floats(floatsOf(bias), width) };
  };
  const places = rowsOf(parts.places, maxTokens, width);
  const types = parts.types === undefined ? undefined : rowsOf(parts.types, typeCount, width);
  const secondType = parts.takesTypes ? types?.slice(width, 2 * width) : undefined;
  places.forEach((value, at) => {
    places[at] = value + (types?.[at % width] ?? 0);
  });
  const inner = sizeOf(parts.layers[0]?.up).outputs;
  const layers = parts.layers.map((layer) => {
    const expected = [layer.query, layer.key, layer.value, layer.out].every((part) =>
      isOf(part, width, width),
    );
    if (!expected || !isOf(layer.up, inner, width) || !isOf(layer.down, width, inner))
      throw new Error('its layers differ in their widths');
    return {
      qkv: weights.matrix([layer.query, layer.key, layer.value]),
      out: weights.matrix([layer.out]),
      norm: norm(layer.norm),
      up: weights.matrix([layer.up]),
      down: weights.matrix([layer.down]),
      lastNorm: norm(layer.lastNorm),
    };
  });
  return {
    maxTokens,
    width,
    heads,
    inner,
    epsilon,
    layers,
    words: tableOf(parts.words, vocabularySize, width),
    places: weights.floats(places, maxTokens * width),
    norm: norm(parts.norm),
    secondType:
      secondType?.length === width ? secondType.map((value, d) => value - (types?.[d] ?? 0)) : undefined,
    head: parts.head && {
      pooler: denseOf(parts.head.pooler, width),
      classifier: denseOf(parts.head.classifier, width),
    },
    weights: weights.bytes(),
  };
}

function sizeOf(linear: Linear | undefined): { readonly outputs: number; readonly width: number } {
  const [rows = 0, columns = 0] = linear?.weights.tensor.dimensions ?? [];
  return linear?.weights.isTransposed === true
    ? { outputs: rows, width: columns }
    : { outputs: columns, width: rows };
}

function isOf(linear: Linear, outputs: number, width: number): boolean {
  const size = sizeOf(linear);
  return size.outputs === outputs && size.width === width;
}

/** Scale and zero of each row of a table or each output of a matrix. */
function quantisationOf(
  { tensor, scale, zero }: Weights,
  count: number,
): {
  readonly scales: Float32Array;
  readonly zeros: readonly number[];
} {
  const scales = scale === undefined ? Float32Array.of(1) : floatsOf(scale);
  const zeros = Array.from(zero?.values ?? [0], Number);
  const isQuantised = tensor.values instanceof Int8Array || tensor.values instanceof Uint8Array;
  const fits = ({ length }: ArrayLike<number>): boolean => length === 1 || length === count;
  if (isQuantised !== (scale !== undefined) || !fits(scales) || !fits(zeros))
    throw new Error(`the weights ${tensor.name} are quantised in another way`);
  return { scales, zeros };
}

function tableOf(table: Weights, count: number, width: number): WordTable {
  const { scales, zeros } = quantisationOf(table, count);
  const { values } = table.tensor;
  const zero = zeros[0] ?? 0;
  if (
    values === undefined ||
    values instanceof BigInt64Array ||
    values instanceof Int32Array ||
    values.length !== count * width
  )
    throw new Error('the vectors of its words stand in another file or format');
  if (zeros.some((other) => other !== zero))
    throw new Error('the vectors of its words are quantised in another way');
  return { values, zero, scales: Float32Array.from(scales) };
}

/** The rows of a small table, as numbers. */
function rowsOf(table: Weights, count: number, width: number): Float32Array {
  const { values, zero, scales } = tableOf(table, table.tensor.dimensions[0] ?? 0, width);
  return Float32Array.from(
    { length: count * width },
    (_, at) => ((values[at] ?? 0) - zero) * (scales[scales.length === 1 ? 0 : Math.floor(at / width)] ?? 0),
  );
}

/** Lays weights out one behind the other, each at an address that the kernel reads at once. */
class WeightWriter {
  readonly #parts: { readonly at: number; readonly bytes: Uint8Array }[] = [];
  #end = 0;

  /** @throws Error where there are not as many */
  floats(values: Float32Array, count: number): number {
    if (values.length !== count) throw new Error('its layers differ in their widths');
    return this.#take(new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
  }

  /** Outputs of several products of the same rows, one below the other. */
  matrix(linears: readonly Linear[]): Matrix {
    const width = sizeOf(linears[0]).width;
    const outputs = linears.reduce((sum, linear) => sum + sizeOf(linear).outputs, 0);
    if (!isProjectable(outputs, width)) throw new Error(`a matrix of ${outputs} by ${width} is not built`);
    const rows = new Int8Array(outputs * width);
    const scales = new Float32Array(outputs);
    const bias = new Float32Array(outputs);
    let from = 0;
    for (const linear of linears) {
      writeRows(linear, rows.subarray(from * width), scales.subarray(from));
      if (linear.bias !== undefined) bias.set(floatsOf(linear.bias), from);
      from += sizeOf(linear).outputs;
    }
    return {
      outputs,
      width,
      rows: this.#take(new Uint8Array(rows.buffer)),
      scales: this.floats(scales, outputs),
      bias: this.floats(bias, outputs),
    };
  }

  bytes(): Uint8Array {
    const all = new Uint8Array(new SharedArrayBuffer(this.#end));
    for (const { at, bytes } of this.#parts) all.set(bytes, at);
    return all;
  }

  #take(bytes: Uint8Array): number {
    const at = Math.ceil(this.#end / 64) * 64;
    this.#parts.push({ at, bytes });
    this.#end = at + bytes.length;
    return at;
  }
}

/** Writes the outputs of a product as rows of 8-bit integers: those of the file where they fit, else the nearest of a scale of their own. */
function writeRows(linear: Linear, rows: Int8Array, scales: Float32Array): void {
  const { width } = sizeOf(linear);
  for (const { output, row, scale } of outputsOf(linear)) {
    const most = row.reduce((found, value) => Math.max(found, Math.abs(value)), 0);
    const isWhole = linear.weights.scale !== undefined && most <= MOST_WEIGHT + 1;
    const step = isWhole || most === 0 ? 1 : most / MOST_WEIGHT;
    scales[output] = scale * step;
    // An 8-bit integer of 128 does not exist, one of -128 does.
    for (let i = 0; i < width; i++)
      rows[output * width + i] = Math.min(MOST_WEIGHT, Math.round((row[i] ?? 0) / step));
  }
}

function denseOf(linear: Linear, expected: number): Dense {
  const { outputs, width } = sizeOf(linear);
  if (width !== expected) throw new Error('its layers differ in their widths');
  const rows = new Float32Array(outputs * width);
  for (const { output, row, scale } of outputsOf(linear))
    rows.set(
      row.map((value) => value * scale),
      output * width,
    );
  const bias = linear.bias === undefined ? new Float32Array(outputs) : floatsOf(linear.bias).slice();
  if (bias.length !== outputs) throw new Error('its layers differ in their widths');
  return { rows, bias };
}

interface Output {
  readonly output: number;
  /** Weights less their zero; valid until the next output. */
  readonly row: Float32Array;
  readonly scale: number;
}

/** The outputs of a product, one after the other. */
function* outputsOf(linear: Linear): Generator<Output> {
  const { outputs, width } = sizeOf(linear);
  const { tensor, isTransposed = false } = linear.weights;
  const { values } = tensor;
  if (values === undefined || values instanceof BigInt64Array)
    throw new Error(`the weights ${tensor.name} stand in another file or format`);
  const { scales, zeros } = quantisationOf(linear.weights, outputs);
  const row = new Float32Array(width);
  for (let output = 0; output < outputs; output++) {
    const zero = zeros[zeros.length === 1 ? 0 : output] ?? 0;
    for (let i = 0; i < width; i++)
      row[i] = (values[isTransposed ? output * width + i : i * outputs + output] ?? 0) - zero;
    yield { output, row, scale: scales[scales.length === 1 ? 0 : output] ?? 0 };
  }
}
