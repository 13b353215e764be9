import type { Engine, SearchQuery } from 'ragstone';
import type { MeasuredSearch } from './evaluation.js';
import { documentIdOf, RagService } from './rag-service.js';
import { searchSummariesFirst } from './summaries-first.js';

type Options = NonNullable<SearchQuery['options']>;

/** A pipeline that is measured. */
export interface AblationStep {
  readonly name: string;
  readonly search: (engine: Engine) => MeasuredSearch;
}

/** What `ragstone.yaml` states. */
export interface ChosenSettings {
  readonly halfLifeDays: number;
  readonly minSimilarity: number;
  readonly lambda: number;
}

/** `vector_db.query(query, top_k=3)`: nothing of the stages after it. */
const BARE: Options = {
  topK: 3,
  mode: 'dense',
  rerank: false,
  minSimilarity: 0,
  nearDuplicates: 'keep',
  collapse: 'none',
  mmrLambda: 1,
  recencyHalfLifeDays: 0,
};
const HYBRID: Options = { ...BARE, mode: 'hybrid' };
const RERANKED: Options = { ...HYBRID, rerank: true };
const DISTINCT: Options = { ...RERANKED, nearDuplicates: 'remove', collapse: 'document' };

/** The document's `MIN_SIMILARITY`. */
const DOCUMENTS_THRESHOLD = 0.5;

/** Each has a stage more than the one before it; the last one is `ragstone.yaml` with three results. */
export function stagesOf({ halfLifeDays, minSimilarity }: ChosenSettings): AblationStep[] {
  return [
    step('vectors alone (naive)', BARE),
    step('+ words (hybrid)', HYBRID),
    step('+ reranking', RERANKED),
    step('+ deduplication', DISTINCT),
    step('+ recency', { ...DISTINCT, recencyHalfLifeDays: halfLifeDays }),
    step(`+ threshold ${minSimilarity}`, chosen({ halfLifeDays, minSimilarity })),
  ];
}

/** One change each of the last stage. */
export function changesOf({ lambda, ...settings }: ChosenSettings): AblationStep[] {
  const all = chosen(settings);
  const { topK: _, ...byComplexity } = all;
  return [
    step("threshold 0.5, the document's", { ...all, minSimilarity: DOCUMENTS_THRESHOLD }),
    step('without reranking', { ...all, rerank: false }),
    step(`with MMR, lambda ${lambda}`, { ...all, mmrLambda: lambda }),
    step('with the graph', { ...all, mode: 'graph' }),
    step('with top-k by complexity', byComplexity),
    {
      name: 'with summaries first',
      search: (engine) => async (question) =>
        (await searchSummariesFirst(new RagService(engine), question, 3)).map(documentIdOf),
    },
  ];
}

const chosen = ({ halfLifeDays, minSimilarity }: Omit<ChosenSettings, 'lambda'>): Options => ({
  ...DISTINCT,
  recencyHalfLifeDays: halfLifeDays,
  minSimilarity,
});

const step = (name: string, options: Options): AblationStep => ({
  name,
  search: (engine) => async (question) => {
    const { results } = await engine.search({ text: question, options });
    return results.map(documentIdOf);
  },
});
