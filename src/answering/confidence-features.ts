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
] as const;
export type ConfidenceFeature = (typeof CONFIDENCE_FEATURES)[number];

const MANY_TERMS = 12;

export function confidenceFeatures(
  question: string,
  entries: readonly ContextEntry[],
  sentences: readonly RankedSentence[],
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
