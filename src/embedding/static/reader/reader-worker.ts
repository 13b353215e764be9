// Entry of a thread in which the reader runs.
import { runtime } from '../../../core/runtime.js';
import { answerCalls } from '../../../threads/answer-calls.js';
import { BUILTIN_MODEL_FOLDER, readModelCard } from '../model-folder.js';
import { loadBuiltinTokenizer } from '../static-embedder.js';
import { loadTokenTable } from '../token-table.js';
import { Encoder } from './encoder.js';
import { readEncoderModel } from './encoder-model.js';
import type { TextsToRead } from './reader-threads.js';

/** The vector of a text, of length 1; empty where the text is written in a script that the model does not read. */
type Reader = (text: string) => Float32Array;

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
  return (text) => {
    if (!tokenizer.reads(text)) return new Float32Array(0);
    ids[0] = first;
    const count = tokenizer.encodeInto(text, ids.subarray(1, -1));
    ids[count + 1] = last;
    return encoder.encode(ids.subarray(0, count + 2));
  };
}

let loading: Promise<Reader> | undefined;

answerCalls(async ({ texts, forMs }: TextsToRead, isCancelled) => {
  loading ??= loadReader();
  const read = await loading;
  const until = runtime().elapsed() + forMs;
  const vectors: Float32Array[] = [];
  for (const text of texts) {
    if (vectors.length > 0 && (isCancelled() || runtime().elapsed() > until)) break;
    vectors.push(read(text));
  }
  return vectors;
});
