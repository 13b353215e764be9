import { availableParallelism } from 'node:os';
import { messageOf, RAGError, throwIfAborted } from '../../core/errors.js';
import { startWorker, WITHOUT_SECRETS } from '../../platform/threads/start-worker.js';
import { ThreadCalls } from '../../platform/threads/thread-calls.js';
import type { Embedder, EmbeddingKind, ModelIdentity } from '../embedder.js';
import type { BertNetwork } from '../encoder/bert/bert-network.js';
import { type BertModel, readBertModel } from './bert-model.js';
import { findModelFolder } from './find-model-folder.js';
import { type ModelSettings, readModelSettings } from './model-settings.js';
import type { Pooling } from './pooling.js';
import { identityOf, type TransformersEmbedderOptions } from './transformers-embedder.js';

export interface BertEmbedderOptions extends TransformersEmbedderOptions {
  /** For much work that nobody waits for: behind everything else, on half of the cores. @default false */
  readonly isBackground?: boolean;
}

/** What a thread is given. */
export interface BertThread {
  readonly network: BertNetwork;
  readonly pooling: Pooling;
  readonly isBackground: boolean;
}

/** Each takes some 30 MB beside the weights. */
const MOST_THREADS = 8;
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
  return new BertEmbedder(model, settings, options);
}

class BertEmbedder implements Embedder {
  readonly identity: ModelIdentity;
  readonly dimensions: number;
  readonly maxInputTokens: number;
  readonly maxBatch: number;
  readonly isCheap = false;
  readonly #model: BertModel;
  readonly #threads: readonly ThreadCalls<Int32Array, Float32Array>[];

  constructor(model: BertModel, settings: ModelSettings, options: BertEmbedderOptions) {
    this.#model = model;
    this.identity = { ...identityOf(settings, options), model: `onnx:${settings.name}` };
    this.dimensions = settings.dimensions;
    this.maxInputTokens = settings.maxInputTokens;
    this.maxBatch = options.batchSize ?? MAX_BATCH;
    const { isBackground = false } = options;
    const workerData: BertThread = { network: model.network, pooling: settings.pooling, isBackground };
    const usual = Math.max(1, Math.floor(availableParallelism() / (isBackground ? 2 : 1)));
    const failure = (message: string, cause?: Error): RAGError =>
      new RAGError('EMBEDDING_FAILED', `The model in ${settings.folder} failed: ${message}`, { cause });
    this.#threads = Array.from(
      { length: options.threads ?? Math.min(MOST_THREADS, usual) },
      () =>
        new ThreadCalls({
          start: () =>
            startWorker(new URL('./bert-worker.js', import.meta.url), { ...WITHOUT_SECRETS, workerData }),
          failed: failure,
          lost: (cause) =>
            failure(
              'a thread stopped unexpectedly. Check that there is memory for it, and try again.',
              cause,
            ),
        }),
    );
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
    const waiting = texts.map((text, index) => ({ index, ids: this.#idsOf(prefix + text) }));
    // The longest come first, so that no thread is left alone with one at the end.
    waiting.sort((a, b) => a.ids.length - b.ids.length || b.index - a.index);
    const vectors = new Array<Float32Array>(texts.length);
    const workWith = async (thread: ThreadCalls<Int32Array, Float32Array>): Promise<void> => {
      for (let text = waiting.pop(); text !== undefined; text = waiting.pop())
        vectors[text.index] = await thread.call(text.ids, signal);
    };
    try {
      await Promise.all(this.#threads.slice(0, texts.length).map(workWith));
    } finally {
      waiting.length = 0;
    }
    return vectors;
  }

  async close(): Promise<void> {
    const closed = new RAGError('ABORTED', 'The embedding model was closed.');
    await Promise.all(this.#threads.map((thread) => thread.close(closed)));
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
