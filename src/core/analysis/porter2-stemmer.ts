import snowball from 'snowball-stemmers';
import { GenerationalCache } from './generational-cache.js';

const porter2 = snowball.newStemmer('english');
const stems = new GenerationalCache<string>(16_384);

/**
 * Stem of a lower-case English word (Porter2, https://snowballstem.org/algorithms/english/stemmer.html). Words repeat and
 * the algorithm takes about 5 µs, so stems are remembered, in bounded memory.
 */
export const stemEnglish = (word: string): string =>
  stems.getOrMake(word, (unknown) => porter2.stem(unknown));
