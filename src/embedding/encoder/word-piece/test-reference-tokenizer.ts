import { Tokenizer } from '@huggingface/tokenizers';
import fc from 'fast-check';
import { BUILTIN_MODEL_FOLDER, readVocabulary } from '../../static/model-folder.js';
import { WordPieceTokenizer } from './word-piece-tokenizer.js';

/** Ours, and what the reference implementation makes of a text by the same vocabulary. */
export async function openTokenizers(): Promise<{
  readonly ours: WordPieceTokenizer;
  readonly reference: (text: string) => number[];
}> {
  const vocabulary = await readVocabulary(BUILTIN_MODEL_FOLDER);
  return { ours: new WordPieceTokenizer(vocabulary), reference: idsOf(bertTokenizerJson(vocabulary)) };
}

/** An uncased BERT `tokenizer.json` over a vocabulary. */
function bertTokenizerJson(vocabulary: readonly string[]): object {
  const special = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]'];
  return {
    added_tokens: special.map((content) => ({
      id: vocabulary.indexOf(content),
      content,
      special: true,
      normalized: false,
    })),
    normalizer: {
      type: 'BertNormalizer',
      clean_text: true,
      handle_chinese_chars: true,
      strip_accents: null,
      lowercase: true,
    },
    pre_tokenizer: { type: 'BertPreTokenizer' },
    post_processor: null,
    decoder: null,
    model: {
      type: 'WordPiece',
      unk_token: '[UNK]',
      continuing_subword_prefix: '##',
      max_input_chars_per_word: 100,
      vocab: Object.fromEntries(vocabulary.map((piece, id) => [piece, id])),
    },
  };
}

/** What the reference implementation makes of a text. */
export function idsOf(tokenizerJson: object): (text: string) => number[] {
  const tokenizer = new Tokenizer(tokenizerJson, {});
  return (text) => tokenizer.encode(text, { add_special_tokens: false }).ids;
}

/** Texts with all that a tokenizer treats apart. */
export const anyText = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: 'grapheme' }),
      fc.string(),
      fc.lorem({ maxCount: 3 }),
      // Raw code units, lone surrogates among them.
      fc
        .array(fc.integer({ min: 0, max: 0xff_ff }), { maxLength: 8 })
        .map((units) => String.fromCharCode(...units)),
      fc.constantFrom(
        'Σ',
        'σ',
        'İ',
        '[',
        '[CLS]',
        '##',
        "'",
        '\u0301',
        '\u0323',
        '\u302e',
        '中',
        '한',
        ' ',
        '-',
        '.',
      ),
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(''));
