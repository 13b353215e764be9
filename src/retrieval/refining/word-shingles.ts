import { countCommon } from '../../core/count-common.js';

/** Words in a row that make one shingle. */
const WORDS_PER_SHINGLE = 3;

// From here on (CJK radicals) scripts are written without spaces, so each character counts as a word.
const FIRST_IDEOGRAPHIC = 0x2e80;

const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/**
 * Hashes (FNV-1a, 32 bits) of every three words in a row, distinct and ascending; case and punctuation do not count. A
 * text of fewer words has one shingle, a text without words none. Two texts share a hash by chance once in billions of pairs.
 */
export function wordShingles(text: string): Uint32Array {
  const words = wordHashes(text.toLowerCase());
  const length = words.length;
  if (length === 0) return new Uint32Array(0);
  const size = Math.min(WORDS_PER_SHINGLE, length);
  const shingles = new Uint32Array(length - size + 1);
  for (let i = 0; i < shingles.length; i++) {
    let hash = FNV_OFFSET;
    for (let j = i; j < i + size; j++) hash = Math.imul(hash ^ (words[j] ?? 0), FNV_PRIME) ^ (hash >>> 15);
    shingles[i] = hash;
  }
  return distinct(shingles.sort());
}

function wordHashes(text: string): number[] {
  const hashes: number[] = [];
  let hash = FNV_OFFSET;
  let isInWord = false;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    const isWhole = unit >= FIRST_IDEOGRAPHIC;
    if (!isWhole && isWordUnit(unit)) {
      hash = Math.imul(hash ^ unit, FNV_PRIME);
      isInWord = true;
    } else if (isInWord) {
      hashes.push(hash);
      hash = FNV_OFFSET;
      isInWord = false;
    }
    if (isWhole) hashes.push(Math.imul(FNV_OFFSET ^ unit, FNV_PRIME));
  }
  if (isInWord) hashes.push(hash);
  return hashes;
}

// Beyond ASCII nearly every code unit belongs to a word; the few that do not only make words longer.
const isWordUnit = (unit: number): boolean =>
  (unit >= 97 && unit <= 122) || (unit >= 48 && unit <= 57) || unit > 127;

function distinct(sorted: Uint32Array): Uint32Array {
  let length = 0;
  for (let i = 0; i < sorted.length; i++) {
    if (i > 0 && sorted[i] === sorted[i - 1]) continue;
    sorted[length++] = sorted[i] ?? 0;
  }
  return sorted.subarray(0, length);
}

/** Share of common elements in the union of two ascending sets; 0 where either is empty. */
export function jaccard(a: Uint32Array, b: Uint32Array): number {
  const common = countCommon(a, b);
  return common === 0 ? 0 : common / (a.length + b.length - common);
}
