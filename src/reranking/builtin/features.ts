import {
  bestWindow,
  density,
  matchPassage,
  type PassageMatches,
  pairCoverage,
} from '../../core/analysis/passage-matches.js';
import type { QueryProfile } from '../../core/analysis/query-profile.js';
import type { RerankCandidate } from '../reranker.js';

/**
 * What the trees look at, in the order of a row. Each is a share, a rank or a difference within the pool, so that it means
 * the same for every collection, store and embedding model; `z` is standardised over the pool (mean 0, deviation 1).
 */
export const FEATURES = [
  'fused',
  'fusedRank',
  'fusedMargin',
  'cosineShare',
  'cosineZ',
  'denseRank',
  'keywordShare',
  'keywordRank',
  'bm25PerMass',
  'bm25Share',
  'bm25Z',
  'titleBm25PerMass',
  'coverage',
  'poolCoverage',
  'exactCoverage',
  'rarestMissing',
  'titleCoverage',
  'titlePrecision',
  'headingCoverage',
  'pairs',
  'density',
  'window',
  'windowAdvantage',
  'earliest',
  'matchedShare',
  'identifiers',
  'lengthShare',
  'queryTerms',
  'queryMass',
  'crowd',
] as const;

export type Feature = (typeof FEATURES)[number];

/** Rows of features, one a candidate, in the order of the candidates. */
export interface FeatureMatrix {
  readonly rows: number;
  readonly width: number;
  readonly values: Float32Array;
}

// Robertson and Zaragoza 2009, as the lexical lane has them.
const K1 = 1.2;
const B = 0.75;

interface Seen {
  readonly candidate: RerankCandidate;
  readonly passage: PassageMatches;
  readonly title: PassageMatches;
  readonly headings: PassageMatches;
  /** Occurrences in title, headings and passage together. */
  readonly counts: Float64Array;
}

/** Features of every candidate of a pool. Finite for any text and any score. */
export function extractFeatures(query: QueryProfile, candidates: readonly RerankCandidate[]): FeatureMatrix {
  const seen = candidates.map((candidate) => see(candidate, query));
  const pool = measurePool(seen, query);
  const width = FEATURES.length;
  const values = new Float32Array(candidates.length * width);
  seen.forEach((entry, row) => {
    const features = featuresOf(entry, row, { query, pool });
    FEATURES.forEach((name, column) => {
      const value = Math.fround(features[name]);
      values[row * width + column] = Number.isFinite(value) ? value : 0;
    });
  });
  return { rows: candidates.length, width, values };
}

function see(candidate: RerankCandidate, query: QueryProfile): Seen {
  const passage = matchPassage(candidate.content, query);
  const title = matchPassage(candidate.title ?? '', query);
  const headings = matchPassage(candidate.headingPath.join(' \n '), query);
  const counts = passage.counts.map((count, i) => count + (title.counts[i] ?? 0) + (headings.counts[i] ?? 0));
  return { candidate, passage, title, headings, counts };
}

/** What is only known of the candidates together. */
interface Pool {
  readonly fused: Series;
  readonly cosine: Series;
  readonly keyword: Series;
  readonly bm25: Series;
  readonly window: Series;
  readonly lengths: Series;
  /** Rarity of the query's terms among the candidates. */
  readonly idf: Float64Array;
  readonly idfMass: number;
  /** Mean fused score of the second to sixth as a share of the first: does the best stand out? */
  readonly crowd: number;
}

interface Series {
  readonly values: Float64Array;
  readonly minimum: number;
  readonly maximum: number;
  /** Largest but one. */
  readonly second: number;
  readonly mean: number;
  readonly deviation: number;
  /** 0 for the best. */
  readonly ranks: Int32Array;
}

function measurePool(seen: readonly Seen[], query: QueryProfile): Pool {
  const lengths = seriesOf(seen.map(({ passage, title }) => passage.length + title.length));
  const documentFrequency = query.terms.map((_, term) =>
    seen.reduce((sum, { counts }) => sum + ((counts[term] ?? 0) > 0 ? 1 : 0), 0),
  );
  const idf = Float64Array.from(documentFrequency, (df) =>
    df === 0 ? 0 : Math.log1p((seen.length - df + 0.5) / (df + 0.5)),
  );
  const bm25 = seen.map(({ counts, passage, title }) =>
    bm25Of(counts, query.idf, (passage.length + title.length) / Math.max(1, lengths.mean)),
  );
  // Within its bounds whatever a caller hands over: the score adds it to the trees.
  const fused = seriesOf(seen.map(({ candidate }) => Math.min(1, Math.max(0, candidate.fusedScore))));
  return {
    fused,
    cosine: seriesOf(filled(seen.map(({ candidate }) => candidate.semanticScore))),
    keyword: seriesOf(filled(seen.map(({ candidate }) => candidate.keywordScore))),
    bm25: seriesOf(bm25),
    window: seriesOf(seen.map(({ passage }) => bestWindow(passage, query.idf, query.idfMass))),
    lengths,
    idf,
    idfMass: idf.reduce((sum, value) => sum + value, 0),
    crowd: crowdOf(fused),
  };
}

/** What a lane did not see is at most as good as the last thing that it saw. */
function filled(scores: readonly (number | undefined)[]): number[] {
  const known = scores.filter((score) => score !== undefined);
  const lowest = known.reduce((least, score) => Math.min(least, score), known[0] ?? 0);
  return scores.map((score) => score ?? lowest);
}

function seriesOf(list: readonly number[]): Series {
  const values = Float64Array.from(list, (value) => (Number.isFinite(value) ? value : 0));
  const order = Array.from(values.keys()).sort((a, b) => (values[b] ?? 0) - (values[a] ?? 0) || a - b);
  const ranks = new Int32Array(values.length);
  order.forEach((position, rank) => {
    // Equal values share the rank of the first of them, so that the order of the input does not matter.
    const above = order[rank - 1];
    ranks[position] = above !== undefined && values[above] === values[position] ? (ranks[above] ?? 0) : rank;
  });
  const mean = values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / Math.max(1, values.length);
  return {
    values,
    minimum: values[order.at(-1) ?? 0] ?? 0,
    maximum: values[order[0] ?? 0] ?? 0,
    second: values[order[1] ?? order[0] ?? 0] ?? 0,
    mean,
    deviation: Math.sqrt(variance),
    ranks,
  };
}

function bm25Of(counts: Float64Array, idf: Float64Array, relativeLength: number): number {
  const norm = K1 * (1 - B + B * relativeLength);
  return counts.reduce(
    (sum, count, term) => sum + ((idf[term] ?? 0) * count * (K1 + 1)) / (count + norm || 1),
    0,
  );
}

/** Where a pool is too small to tell, as usual on train data. */
const USUAL_CROWD = 0.54;
const CROWD = 5;

function crowdOf({ values, maximum }: Series): number {
  if (maximum <= 0) return USUAL_CROWD;
  const following = Array.from(values)
    .sort((a, b) => b - a)
    .slice(1, CROWD + 1);
  while (following.length < CROWD) following.push(USUAL_CROWD * maximum);
  return following.reduce((sum, value) => sum + value, 0) / CROWD / maximum;
}

const shareOf = ({ values, minimum, maximum }: Series, row: number): number =>
  maximum === minimum ? 0 : ((values[row] ?? 0) - minimum) / (maximum - minimum);

const zOf = ({ values, mean, deviation }: Series, row: number): number =>
  deviation < 1e-9 ? 0 : ((values[row] ?? 0) - mean) / deviation;

const advantageOf = ({ values, maximum, second }: Series, row: number): number => {
  const own = values[row] ?? 0;
  return own - (own >= maximum ? second : maximum);
};

const rankOf = ({ ranks }: Series, row: number): number => Math.log2(1 + (ranks[row] ?? 0));

interface Surroundings {
  readonly query: QueryProfile;
  readonly pool: Pool;
}

function featuresOf(seen: Seen, row: number, { query, pool }: Surroundings): Record<Feature, number> {
  const { passage, title, headings, counts, candidate } = seen;
  return {
    fused: pool.fused.values[row] ?? 0,
    fusedRank: rankOf(pool.fused, row),
    fusedMargin: advantageOf(pool.fused, row),
    cosineShare: shareOf(pool.cosine, row),
    cosineZ: zOf(pool.cosine, row),
    denseRank: rankOf(pool.cosine, row),
    keywordShare: shareOf(pool.keyword, row),
    keywordRank: rankOf(pool.keyword, row),
    bm25PerMass: ratio(pool.bm25.values[row] ?? 0, query.idfMass),
    bm25Share: shareOf(pool.bm25, row),
    bm25Z: zOf(pool.bm25, row),
    titleBm25PerMass: ratio(bm25Of(title.counts, query.idf, 1), query.idfMass),
    coverage: ratio(covered(counts, query.idf), query.idfMass),
    poolCoverage: ratio(covered(counts, pool.idf), pool.idfMass),
    exactCoverage: ratio(passage.exactWords.size + newWords(title, passage), query.exactWords.size),
    rarestMissing: ratio(rarestMissing(counts, query.idf), Math.max(...query.idf, 0)),
    titleCoverage: ratio(covered(title.counts, query.idf), query.idfMass),
    titlePrecision: ratio(title.matchedWords, title.length),
    headingCoverage: ratio(covered(headings.counts, query.idf), query.idfMass),
    pairs: Math.max(pairCoverage(passage, query), pairCoverage(title, query)),
    density: density(passage),
    window: pool.window.values[row] ?? 0,
    windowAdvantage: advantageOf(pool.window, row),
    earliest: passage.positions.length === 0 ? 1 : ratio(passage.positions[0] ?? 0, passage.length),
    matchedShare: ratio(passage.matchedWords, passage.length),
    identifiers: identifierCoverage(candidate, query),
    lengthShare: Math.log2((1 + (pool.lengths.values[row] ?? 0)) / (1 + pool.lengths.mean)),
    queryTerms: Math.log2(1 + query.terms.length),
    queryMass: ratio(query.idfMass, query.terms.length),
    crowd: pool.crowd,
  };
}

const ratio = (part: number, whole: number): number => (whole > 0 ? part / whole : 0);

const covered = (counts: Float64Array, idf: Float64Array): number =>
  counts.reduce((sum, count, term) => sum + (count > 0 ? (idf[term] ?? 0) : 0), 0);

const rarestMissing = (counts: Float64Array, idf: Float64Array): number =>
  counts.reduce((most, count, term) => (count > 0 ? most : Math.max(most, idf[term] ?? 0)), 0);

function newWords(title: PassageMatches, passage: PassageMatches): number {
  let count = 0;
  for (const word of title.exactWords) if (!passage.exactWords.has(word)) count++;
  return count;
}

function identifierCoverage({ identifiers }: RerankCandidate, query: QueryProfile): number {
  if (query.identifiers.size === 0) return 0;
  const held = identifiers.filter((identifier) => query.identifiers.has(identifier)).length;
  return held / query.identifiers.size;
}
