import type { ContextEntry } from '../context/context-pack.js';
import { analyzeText } from '../core/analysis/lexical-analyzer.js';
import type { RankedQuotation } from './rank-quotations.js';
import type { RankedSentence } from './rank-sentences.js';

/** What tells whether the passages hold an answer at all, each in about [0, 1]. */
export const CONFIDENCE_FEATURES = [
  /** Relevance of the best passage, and how far it stands out from the second. */
  'best',
  'margin',
  /** The most of the question within twelve words of the best sentence. */
  'density',
  /** Share of the question's terms in the best passage, all terms alike. */
  'passageCoverage',
  /** BM25 of the best passage, on a logarithmic scale. */
  'keyword',
  /** Cosine of the best passage. */
  'semantic',
  /** Share of the best quotation among all that could be quoted. */
  'share',
  /** Cosine of the best quotation by the reader. */
  'reading',
] as const;
export type ConfidenceFeature = (typeof CONFIDENCE_FEATURES)[number];

/** ln(1 + BM25) of a very good match. */
const HIGH_KEYWORD = 4;

/** What the lanes of a search said of the two best passages; what is not known is taken as usual. */
export interface SearchSignals {
  readonly keyword: readonly number[];
  readonly semantic: readonly number[];
}

// Means over the calibration half, for searches without a lexical or a dense lane.
const USUAL = { keyword: 0.75, semantic: 0.6, reading: 0.45 };

/** Cosine of passages about something else: what is in a script that no model reads has words alone to show. Chosen by hand. */
const UNREAD = -0.2;

/** What the passages gave, most likely to answer first. */
export interface ConfidenceEvidence {
  readonly sentences: readonly RankedSentence[];
  readonly quotations: readonly RankedQuotation[];
  readonly signals: SearchSignals | undefined;
}

export function confidenceFeatures(
  question: string,
  entries: readonly ContextEntry[],
  { sentences, quotations, signals }: ConfidenceEvidence,
): Readonly<Record<ConfidenceFeature, number>> {
  const ranked = entries
    .filter(({ kind }) => kind === 'passage')
    .sort((a, b) => b.score - a.score || a.n - b.n);
  const [best] = sentences;
  const terms = new Set(analyzeText(question));
  return {
    best: ranked[0]?.score ?? 0,
    margin: (ranked[0]?.score ?? 0) - (ranked[1]?.score ?? 0),
    density: best?.sentence.features.density ?? 0,
    passageCoverage: coverageOf(terms, ranked[0]),
    ...laneFeatures(signals),
    share: quotations[0]?.probability ?? 0,
    reading: quotations[0]?.features.reading || (signals?.semantic[0] === 0 ? UNREAD : USUAL.reading),
  };
}

function laneFeatures(
  signals: SearchSignals = { keyword: [], semantic: [] },
): Pick<Record<ConfidenceFeature, number>, 'keyword' | 'semantic'> {
  const [first] = signals.keyword;
  return {
    keyword: first === undefined ? USUAL.keyword : Math.log1p(Math.max(0, first)) / HIGH_KEYWORD,
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
