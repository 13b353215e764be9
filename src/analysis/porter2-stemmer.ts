import snowball from 'snowball-stemmers';

const porter2 = snowball.newStemmer('english');

/** Words remembered per generation; two generations are alive, so at most twice as many. About 4 MB when full. */
const GENERATION_SIZE = 32_768;

// Two generations instead of an LRU list: a hit in the young one costs a single lookup.
let young = new Map<string, string>();
let old = new Map<string, string>();

/**
 * Stem of a lower-case English word (Porter2, "The English stemmer", https://snowballstem.org/algorithms/english/stemmer.html).
 * Words repeat, and a lookup is fifty times cheaper than the algorithm, so results are remembered, in bounded memory.
 */
export function stemEnglish(word: string): string {
  const known = young.get(word);
  if (known !== undefined) return known;
  const stem = old.get(word) ?? porter2.stem(word);
  if (young.size >= GENERATION_SIZE) {
    old = young;
    young = new Map();
  }
  young.set(word, stem);
  return stem;
}
