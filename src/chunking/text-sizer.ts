import type { ChunkingUnit, MeasureSlice } from './chunker.js';

/** Sizes of pieces of one text, in the unit of the limits. Joined pieces never measure more than their sum. */
export interface TextSizer {
  /** Size of `text.slice(start, end)`. */
  size(start: number, end: number): number;
  /** Size of so many characters of white space between two pieces. */
  gap(length: number): number;
  /** The least size of a character. */
  readonly characterSize: number;
  /** Characters of a run of text that is a small part of `size` units, for cutting where no boundary helps. */
  runLength(size: number): number;
}

/**
 * A token holds 16 characters at most here. A word-piece tokenizer answers one unknown token for a word of any length
 * above its limit (100 characters in BERT), so without this floor a line of base64 would be a chunk of any length.
 */
const MAX_CHARACTERS_PER_TOKEN = 16;

/** White space holds no token; only more of it than a few blank lines counts, so that a chunk cannot consist of it. */
const FREE_GAP = 8;

/** Runs are about an eighth of a chunk, at about four characters a token in English text. */
const RUNS_PER_CHUNK = 8;
const CHARACTERS_PER_TOKEN = 4;

export function createTextSizer(unit: ChunkingUnit, countTokens: MeasureSlice): TextSizer {
  return unit === 'characters' ? characterSizer : tokenSizer(countTokens);
}

/** UTF-16 code units, as offsets count. */
const characterSizer: TextSizer = {
  size: (start, end) => end - start,
  gap: (length) => length,
  characterSize: 1,
  runLength: (size) => Math.max(1, Math.floor(size / RUNS_PER_CHUNK)),
};

function tokenSizer(countTokens: MeasureSlice): TextSizer {
  return {
    size: (start, end) => Math.max(countTokens(start, end), (end - start) / MAX_CHARACTERS_PER_TOKEN),
    gap: (length) => Math.max(0, length - FREE_GAP) / MAX_CHARACTERS_PER_TOKEN,
    characterSize: 1 / MAX_CHARACTERS_PER_TOKEN,
    runLength: (size) => Math.max(1, Math.floor((size * CHARACTERS_PER_TOKEN) / RUNS_PER_CHUNK)),
  };
}
