import { sharedLoad } from '../../core/shared-load.js';
import { BUILTIN_MODEL_FOLDER } from './model-folder.js';
import { loadBuiltinTokenizer } from './static-embedder.js';
import { readTokenIdf } from './token-idf.js';

/** Pieces of a word that are looked at. */
const MAX_PIECES = 32;

type Rarity = (word: string) => number;

const rarities = new Map<string, Promise<Rarity>>();

/**
 * How rare words are in the texts the built-in model was made from: idf of the rarest word piece, one more for each further
 * piece (a word in pieces is rarer than they are), at most the idf of a piece that was never seen. Read once a process.
 * @throws RAGError `MODEL_NOT_FOUND` or `MODEL_INVALID`.
 */
export const loadWordRarity = (folder: string = BUILTIN_MODEL_FOLDER): Promise<Rarity> =>
  sharedLoad(rarities, folder, () => readWordRarity(folder));

async function readWordRarity(folder: string): Promise<Rarity> {
  const tokenizer = await loadBuiltinTokenizer(folder);
  const idf = await readTokenIdf(folder, tokenizer.vocabularySize);
  const highest = idf.reduce((most, value) => Math.max(most, value), 0);
  const ids = new Int32Array(MAX_PIECES);
  return (word) => {
    const count = tokenizer.encodeInto(word, ids);
    let rarest = 0;
    for (const id of ids.subarray(0, count)) rarest = Math.max(rarest, idf[id] ?? 0);
    return Math.min(highest, rarest + Math.max(0, count - 1));
  };
}
