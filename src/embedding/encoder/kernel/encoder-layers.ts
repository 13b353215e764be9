import { ENCODER_KERNEL_MODULE } from './encoder-kernel-module.js';

/** Texts are projected so many tokens at a time: their numbers stay in the first cache beside four rows of a matrix. */
const TILE = 16;
const FLOAT = 4;
const PAGE = 65_536;
/** Largest magnitude of an activation as an integer, and how many products of it with an 8-bit weight stay below 2^31. */
const MOST = 8_191;
const MOST_WIDTH = 1_536;

/** A matrix of 8-bit integers, an output a row, with where it, its scales and its bias stand among the weights, in bytes. */
export interface Matrix {
  readonly outputs: number;
  readonly width: number;
  readonly rows: number;
  readonly scales: number;
  /** Absent where nothing is added. */
  readonly bias: number | undefined;
}

/** Weight and bias of a normalisation: where they stand among the weights, in bytes. */
export interface Normalisation {
  readonly weight: number;
  readonly bias: number;
}

export interface EncoderLayer {
  /** Queries, keys and values, one below the other. */
  readonly qkv: Matrix;
  readonly out: Matrix;
  readonly norm: Normalisation;
  readonly up: Matrix;
  readonly down: Matrix;
  readonly lastNorm: Normalisation;
}

/** What the layers of an encoder are. */
export interface EncoderShape {
  readonly weights: Uint8Array;
  /** Most tokens of a text. */
  readonly maxTokens: number;
  /** Numbers of a token between layers, a multiple of 32. */
  readonly width: number;
  readonly heads: number;
  /** Numbers of a token within a layer. */
  readonly inner: number;
  /** Added to the variance by a normalisation. */
  readonly epsilon: number;
  readonly layers: readonly EncoderLayer[];
  /** Widest input or output of other matrices. @default that of the layers */
  readonly otherWidth?: number;
}

/** Whether the kernel takes a matrix of this shape. */
export const isProjectable = (outputs: number, width: number): boolean =>
  outputs % 4 === 0 && width % 8 === 0;

/** See `encoder-kernel.wat`; every place is an address in bytes. */
interface Kernel {
  readonly memory: WebAssembly.Memory;
  quantise(x: number, rows: number, width: number, most: number, to: number, scales: number): void;
  project(
    ...given: readonly [x: number, xScales: number, rows: number, width: number, ...matrix: readonly number[]]
  ): void;
  gelu(x: number, count: number): void;
  normalise(
    ...given: readonly [x: number, add: number, rows: number, width: number, ...norm: readonly number[]]
  ): void;
  attend(
    ...given: readonly [head: number, factor: number, q: number, stride: number, ...space: readonly number[]]
  ): void;
}

/**
 * The layers of a transformer encoder (Devlin et al. 2019), their matrices of 8-bit integers (a scale a row), computed by
 * WebAssembly in one memory. Addresses are those of that memory.
 */
export class EncoderLayers {
  /** Where the vectors of the tokens stand, `width` numbers each, from layer to layer. */
  readonly state: number;
  readonly #shape: EncoderShape;
  readonly #kernel: Kernel;
  readonly #at: ReturnType<typeof spaceOf>;

  constructor(shape: EncoderShape) {
    this.#shape = shape;
    this.#at = spaceOf(shape);
    this.state = this.#at.state;
    const module = new WebAssembly.Module(Buffer.from(ENCODER_KERNEL_MODULE, 'base64'));
    this.#kernel = new WebAssembly.Instance(module).exports as unknown as Kernel;
    this.#kernel.memory.grow(Math.ceil(this.#at.end / PAGE));
    new Uint8Array(this.#kernel.memory.buffer).set(shape.weights);
  }

  /** Runs all layers over the first tokens of the state. */
  run(count: number): void {
    for (const layer of this.#shape.layers) this.#runLayer(layer, count, evenly(count));
  }

  /** Numbers that stand somewhere. */
  floats(at: number, count: number): Float32Array {
    return new Float32Array(this.#kernel.memory.buffer, at, count);
  }

  /** Where `projectIntegers` finds rows, and their scales. */
  integersOf(count: number, width: number): { readonly rows: Int16Array; readonly scales: Float32Array } {
    const { integers, scales } = this.#at;
    return {
      rows: new Int16Array(this.#kernel.memory.buffer, integers, count * width),
      scales: this.floats(scales, count),
    };
  }

  /** Products of a matrix with the rows that were written as integers, into the state. */
  projectIntegers(matrix: Matrix, count: number): void {
    this.#projectIntegers(matrix, evenly(count), this.state);
  }

  projectVector(matrix: Matrix, vector: Float32Array): Float32Array {
    const { wide, change } = this.#at;
    this.floats(wide, 2 * matrix.width).fill(0);
    this.floats(wide, matrix.width).set(vector);
    this.#project(matrix, wide, 2, change);
    return this.floats(change, matrix.outputs).slice();
  }

  /** Adds rows that stand somewhere to those of the state, and normalises the sums. */
  normalise(add: number, count: number, { weight, bias }: Normalisation): void {
    const { width, epsilon } = this.#shape;
    this.#kernel.normalise(this.state, add, evenly(count), width, weight, bias, epsilon);
  }

  #runLayer({ qkv, out, norm, up, down, lastNorm }: EncoderLayer, count: number, rows: number): void {
    const { wide, mixed, change } = this.#at;
    this.#project(qkv, this.state, rows, wide);
    this.#attend(count);
    this.#project(out, mixed, rows, change);
    this.normalise(change, rows, norm);
    this.#project(up, this.state, rows, wide);
    this.#kernel.gelu(wide, rows * up.outputs);
    this.#project(down, wide, rows, change);
    this.normalise(change, rows, lastNorm);
  }

  #attend(count: number): void {
    const { width, heads } = this.#shape;
    const { wide, mixed, keys, scores } = this.#at;
    const size = width / heads;
    const padded = Math.ceil(count / 16) * 16;
    for (let head = 0; head < heads; head++) {
      const from = head * size * FLOAT;
      this.#kernel.attend(
        size * FLOAT,
        1 / Math.sqrt(size),
        wide + from,
        3 * width * FLOAT,
        width * FLOAT,
        count,
        padded,
        keys,
        scores,
        mixed + from,
      );
    }
  }

  #project(matrix: Matrix, x: number, rows: number, y: number): void {
    const { integers, scales } = this.#at;
    const most = matrix.width <= MOST_WIDTH ? MOST : Math.floor((MOST * MOST_WIDTH) / matrix.width);
    this.#kernel.quantise(x, rows, matrix.width, most, integers, scales);
    this.#projectIntegers(matrix, rows, y);
  }

  #projectIntegers(matrix: Matrix, rows: number, y: number): void {
    const { width, outputs, bias = this.#at.zeros } = matrix;
    const { integers, scales } = this.#at;
    for (let row = 0; row < rows; row += TILE)
      this.#kernel.project(
        integers + row * width * 2,
        scales + row * FLOAT,
        Math.min(TILE, rows - row),
        width,
        matrix.rows,
        matrix.scales,
        outputs,
        bias,
        y + row * outputs * FLOAT,
      );
  }
}

/** The kernel takes rows in pairs; nobody looks at the last one of an odd number. */
const evenly = (count: number): number => count + (count % 2);

/** Where in memory what stands, behind the weights. */
function spaceOf({ weights, maxTokens, width, heads, inner, otherWidth = width }: EncoderShape) {
  let end = weights.length;
  const take = (bytes: number): number => {
    const at = Math.ceil(end / 64) * 64;
    end = at + bytes;
    return at;
  };
  const rows = evenly(maxTokens);
  const widest = Math.max(3 * width, inner, otherWidth);
  const space = {
    /** In place of a bias. */
    zeros: take(widest * FLOAT),
    state: take(rows * width * FLOAT),
    wide: take(rows * widest * FLOAT),
    mixed: take(rows * width * FLOAT),
    change: take(rows * Math.max(width, otherWidth) * FLOAT),
    integers: take(rows * widest * 2),
    scales: take(rows * FLOAT),
    keys: take((width / heads) * Math.ceil(rows / 16) * 16 * FLOAT),
    scores: take(Math.ceil(rows / 16) * 16 * FLOAT),
  };
  return { ...space, end };
}

/** The mean of rows that stand one after the other. */
export function meanRow(rows: Float32Array, width: number): Float32Array {
  const mean = new Float32Array(width);
  const share = width / rows.length;
  for (let start = 0; start < rows.length; start += width)
    for (let d = 0; d < width; d++) mean[d] = (mean[d] ?? 0) + share * (rows[start + d] ?? 0);
  return mean;
}

/** A vector at length 1; one of nothing stays. */
export function unit(vector: Float32Array): Float32Array {
  const length = Math.hypot(...vector);
  return length === 0 ? vector : vector.map((value) => value / length);
}
