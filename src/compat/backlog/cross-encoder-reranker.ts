import { type CreateEngineOptions, type Models, openModels, type SearchResult } from '../../index.js';

/** Section 2.3: results in a better order. */
export interface IReranker {
  rerank(query: string, results: readonly SearchResult[], topK: number): Promise<SearchResult[]>;
}

/** The reranker of a configuration (`rag.retrieval.rerank.model`), without an index. */
export class CrossEncoderReranker implements IReranker {
  readonly #models: Models;

  private constructor(models: Models) {
    this.#models = models;
  }

  /** Throws what a configuration is refused for. The model is loaded by the first call. */
  static async initialize(options: CreateEngineOptions = {}): Promise<CrossEncoderReranker> {
    return new CrossEncoderReranker(await openModels(options));
  }

  /** The `topK` results that match best, each with its new score in [0, 1]; behind them those that the model did not look at. */
  async rerank(query: string, results: readonly SearchResult[], topK: number): Promise<SearchResult[]> {
    const reranker = await this.#models.reranker();
    const looked = results.slice(0, reranker.maxCandidates);
    const scores = await reranker.doRerank(
      query,
      looked.map(({ content, score, metadata: { title, headingPath }, explanation }) => ({
        ...{ content, title, headingPath, identifiers: [], fusedScore: score },
        ...(explanation?.semanticScore === undefined ? {} : { semanticScore: explanation.semanticScore }),
        ...(explanation?.keywordScore === undefined ? {} : { keywordScore: explanation.keywordScore }),
      })),
    );
    const ranked = scores
      .toSorted((a, b) => b.score - a.score)
      .flatMap(({ index, score }) => {
        const result = looked[index];
        return result === undefined ? [] : [{ ...result, score }];
      });
    const read = new Set(scores.map(({ index }) => index));
    return [...ranked, ...results.filter((_, index) => !read.has(index))].slice(0, topK);
  }

  close(): Promise<void> {
    return this.#models.close();
  }
}
