import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { attribute, bytes, FLOAT, INT64, node, onnxFileOf, tensor, text, value } from './test-onnx.js';

/** Vocabulary of the tiny model: what a word adds to the logit is its position / 10. */
const WORDS = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', 'query', 'bad', 'fair', 'good', 'better', 'best'];

/** Column weights of the outputs: logit = sum over tokens of id / 10, times the weight of the column. */
export interface TinyClassifier {
  readonly columns: readonly number[];
}

/**
 * Writes a sequence classifier in ONNX form that adds up token ids: small enough to be made by a test, real enough to be
 * loaded and run.
 */
export async function writeTinyClassifier(folder: string, { columns }: TinyClassifier): Promise<void> {
  await mkdir(join(folder, 'onnx'), { recursive: true });
  await writeFile(join(folder, 'onnx', 'model.onnx'), modelOf(columns));
  const json = (name: string, value: unknown) => writeFile(join(folder, name), JSON.stringify(value));
  await json('config.json', { model_type: 'bert', architectures: ['BertForSequenceClassification'] });
  await json('tokenizer_config.json', {
    tokenizer_class: 'BertTokenizer',
    model_max_length: 64,
    pad_token: '[PAD]',
    unk_token: '[UNK]',
    cls_token: '[CLS]',
    sep_token: '[SEP]',
  });
  await json('tokenizer.json', {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: WORDS.slice(0, 4).map((content, id) => ({ id, content, special: true })),
    normalizer: { type: 'Lowercase' },
    pre_tokenizer: { type: 'Whitespace' },
    post_processor: { type: 'BertProcessing', sep: ['[SEP]', 3], cls: ['[CLS]', 2] },
    decoder: null,
    model: {
      type: 'WordLevel',
      vocab: Object.fromEntries(WORDS.map((word, id) => [word, id])),
      unk_token: '[UNK]',
    },
  });
}

function modelOf(columns: readonly number[]): Uint8Array {
  const weights = columns.map((weight) => weight / 10);
  const graph = [
    ...node('Cast', ['input_ids'], 'ids', attribute('to', FLOAT)),
    ...node('ReduceSum', ['ids', 'axes'], 'sum', attribute('keepdims', 1)),
    ...node('MatMul', ['sum', 'weights'], 'logits'),
    ...text(2, 'tiny'),
    ...tensor('axes', [1], INT64, [1]),
    ...tensor('weights', [1, columns.length], FLOAT, weights),
    ...bytes(11, value('input_ids', INT64, ['batch', 'length'])),
    ...bytes(12, value('logits', FLOAT, ['batch', 'columns'])),
  ];
  return onnxFileOf(graph, 13);
}
