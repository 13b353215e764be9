import { endianness } from 'node:os';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { throwIfAborted } from '../../core/errors.js';
import { sharedLoad } from '../../core/shared-load.js';
import type { Embedder, EmbeddingKind, ModelIdentity, QueryAdaptation } from '../embedder.js';
import { WordPieceTokenizer } from '../encoder/word-piece/word-piece-tokenizer.js';
import {
  COLLECTION_FIT_VERSION,
  type CollectionFit,
  decodeCollectionFit,
  encodeCollectionFit,
  learnCollectionFit,
  mapQuery,
} from './collection-fit.js';
import {
  BUILTIN_MODEL_FOLDER,
  invalidModel,
  type ModelCard,
  readModelCard,
  readModelFile,
  readVocabulary,
  revisionOf,
  SCALES_FILE,
  VECTORS_FILE,
} from './model-folder.js';
import { readTokenIdf } from './token-idf.js';

// About 20 ms of work: other tasks get their turn between batches.
const MAX_BATCH = 256;

export interface StaticEmbedderOptions {
  /** Folder of the model. @default the model that ships with the package */
  readonly folder?: string;
}

/**
 * The embedder that needs no download, server or native code: a table of token vectors, a text being the unit-length
 * weighted sum of its distinct tokens. Reads the tokenizer now and the vectors on first use.
 * @throws RAGError `MODEL_NOT_FOUND` or `MODEL_INVALID`.
 */
export async function createStaticEmbedder(options: StaticEmbedderOptions = {}): Promise<Embedder> {
  const folder = options.folder ?? BUILTIN_MODEL_FOLDER;
  const card = await readModelCard(folder);
  const tokenizer = await loadTokenizer(folder);
  if (tokenizer.vocabularySize !== card.vocabularySize) {
    throw invalidModel(
      folder,
      `the vocabulary has ${tokenizer.vocabularySize} tokens where model.json promises ${card.vocabularySize}`,
    );
  }
  const pooler = (): Promise<TokenPooler> => loadPooler(folder, card);
  return new StaticEmbedder({ folder, card, tokenizer, pooler });
}

/** The weights, read on first use and shared by all that read with one model. */
export const loadPooler = (folder: string, card: ModelCard): Promise<TokenPooler> =>
  sharedLoad(poolers, `${folder} ${revisionOf(card)}`, async () => {
    const table = await loadTokenTable(folder, card);
    return new TokenPooler(table, TERM_FREQUENCIES[card.termFrequency]);
  });

/**
 * The tokenizer of the built-in model alone, for counting tokens: reads the vocabulary and nothing else. Repeated
 * calls for one folder share one tokenizer.
 * @throws RAGError `MODEL_NOT_FOUND` or `MODEL_INVALID`.
 */
export function loadBuiltinTokenizer(folder: string = BUILTIN_MODEL_FOLDER): Promise<WordPieceTokenizer> {
  return loadTokenizer(folder);
}

const tokenizers = new Map<string, Promise<WordPieceTokenizer>>();
const poolers = new Map<string, Promise<TokenPooler>>();

const loadTokenizer = (folder: string): Promise<WordPieceTokenizer> =>
  sharedLoad(tokenizers, folder, async () => new WordPieceTokenizer(await readVocabulary(folder)));

interface StaticModel {
  readonly folder: string;
  readonly card: ModelCard;
  readonly tokenizer: WordPieceTokenizer;
  /** The weights, read on first use. */
  readonly pooler: () => Promise<TokenPooler>;
}

class StaticEmbedder implements Embedder {
  readonly identity: ModelIdentity;
  readonly dimensions: number;
  readonly maxInputTokens: number;
  readonly maxBatch = MAX_BATCH;
  readonly modelFolder: string;
  readonly isCheap = true;
  readonly adaptation: QueryAdaptation;
  readonly #model: StaticModel;
  readonly #fit: CollectionFit | undefined;
  readonly #ids: Int32Array;

  constructor(model: StaticModel, fit?: CollectionFit) {
    const { card } = model;
    this.#model = model;
    this.modelFolder = model.folder;
    this.#fit = fit;
    this.dimensions = card.dimensions;
    this.maxInputTokens = card.maxInputTokens;
    this.#ids = new Int32Array(card.maxInputTokens);
    this.identity = Object.freeze({
      model: 'builtin',
      revision: revisionOf(card),
      dimensions: card.dimensions,
      pooling: card.pooling,
      normalised: true,
      queryPrefix: '',
      documentPrefix: '',
      maxInputTokens: card.maxInputTokens,
    });
    this.adaptation = {
      version: COLLECTION_FIT_VERSION,
      learn: (sample) => this.#learn(sample),
      apply: (learned) => this.#adapted(learned),
    };
  }

  countTokens(text: string): number {
    return this.#model.tokenizer.countTokens(text);
  }

  reads(text: string): boolean {
    return this.#model.tokenizer.reads(text);
  }

  async doEmbed(
    texts: readonly string[],
    kind: EmbeddingKind,
    signal?: AbortSignal,
  ): Promise<Float32Array[]> {
    throwIfAborted(signal);
    const pooler = await this.#model.pooler();
    const fit = kind === 'query' ? this.#fit : undefined;
    return texts.map((text) => {
      const pooled = pooler.pool(this.#encode(text), fit?.pieceFactors);
      return fit === undefined ? pooled : mapQuery(pooled, fit);
    });
  }

  async close(): Promise<void> {}

  #encode(text: string): Int32Array {
    return this.#ids.subarray(0, this.#model.tokenizer.encodeInto(text, this.#ids));
  }

  async #learn(sample: readonly string[]): Promise<Uint8Array> {
    const { folder, card } = this.#model;
    const backgroundIdf = await readTokenIdf(folder, card.vocabularySize);
    const vectors: Float32Array[] = [];
    const pieces: Set<number>[] = [];
    for (let start = 0; start < sample.length; start += MAX_BATCH) {
      const batch = sample.slice(start, start + MAX_BATCH);
      vectors.push(...(await this.doEmbed(batch, 'document')));
      pieces.push(...batch.map((text) => new Set(this.#encode(text))));
      await nextTurn();
    }
    const { dimensions } = card;
    return encodeCollectionFit(await learnCollectionFit({ pieces, vectors, dimensions, backgroundIdf }));
  }

  #adapted(learned: Uint8Array): Embedder {
    const { folder, card } = this.#model;
    const fit = decodeCollectionFit(learned, { pieces: card.vocabularySize, dimensions: card.dimensions });
    if (fit === undefined) throw invalidModel(folder, 'what it learnt of a collection does not fit it');
    return new StaticEmbedder(this.#model, fit);
  }
}

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
