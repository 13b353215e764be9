import type { Candidate, FoundCandidate } from './candidate.js';
import { fusedPartOf } from './fusion/lane-scores.js';

/** What calibration looks at in what the lanes found; each has the same scale for every query and collection. */
export const LANE_FEATURES = [
  'cosine',
  'coverage',
  'fused',
  'agreement',
  'identifier',
  'terms',
  'margin',
  'crowd',
] as const;

/** What it looks at in the scores of the reranker, in log-odds. */
export const RERANK_FEATURES = ['rerank', 'rerankMargin', 'rerankCrowd'] as const;

export const CALIBRATION_FEATURES = [...LANE_FEATURES, ...RERANK_FEATURES] as const;

export type CalibrationFeature = (typeof CALIBRATION_FEATURES)[number];

export type FeatureVector = Readonly<Record<CalibrationFeature, number>>;

/** What features need to know beside the candidate. */
export interface FeatureContext {
  /** Distinct analysed terms of the query. */
  readonly terms: readonly string[];
  /** Lowest cosine that the dense lane returned: what it did not see is at most as near. */
  readonly lowestCosine: number;
  /** Fused scores of the first candidates of the whole pool, best first. */
  readonly leading: readonly number[];
  /** Log-odds that the reranker gave the first candidates of its list, best first; empty where nothing was reranked. */
  readonly leadingReranked: readonly number[];
}

/** Candidates of the pool that tell whether the first one stands out. */
const LEADING = 6;

/** Mean fused score of the second to sixth candidate as a share of the first, on train data (SciFact .55, Jira .53). */
const USUAL_FOLLOWER = 0.54;

/** Mean fall from the first log-odds of the built-in reranker to the second to sixth, on train data (SciFact 3.4, Jira 3.7). */
const USUAL_FALL = 3.6;

/** Looks at the whole pool, before anything is cut off. */
export function featureContextOf(
  pool: readonly FoundCandidate[],
  { terms, lowestCosine }: Pick<FeatureContext, 'terms' | 'lowestCosine'>,
): FeatureContext {
  const fused = pool.map(({ contributions }) => fusedPartOf(contributions));
  const reranked = pool.flatMap(({ rerankScore }) =>
    rerankScore === undefined ? [] : [logOddsOf(rerankScore)],
  );
  return {
    terms,
    lowestCosine,
    leading: leadingOf(fused, (best) => USUAL_FOLLOWER * best),
    leadingReranked: reranked.length === 0 ? [] : leadingOf(reranked, (best) => best - USUAL_FALL),
  };
}

/** A small pool cannot show whether its best stands out; what is missing counts as usual, neither for nor against. */
function leadingOf(values: readonly number[], usualAfter: (best: number) => number): readonly number[] {
  const leading = values.toSorted((a, b) => b - a).slice(0, LEADING);
  const usual = usualAfter(leading[0] ?? 0);
  while (leading.length < LEADING) leading.push(usual);
  return leading.sort((a, b) => b - a);
}

/** Beyond this a probability says no more: one in a thousand. */
const SUREST = Math.log(999);

/** Log-odds of a probability, held within what a model can know. */
export function logOddsOf(probability: number): number {
  return Math.min(SUREST, Math.max(-SUREST, Math.log(probability / (1 - probability))));
}

/** Features of a candidate. `fused` is its share of the best possible fused score, in [0, 1]. */
export function featuresOf(candidate: Candidate, context: FeatureContext): FeatureVector {
  const { semanticScore, keywordScore, holdsIdentifier, rerankScore } = candidate;
  const [best = 0, second = 0, ...others] = context.leading;
  const fused = fusedPartOf(candidate.contributions);
  return {
    cosine: semanticScore ?? context.lowestCosine,
    coverage: termCoverage(candidate.chunk, context.terms),
    fused,
    agreement: semanticScore !== undefined && keywordScore !== undefined ? 1 : 0,
    identifier: holdsIdentifier ? 1 : 0,
    terms: Math.log2(1 + context.terms.length) / 4,
    margin: fused - (fused >= best ? second : best),
    crowd: others.reduce((sum, score) => sum + score, second) / (LEADING - 1),
    ...rerankFeaturesOf(rerankScore, context),
  };
}

/** Log-odds span about [-7, 7]; the features of the lanes span 1. */
const LOG_ODDS_UNIT = 4;

function rerankFeaturesOf(
  rerankScore: number | undefined,
  { leadingReranked }: FeatureContext,
): Pick<FeatureVector, (typeof RERANK_FEATURES)[number]> {
  if (rerankScore === undefined) return { rerank: 0, rerankMargin: 0, rerankCrowd: 0 };
  const [best = 0, second = 0, ...others] = leadingReranked;
  const own = logOddsOf(rerankScore);
  return {
    rerank: own / LOG_ODDS_UNIT,
    rerankMargin: (own - (own >= best ? second : best)) / LOG_ODDS_UNIT,
    rerankCrowd: others.reduce((sum, logOdds) => sum + logOdds, second) / (LEADING - 1) / LOG_ODDS_UNIT,
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
