import type { ResolvedConfig } from '../config/resolved-config.js';
import { questionParts } from '../core/analysis/question-parts.js';
import type { QueryReading, SearchQuery } from '../operations/engine.js';

/** What a question asks, one text a thing, in its order; the question itself where that is one thing. */
export function askedThings(question: string): readonly string[] {
  const parts = questionParts(question).map(({ text }) => text);
  // A sentence of two questions is among the parts beside both of them.
  const things = parts.filter((part) => !parts.some((other) => other !== part && part.includes(other)));
  return things.length > 1 ? things : [question];
}

/** How many results a question gets that does not say it itself: `usual`, and more where it asks several things. */
export function resultsFor(question: string, usual: number, { rag }: ResolvedConfig): number {
  const { byComplexity, most } = rag.retrieval.adaptiveTopK;
  if (!byComplexity) return usual;
  return Math.max(usual, Math.min(most, usual * askedThings(question).length));
}

/** What a query asks, where that decided how many results it gets. */
export function decisiveParts(
  { text, options }: Pick<SearchQuery, 'text' | 'options'>,
  { rag }: ResolvedConfig,
): Pick<QueryReading, 'parts'> {
  const isDecisive = options?.topK === undefined && rag.retrieval.adaptiveTopK.byComplexity;
  const parts = isDecisive ? askedThings(text) : [];
  return parts.length < 2 ? {} : { parts };
}
