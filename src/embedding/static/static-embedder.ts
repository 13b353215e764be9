import { throwIfAborted } from '../../core/errors.js';
import type { Embedder, EmbeddingKind, ModelIdentity } from '../embedder.js';
import {
  BUILTIN_MODEL_FOLDER,
  invalidModel,
  type ModelCard,
  readModelCard,
  readVocabulary,
  revisionOf,
} from './model-folder.js';
import { loadTokenTable, TERM_FREQUENCIES, TokenPooler } from './token-table.js';
import { WordPieceTokenizer } from './word-piece-tokenizer.js';

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
  return new StaticEmbedder(folder, card, tokenizer);
}

/**
 * The tokenizer of the built-in model alone, for counting tokens: reads the vocabulary and nothing else. Repeated
 * calls for one folder share one tokenizer.
 * @throws RAGError `MODEL_NOT_FOUND` or `MODEL_INVALID`.
 */
export function loadBuiltinTokenizer(folder: string = BUILTIN_MODEL_FOLDER): Promise<WordPieceTokenizer> {
  return loadTokenizer(folder);
}

const tokenizers = new Map<string, Promise<WordPieceTokenizer>>();

function loadTokenizer(folder: string): Promise<WordPieceTokenizer> {
  const known = tokenizers.get(folder);
  if (known !== undefined) return known;
  const loading = readVocabulary(folder).then((vocabulary) => new WordPieceTokenizer(vocabulary));
  tokenizers.set(folder, loading);
  // A failure is not remembered: the folder may be mended.
  loading.catch(() => tokenizers.delete(folder));
  return loading;
}

class StaticEmbedder implements Embedder {
  readonly identity: ModelIdentity;
  readonly dimensions: number;
  readonly maxInputTokens: number;
  readonly maxBatch = MAX_BATCH;
  readonly isCheap = true;
  readonly #folder: string;
  readonly #card: ModelCard;
  readonly #tokenizer: WordPieceTokenizer;
  readonly #ids: Int32Array;
  #pooler: Promise<TokenPooler> | undefined;

  constructor(folder: string, card: ModelCard, tokenizer: WordPieceTokenizer) {
    this.#folder = folder;
    this.#card = card;
    this.#tokenizer = tokenizer;
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
  }

  countTokens(text: string): number {
    return this.#tokenizer.countTokens(text);
  }

  async doEmbed(
    texts: readonly string[],
    _kind: EmbeddingKind,
    signal?: AbortSignal,
  ): Promise<Float32Array[]> {
    throwIfAborted(signal);
    const pooler = await this.#loadPooler();
    return texts.map((text) => {
      const count = this.#tokenizer.encodeInto(text, this.#ids);
      return pooler.pool(this.#ids.subarray(0, count));
    });
  }

  async close(): Promise<void> {
    this.#pooler = undefined;
  }

  #loadPooler(): Promise<TokenPooler> {
    this.#pooler ??= loadTokenTable(this.#folder, this.#card).then(
      (table) => new TokenPooler(table, TERM_FREQUENCIES[this.#card.termFrequency]),
    );
    return this.#pooler;
  }
}
