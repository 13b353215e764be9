import { countWith, emit, encodeWith, type Tokenize, type TokenSink } from '../token-sink.js';
import { isHighSurrogate } from '../word-piece/character-class.js';
import { unitsOf } from '../word-piece/normalise-text.js';
import { NONE, PieceTrie, WORD_START } from '../word-piece/piece-trie.js';
import { WordMemo } from '../word-piece/word-memo.js';
import { isWhiteSpace, trimmedEnd } from './white-space.js';

/** Stands before every word. */
const MARK = 0x25_81;
const BLANK = 0x20;

/** Code units of a word beyond which the rest is another word: many more than a model reads. */
const MOST_UNITS = 16_384;
/** What a character without a piece costs beside the rarest piece. */
const UNKNOWN_PENALTY = 10;

/** What a `tokenizer.json` of a Unigram model says. */
export interface UnigramModel {
  /** The position of a piece is its id. */
  readonly pieces: readonly string[];
  /** Logarithms of their probabilities. */
  readonly scores: Float64Array;
  readonly unknownId: number;
  /** Those that are found in a text as it is. */
  readonly tokens: readonly AddedToken[];
  /** Those that are found in a text as the tokenizer reads it. */
  readonly normalisedTokens: readonly AddedToken[];
  readonly normalise: (text: string) => string;
  /** Whether words are what stands between white space, or each blank begins one. */
  readonly splitsAtWhiteSpace: boolean;
}

/**
 * The Unigram tokenizer of SentencePiece (Kudo 2018): each word is cut into the pieces whose probabilities have the greatest product (Viterbi 1967), and
 * characters without a piece that follow each other are one unknown token. Same ids as `tokenizers` of Hugging Face, without those of the template; linear time.
 */
export class UnigramTokenizer {
  readonly #model: UnigramModel;
  readonly #tokens: AddedTokens;
  readonly #normalisedTokens: AddedTokens;
  readonly #trie: PieceTrie;
  readonly #unknownScore: number;
  readonly #memo = new WordMemo();
  // Of one word: its pieces, and the best way to each place in it.
  readonly #pieces = new Int32Array(MOST_UNITS);
  readonly #best = new Float64Array(MOST_UNITS + 1);
  readonly #from = new Int32Array(MOST_UNITS + 1);
  readonly #by = new Int32Array(MOST_UNITS + 1);

  constructor(model: UnigramModel) {
    this.#model = model;
    this.#tokens = new AddedTokens(model.tokens);
    this.#normalisedTokens = new AddedTokens(model.normalisedTokens);
    this.#trie = new PieceTrie(model.pieces);
    this.#unknownScore = model.scores.reduce((least, score) => Math.min(least, score)) - UNKNOWN_PENALTY;
  }

  /** Writes the ids of the first pieces, as many as fit, and returns how many it wrote. */
  encodeInto(text: string, target: Int32Array): number {
    return encodeWith(this.#tokenize, text, target);
  }

  /** Number of pieces of the text. */
  countTokens(text: string): number {
    return countWith(this.#tokenize, text);
  }

  readonly #tokenize: Tokenize = (text, sink, limit) => {
    const visitToken = (id: number): void => emit(sink, id);
    const visitNormalised = (section: string): void =>
      this.#tokenizeWords(this.#marked(section), sink, limit);
    const visitText = (section: string): void => {
      if (sink.count < limit)
        this.#normalisedTokens.forEachSection(this.#model.normalise(section), visitNormalised, visitToken);
    };
    this.#tokens.forEachSection(text.toWellFormed(), visitText, visitToken);
  };

  /** The code units of normalised text with a mark before each word, in place of white space. */
  #marked(text: string): Uint16Array {
    const { splitsAtWhiteSpace } = this.#model;
    const marked = new Uint16Array(text.length + 1);
    let length = 0;
    let startsWord = true;
    for (const unit of unitsOf(text)) {
      if (splitsAtWhiteSpace && isWhiteSpace(unit)) {
        startsWord = true;
        continue;
      }
      const written = unit === BLANK ? MARK : unit;
      if (startsWord && written !== MARK) marked[length++] = MARK;
      marked[length++] = written;
      startsWord = false;
    }
    return marked.subarray(0, length);
  }

  #tokenizeWords(text: Uint16Array, sink: TokenSink, limit: number): void {
    for (let start = 0, end = 0; start < text.length && sink.count < limit; start = end) {
      const most = Math.min(text.length, start + MOST_UNITS);
      end = start + 1;
      while (end < most && text[end] !== MARK) end++;
      if (end < text.length && isHighSurrogate(text[end - 1] ?? 0)) end--;
      const count = this.#split(text, start, end);
      for (let i = 0; i < count; i++) emit(sink, this.#pieces[i] ?? 0);
    }
  }

  /** Writes a word's pieces to `#pieces` and returns how many they are. */
  #split(text: Uint16Array, start: number, end: number): number {
    const known = this.#memo.read(text, { start, end }, this.#pieces);
    if (known > 0) return known;
    this.#findBest(text, start, end);
    const { unknownId } = this.#model;
    let count = 0;
    for (let at = end - start; at > 0; at = this.#from[at] ?? 0) {
      const piece = this.#by[at] ?? 0;
      if (piece !== unknownId || count === 0 || this.#pieces[count - 1] !== unknownId)
        this.#pieces[count++] = piece;
    }
    const pieces = this.#pieces.subarray(0, count).reverse();
    this.#memo.write(text, { start, end }, pieces);
    return count;
  }

  /** The best way to each place of a word: the sum of its scores, the piece that ends there, and where that starts. */
  #findBest(text: Uint16Array, start: number, end: number): void {
    const { scores, unknownId } = this.#model;
    this.#best.fill(Number.NEGATIVE_INFINITY, 1, end - start + 1);
    this.#best[0] = 0;
    for (let at = start, next = start; at < end; at = next) {
      next = at + (isHighSurrogate(text[at] ?? 0) ? 2 : 1);
      const here = this.#best[at - start] ?? 0;
      let hasOwnPiece = false;
      for (let i = at, node = WORD_START; i < end; i++) {
        node = this.#trie.childOf(node, text[i] ?? 0);
        if (node === NONE) break;
        const piece = this.#trie.pieceAt(node);
        if (piece === NONE) continue;
        this.#offer(i + 1 - start, here + (scores[piece] ?? 0), piece, at - start);
        hasOwnPiece ||= i + 1 === next;
      }
      if (!hasOwnPiece) this.#offer(next - start, here + this.#unknownScore, unknownId, at - start);
    }
  }

  #offer(at: number, score: number, piece: number, from: number): void {
    if (score <= (this.#best[at] ?? 0)) return;
    this.#best[at] = score;
    this.#by[at] = piece;
    this.#from[at] = from;
  }
}

/** A token that stands for itself where it is written out in a text. */
interface AddedToken {
  readonly id: number;
  readonly content: string;
  /** The white space before it is a part of it. */
  readonly lstrip: boolean;
}

/** Finds added tokens in texts: the first, and of those that start at one place the longest. */
class AddedTokens {
  readonly #tokens: ReadonlyMap<string, AddedToken>;
  readonly #pattern: RegExp;

  constructor(tokens: readonly AddedToken[]) {
    this.#tokens = new Map(tokens.map((token) => [token.content, token]));
    const contents = [...this.#tokens.keys()].sort((a, b) => b.length - a.length);
    const literals = contents.map((content) => content.replace(/[$()*+./?[\\\]^{|}-]/g, '\\$&'));
    this.#pattern = new RegExp(literals.length === 0 ? '(?!)' : `(${literals.join('|')})`, 'u');
  }

  /** Calls `visit` with the text between added tokens, and with their ids, in order. */
  forEachSection(text: string, visitText: (text: string) => void, visitToken: (id: number) => void): void {
    const sections = text.split(this.#pattern);
    for (const [at, section] of sections.entries()) {
      // The pattern captures: every other section is a token.
      const token = at % 2 === 1 ? this.#tokens.get(section) : undefined;
      if (token !== undefined) visitToken(token.id);
      else
        visitText(this.#tokens.get(sections[at + 1] ?? '')?.lstrip === true ? trimmedEnd(section) : section);
    }
  }
}
