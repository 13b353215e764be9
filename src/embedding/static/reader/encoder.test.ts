import { beforeAll, describe, expect, test } from 'vitest';
import type { Matrix, Normalisation } from '../../encoder/kernel/encoder-layers.js';
import { BUILTIN_MODEL_FOLDER, readModelCard } from '../model-folder.js';
import { loadTokenTable, type TokenTable } from '../static-embedder.js';
import { Encoder } from './encoder.js';
import { type EncoderModel, readEncoderModel } from './encoder-model.js';

let model: EncoderModel;
let table: TokenTable;
let encoder: Encoder;

beforeAll(async () => {
  model = await readEncoderModel();
  table = await loadTokenTable(BUILTIN_MODEL_FOLDER, await readModelCard(BUILTIN_MODEL_FOLDER));
  encoder = new Encoder(model, table);
});

const tokens = (count: number): Int32Array =>
  Int32Array.from({ length: count }, (_, at) =>
    at === 0 ? 101 : at === count - 1 ? 102 : 1000 + ((at * 7919) % 28_000),
  );

const cosine = (a: ArrayLike<number>, b: ArrayLike<number>): number =>
  Array.from(a).reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0);

describe('the encoder', () => {
  test.each([2, 3, 16, 17])('gives what the same network gives in floating point: %d tokens', (count) => {
    const ids = tokens(count);
    const vector = encoder.encode(ids);
    expect(cosine(vector, vector)).toBeCloseTo(1, 5);
    expect(cosine(vector, inFloatingPoint(ids))).toBeGreaterThan(0.9999);
  });

  test('gives a text the same vector whatever it read before', () => {
    const before = encoder.encode(tokens(9));
    const longest = encoder.encode(tokens(model.maxTokens));
    expect(longest.every(Number.isFinite)).toBe(true);
    expect(encoder.encode(tokens(9))).toEqual(before);
  });

  test('does without tokens that weigh nothing', () => {
    expect(encoder.encode(new Int32Array(4)).every(Number.isFinite)).toBe(true);
  });
});

/** The network written down plainly, a number at a time. */
function inFloatingPoint(ids: Int32Array): number[] {
  const rows = [...ids].map((id) =>
    Array.from(
      { length: model.tableWidth },
      (_, d) =>
        ((table.rows[id * model.tableWidth + d] ?? 0) * (table.scales[id] ?? 0)) / model.tableDeviation,
    ),
  );
  const places = floats(model.positions, model.maxTokens * model.width);
  let state = rows.map((row, at) =>
    normalised(
      sum(times(model.enter, row), [...places.subarray(at * model.width, (at + 1) * model.width)]),
      model.norm,
    ),
  );
  for (const { qkv, out, norm, up, down, lastNorm } of model.layers) {
    const mixed = attention(state.map((row) => times(qkv, row)));
    state = state.map((row, at) => normalised(sum(row, times(out, mixed[at] ?? [])), norm));
    state = state.map((row) => normalised(sum(row, times(down, times(up, row).map(gelu))), lastNorm));
  }
  return unit(sum(times(model.leave, meanOf(state)), times(model.skip, unit(meanOf(rows)))));
}

const floats = (at: number, count: number): Float32Array =>
  new Float32Array(model.weights.buffer, model.weights.byteOffset + at, count);

function times({ outputs, width, rows, scales, bias }: Matrix, x: readonly number[]): number[] {
  const integers = new Int8Array(model.weights.buffer, model.weights.byteOffset + rows, outputs * width);
  return Array.from({ length: outputs }, (_, row) => {
    let product = 0;
    for (let d = 0; d < width; d++) product += (integers[row * width + d] ?? 0) * (x[d] ?? 0);
    const added = bias === undefined ? 0 : (floats(bias, outputs)[row] ?? 0);
    return product * (floats(scales, outputs)[row] ?? 0) + added;
  });
}

function attention(qkv: readonly (readonly number[])[]): number[][] {
  const { width, heads } = model;
  const size = width / heads;
  return qkv.map((own) =>
    Array.from({ length: heads }, (_, head) => {
      const part = (row: readonly number[], which: number): readonly number[] =>
        row.slice(which * width + head * size, which * width + (head + 1) * size);
      const weights = qkv.map((other) => Math.exp(cosine(part(own, 0), part(other, 1)) / Math.sqrt(size)));
      const total = weights.reduce((a, b) => a + b, 0);
      return Array.from({ length: size }, (_, d) =>
        qkv.reduce((mixed, other, at) => mixed + ((weights[at] ?? 0) / total) * (part(other, 2)[d] ?? 0), 0),
      );
    }).flat(),
  );
}

function normalised(row: readonly number[], { weight, bias }: Normalisation): number[] {
  const mean = row.reduce((a, b) => a + b, 0) / row.length;
  const variance = row.reduce((a, b) => a + (b - mean) ** 2, 0) / row.length;
  const [by, added] = [floats(weight, row.length), floats(bias, row.length)];
  return row.map(
    (value, at) => ((value - mean) / Math.sqrt(variance + model.epsilon)) * (by[at] ?? 0) + (added[at] ?? 0),
  );
}

/** With the error function, by Abramowitz and Stegun 7.1.26. */
function gelu(x: number): number {
  const t = 1 / (1 + (0.3275911 * Math.abs(x)) / Math.SQRT2);
  const tail =
    ((((1.061405429 * t - 1.453152027) * t + 1.421413741) * t - 0.284496736) * t + 0.254829592) *
    t *
    Math.exp((-x * x) / 2);
  return (x / 2) * (1 + Math.sign(x) * (1 - tail));
}

const sum = (a: readonly number[], b: readonly number[]): number[] =>
  a.map((value, at) => value + (b[at] ?? 0));

const meanOf = (rows: readonly (readonly number[])[]): number[] =>
  (rows[0] ?? []).map((_, d) => rows.reduce((total, row) => total + (row[d] ?? 0), 0) / rows.length);

const unit = (vector: readonly number[]): number[] =>
  vector.map((value) => value / (Math.hypot(...vector) || 1));
