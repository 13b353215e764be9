import { analyzeText } from '../core/analysis/lexical-analyzer.js';

/** How much of a question a text speaks of, in [0, 1]. */
export type Relevance = (text: string) => number;

/**
 * Share of the question's terms that a text holds, each weighted by how few of `texts` hold it (BM25's idf over the texts
 * themselves, so that no statistics of the collection are needed).
 */
export function relevanceTo(question: string, texts: readonly string[]): Relevance {
  const terms = new Set(analyzeText(question));
  const containing = new Map<string, number>();
  for (const text of texts) {
    for (const term of new Set(analyzeText(text))) {
      if (terms.has(term)) containing.set(term, (containing.get(term) ?? 0) + 1);
    }
  }
  const weightOf = (term: string): number => {
    const count = containing.get(term) ?? 0;
    return Math.log(1 + (texts.length - count + 0.5) / (count + 0.5));
  };
  const weights = new Map(Array.from(terms, (term) => [term, weightOf(term)]));
  const total = [...weights.values()].reduce((sum, weight) => sum + weight, 0);
  if (total === 0) return () => 0;
  return (text) => {
    let sum = 0;
    for (const term of new Set(analyzeText(text))) sum += weights.get(term) ?? 0;
    return sum / total;
  };
}
