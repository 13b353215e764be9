import { messageOf, RAGError, throwIfAborted } from '../../core/errors.js';
import { runtime } from '../../core/runtime.js';
import type { PairScorer, PairsToScore, ScoredPairs } from '../pair-scorer.js';
import { type BertModel, readBertModel } from './bert-model.js';
import { type BertText, BertThreads } from './bert-threads.js';
import { type DownloadOptions, findModelFolder } from './find-model-folder.js';
import { type ModelOverrides, type ModelSettings, readModelSettings } from './model-settings.js';

export interface BertClassifierOptions extends ModelOverrides, DownloadOptions {
  /** Folder of an ONNX model as transformers.js reads it, or an id on the Hugging Face hub. */
  readonly model: string;
  /** @default one a core, eight at most */
  readonly threads?: number;
}

/** `[CLS]` before the query, `[SEP]` behind it and behind the passage. */
const FRAME = 3;

/**
 * A cross-encoder in ONNX form, run by a kernel of ours in threads of this process, without a package: BERT sequence classifiers with uncased WordPiece.
 *
 * @throws RAGError `MODEL_NOT_FOUND`; `MODEL_INVALID`, also for a model that the kernel does not know
 */
export async function openBertClassifier(options: BertClassifierOptions): Promise<PairScorer> {
  const folder = await findModelFolder(options.model, options);
  const settings = await readModelSettings(folder, options);
  const model = await readBertModel(settings).catch((cause: unknown) => {
    throw new RAGError(
      'MODEL_INVALID',
      `The cross-encoder in ${folder} cannot be run without a package: ${messageOf(cause)}. Name it transformers:... instead of onnx:..., which runs it by @huggingface/transformers.`,
      { cause, details: { folder } },
    );
  });
  if (model.network.head === undefined)
    throw new RAGError(
      'MODEL_INVALID',
      `The model in ${folder} gives vectors and no logits, so it is no cross-encoder. Name one, such as ms-marco-MiniLM-L6-v2, or set rag.embedding.model to this one.`,
      { details: { folder } },
    );
  return new BertClassifier(model, settings, options.threads);
}

class BertClassifier implements PairScorer {
  readonly name: string;
  readonly maxInputTokens: number;
  readonly #model: BertModel;
  readonly #threads: BertThreads;

  constructor(model: BertModel, { name, folder, maxInputTokens, pooling }: ModelSettings, threads?: number) {
    this.name = name;
    this.maxInputTokens = maxInputTokens;
    this.#model = model;
    this.#threads = new BertThreads({
      ...{ network: model.network, pooling, isBackground: false },
      ...{ folder, reason: 'RERANKER_UNAVAILABLE', threads },
    });
  }

  async score(
    { query, passages, characters, milliseconds }: PairsToScore,
    signal?: AbortSignal,
  ): Promise<ScoredPairs> {
    throwIfAborted(signal);
    const end = runtime().elapsed() + milliseconds;
    const asked = this.#idsOf(query);
    const pairs: BertText[] = [];
    let cut = 0;
    for (let left = characters; pairs.length < passages.length && left > 0; ) {
      const passage = passages[pairs.length] ?? '';
      left -= passage.length;
      const { isCut, ...pair } = this.#pairOf(asked, this.#idsOf(passage));
      if (isCut) cut++;
      pairs.push(pair);
    }
    const read = await this.#threads.run(pairs, signal, () => runtime().elapsed() > end);
    return { logits: passages.map((_, at) => read[at]), cut, isLate: read.includes(undefined) };
  }

  async close(): Promise<void> {
    await this.#threads.close(new RAGError('ABORTED', 'The reranker was closed.'));
  }

  /** The first pieces of a text, as many as the model reads at most: more tell that it is cut. */
  #idsOf(text: string): Int32Array {
    const ids = new Int32Array(this.maxInputTokens);
    return ids.subarray(0, this.#model.tokenizer.encodeInto(text, ids));
  }

  #pairOf(query: Int32Array, passage: Int32Array): BertText & { readonly isCut: boolean } {
    const { opening, closing } = this.#model;
    const room = this.maxInputTokens - FRAME;
    const [first, second] = keptOf(query.length, passage.length, room);
    const ids = Int32Array.of(
      opening,
      ...query.subarray(0, first),
      closing,
      ...passage.subarray(0, second),
      closing,
    );
    return { ids, second: first + 2, isCut: second < passage.length };
  }
}

/** How many tokens stay of two texts: the longer one loses its end until both fit, as `longest_first` of Hugging Face's tokenizers. */
export function keptOf(query: number, passage: number, room: number): readonly [number, number] {
  const half = Math.floor((room + (query > passage ? 1 : 0)) / 2);
  const first = Math.min(query, Math.max(half, room - passage));
  return [first, Math.min(passage, room - first)];
}
