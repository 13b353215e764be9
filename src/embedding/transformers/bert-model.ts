import { join } from 'node:path';
import * as z from 'zod';
import { openRegularFile, readRegularText } from '../../platform/security/regular-file.js';
import { type BertNetwork, readBertNetwork } from '../encoder/bert/bert-network.js';
import { unigramModelOf, unigramSchema } from '../encoder/unigram/read-unigram.js';
import { UnigramTokenizer } from '../encoder/unigram/unigram-tokenizer.js';
import { WordPieceTokenizer } from '../encoder/word-piece/word-piece-tokenizer.js';
import type { ModelSettings } from './model-settings.js';

/** A tokenizer, and the tokens that stand before and behind every text. */
interface Tokenization {
  readonly tokenizer: Pick<WordPieceTokenizer, 'countTokens' | 'encodeInto'>;
  readonly vocabularySize: number;
  readonly opening: number;
  readonly closing: number;
}

/** A model that runs without a package. */
export interface BertModel extends Tokenization {
  readonly network: BertNetwork;
}

const configSchema = z.object({
  model_type: z.literal('bert'),
  hidden_act: z.literal('gelu'),
  num_attention_heads: z.number().int().positive(),
  type_vocab_size: z.number().int().positive(),
  position_embedding_type: z.literal('absolute').optional(),
  is_decoder: z.literal(false).optional(),
});

/** Characters of a setting that an error tells. */
const MOST_TOLD = 60;

const SPECIAL = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]'] as const;

/** What `WordPieceTokenizer` does: any other setting of a tokenizer would give other ids. */
const wordPieceSchema = z.object({
  added_tokens: z.array(z.object({ content: z.enum(SPECIAL), normalized: z.literal(false) })),
  normalizer: z.object({
    type: z.literal('BertNormalizer'),
    clean_text: z.literal(true),
    handle_chinese_chars: z.literal(true),
    strip_accents: z.literal([null, true]),
    lowercase: z.literal(true),
  }),
  pre_tokenizer: z.object({ type: z.literal('BertPreTokenizer') }),
  model: z.object({
    type: z.literal('WordPiece'),
    unk_token: z.literal('[UNK]'),
    continuing_subword_prefix: z.literal('##'),
    max_input_chars_per_word: z.literal(100),
    vocab: z.record(z.string(), z.number().int().nonnegative()),
  }),
});

/**
 * Reads a model as the kernel runs it: BERT with uncased WordPiece, or with Unigram as XLM-R has it.
 *
 * @throws Error that says what of it the kernel does not know
 */
export async function readBertModel({
  folder,
  onnx,
  dimensions,
  maxInputTokens,
}: ModelSettings): Promise<BertModel> {
  const config = checked('config.json', await readJson(folder, 'config.json'), configSchema);
  const tokenization = tokenizationOf('tokenizer.json', await readJson(folder, 'tokenizer.json'));
  const network = readBertNetwork(await readShared(join(folder, onnx.files[0] ?? '')), {
    heads: config.num_attention_heads,
    typeCount: config.type_vocab_size,
  });
  const { values } = network.words;
  if (
    network.width !== dimensions ||
    network.maxTokens < maxInputTokens ||
    values.length < tokenization.vocabularySize * dimensions
  )
    throw new Error('its network has other sizes than its files say');
  return { network, ...tokenization };
}

/** A file in memory that threads share: of a large vocabulary, the table of words is most of it, and is not copied. */
async function readShared(path: string): Promise<Uint8Array> {
  const { handle, stats } = await openRegularFile(path);
  try {
    const bytes = new Uint8Array(new SharedArrayBuffer(stats.size));
    let length = 0;
    for (let read = -1; length < bytes.length && read !== 0; length += read)
      read = (await handle.read(bytes, length)).bytesRead;
    return bytes.subarray(0, length);
  } finally {
    await handle.close();
  }
}

const kindSchema = z.object({ model: z.object({ type: z.literal(['WordPiece', 'Unigram']) }) });

function tokenizationOf(file: string, json: unknown): Tokenization {
  return checked(file, json, kindSchema).model.type === 'Unigram'
    ? unigramOf(checked(file, json, unigramSchema))
    : wordPieceOf(checked(file, json, wordPieceSchema));
}

function wordPieceOf({ model }: z.output<typeof wordPieceSchema>): Tokenization {
  const vocabulary: string[] = [];
  for (const [piece, id] of Object.entries(model.vocab)) vocabulary[id] = piece;
  const [opening, closing] = ['[CLS]', '[SEP]'].map((token) => model.vocab[token]);
  if (Object.keys(vocabulary).length !== vocabulary.length || opening === undefined || closing === undefined)
    throw new Error('its vocabulary has gaps');
  return {
    tokenizer: new WordPieceTokenizer(vocabulary),
    vocabularySize: vocabulary.length,
    opening,
    closing,
  };
}

function unigramOf(file: z.output<typeof unigramSchema>): Tokenization {
  const { single, special_tokens: special } = file.post_processor;
  const [opening, closing] = [single[0], single[2]].map(({ SpecialToken: { id } }) => special[id]?.ids[0]);
  const vocabularySize = file.model.vocab.length;
  const ids = [opening, closing, file.model.unk_id, ...file.added_tokens.map(({ id }) => id)];
  if (opening === undefined || closing === undefined || ids.some((id = 0) => id >= vocabularySize))
    throw new Error('its vocabulary has gaps');
  return { tokenizer: new UnigramTokenizer(unigramModelOf(file)), vocabularySize, opening, closing };
}

const readJson = async (folder: string, file: string): Promise<unknown> =>
  JSON.parse(await readRegularText(join(folder, file)));

function checked<Value>(file: string, json: unknown, schema: z.ZodType<Value>): Value {
  const read = schema.safeParse(json);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const found = issue?.path.reduce<unknown>(
    (value, key) => (typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined),
    json,
  );
  const told = JSON.stringify(found)?.slice(0, MOST_TOLD) ?? 'nothing';
  throw new Error(`${file} says ${told} of ${issue?.path.join('.') ?? 'the model'}`);
}
