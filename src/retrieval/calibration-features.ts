import type { Candidate } from './candidate.js';

/** What calibration looks at; each has the same scale for every query and collection. */
export const CALIBRATION_FEATURES = [
  'cosine',
  'coverage',
  'fused',
  'agreement',
  'identifier',
  'terms',
] as const;

export type CalibrationFeature = (typeof CALIBRATION_FEATURES)[number];

export type FeatureVector = Readonly<Record<CalibrationFeature, number>>;

/** What features need to know beside the candidate. */
export interface FeatureContext {
  /** Distinct analysed terms of the query. */
  readonly terms: readonly string[];
  /** Lowest cosine that the dense lane returned: what it did not see is at most as near. */
  readonly lowestCosine: number;
}

/** Features of a candidate. `fused` is its share of the best possible fused score, in [0, 1]. */
export function featuresOf(candidate: Candidate, { terms, lowestCosine }: FeatureContext): FeatureVector {
  const { semanticScore, keywordScore, holdsIdentifier, contributions } = candidate;
  const fused = contributions.reduce(
    (sum, { signal, value }) => sum + (signal === 'dense' || signal === 'lexical' ? value : 0),
    0,
  );
  return {
    cosine: semanticScore ?? lowestCosine,
    coverage: termCoverage(candidate.chunk, terms),
    fused,
    agreement: semanticScore !== undefined && keywordScore !== undefined ? 1 : 0,
    identifier: holdsIdentifier ? 1 : 0,
    terms: Math.log2(1 + terms.length) / 4,
  };
}

/**
 * Share of the query's terms that begin a word of the chunk, longer terms counting more (long words are rarer). A stem is
 * looked for as a prefix, which is a hundred times cheaper than to analyse the chunk again and agrees with it nearly always.
 */
export function termCoverage(chunk: Candidate['chunk'], terms: readonly string[]): number {
  const { title, headingPath } = chunk.metadata;
  const headings = Array.isArray(headingPath) ? headingPath.join(' ') : '';
  const text = `${typeof title === 'string' ? title : ''} ${headings} ${chunk.content}`.toLowerCase();
  let total = 0;
  let covered = 0;
  for (const term of terms) {
    const weight = Math.min(term.length, LONGEST_WEIGHT);
    total += weight;
    if (hasWordWithPrefix(text, prefixOf(term))) covered += weight;
  }
  return total === 0 ? 0 : covered / total;
}

const LONGEST_WEIGHT = 8;

// Porter2 turns a final y into i (`studi`), so the last letter is left out where it may stand for either.
const prefixOf = (term: string): string => (term.length > 3 && term.endsWith('i') ? term.slice(0, -1) : term);

function hasWordWithPrefix(text: string, prefix: string): boolean {
  for (let at = text.indexOf(prefix); at !== -1; at = text.indexOf(prefix, at + 1))
    if (at === 0 || !isLatinOrDigit(text.charCodeAt(at - 1))) return true;
  return false;
}

const isLatinOrDigit = (unit: number): boolean => (unit >= 97 && unit <= 122) || (unit >= 48 && unit <= 57);
