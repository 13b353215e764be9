import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Vocabulary of the tiny model: what a word adds to the logit is its position / 10. */
const WORDS = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', 'query', 'bad', 'fair', 'good', 'better', 'best'];

/** Column weights of the outputs: logit = sum over tokens of id / 10, times the weight of the column. */
export interface TinyClassifier {
  readonly columns: readonly number[];
}

/**
 * Writes a sequence classifier in ONNX form that adds up token ids: small enough to be made by a test, real enough to be
 * loaded and run. Fields are those of https://github.com/onnx/onnx/blob/main/onnx/onnx.proto.
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

const FLOAT = 1;
const INT64 = 7;

function modelOf(columns: readonly number[]): Uint8Array {
  const graph = [
    ...node('Cast', ['input_ids'], 'ids', attribute('to', FLOAT)),
    ...node('ReduceSum', ['ids', 'axes'], 'sum', attribute('keepdims', 1)),
    ...node('MatMul', ['sum', 'weights'], 'logits'),
    ...text(2, 'tiny'),
    ...bytes(5, [...number(1, 1), ...number(2, INT64), ...bytes(7, varint(1)), ...text(8, 'axes')]),
    ...bytes(5, [
      ...number(1, 1),
      ...number(1, columns.length),
      ...number(2, FLOAT),
      ...text(8, 'weights'),
      ...bytes(9, floats(columns.map((weight) => weight / 10))),
    ]),
    ...bytes(11, value('input_ids', INT64, ['batch', 'length'])),
    ...bytes(12, value('logits', FLOAT, ['batch', 'columns'])),
  ];
  return Uint8Array.from([
    ...number(1, 8),
    ...bytes(7, graph),
    ...bytes(8, [...text(1, ''), ...number(2, 13)]),
  ]);
}

const node = (operator: string, inputs: readonly string[], output: string, extra: readonly number[] = []) =>
  bytes(1, [...inputs.flatMap((name) => text(1, name)), ...text(2, output), ...text(4, operator), ...extra]);

const attribute = (name: string, integer: number) =>
  bytes(5, [...text(1, name), ...number(3, integer), ...number(20, 2)]);

function value(name: string, type: number, dimensions: readonly string[]): number[] {
  const shape = dimensions.flatMap((dimension) => bytes(1, text(2, dimension)));
  const tensor = [...number(1, type), ...bytes(2, shape)];
  return [...text(1, name), ...bytes(2, bytes(1, tensor))];
}

// Protocol buffers: a field is its number and wire type, then a varint or a length and bytes.
function varint(value: number): number[] {
  return value < 128 ? [value] : [(value & 127) | 128, ...varint(value >>> 7)];
}
const number = (field: number, value: number): number[] => [...varint(field << 3), ...varint(value)];
const bytes = (field: number, content: readonly number[]): number[] => [
  ...varint((field << 3) | 2),
  ...varint(content.length),
  ...content,
];
const text = (field: number, value: string): number[] => bytes(field, [...Buffer.from(value)]);
const floats = (values: readonly number[]): number[] => [...new Uint8Array(Float32Array.from(values).buffer)];
