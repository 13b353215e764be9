import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Tokenizer } from '@huggingface/tokenizers';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { BUILTIN_MODEL_FOLDER, readVocabulary } from './model-folder.js';
import { WordPieceTokenizer } from './word-piece-tokenizer.js';

const SHARED = join(import.meta.dirname, '../../../../shared');
const TOKENIZER_FILE = join(SHARED, 'models/all-MiniLM-L6-v2/tokenizer.json');
const DATA = join(SHARED, 'data');

let ours: WordPieceTokenizer;
let reference: (text: string) => number[];

beforeAll(async () => {
  const vocabulary = await readVocabulary(BUILTIN_MODEL_FOLDER);
  ours = new WordPieceTokenizer(vocabulary);
  reference = idsOf(bertTokenizerJson(vocabulary));
});

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

function idsOf(tokenizerJson: object): (text: string) => number[] {
  const tokenizer = new Tokenizer(tokenizerJson, {});
  return (text) => tokenizer.encode(text, { add_special_tokens: false }).ids;
}

describe('WordPieceTokenizer', () => {
  it.each([
    ['splits words greedily', 'unaffable tokenization'],
    ['lower-cases and strips accents', 'Ünïcödé ÉCOLE Ångström İstanbul'],
    ['keeps final sigma as whole-text lower-casing writes it', "ΟΔΟΣ ΟΔΟΣ. ΑΣ'Α ΣΑΣ"],
    ['splits at punctuation and symbols of ASCII', "don't $5 a+b `c` x^y <tag/> «quoted» — dash"],
    ['splits ideographs one by one', '北京abc東京 豈カタカナ한국어'],
    [
      'drops control characters and keeps white space',
      'a\u0000b\u200dc\u00a0d\te\u2028f\ufeffg\ufffdh\u00adi',
    ],
    ['drops lone surrogates', 'a\ud800b \udc00c'],
    ['reads characters beyond the basic plane', 'x😀y 𠀀丽 𝒳𝒴 \u{1d165}\u{e0001}'],
    ['keeps special tokens that are written out', '[CLS] a [MASK]b[SEP][PAD][UNK] [cls] [ CLS ]'],
    ['reads combining marks of every order', 'a\u0301\u0323b\u0323\u0301c \u0301 \u0915\u094d\u0937'],
    ['reads nothing', ''],
    ['reads only space', ' \n\t '],
    ['gives up on words of over 100 characters', `${'a'.repeat(100)} ${'a'.repeat(101)} ${'😀'.repeat(101)}`],
  ])('%s', (_, text) => {
    expect([...ours.encode(text)]).toEqual(reference(text));
  });

  it('has the ids of the reference tokenizer for any text', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect([...ours.encode(text)]).toEqual(reference(text));
      }),
      { numRuns: 3000 },
    );
  });

  it('counts what it encodes, and writes a prefix where there is less room', () => {
    fc.assert(
      fc.property(anyText, fc.nat(20), (text, room) => {
        const ids = ours.encode(text);
        const target = new Int32Array(room);
        expect(ours.countTokens(text)).toBe(ids.length);
        expect(ours.encodeInto(text, target)).toBe(Math.min(room, ids.length));
        expect([...target.subarray(0, ids.length)]).toEqual([...ids.subarray(0, room)]);
      }),
    );
  });

  it('counts slices of a text as if they stood alone', () => {
    const plain = fc.string({
      unit: fc.constantFrom(
        'a',
        'B',
        'é',
        'ß',
        'я',
        '.',
        '-',
        ' ',
        '\n',
        '—',
        '😀',
        '[',
        'Σ',
        '中',
        '\u200d',
      ),
      maxLength: 60,
    });
    const cuts = fc.array(fc.tuple(fc.nat(90), fc.nat(90)), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(fc.oneof(plain, anyText, fc.lorem({ maxCount: 12 })), cuts, (text, ranges) => {
        const count = ours.countSlices(text);
        for (const [start, end] of [...ranges, [0, text.length] as const]) {
          expect(count(start, end)).toBe(ours.countTokens(text.slice(start, end)));
        }
      }),
      { numRuns: 5000 },
    );
  });

  it('counts slices of words of over 100 characters', () => {
    const text = `${'a'.repeat(101)} ${'😀'.repeat(101)}b`;
    const count = ours.countSlices(text);
    for (const [start, end] of [
      [0, 101],
      [1, 101],
      [0, 100],
      [2, 104],
      [102, 304],
      [104, 305],
    ] as const) {
      expect(count(start, end)).toBe(ours.countTokens(text.slice(start, end)));
    }
  });

  it.each([
    ['one word', 'a'.repeat(5_000_000), 1],
    ['accents in an order that canonical ordering must reverse', `a${'\u0301\u0323'.repeat(2_500_000)}`, 1],
    ['spacing marks of two classes', `a${'\u302e\u1b44'.repeat(2_500_000)}`, 1],
    ['accents between joiners', '\u0301\u200d'.repeat(2_500_000), 0],
    ['brackets', '['.repeat(1_000_000), 1_000_000],
    ['ideographs', '中'.repeat(1_000_000), 1_000_000],
  ])('takes linear time for megabytes of %s', (_, text, expected) => {
    // Quadratic time would be hours, so the suite's own time limit is the assertion.
    expect(ours.countTokens(text)).toBe(expected);
  });

  it('reads long runs of marks as the reference does', () => {
    const text = `a${'\u0301\u0323\u302e'.repeat(30)} b${'\u0301'.repeat(200)} c${'\u302e'.repeat(200)}d e`;
    expect([...ours.encode(text)]).toEqual(reference(text));
  });

  it('refuses a vocabulary without an unknown token', () => {
    expect(() => new WordPieceTokenizer(['a', 'b'])).toThrow(/\[UNK\]/);
  });

  const files = corpusFiles();
  const missing = [TOKENIZER_FILE, ...files].find((file) => !existsSync(file));
  if (missing !== undefined) console.warn(`skipped: id equality over corpora, because ${missing} is absent`);
  it.skipIf(missing !== undefined)(
    'has the ids of MiniLM over megabytes of prose, code and issues in many languages',
    () => {
      const miniLm = idsOf(JSON.parse(readFileSync(TOKENIZER_FILE, 'utf8')) as object);
      let characters = 0;
      for (const file of files) {
        // In pieces, so that a failure shows where it is.
        for (const text of readFileSync(file, 'utf8').match(/.{1,4000}/gs) ?? []) {
          characters += text.length;
          expect([...ours.encode(text)], file).toEqual(miniLm(text));
        }
      }
      expect(characters).toBeGreaterThan(5_000_000);
    },
    300_000,
  );
});

function corpusFiles(): string[] {
  const playbook = join(DATA, 'corpora/ise-playbook');
  const markdown = existsSync(playbook)
    ? readdirSync(playbook, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.md'))
    : [];
  return [
    ...markdown.map((name) => join(playbook, name)),
    join(DATA, 'fixtures/bugs/multilingual-vscode/multilingual_bug_reports_vscode.csv'),
    join(DATA, 'fixtures/bugs/multilingual-vscode/multilingual_labelled_translated.csv'),
    ...['de', 'es', 'zh'].map((language) => join(DATA, `retrieval/xquad-en/queries-${language}.jsonl`)),
  ];
}

const anyText = fc
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
