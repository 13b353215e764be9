import { messageOf, RAGError, throwIfAborted } from '../../core/errors.js';
import type { Embedder, EmbeddingKind, ModelIdentity } from '../embedder.js';
import { type BertModel, readBertModel } from './bert-model.js';
import { BertThreads } from './bert-threads.js';
import { findModelFolder } from './find-model-folder.js';
import { type ModelSettings, readModelSettings } from './model-settings.js';
import { identityOf, type TransformersEmbedderOptions } from './transformers-embedder.js';

export interface BertEmbedderOptions extends TransformersEmbedderOptions {
  /** For much work that nobody waits for: behind everything else, on half of the cores. @default false */
  readonly isBackground?: boolean;
}

/** Texts of one call, so that all threads have work. */
const MAX_BATCH = 64;

/**
 * An embedder over a sentence-embedding model in ONNX form, run by a kernel of ours in threads of this process, without a package: BERT networks with
 * uncased WordPiece or the Unigram tokenizer of XLM-R.
 *
 * @throws RAGError `MODEL_NOT_FOUND`; `MODEL_INVALID`, also for a model that the kernel does not know
 */
export async function createBertEmbedder(options: BertEmbedderOptions): Promise<Embedder> {
  const folder = await findModelFolder(options.model, options);
  const settings = await readModelSettings(folder, options);
  const model = await readBertModel(settings).catch((cause: unknown) => {
    throw new RAGError(
      'MODEL_INVALID',
      `The model in ${folder} cannot be run without a package: ${messageOf(cause)}. Name it transformers:... instead of onnx:..., which runs it by @huggingface/transformers.`,
      { cause, details: { folder } },
    );
  });
  if (model.network.head !== undefined)
    throw new RAGError(
      'MODEL_INVALID',
      `The model in ${folder} is a sequence classifier, which gives no vectors. Name it under rag.retrieval.rerank.model, or run "ragstone model use" with it.`,
      { details: { folder } },
    );
  return new BertEmbedder(model, settings, options);
}

class BertEmbedder implements Embedder {
  readonly identity: ModelIdentity;
  readonly dimensions: number;
  readonly maxInputTokens: number;
  readonly maxBatch: number;
  readonly isCheap = false;
  readonly #model: BertModel;
  readonly #threads: BertThreads;

  constructor(model: BertModel, settings: ModelSettings, options: BertEmbedderOptions) {
    this.#model = model;
    this.identity = { ...identityOf(settings, options), model: `onnx:${settings.name}` };
    this.dimensions = settings.dimensions;
    this.maxInputTokens = settings.maxInputTokens;
    this.maxBatch = options.batchSize ?? MAX_BATCH;
    const { isBackground = false, threads } = options;
    this.#threads = new BertThreads({
      ...{ network: model.network, pooling: settings.pooling, isBackground },
      ...{ folder: settings.folder, reason: 'EMBEDDING_FAILED', threads },
    });
  }

  countTokens(text: string): number {
    return this.#model.tokenizer.countTokens(text) + 2;
  }

  async doEmbed(
    texts: readonly string[],
    kind: EmbeddingKind,
    signal?: AbortSignal,
  ): Promise<Float32Array[]> {
    throwIfAborted(signal);
    const prefix = kind === 'query' ? this.identity.queryPrefix : this.identity.documentPrefix;
    const encoded = texts.map((text, index) => ({ index, ids: this.#idsOf(prefix + text) }));
    // The longest come first, so that no thread is left alone with one at the end.
    encoded.sort((a, b) => b.ids.length - a.ids.length || a.index - b.index);
    const read = await this.#threads.run(encoded, signal);
    const vectors = new Array<Float32Array>(texts.length);
    for (const [at, { index }] of encoded.entries()) vectors[index] = read[at] ?? new Float32Array(0);
    return vectors;
  }

  async close(): Promise<void> {
    await this.#threads.close(new RAGError('ABORTED', 'The embedding model was closed.'));
  }

  #idsOf(text: string): Int32Array {
    const { tokenizer, opening, closing } = this.#model;
    const ids = new Int32Array(this.maxInputTokens);
    ids[0] = opening;
    const count = tokenizer.encodeInto(text, ids.subarray(1, -1));
    ids[count + 1] = closing;
    return ids.slice(0, count + 2);
  }
}
