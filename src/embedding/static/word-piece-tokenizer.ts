import { RAGError } from '../../core/errors.js';
import { classOf, PUNCTUATION, SPACE } from './character-class.js';
import { MAX_WORD_CHARACTERS, normaliseText } from './normalise-text.js';
import { CONTINUATION, NONE, PieceTrie, WORD_START } from './piece-trie.js';

const UNKNOWN = '[UNK]';
// Written in a text, these stand for themselves, as in BERT's reference tokenizers.
const SPECIAL_TOKENS = /(\[(?:PAD|UNK|CLS|SEP|MASK)\])/;

/** Where token ids go. */
interface Sink {
  /** Ids are written here, as far as they fit; absent where only the number matters. */
  readonly target?: Int32Array;
  count: number;
}

/**
 * BERT's uncased WordPiece tokenizer (Devlin et al. 2019; Wu et al. 2016): normalise, split at white space and
 * punctuation, then cut each word greedily into the longest pieces of the vocabulary. Same ids as
 * `@huggingface/tokenizers` with an uncased BERT `tokenizer.json`, without `[CLS]` and `[SEP]`; linear time.
 */
export class WordPieceTokenizer {
  /** Number of pieces in the vocabulary. */
  readonly vocabularySize: number;
  readonly #trie: PieceTrie;
  readonly #unknownId: number;
  readonly #specialIds: ReadonlyMap<string, number>;
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
    this.#unknownId = unknownId;
    this.#trie = new PieceTrie(vocabulary);
    this.#specialIds = new Map(
      [...vocabulary.entries()]
        .filter(([, piece]) => SPECIAL_TOKENS.test(piece))
        .map(([id, piece]) => [piece, id]),
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
    const sink: Sink = { target, count: 0 };
    this.#tokenize(text, sink, target.length);
    return Math.min(sink.count, target.length);
  }

  /** Number of pieces of the text. */
  countTokens(text: string): number {
    const sink: Sink = { count: 0 };
    this.#tokenize(text, sink, Number.POSITIVE_INFINITY);
    return sink.count;
  }

  #tokenize(text: string, sink: Sink, limit: number): void {
    const sections = text.includes('[') ? text.split(SPECIAL_TOKENS) : [text];
    for (const section of sections) {
      if (sink.count >= limit) return;
      const special = this.#specialIds.get(section);
      if (special === undefined) this.#tokenizeWords(normaliseText(section), sink, limit);
      else emit(sink, special);
    }
  }

  #tokenizeWords(text: string, sink: Sink, limit: number): void {
    let position = 0;
    while (position < text.length && sink.count < limit) {
      const bits = classAt(text, position);
      const width = widthAt(text, position);
      if ((bits & SPACE) !== 0) {
        position += width;
        continue;
      }
      let end = position + width;
      let characters = 1;
      if ((bits & PUNCTUATION) === 0) {
        while (end < text.length && (classAt(text, end) & (SPACE | PUNCTUATION)) === 0) {
          end += widthAt(text, end);
          characters++;
        }
      }
      if (characters > MAX_WORD_CHARACTERS) emit(sink, this.#unknownId);
      else this.#splitWord(text, position, { end, sink });
      position = end;
    }
  }

  #splitWord(text: string, start: number, { end, sink }: { end: number; sink: Sink }): void {
    const trie = this.#trie;
    let count = 0;
    let position = start;
    while (position < end) {
      let node = position === start ? WORD_START : CONTINUATION;
      let longest = NONE;
      let longestEnd = position;
      for (let i = position; i < end; i++) {
        node = trie.childOf(node, text.charCodeAt(i));
        if (node === NONE) break;
        const piece = trie.pieceAt(node);
        if (piece === NONE) continue;
        longest = piece;
        longestEnd = i + 1;
      }
      // One part without a piece makes the whole word unknown.
      if (longest === NONE) {
        emit(sink, this.#unknownId);
        return;
      }
      this.#wordPieces[count++] = longest;
      position = longestEnd;
    }
    for (let i = 0; i < count; i++) emit(sink, this.#wordPieces[i] ?? this.#unknownId);
  }
}

function emit(sink: Sink, id: number): void {
  if (sink.target !== undefined && sink.count < sink.target.length) sink.target[sink.count] = id;
  sink.count++;
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd8_00 && unit <= 0xdb_ff;

const widthAt = (text: string, position: number): number =>
  isHighSurrogate(text.charCodeAt(position)) && position + 1 < text.length ? 2 : 1;

function classAt(text: string, position: number): number {
  const unit = text.charCodeAt(position);
  return classOf(isHighSurrogate(unit) ? (text.codePointAt(position) ?? unit) : unit);
}
