/** Pieces of `unigramJson`, with the logarithms of their probabilities. */
const PIECES: readonly (readonly [string, number])[] = [
  ['<s>', 0],
  ['<pad>', 0],
  ['</s>', 0],
  ['<unk>', 0],
  ['▁', -2],
  ...[...'abcdehinorst.,fi'].map((letter, at): [string, number] => [letter, -5 - at / 8]),
  ['▁the', -3],
  ['the', -4.5],
  ['▁a', -3.2],
  ['an', -4.25],
  ['ing', -3.75],
  ['tion', -4],
  ['▁station', -6],
  ['é', -6],
  ['▁caf', -7],
  ['中', -5],
  ['文', -5.5],
  ['中文', -8],
  ['😀', -9],
  ['한', -6],
  ['<mask>', 0],
];

/** What stands for what: blanks, ligatures, full width, composed letters. */
const CHARACTERS: Readonly<Record<string, string>> = {
  '\t': ' ',
  '\n': ' ',
  '\r': ' ',
  '\u00a0': ' ',
  '\u200b': '',
  '\u2581': ' ',
  '\ufffd': ' ',
  ﬁ: 'fi',
  Ａ: 'A',
  ａ: 'a',
  '＜': '<',
  '＞': '>',
  'e\u0301': 'é',
  '①': '1',
  '…': '...',
};

const SPLIT = { type: 'WhitespaceSplit' };
const MARK = { type: 'Metaspace', replacement: '▁', add_prefix_space: true };

/** A `tokenizer.json` of the kind of XLM-R over a few pieces; `changes` replace what it says. */
export function unigramJson(changes: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  const id = (token: string): number => PIECES.findIndex(([piece]) => piece === token);
  const special = ['<s>', '<pad>', '</s>', '<unk>', '<mask>'];
  return {
    version: '1.0',
    added_tokens: special.map((content) => ({
      id: id(content),
      content,
      single_word: false,
      lstrip: content === '<mask>',
      rstrip: false,
      normalized: false,
      special: true,
    })),
    normalizer: MAPPED,
    pre_tokenizer: { type: 'Sequence', pretokenizers: [SPLIT, MARK] },
    post_processor: {
      type: 'TemplateProcessing',
      single: [
        { SpecialToken: { id: '<s>', type_id: 0 } },
        { Sequence: { id: 'A', type_id: 0 } },
        { SpecialToken: { id: '</s>', type_id: 0 } },
      ],
      pair: [],
      special_tokens: {
        '<s>': { id: '<s>', ids: [0], tokens: ['<s>'] },
        '</s>': { id: '</s>', ids: [2], tokens: ['</s>'] },
      },
    },
    decoder: MARK,
    model: { type: 'Unigram', unk_id: 3, vocab: PIECES },
    ...changes,
  };
}

/** `precompiled_charsmap` of a map of characters: a trie whose nodes have 256 units each, and the texts. */
export function characterMapOf(characters: Readonly<Record<string, string>>): Buffer {
  interface Node {
    readonly children: Map<number, Node>;
    value?: number;
  }
  const root: Node = { children: new Map() };
  let texts = '';
  for (const [key, text] of Object.entries(characters)) {
    let node = root;
    for (const byte of Buffer.from(key)) {
      const child = node.children.get(byte) ?? { children: new Map() };
      node.children.set(byte, child);
      node = child;
    }
    node.value = Buffer.byteLength(texts);
    texts += `${text}\0`;
  }
  const units: number[] = [];
  let blocks = 0;
  const write = ({ children, value }: Node, at: number, label: number): void => {
    blocks += 256;
    const block = blocks;
    units[at] = (((at ^ block) << 10) | (value === undefined ? 0 : 0x1_00) | label) >>> 0;
    if (value !== undefined) units[block] = (0x80_00_00_00 | value) >>> 0;
    for (const [byte, child] of children) write(child, block + byte, byte);
  };
  write(root, 0, 0);
  const trie = Buffer.from(Uint32Array.from({ length: blocks + 256 }, (_, at) => units[at] ?? 0).buffer);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(trie.length);
  return Buffer.concat([length, trie, Buffer.from(texts)]);
}

const MAPPED = {
  type: 'Precompiled',
  precompiled_charsmap: characterMapOf(CHARACTERS).toString('base64'),
};

/** The forms that files of this kind have. */
export const UNIGRAM_FORMS: Readonly<Record<string, Record<string, unknown>>> = {
  'words between white space': unigramJson(),
  'words that blanks begin': unigramJson({
    normalizer: {
      type: 'Sequence',
      normalizers: [MAPPED, { type: 'Replace', pattern: { Regex: ' {2,}' }, content: ' ' }],
    },
    pre_tokenizer: MARK,
  }),
  'text without blanks at its end': unigramJson({
    normalizer: {
      type: 'Sequence',
      normalizers: [
        MAPPED,
        { type: 'Strip', strip_left: false, strip_right: true },
        { type: 'Replace', pattern: { Regex: ' {2,}' }, content: '▁' },
      ],
    },
    pre_tokenizer: { type: 'Metaspace', replacement: '▁', prepend_scheme: 'always', split: true },
  }),
};
