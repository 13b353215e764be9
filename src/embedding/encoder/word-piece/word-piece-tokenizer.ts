import type { TextRange } from '../../../core/document.js';
import { RAGError } from '../../../core/errors.js';
import { madeWhenAsked } from '../../../core/made-once.js';
import { countWith, emit, encodeWith, type Tokenize, type TokenSink } from '../token-sink.js';
import { classOf, isHighSurrogate, PUNCTUATION, SPACE } from './character-class.js';
import { lowerCaseOfPlain, MAX_WORD_CHARACTERS, normalisedUnits, unitsOf } from './normalise-text.js';
import { CONTINUATION, NONE, PieceTrie, WORD_START } from './piece-trie.js';
import { sumOverStretches } from './text-stretches.js';
import { WordMemo } from './word-memo.js';

const UNKNOWN = '[UNK]';
// Written in a text, these stand for themselves, as in BERT's reference tokenizers.
const SPECIAL_PIECES = ['[PAD]', UNKNOWN, '[CLS]', '[SEP]', '[MASK]'];
const SPECIAL_TOKENS = /(\[(?:PAD|UNK|CLS|SEP|MASK)\])/;

/** Adds up the pieces of the words in a slice of a text, from sums over the words before each. */
class SliceCounter {
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];
  /** Pieces of all words before each, and of all. */
  readonly #sums: number[] = [0];
  readonly #countWord: (start: number, end: number) => number;

  /** @param countWord Pieces of a part of a word, where a slice cuts one. */
  constructor(countWord: (start: number, end: number) => number) {
    this.#countWord = countWord;
  }

  /** Adds the next word of the text. */
  add(start: number, end: number, pieces: number): void {
    this.#starts.push(start);
    this.#ends.push(end);
    this.#sums.push(this.#sumBefore(this.#starts.length - 1) + pieces);
  }

  /** Pieces between two offsets. */
  count(start: number, end: number): number {
    if (start >= end) return 0;
    const first = this.#wordFrom(start);
    const next = this.#wordFrom(end);
    // Ends of the words that start before either offset.
    const endBefore = this.#ends[first - 1] ?? 0;
    const endOfLast = this.#ends[next - 1] ?? 0;
    const head = endBefore > start ? this.#countWord(start, Math.min(endBefore, end)) : 0;
    if (next === first) return head;
    const isCut = endOfLast > end;
    const whole = this.#sumBefore(isCut ? next - 1 : next) - this.#sumBefore(first);
    return head + whole + (isCut ? this.#countWord(this.#starts[next - 1] ?? end, end) : 0);
  }

  #sumBefore(word: number): number {
    return this.#sums[word] ?? 0;
  }

  /** The first word that starts at an offset or behind it. */
  #wordFrom(offset: number): number {
    let low = 0;
    let high = this.#starts.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#starts[middle] ?? 0) < offset) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/**
 * BERT's uncased WordPiece tokenizer (Devlin et al. 2019; Wu et al. 2016): normalise, split at white space and
 * punctuation, then cut each word greedily into the longest pieces of the vocabulary. Same ids as
 * `@huggingface/tokenizers` with an uncased BERT `tokenizer.json`, without `[CLS]` and `[SEP]`; linear time.
 */
export class WordPieceTokenizer {
  /** Number of pieces in the vocabulary. */
  readonly vocabularySize: number;
  /** Whether the vocabulary has words of the script that a text is written in. */
  readonly reads: (text: string) => boolean;
  readonly #trie: PieceTrie;
  readonly #unknownId: number;
  readonly #specialIds: ReadonlyMap<string, number>;
  readonly #memo = new WordMemo();
  // One word's pieces: a piece is at least one code unit, a word at most two a character.
  readonly #wordPieces = new Int32Array(MAX_WORD_CHARACTERS * 2);

  /**
   * @param vocabulary One piece an entry; its position is its id.
   * @throws RAGError `MODEL_INVALID` when the vocabulary has no `[UNK]`.
   */
  constructor(vocabulary: readonly string[]) {
    const unknownId = vocabulary.indexOf(UNKNOWN);
    if (unknownId === -1) {
      throw new RAGError(
        'MODEL_INVALID',
        `The vocabulary holds no ${UNKNOWN} token, so it is not that of an uncased BERT model.`,
      );
    }
    this.vocabularySize = vocabulary.length;
    this.reads = knownScripts(vocabulary);
    this.#unknownId = unknownId;
    this.#trie = new PieceTrie(vocabulary, '##');
    this.#specialIds = new Map(
      SPECIAL_PIECES.map((piece) => [piece, vocabulary.lastIndexOf(piece)] as const).filter(
        ([, id]) => id !== -1,
      ),
    );
  }

  /** Ids of the text's pieces, in order. */
  encode(text: string): Int32Array {
    const target = new Int32Array(this.countTokens(text));
    this.encodeInto(text, target);
    return target;
  }

  /** Writes the ids of the first pieces, as many as fit, and returns how many it wrote. */
  encodeInto(text: string, target: Int32Array): number {
    return encodeWith(this.#tokenize, text, target);
  }

  /** Number of pieces of the text. */
  countTokens(text: string): number {
    return countWith(this.#tokenize, text);
  }

  /** `countTokens` as chunkers want it, with the faster way for slices of one text. */
  readonly measure = Object.assign((text: string): number => this.countTokens(text), {
    slices: (text: string) => this.countSlices(text),
  });

  /**
   * Number of pieces of slices of one text: `countTokens(text.slice(start, end))`. A stretch of the text is read once, when a
   * slice of it is first asked for, and a slice then costs a search among its words; only where a word is not the same in a slice
   * as in the text is each slice read anew.
   */
  countSlices(text: string): (start: number, end: number) => number {
    return sumOverStretches(text, (stretch) => this.#countSlicesOf(stretch));
  }

  #countSlicesOf(text: string): (start: number, end: number) => number {
    const plain = SPECIAL_TOKENS.test(text) ? undefined : lowerCaseOfPlain(text);
    if (plain === undefined) return (start, end) => this.countTokens(text.slice(start, end));
    const units = unitsOf(plain);
    const counter = new SliceCounter((start, end) =>
      this.#split(units, { start, end }, charactersIn(units, start, end)),
    );
    forEachWord(units, (start, end, characters) => {
      counter.add(start, end, this.#split(units, { start, end }, characters));
      return true;
    });
    return (start, end) =>
      splitsPair(units, start) || splitsPair(units, end)
        ? this.countTokens(text.slice(start, end))
        : counter.count(start, end);
  }

  readonly #tokenize: Tokenize = (text, sink, limit) => {
    const sections = text.includes('[') ? text.split(SPECIAL_TOKENS) : [text];
    for (const section of sections) {
      if (sink.count >= limit) return;
      const special = this.#specialIds.get(section);
      if (special === undefined) this.#tokenizeWords(normalisedUnits(section), sink, limit);
      else emit(sink, special);
    }
  };

  #tokenizeWords(text: Uint16Array, sink: TokenSink, limit: number): void {
    forEachWord(text, (start, end, characters) => {
      const count = this.#split(text, { start, end }, characters);
      if (sink.target === undefined) sink.count += count;
      else for (let i = 0; i < count; i++) emit(sink, this.#wordPieces[i] ?? this.#unknownId);
      return sink.count < limit;
    });
  }

  /** Writes a word's pieces to `#wordPieces` and returns how many they are. */
  #split(text: Uint16Array, word: TextRange, characters: number): number {
    if (characters > MAX_WORD_CHARACTERS) return this.#splitUnknown();
    const known = this.#memo.read(text, word, this.#wordPieces);
    if (known > 0) return known;
    const count = this.#splitNew(text, word);
    this.#memo.write(text, word, this.#wordPieces.subarray(0, count));
    return count;
  }

  /** The longest piece that the word starts with, then of what is left of it, and so on. */
  #splitNew(text: Uint16Array, { start, end }: TextRange): number {
    const trie = this.#trie;
    let count = 0;
    let position = start;
    while (position < end) {
      let node = position === start ? WORD_START : CONTINUATION;
      let longest = NONE;
      let longestEnd = position;
      for (let i = position; i < end; i++) {
        node = trie.childOf(node, text[i] ?? 0);
        if (node === NONE) break;
        const piece = trie.pieceAt(node);
        if (piece === NONE) continue;
        longest = piece;
        longestEnd = i + 1;
      }
      // One part without a piece makes the whole word unknown.
      if (longest === NONE) return this.#splitUnknown();
      this.#wordPieces[count++] = longest;
      position = longestEnd;
    }
    return count;
  }

  #splitUnknown(): number {
    this.#wordPieces[0] = this.#unknownId;
    return 1;
  }
}

/** Given where a word starts and ends, and its length in code points; returns whether to go on. */
type VisitWord = (start: number, end: number, characters: number) => boolean;

/** Calls `visit` for each word of normalised text in order: between white space, or one mark of punctuation. */
function forEachWord(text: Uint16Array, visit: VisitWord): void {
  let start = 0;
  while (start < text.length) {
    const bits = classAt(text, start);
    let end = start + widthAt(text, start);
    if ((bits & SPACE) !== 0) {
      start = end;
      continue;
    }
    let characters = 1;
    if ((bits & PUNCTUATION) === 0) {
      while (end < text.length && (classAt(text, end) & (SPACE | PUNCTUATION)) === 0) {
        end += widthAt(text, end);
        characters++;
      }
    }
    if (!visit(start, end, characters)) return;
    start = end;
  }
}

const unitAt = (text: Uint16Array, position: number): number => text[position] ?? 0;

const widthAt = (text: Uint16Array, position: number): number =>
  isHighSurrogate(unitAt(text, position)) && position + 1 < text.length ? 2 : 1;

/** Normalised text holds surrogates in pairs only. */
function classAt(text: Uint16Array, position: number): number {
  const unit = unitAt(text, position);
  if (!isHighSurrogate(unit)) return classOf(unit);
  const low = unitAt(text, position + 1);
  return classOf(low === 0 ? unit : (unit - 0xd8_00) * 0x4_00 + (low - 0xdc_00) + 0x1_00_00);
}

function charactersIn(text: Uint16Array, start: number, end: number): number {
  let count = 0;
  for (let i = start; i < end; i += widthAt(text, i)) count++;
  return count;
}

const splitsPair = (text: Uint16Array, offset: number): boolean =>
  offset > 0 && offset < text.length && isHighSurrogate(unitAt(text, offset - 1));

/** Scripts that a vocabulary may hold words of; letters of any other are of no script that a model knows. */
const SCRIPTS = [
  ...['Latin', 'Greek', 'Cyrillic', 'Armenian', 'Georgian', 'Hebrew', 'Arabic', 'Devanagari', 'Bengali'],
  ...['Gujarati', 'Gurmukhi', 'Tamil', 'Telugu', 'Kannada', 'Malayalam', 'Sinhala', 'Thai', 'Lao', 'Myanmar'],
  ...['Khmer', 'Ethiopic', 'Hangul', 'Hiragana', 'Katakana', 'Han'],
];

/**
 * From so many words on a vocabulary is one of a script. Those of English BERT models (30,522 pieces) hold 27,533 of Latin and at most 8 of
 * any other: letters that texts of other scripts are cut into, one by one, so that vectors of these tell nothing of what they say.
 */
const LEAST_WORDS = 1_000;

/** Share of the letters of a text from which it counts as of a script that is known. */
const LEAST_SHARE = 0.5;

/** What may be a letter of another script than Latin; where there is none, nothing needs counting. */
const FOREIGN = /[\u0250-\u1dff\u1f00-\u1fff\u2c00-\uffff]/;

/**
 * Whether a vocabulary has words of the script that a text is written in: half of its letters at least are of one. A text without letters is
 * of every script.
 */
export function knownScripts(vocabulary: readonly string[]): (text: string) => boolean {
  const knowsLatin = madeWhenAsked(() => hasWords('Latin', vocabulary));
  const ofKnown = madeWhenAsked(() => {
    const others = vocabulary.filter((piece) => FOREIGN.test(piece));
    const known = SCRIPTS.filter((script) => (script === 'Latin' ? knowsLatin() : hasWords(script, others)));
    if (known.length === 0) return undefined;
    return new RegExp(`[${known.map((script) => `\\p{Script=${script}}`).join('')}]`, 'gu');
  });
  return (text) => {
    if (!FOREIGN.test(text) && knowsLatin()) return true;
    const letters = ofKnown();
    return letters === undefined || countOf(letters, text) >= LEAST_SHARE * countOf(LETTERS, text);
  };
}

const LETTERS = /\p{L}/gu;

const countOf = (pattern: RegExp, text: string): number => text.match(pattern)?.length ?? 0;

/** Whether enough pieces have at least two letters of a script; an ideograph is a word of its own. */
function hasWords(script: string, vocabulary: readonly string[]): boolean {
  const word = new RegExp(script === 'Han' ? `\\p{Script=${script}}` : `\\p{Script=${script}}{2}`, 'u');
  let words = 0;
  return vocabulary.some((piece) => word.test(piece) && ++words >= LEAST_WORDS);
}
