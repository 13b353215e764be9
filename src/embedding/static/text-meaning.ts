import { sharedLoad } from '../../core/shared-load.js';
import { BUILTIN_MODEL_FOLDER, readModelCard } from './model-folder.js';
import { loadBuiltinTokenizer, loadPooler } from './static-embedder.js';

type TextVectors = (text: string) => Float32Array | undefined;

const meanings = new Map<string, Promise<TextVectors>>();

/**
 * The built-in model for comparing short texts, whatever embedder an index has: vectors of length 1, undefined for a text in a script that it does not
 * read. Read once a process.
 * @throws RAGError `MODEL_NOT_FOUND` or `MODEL_INVALID`.
 */
export const loadTextMeaning = (): Promise<TextVectors> =>
  sharedLoad(meanings, BUILTIN_MODEL_FOLDER, readMeaning);

async function readMeaning(): Promise<TextVectors> {
  const card = await readModelCard(BUILTIN_MODEL_FOLDER);
  const tokenizer = await loadBuiltinTokenizer();
  const pooler = await loadPooler(BUILTIN_MODEL_FOLDER, card);
  const ids = new Int32Array(card.maxInputTokens);
  return (text) =>
    tokenizer.reads(text) ? pooler.pool(ids.subarray(0, tokenizer.encodeInto(text, ids))) : undefined;
}
