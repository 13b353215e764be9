import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { PreTrainedModel, PreTrainedTokenizer } from '@huggingface/transformers';
import { messageOf, RAGError } from '../../core/errors.js';
import { sigmoid } from '../../core/logistic.js';
import { assertOpenableFiles } from '../../platform/security/regular-file.js';

/** Where a classifier is, and how it is run. */
export interface ClassifierOptions {
  /** Folder of an ONNX model as transformers.js reads it. */
  readonly model: string;
  /** Pairs in one run of the network. @default 10 */
  readonly batchSize?: number;
}

/** A sequence classifier, loaded. */
export interface Classifier {
  /** Shown in errors. */
  readonly model: string;
  readonly batchSize: number;
  /** Logits of pairs, row-major. */
  readonly run: (query: string, passages: readonly string[]) => Promise<Logits>;
}

export interface Logits {
  readonly data: ArrayLike<number>;
  readonly dims: readonly number[];
}

const DEFAULT_BATCH_SIZE = 10;
const INSTALL = 'npm install @huggingface/transformers@4.3.1';

/** Units of a passage that are read: no such model reads more than 512 tokens, and tokenizing a book takes long. */
const MAX_PASSAGE_UNITS = 8_192;

/** @throws RAGError `PACKAGE_MISSING`, `MODEL_NOT_FOUND` or `MODEL_INVALID`. */
export async function loadClassifier(options: ClassifierOptions): Promise<Classifier> {
  const transformers = await import('@huggingface/transformers').catch((error: unknown) => {
    throw new RAGError(
      'PACKAGE_MISSING',
      `The cross-encoder needs the package @huggingface/transformers, which could not be loaded. Install it: ${INSTALL}, or name the model onnx:..., which runs BERT models without it.`,
      { cause: error },
    );
  });
  const { AutoTokenizer, AutoModelForSequenceClassification, env, LogLevel } = transformers;
  env.logLevel = LogLevel.ERROR;
  const { model, batchSize = DEFAULT_BATCH_SIZE } = options;
  const source = { local_files_only: true, cache_dir: model };
  const dtype = await dtypeOf(model);
  try {
    for (const folder of [model, join(model, 'onnx')]) assertOpenableFiles(folder);
    const tokenizer = await AutoTokenizer.from_pretrained(model, source);
    const network = await AutoModelForSequenceClassification.from_pretrained(model, {
      ...source,
      dtype,
      device: 'cpu',
    });
    return {
      model,
      batchSize,
      run: (query, passages) => runPairs({ tokenizer, network, model }, query, passages),
    };
  } catch (error) {
    throw new RAGError(
      'MODEL_INVALID',
      `The cross-encoder ${model} cannot be loaded (${messageOf(error)}). It must be a sequence classifier in ONNX form with its tokenizer, as transformers.js reads them.`,
      { cause: error },
    );
  }
}

/** Quantised where the folder has it: as good, and several times faster on a CPU. */
async function dtypeOf(model: string): Promise<'q8' | 'fp32'> {
  const files = await readdir(join(model, 'onnx')).catch(() => undefined);
  if (files?.includes('model_quantized.onnx') === true) return 'q8';
  if (files?.includes('model.onnx') === true) return 'fp32';
  throw new RAGError(
    'MODEL_NOT_FOUND',
    `There is no cross-encoder at ${model}: onnx/model_quantized.onnx or onnx/model.onnx is expected.`,
  );
}

interface LoadedParts {
  readonly tokenizer: PreTrainedTokenizer;
  readonly network: PreTrainedModel;
  readonly model: string;
}

async function runPairs(
  { tokenizer, network, model }: LoadedParts,
  query: string,
  passages: readonly string[],
): Promise<Logits> {
  const cut = passages.map((passage) => passage.slice(0, MAX_PASSAGE_UNITS));
  const inputs: unknown = tokenizer(
    cut.map(() => query),
    { text_pair: cut, padding: true, truncation: true },
  );
  // A model's call signature is not typed by the package; what it returns is checked here.
  const output: unknown = await network(inputs);
  const logits = propertyOf(output, 'logits');
  const [data, dims] = [propertyOf(logits, 'data'), propertyOf(logits, 'dims')];
  if (data instanceof Float32Array && Array.isArray(dims)) return { data, dims: dims.map(Number) };
  throw new RAGError(
    'MODEL_INVALID',
    `The model ${model} returns no logits, so it is no sequence classifier.`,
  );
}

const propertyOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;

export interface Pairs {
  readonly query: string;
  readonly passages: readonly string[];
}

/** One probability a passage, in their order; undefined where `isCancelled` became true between two batches. */
export async function scoreInBatches(
  classifier: Classifier,
  { query, passages }: Pairs,
  isCancelled: () => boolean,
): Promise<number[] | undefined> {
  // Padding costs as much as text: passages of a like length share a run.
  const order = Array.from(passages.keys()).sort(
    (a, b) => (passages[a]?.length ?? 0) - (passages[b]?.length ?? 0) || a - b,
  );
  const scores = new Array<number>(passages.length).fill(0);
  for (let start = 0; start < order.length; start += classifier.batchSize) {
    // Messages are heard between two turns.
    await nextTurn();
    if (isCancelled()) return undefined;
    const batch = order.slice(start, start + classifier.batchSize);
    const logits = await classifier.run(
      query,
      batch.map((position) => passages[position] ?? ''),
    );
    const probabilities = probabilitiesOf(logits, { rows: batch.length, model: classifier.model });
    batch.forEach((position, row) => {
      scores[position] = probabilities[row] ?? 0;
    });
  }
  return scores;
}

/**
 * Sigmoid of a single logit; of two, the softmax share of the second ("relevant").
 * @throws RAGError `MODEL_INVALID` for other shapes and numbers that are not finite.
 */
export function probabilitiesOf(
  { data, dims }: Logits,
  { rows, model }: { readonly rows: number; readonly model: string },
): number[] {
  const [height, width = 1] = dims;
  if (height !== rows || dims.length > 2 || (width !== 1 && width !== 2) || data.length !== rows * width)
    throw new RAGError(
      'MODEL_INVALID',
      `The model ${model} returns logits of shape [${dims.join(', ')}] for ${rows} pairs; a reranker returns one or two a pair.`,
    );
  return Array.from({ length: rows }, (_, row) => {
    const logit =
      width === 1
        ? (data[row] ?? Number.NaN)
        : (data[2 * row + 1] ?? Number.NaN) - (data[2 * row] ?? Number.NaN);
    if (Number.isNaN(logit))
      throw new RAGError('MODEL_INVALID', `The model ${model} returned something that is not a number.`);
    return sigmoid(logit);
  });
}
