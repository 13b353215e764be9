import type { StoredChunk } from '../../core/chunk.js';
import { headingPathOf, titleOf } from '../../core/chunk-metadata.js';
import { logOddsOf } from '../../core/logistic.js';
import type { Candidate, FoundCandidate, FoundChunk } from '../candidate.js';
import { fusedPartOf } from '../fusion/fuse.js';

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

/** A document and the best value of its passages. */
export interface Leader {
  readonly document: string;
  readonly value: number;
}

/** What features need to know beside the candidate. */
export interface FeatureContext {
  /** Distinct analysed terms of the query. */
  readonly terms: readonly string[];
  /** Lowest cosine that the dense lane returned: what it did not see is at most as near. */
  readonly lowestCosine: number;
  /** Fused scores of the first documents of the whole pool, best first. */
  readonly leading: readonly Leader[];
  /** Log-odds that the reranker gave the first documents of its list, best first. */
  readonly leadingReranked: readonly Leader[];
}

/** Candidates of the pool that tell whether the first one stands out. */
const LEADING = 6;

/** Mean fused score of the second to sixth candidate as a share of the first, on train data (SciFact .55, Jira .53). */
const USUAL_FOLLOWER = 0.54;

/** Mean fall from the first log-odds of the built-in reranker to the second to sixth, on train data (SciFact 3.4, Jira 3.7). */
const USUAL_FALL = 3.6;

/**
 * Looks at the whole pool, before anything is cut off. Where it is read, the passages of one document are no rivals of each
 * other: that several answer does not make the document less of an answer.
 */
export function featureContextOf(
  pool: readonly FoundCandidate[],
  { terms, lowestCosine }: Pick<FeatureContext, 'terms' | 'lowestCosine'>,
): FeatureContext {
  const fused = pool.map(({ chunk, contributions }) => ({
    document: documentOf(chunk),
    value: fusedPartOf(contributions),
  }));
  const reranked = pool.flatMap(({ chunk, rerankScore }) =>
    rerankScore === undefined ? [] : [{ document: documentOf(chunk), value: logOddsOf(rerankScore) }],
  );
  return {
    terms,
    lowestCosine,
    leading: leadingOf(fused, (best) => USUAL_FOLLOWER * best),
    leadingReranked: leadingOf(reranked, (best) => best - USUAL_FALL),
  };
}

const documentOf = (chunk: FoundChunk & Partial<Pick<StoredChunk, 'documentId'>>): string =>
  chunk.documentId ?? chunk.id;

/** The best of each document. A small pool cannot show whether its best stands out; what is missing counts as usual. */
function leadingOf(values: readonly Leader[], usualAfter: (best: number) => number): readonly Leader[] {
  const best = new Map<string, Leader>();
  for (const leader of values.toSorted((a, b) => b.value - a.value))
    if (best.size < LEADING && !best.has(leader.document)) best.set(leader.document, leader);
  const leading = [...best.values()];
  const usual = usualAfter(leading[0]?.value ?? 0);
  while (leading.length < LEADING) leading.push({ document: '', value: usual });
  return leading.sort((a, b) => b.value - a.value);
}

/** How far a value lies above that of the best other document. */
function marginOf(value: number, chunk: FoundChunk, leading: readonly Leader[]): number {
  const own = documentOf(chunk);
  return value - (leading.find(({ document }) => document !== own)?.value ?? 0);
}

const crowdOf = (leading: readonly Leader[]): number =>
  leading.slice(1).reduce((sum, { value }) => sum + value, 0) / (LEADING - 1);

/** Features of a candidate. `fused` is its share of the best possible fused score, in [0, 1]. */
export function featuresOf(candidate: Candidate, context: FeatureContext): FeatureVector {
  const { semanticScore, keywordScore, holdsIdentifier } = candidate;
  const fused = fusedPartOf(candidate.contributions);
  return {
    cosine: semanticScore ?? context.lowestCosine,
    coverage: termCoverage(candidate.chunk, context.terms),
    fused,
    agreement: semanticScore !== undefined && keywordScore !== undefined ? 1 : 0,
    identifier: holdsIdentifier ? 1 : 0,
    terms: Math.log2(1 + context.terms.length) / 4,
    margin: marginOf(fused, candidate.chunk, context.leading),
    crowd: crowdOf(context.leading),
    ...rerankFeaturesOf(candidate, context),
  };
}

/** Log-odds span about [-7, 7]; the features of the lanes span 1. */
const LOG_ODDS_UNIT = 4;

function rerankFeaturesOf(
  { chunk, rerankScore }: Candidate,
  { leadingReranked }: FeatureContext,
): Pick<FeatureVector, (typeof RERANK_FEATURES)[number]> {
  if (rerankScore === undefined) return { rerank: 0, rerankMargin: 0, rerankCrowd: 0 };
  const own = logOddsOf(rerankScore);
  return {
    rerank: own / LOG_ODDS_UNIT,
    rerankMargin: marginOf(own, chunk, leadingReranked) / LOG_ODDS_UNIT,
    rerankCrowd: crowdOf(leadingReranked) / LOG_ODDS_UNIT,
  };
}

/**
 * Share of the query's terms that begin a word of the chunk, longer terms counting more (long words are rarer). A stem is
 * looked for as a prefix, which is a hundred times cheaper than to analyse the chunk again and agrees with it nearly always.
 */
export function termCoverage(chunk: Candidate['chunk'], terms: readonly string[]): number {
  const headings = headingPathOf(chunk).join(' ');
  const text = `${titleOf(chunk) ?? ''} ${headings} ${chunk.content}`.toLowerCase();
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
