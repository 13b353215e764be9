import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  attribute,
  attributes,
  bytes,
  FLOAT,
  INT64,
  node,
  onnxFileOf,
  tensor,
  text,
  value,
} from './test-onnx.js';

const WIDTH = 32;
const INNER = 64;
export const PLACES = 48;
const PIECES = [
  ...['[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]'],
  ...['when', 'is', 'the', 'beacon', 'lit', 'at', 'dusk', 'by', 'keeper', 'oil', '##s', '##er', '.', '?'],
  ...'abcdefghijklmnopqrstuvwxyz',
];

/** A BERT cross-encoder of one layer whose weights are numbers of a seed: small enough to be made by a test, and run by any runtime. */
export interface TinyBert {
  /** Outputs. @default 1 */
  readonly columns?: number;
  /** What `architectures` of its configuration says. @default BertForSequenceClassification */
  readonly architecture?: string;
}

/** Writes its folder, as transformers.js reads one. */
export async function writeTinyBert(
  folder: string,
  { columns = 1, architecture = 'BertForSequenceClassification' }: TinyBert = {},
): Promise<void> {
  await mkdir(join(folder, 'onnx'), { recursive: true });
  await writeFile(join(folder, 'onnx', 'model.onnx'), onnxFileOf(graphOf(columns), 20));
  const json = (name: string, content: unknown) => writeFile(join(folder, name), JSON.stringify(content));
  await json('config.json', {
    ...{ model_type: 'bert', architectures: [architecture], hidden_act: 'gelu' },
    ...{ hidden_size: WIDTH, num_attention_heads: 1, type_vocab_size: 2, max_position_embeddings: PLACES },
  });
  await json('tokenizer_config.json', {
    ...{ tokenizer_class: 'BertTokenizer', model_max_length: PLACES },
    ...{ pad_token: '[PAD]', unk_token: '[UNK]', cls_token: '[CLS]', sep_token: '[SEP]' },
  });
  await json('tokenizer.json', {
    ...{ version: '1.0', truncation: null, padding: null, decoder: null },
    added_tokens: PIECES.slice(0, 5).map((content, id) => ({
      id,
      content,
      special: true,
      normalized: false,
    })),
    normalizer: {
      ...{ type: 'BertNormalizer', clean_text: true, handle_chinese_chars: true },
      ...{ strip_accents: null, lowercase: true },
    },
    pre_tokenizer: { type: 'BertPreTokenizer' },
    post_processor: { type: 'BertProcessing', sep: ['[SEP]', 3], cls: ['[CLS]', 2] },
    model: {
      ...{ type: 'WordPiece', unk_token: '[UNK]', continuing_subword_prefix: '##' },
      max_input_chars_per_word: 100,
      vocab: Object.fromEntries(PIECES.map((piece, id) => [piece, id])),
    },
  });
}

function graphOf(columns: number): number[] {
  const next = numbersOf(7);
  // Three values alone, which 8-bit integers hold as they are.
  const table = (name: string, rows: number, width: number, most = 1): number[] =>
    tensor(
      name,
      [rows, width],
      FLOAT,
      Array.from({ length: rows * width }, () => most * Math.round(2.9 * next())),
    );
  const row = (name: string, width: number, around = 0): number[] =>
    tensor(
      name,
      [width],
      FLOAT,
      Array.from({ length: width }, () => around + 0.2 * next()),
    );
  const linear = (name: string, from: string, inputs: number, outputs: number): number[] => [
    ...table(`${name}.weight`, inputs, outputs, 0.15),
    ...row(`${name}.bias`, outputs),
    ...node('MatMul', [from, `${name}.weight`], `${name}.product`),
    ...node('Add', [`${name}.product`, `${name}.bias`], name),
  ];
  const norm = (name: string, terms: readonly [string, string]): number[] => [
    ...row(`${name}.weight`, WIDTH, 1),
    ...row(`${name}.bias`, WIDTH),
    ...node('Add', terms, `${name}.sum`),
    ...node('LayerNormalization', [`${name}.sum`, `${name}.weight`, `${name}.bias`], name),
  ];
  const dense = (name: string, from: string, outputs: number): number[] => [
    ...table(`${name}.weight`, outputs, WIDTH, 0.3),
    ...row(`${name}.bias`, outputs),
    ...node('Gemm', [from, `${name}.weight`, `${name}.bias`], name, attribute('transB', 1)),
  ];
  return [
    ...text(2, 'tiny-bert'),
    ...['input_ids', 'token_type_ids'].flatMap((name) => bytes(11, value(name, INT64, ['batch', 'length']))),
    ...tensor('zero', [], INT64, [0]),
    ...tensor('one', [], INT64, [1]),
    ...table('words', PIECES.length, WIDTH),
    ...table('places', PLACES, WIDTH),
    ...table('types', 2, WIDTH),
    ...node('Shape', ['input_ids'], 'shape'),
    ...node('Gather', ['shape', 'one'], 'length'),
    ...node('Range', ['zero', 'length', 'one'], 'range'),
    ...node('Gather', ['words', 'input_ids'], 'word'),
    ...node('Gather', ['types', 'token_type_ids'], 'type'),
    ...node('Gather', ['places', 'range'], 'place'),
    ...node('Add', ['word', 'type'], 'typed'),
    ...norm('embedded', ['typed', 'place']),
    ...['query', 'key', 'content'].flatMap((name) => linear(name, 'embedded', WIDTH, WIDTH)),
    ...node('Transpose', ['key'], 'keys', attributes('perm', [0, 2, 1])),
    ...node('MatMul', ['query', 'keys'], 'products'),
    ...tensor('root', [], FLOAT, [Math.sqrt(WIDTH)]),
    ...node('Div', ['products', 'root'], 'scores'),
    ...node('Softmax', ['scores'], 'shares'),
    ...node('MatMul', ['shares', 'content'], 'attended'),
    ...linear('mixed', 'attended', WIDTH, WIDTH),
    ...norm('middle', ['mixed', 'embedded']),
    ...linear('up', 'middle', WIDTH, INNER),
    ...node('Gelu', ['up'], 'active'),
    ...linear('down', 'active', INNER, WIDTH),
    ...norm('last', ['down', 'middle']),
    ...node('Gather', ['last', 'zero'], 'first', attribute('axis', 1)),
    ...dense('pooled', 'first', WIDTH),
    ...node('Tanh', ['pooled'], 'bent'),
    ...dense('logits', 'bent', columns),
    ...bytes(12, value('logits', FLOAT, ['batch', 'columns'])),
  ];
}

/** Numbers between -.5 and .5, the same for a seed (Park and Miller 1988). */
function numbersOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647 - 0.5;
  };
}
