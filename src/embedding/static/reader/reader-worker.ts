// Entry of a thread in which the reader runs.
import { ENGLISH_STOP_WORDS } from '../../../core/analysis/english-stop-words.js';
import { answerCalls } from '../../../platform/threads/answer-calls.js';
import { BUILTIN_MODEL_FOLDER, readModelCard } from '../model-folder.js';
import { loadBuiltinTokenizer, loadTokenTable } from '../static-embedder.js';
import { Encoder } from './encoder.js';
import { readEncoderModel } from './encoder-model.js';
import type { TextToRead } from './reader-threads.js';

/** The vector of a text, of length 1; empty where the text is in a script, or a query in words, that the model does not read. */
type Reader = (text: TextToRead) => Float32Array;

// Shares that tell an English query from others: of 1,190 questions of XQuAD in German 79 % do not pass and of those in English none, of
// 1,190 written questions (tools/questions) 1 %. Only a query has to pass: what is found by an English one is nearly always English.
const FEWEST_WORDS = 4;
const LEAST_STOP_WORDS = 0.15;
const MOST_PIECES_A_WORD = 1.7;
/** Of the words that say something: names of one's own that the vocabulary cuts to pieces. */
const MOST_PIECES_A_NAME = 3;

/**
 * Loads the reader: an encoder distilled from all-MiniLM-L6-v2 (`tools/reader`), whose cosines tell how alike two texts are. It reads the
 * first 254 pieces of a text.
 * @throws RAGError `MODEL_NOT_FOUND` or `MODEL_INVALID`
 */
async function loadReader(): Promise<Reader> {
  const model = await readEncoderModel();
  const tokenizer = await loadBuiltinTokenizer();
  const card = await readModelCard(BUILTIN_MODEL_FOLDER);
  const encoder = new Encoder(model, await loadTokenTable(BUILTIN_MODEL_FOLDER, card));
  const [first = 0, last = 0] = tokenizer.encode('[CLS][SEP]');
  const ids = new Int32Array(model.maxTokens);
  const piecesOf = (words: readonly string[]): number =>
    words.length === 0 ? 0 : tokenizer.encode(words.join(' ')).length / words.length;
  const isUnderstood = (query: string): boolean => {
    const words = query.toLowerCase().match(/\p{L}+/gu) ?? [];
    const telling = words.filter((word) => !ENGLISH_STOP_WORDS.has(word));
    return (
      words.length < FEWEST_WORDS ||
      (piecesOf(telling) <= MOST_PIECES_A_NAME &&
        (telling.length <= (1 - LEAST_STOP_WORDS) * words.length || piecesOf(words) <= MOST_PIECES_A_WORD))
    );
  };
  return ({ text, isQuery }) => {
    if (!tokenizer.reads(text) || (isQuery && !isUnderstood(text))) return new Float32Array(0);
    ids[0] = first;
    const count = tokenizer.encodeInto(text, ids.subarray(1, -1));
    ids[count + 1] = last;
    return encoder.encode(ids.subarray(0, count + 2));
  };
}

let loading: Promise<Reader> | undefined;

answerCalls(async (text: TextToRead) => {
  loading ??= loadReader();
  return (await loading)(text);
});
