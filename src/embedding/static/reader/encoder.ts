import type { TokenTable } from '../token-table.js';
import { ENCODER_KERNEL_MODULE } from './encoder-kernel-module.js';
import type { EncoderLayer, EncoderModel, Matrix, Normalisation } from './encoder-model.js';

/** Numbers of a head, as the kernel has them. */
const HEAD = 32;
/** Texts are projected so many tokens at a time: their numbers stay in the first cache beside four rows of a matrix. */
const TILE = 16;
const FLOAT = 4;
const PAGE = 65_536;

/** See `encoder-kernel.wat`; every place is an address in bytes. */
interface Kernel {
  readonly memory: WebAssembly.Memory;
  quantise(x: number, rows: number, width: number, to: number, scales: number): void;
  project(
    ...given: readonly [x: number, xScales: number, rows: number, width: number, ...matrix: readonly number[]]
  ): void;
  gelu(x: number, count: number): void;
  normalise(
    ...given: readonly [x: number, add: number, rows: number, width: number, ...norm: readonly number[]]
  ): void;
  attend(
    ...given: readonly [q: number, stride: number, width: number, rows: number, ...space: readonly number[]]
  ): void;
}

/**
 * A transformer encoder (Devlin et al. 2019) over the token table of the built-in model, its matrices of 8-bit integers (a scale a row), computed by
 * WebAssembly. The vector of a text is the unit sum of the mean of the last layer and of one matrix times the unit mean of
 * the table's rows. 200 tokens take some 40 ms of one core with three layers of width 384.
 */
export class Encoder {
  readonly #model: EncoderModel;
  readonly #table: TokenTable;
  readonly #kernel: Kernel;
  readonly #at: ReturnType<typeof spaceOf>;

  constructor(model: EncoderModel, table: TokenTable) {
    this.#model = model;
    this.#table = table;
    this.#at = spaceOf(model);
    const module = new WebAssembly.Module(Buffer.from(ENCODER_KERNEL_MODULE, 'base64'));
    this.#kernel = new WebAssembly.Instance(module).exports as unknown as Kernel;
    this.#kernel.memory.grow(Math.ceil(this.#at.end / PAGE));
    new Uint8Array(this.#kernel.memory.buffer).set(model.weights);
  }

  /** @param ids Tokens between `[CLS]` and `[SEP]`, these included, `maxTokens` at most. @returns A vector of length 1. */
  encode(ids: Int32Array): Float32Array {
    const { width, layers, enter, norm, leave, skip, positions } = this.#model;
    const { state } = this.#at;
    const count = ids.length;
    // The kernel takes rows in pairs; nobody looks at the last one of an odd number.
    const rows = count + (count % 2);
    const mean = this.#lookUp(ids);
    this.#projectIntegers(enter, rows, state);
    this.#normalise(positions, rows, norm);
    for (const layer of layers) this.#runLayer(layer, count, rows);
    const left = this.#projectVector(leave, meanRow(this.#floats(state, count * width), width));
    const skipped = this.#projectVector(skip, unit(mean));
    return unit(left.map((value, i) => value + (skipped[i] ?? 0)));
  }

  /** Writes the rows of the tokens as integers, and gives their mean. */
  #lookUp(ids: Int32Array): Float32Array {
    const { tableWidth, tableDeviation } = this.#model;
    const { rows, scales } = this.#table;
    const integers = new Int16Array(this.#kernel.memory.buffer, this.#at.integers, ids.length * tableWidth);
    const integerScales = this.#floats(this.#at.scales, ids.length);
    const mean = new Float32Array(tableWidth);
    for (const [i, id] of ids.entries()) {
      const scale = (scales[id] ?? 0) / tableDeviation;
      const row = rows.subarray(id * tableWidth, (id + 1) * tableWidth);
      integers.set(row, i * tableWidth);
      integerScales[i] = scale;
      for (let d = 0; d < tableWidth; d++) mean[d] = (mean[d] ?? 0) + (scale * (row[d] ?? 0)) / ids.length;
    }
    return mean;
  }

  #runLayer({ qkv, out, norm, up, down, lastNorm }: EncoderLayer, count: number, rows: number): void {
    const { state, wide, mixed, change } = this.#at;
    this.#project(qkv, state, rows, wide);
    this.#attend(count);
    this.#project(out, mixed, rows, change);
    this.#normalise(change, rows, norm);
    this.#project(up, state, rows, wide);
    this.#kernel.gelu(wide, rows * up.outputs);
    this.#project(down, wide, rows, change);
    this.#normalise(change, rows, lastNorm);
  }

  #attend(count: number): void {
    const { width, heads } = this.#model;
    const { wide, mixed, keys, scores } = this.#at;
    const padded = Math.ceil(count / 16) * 16;
    for (let head = 0; head < heads; head++) {
      const from = head * HEAD * FLOAT;
      this.#kernel.attend(
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

  #normalise(add: number, rows: number, { weight, bias }: Normalisation): void {
    const { width, epsilon } = this.#model;
    this.#kernel.normalise(this.#at.state, add, rows, width, weight, bias, epsilon);
  }

  #project(matrix: Matrix, x: number, rows: number, y: number): void {
    const { integers, scales } = this.#at;
    this.#kernel.quantise(x, rows, matrix.width, integers, scales);
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

  #projectVector(matrix: Matrix, vector: Float32Array): Float32Array {
    const { wide, change } = this.#at;
    this.#floats(wide, 2 * matrix.width).fill(0);
    this.#floats(wide, matrix.width).set(vector);
    this.#project(matrix, wide, 2, change);
    return this.#floats(change, matrix.outputs).slice();
  }

  #floats(at: number, count: number): Float32Array {
    return new Float32Array(this.#kernel.memory.buffer, at, count);
  }
}

/** Where in memory what stands, behind the weights. */
function spaceOf({ weights, maxTokens, width, inner, tableWidth, dimensions }: EncoderModel) {
  let end = weights.length;
  const take = (bytes: number): number => {
    const at = Math.ceil(end / 64) * 64;
    end = at + bytes;
    return at;
  };
  const widest = Math.max(3 * width, inner);
  const space = {
    /** In place of a bias. */
    zeros: take(Math.max(widest, dimensions) * FLOAT),
    /** The vectors of the tokens, from layer to layer. */
    state: take(maxTokens * width * FLOAT),
    wide: take(maxTokens * widest * FLOAT),
    mixed: take(maxTokens * width * FLOAT),
    change: take(maxTokens * Math.max(width, dimensions) * FLOAT),
    integers: take(maxTokens * Math.max(widest, tableWidth) * 2),
    scales: take(maxTokens * FLOAT),
    keys: take(HEAD * maxTokens * FLOAT),
    scores: take(maxTokens * FLOAT),
  };
  return { ...space, end };
}

function meanRow(rows: Float32Array, width: number): Float32Array {
  const mean = new Float32Array(width);
  const share = width / rows.length;
  for (let start = 0; start < rows.length; start += width)
    for (let d = 0; d < width; d++) mean[d] = (mean[d] ?? 0) + share * (rows[start + d] ?? 0);
  return mean;
}

function unit(vector: Float32Array): Float32Array {
  const length = Math.hypot(...vector);
  return length === 0 ? vector : vector.map((value) => value / length);
}
