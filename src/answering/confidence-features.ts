import { analyzeText } from '../analysis/lexical-analyzer.js';
import type { ContextEntry } from '../context/context-pack.js';
import type { RankedSentence } from './extractive-answer.js';

/** What tells whether the passages hold an answer at all, each in about [0, 1]. */
export const CONFIDENCE_FEATURES = [
  /** Relevance of the best passage, and how far it stands out from the second. */
  'best',
  'margin',
  /** Of the best sentence: coverage, with headings, density, kind of answer. */
  'coverage',
  'headedCoverage',
  'density',
  'answerType',
  /** Share of the question's terms in the best passage, all terms alike. */
  'passageCoverage',
  /** The best sentence stands in the best passage. */
  'agreement',
  /** Share that the best sentence has among all. */
  'sureness',
  /** Number of the question's terms, up to twelve. */
  'terms',
  /** BM25 of the best passage, on a logarithmic scale, and what it has over the second. */
  'keyword',
  'keywordMargin',
  /** Cosine of the best passage. */
  'semantic',
] as const;
export type ConfidenceFeature = (typeof CONFIDENCE_FEATURES)[number];

const MANY_TERMS = 12;
/** ln(1 + BM25) of a very good match. */
const HIGH_KEYWORD = 4;

/** What the lanes of a search said of the two best passages; what is not known is taken as usual. */
export interface SearchSignals {
  readonly keyword: readonly number[];
  readonly semantic: readonly number[];
}

// Means over the calibration half, for searches without a lexical or a dense lane.
const USUAL = { keyword: 0.75, keywordMargin: 0.15, semantic: 0.6 };

export function confidenceFeatures(
  question: string,
  entries: readonly ContextEntry[],
  { sentences, signals }: { readonly sentences: readonly RankedSentence[]; readonly signals?: SearchSignals },
): Readonly<Record<ConfidenceFeature, number>> {
  const ranked = entries
    .filter(({ kind }) => kind === 'passage')
    .sort((a, b) => b.score - a.score || a.n - b.n);
  const [best] = sentences;
  const terms = new Set(analyzeText(question));
  const features = best?.sentence.features;
  return {
    best: ranked[0]?.score ?? 0,
    margin: (ranked[0]?.score ?? 0) - (ranked[1]?.score ?? 0),
    coverage: features?.coverage ?? 0,
    headedCoverage: features?.headedCoverage ?? 0,
    density: features?.density ?? 0,
    answerType: features?.answerType ?? 0,
    passageCoverage: coverageOf(terms, ranked[0]),
    agreement: best !== undefined && best.sentence.entry.n === ranked[0]?.n ? 1 : 0,
    sureness: best?.probability ?? 0,
    terms: Math.min(1, terms.size / MANY_TERMS),
    ...laneFeatures(signals),
  };
}

function laneFeatures(
  signals: SearchSignals = { keyword: [], semantic: [] },
): Pick<Record<ConfidenceFeature, number>, 'keyword' | 'keywordMargin' | 'semantic'> {
  const [first, second = 0] = signals.keyword;
  const scaled = (score: number): number => Math.log1p(Math.max(0, score)) / HIGH_KEYWORD;
  return {
    keyword: first === undefined ? USUAL.keyword : scaled(first),
    keywordMargin: first === undefined ? USUAL.keywordMargin : scaled(first) - scaled(second),
    semantic: signals.semantic[0] ?? USUAL.semantic,
  };
}

function coverageOf(terms: ReadonlySet<string>, entry: ContextEntry | undefined): number {
  if (entry === undefined || terms.size === 0) return 0;
  const held = new Set(
    analyzeText(
      [entry.title ?? '', ...entry.headingPath, ...entry.pieces.map(({ text }) => text)].join('\n'),
    ),
  );
  return [...terms].filter((term) => held.has(term)).length / terms.size;
}
