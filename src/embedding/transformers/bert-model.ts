import { join } from 'node:path';
import * as z from 'zod';
import { readRegularFile, readRegularText } from '../../platform/security/regular-file.js';
import { type BertNetwork, readBertNetwork } from '../encoder/bert/bert-network.js';
import { WordPieceTokenizer } from '../encoder/word-piece/word-piece-tokenizer.js';
import type { ModelSettings } from './model-settings.js';

/** A model that runs without a package. */
export interface BertModel {
  readonly network: BertNetwork;
  readonly tokenizer: WordPieceTokenizer;
  readonly opening: number;
  readonly closing: number;
}

const configSchema = z.object({
  model_type: z.literal('bert'),
  hidden_act: z.literal('gelu'),
  num_attention_heads: z.number().int().positive(),
  type_vocab_size: z.number().int().positive(),
  position_embedding_type: z.literal('absolute').optional(),
  is_decoder: z.literal(false).optional(),
});

const SPECIAL = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]'] as const;

/** What `WordPieceTokenizer` does: any other setting of a tokenizer would give other ids. */
const tokenizerSchema = z.object({
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
 * Reads a model as the kernel runs it: BERT with uncased WordPiece.
 *
 * @throws Error that says what of it the kernel does not know
 */
export async function readBertModel({
  folder,
  onnx,
  dimensions,
  maxInputTokens,
}: ModelSettings): Promise<BertModel> {
  const config = await readJson(folder, 'config.json', configSchema);
  const { model } = await readJson(folder, 'tokenizer.json', tokenizerSchema);
  const vocabulary: string[] = [];
  for (const [piece, id] of Object.entries(model.vocab)) vocabulary[id] = piece;
  const [opening, closing] = ['[CLS]', '[SEP]'].map((token) => model.vocab[token]);
  if (Object.keys(vocabulary).length !== vocabulary.length || opening === undefined || closing === undefined)
    throw new Error('its vocabulary has gaps');
  const network = readBertNetwork(await readRegularFile(join(folder, onnx.files[0] ?? '')), {
    heads: config.num_attention_heads,
    typeCount: config.type_vocab_size,
  });
  const { values } = network.words;
  if (
    network.width !== dimensions ||
    network.maxTokens < maxInputTokens ||
    values.length < vocabulary.length * dimensions
  )
    throw new Error('its network has other sizes than its files say');
  return { network, tokenizer: new WordPieceTokenizer(vocabulary), opening, closing };
}

async function readJson<Value>(folder: string, file: string, schema: z.ZodType<Value>): Promise<Value> {
  const read = schema.safeParse(JSON.parse(await readRegularText(join(folder, file))));
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw new Error(`${file} says something else of ${issue?.path.join('.') ?? 'the model'}`);
}
