import type * as Transformers from '@huggingface/transformers';
import type { PreTrainedModel } from '@huggingface/transformers';
import { RAGError, throwIfAborted } from '../../core/errors.js';
import { slicesOf } from '../../core/slices.js';
import type { Embedder, EmbeddingKind, ModelIdentity } from '../embedder.js';
import { type DownloadOptions, findModelFolder } from './find-model-folder.js';
import { type ModelOverrides, type ModelSettings, readModelSettings } from './model-settings.js';
import { type HiddenStates, poolBatch } from './pooling.js';
import { TextEncoder } from './text-encoder.js';

export interface TransformersEmbedderOptions extends ModelOverrides, DownloadOptions {
  /** Folder of an ONNX model as transformers.js reads it, or an id on the Hugging Face hub. */
  readonly model: string;
  /** Put before a query, as the model's card asks (E5: `query: `). @default '' */
  readonly queryPrefix?: string;
  /** Put before a document. @default '' */
  readonly documentPrefix?: string;
  /** Texts in one run of the network. @default 8 */
  readonly batchSize?: number;
  /** Where the network runs. @default 'cpu' */
  readonly device?: 'cpu' | 'cuda' | 'dml' | 'coreml' | 'webgpu';
  /** Threads of the network on a CPU. @default one a physical core */
  readonly threads?: number;
}

const DEFAULT_BATCH_SIZE = 8;

/**
 * An embedder over any sentence-embedding model in ONNX form, run in this process. Reads the model's files and its
 * tokenizer now, the network on first use. Needs the optional package `@huggingface/transformers`.
 * @throws RAGError `PACKAGE_MISSING`, `MODEL_NOT_FOUND` or `MODEL_INVALID`.
 */
export async function createTransformersEmbedder(options: TransformersEmbedderOptions): Promise<Embedder> {
  const folder = await findModelFolder(options.model, options);
  const settings = await readModelSettings(folder, options);
  const transformers = await loadTransformers();
  const tokenizer = await loadPart(folder, 'tokenizer', () =>
    transformers.AutoTokenizer.from_pretrained(folder, { local_files_only: true, cache_dir: folder }),
  );
  return new TransformersEmbedder(transformers, settings, {
    ...options,
    encoder: new TextEncoder(tokenizer, settings.maxInputTokens),
  });
}

/** What makes vectors of a model comparable, whatever runs its network. */
export function identityOf(
  { name, revision, dimensions, pooling, maxInputTokens }: ModelSettings,
  {
    queryPrefix = '',
    documentPrefix = '',
  }: Pick<TransformersEmbedderOptions, 'queryPrefix' | 'documentPrefix'>,
): ModelIdentity {
  return Object.freeze({
    model: `transformers:${name}`,
    revision,
    dimensions,
    pooling,
    normalised: true,
    queryPrefix,
    documentPrefix,
    maxInputTokens,
  });
}

/** The optional package, as far as it is used here. */
type TransformersPackage = Pick<
  typeof Transformers,
  'AutoModel' | 'AutoTokenizer' | 'Tensor' | 'env' | 'LogLevel'
>;

const INSTALL = 'npm install @huggingface/transformers@4.3.1';

/**
 * Loads the optional package and keeps it quiet: only its errors are printed, to standard error.
 * @param importPackage How to load it; for tests.
 * @throws RAGError `PACKAGE_MISSING` with the command that installs it.
 */
export async function loadTransformers(
  importPackage: () => Promise<TransformersPackage> = () => import('@huggingface/transformers'),
): Promise<TransformersPackage> {
  try {
    const transformers = await importPackage();
    transformers.env.logLevel = transformers.LogLevel.ERROR;
    return transformers;
  } catch (error) {
    throw new RAGError(
      'PACKAGE_MISSING',
      `The transformers embedder needs the package @huggingface/transformers, which could not be loaded. Install it: ${INSTALL}`,
      { cause: error, details: { package: '@huggingface/transformers', version: '4.3.1', install: INSTALL } },
    );
  }
}

async function loadPart<T>(folder: string, part: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    throw new RAGError(
      'MODEL_INVALID',
      `The ${part} of the model in ${folder} cannot be loaded. Check that its files are whole, or fetch the model again.`,
      { cause: error, details: { folder } },
    );
  }
}

type Parts = TransformersEmbedderOptions & { readonly encoder: TextEncoder };

class TransformersEmbedder implements Embedder {
  readonly identity: ModelIdentity;
  readonly dimensions: number;
  readonly maxInputTokens: number;
  readonly maxBatch: number;
  readonly isCheap = false;
  readonly #transformers: TransformersPackage;
  readonly #settings: ModelSettings;
  readonly #parts: Parts;
  #network: Promise<PreTrainedModel> | undefined;

  constructor(transformers: TransformersPackage, settings: ModelSettings, parts: Parts) {
    this.#transformers = transformers;
    this.#settings = settings;
    this.#parts = parts;
    this.dimensions = settings.dimensions;
    this.maxInputTokens = settings.maxInputTokens;
    this.maxBatch = parts.batchSize ?? DEFAULT_BATCH_SIZE;
    this.identity = identityOf(settings, parts);
  }

  countTokens(text: string): number {
    return this.#parts.encoder.countTokens(text);
  }

  async doEmbed(
    texts: readonly string[],
    kind: EmbeddingKind,
    signal?: AbortSignal,
  ): Promise<Float32Array[]> {
    const { encoder } = this.#parts;
    const prefix = kind === 'query' ? this.identity.queryPrefix : this.identity.documentPrefix;
    const encoded = texts.map((text, index) => ({ index, ids: encoder.encode(prefix + text) }));
    // Padding costs as much as text: neighbours in length share a run.
    encoded.sort((a, b) => b.ids.length - a.ids.length || a.index - b.index);
    const vectors: Float32Array[] = new Array<Float32Array>(texts.length);
    for (const batch of slicesOf(encoded, this.maxBatch)) {
      throwIfAborted(signal);
      const pooled = await this.#run(batch.map(({ ids }) => ids));
      for (const [i, { index }] of batch.entries()) vectors[index] = pooled[i] ?? new Float32Array(0);
    }
    return vectors;
  }

  async close(): Promise<void> {
    const network = this.#network;
    this.#network = undefined;
    await (await network)?.dispose();
  }

  async #run(texts: readonly (readonly number[])[]): Promise<Float32Array[]> {
    const { Tensor } = this.#transformers;
    const batch = this.#parts.encoder.toBatch(texts);
    const shape = [texts.length, batch.width];
    const network = await this.#loadNetwork();
    // A model's call signature is not typed by the package; what it returns is checked below.
    const output: unknown = await network({
      input_ids: new Tensor('int64', batch.ids, shape),
      attention_mask: new Tensor('int64', batch.mask, shape),
    });
    return poolBatch(this.#hiddenStatesOf(output, shape), batch.lengths, this.#settings.pooling);
  }

  #hiddenStatesOf(output: unknown, [texts, width]: readonly number[]): HiddenStates {
    const { Tensor } = this.#transformers;
    const { dimensions, folder } = this.#settings;
    const tensor = propertyOf(output, 'last_hidden_state') ?? propertyOf(output, 'token_embeddings');
    if (tensor instanceof Tensor && tensor.data instanceof Float32Array) {
      const [rows, columns, depth] = tensor.dims;
      if (rows === texts && columns === width && depth === dimensions && width !== undefined) {
        return { data: tensor.data, width, dimensions };
      }
    }
    throw new RAGError(
      'MODEL_INVALID',
      `The network in ${folder} does not return one vector of ${dimensions} numbers a token (last_hidden_state), so it is no sentence-embedding model this embedder can run.`,
      { details: { folder } },
    );
  }

  #loadNetwork(): Promise<PreTrainedModel> {
    const { folder, onnx } = this.#settings;
    const { device = 'cpu', threads } = this.#parts;
    this.#network ??= loadPart(folder, 'network', () =>
      this.#transformers.AutoModel.from_pretrained(folder, {
        local_files_only: true,
        cache_dir: folder,
        dtype: onnx.dtype,
        device,
        session_options: threads === undefined ? {} : { intraOpNumThreads: threads },
      }),
    );
    return this.#network;
  }
}

const propertyOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
