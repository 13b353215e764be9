import { endianness } from 'node:os';
import { invalidModel, type ModelCard, readModelFile, SCALES_FILE, VECTORS_FILE } from './model-folder.js';

/** The weights of a static model: a signed 8-bit row a token, times one scale a row. */
export interface TokenTable {
  readonly dimensions: number;
  /** Row-major, `vocabularySize` rows of `dimensions`. */
  readonly rows: Int8Array;
  /** Dequantisation scale and token weight in one; 0 where a token contributes nothing. */
  readonly scales: Float32Array;
}

/** Reads the weights a card describes. */
export async function loadTokenTable(folder: string, card: ModelCard): Promise<TokenTable> {
  const [vectors, scaleBytes] = await Promise.all([
    readModelFile(folder, VECTORS_FILE),
    readModelFile(folder, SCALES_FILE),
  ]);
  if (endianness() === 'BE') scaleBytes.swap32();
  const scales = new Float32Array(new Uint8Array(scaleBytes).buffer);
  if (vectors.length !== card.vocabularySize * card.dimensions || scales.length !== card.vocabularySize) {
    throw invalidModel(folder, 'its weights changed while they were read');
  }
  if (!scales.every(Number.isFinite))
    throw invalidModel(folder, `${SCALES_FILE} holds a number that is not finite`);
  const rows = new Int8Array(vectors.buffer, vectors.byteOffset, vectors.length);
  return { dimensions: card.dimensions, rows, scales };
}

/** How much a token counts that stands in a text this many times. */
export type TermFrequency = (count: number) => number;

export const TERM_FREQUENCIES: Readonly<Record<ModelCard['termFrequency'], TermFrequency>> = {
  log: (count) => 1 + Math.log(count),
  linear: (count) => count,
};

/** Pools token ids into one vector, with scratch space that is kept from text to text. */
export class TokenPooler {
  readonly #table: TokenTable;
  readonly #weigh: TermFrequency;
  readonly #counts: Uint32Array;
  readonly #sum: Float64Array;

  constructor(table: TokenTable, weigh: TermFrequency) {
    this.#table = table;
    this.#weigh = weigh;
    this.#counts = new Uint32Array(table.scales.length);
    this.#sum = new Float64Array(table.dimensions);
  }

  /**
   * Unit-length sum over the distinct ids of weight x scale x row; all zero where nothing contributes.
   * @param factors Further weight of each token. @default 1
   */
  pool(ids: Int32Array, factors?: Float32Array): Float32Array {
    const counts = this.#counts;
    this.#sum.fill(0);
    for (const id of ids) counts[id] = (counts[id] ?? 0) + 1;
    for (const id of ids) {
      const count = counts[id] ?? 0;
      // Zero when the id was met before in this loop.
      if (count === 0) continue;
      counts[id] = 0;
      this.#addRow(id, this.#weigh(count) * (this.#table.scales[id] ?? 0) * (factors?.[id] ?? 1));
    }
    return normalised(this.#sum);
  }

  #addRow(id: number, weight: number): void {
    if (weight === 0) return;
    const { rows, dimensions } = this.#table;
    const sum = this.#sum;
    const start = id * dimensions;
    for (let i = 0; i < dimensions; i++) sum[i] = (sum[i] ?? 0) + weight * (rows[start + i] ?? 0);
  }
}

function normalised(sum: Float64Array): Float32Array {
  let squares = 0;
  for (const value of sum) squares += value * value;
  const vector = new Float32Array(sum.length);
  if (squares === 0) return vector;
  const factor = 1 / Math.sqrt(squares);
  for (let i = 0; i < sum.length; i++) vector[i] = (sum[i] ?? 0) * factor;
  return vector;
}
