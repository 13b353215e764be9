import type { EngineView, QueryReading } from '../../index.js';
import type { BacklogItem } from './context-enrichment.js';

/** What a search reads of a query. */
export interface ProcessedQuery {
  readonly text: string;
  readonly intent: QueryReading['intent'];
  readonly keywords: readonly string[];
}

/** What a search looks for beside a query, and why. */
export type ExpandedQuery = QueryReading['expansions'][number];

/** Section 2.3: how queries are read and added to. */
export interface IQueryProcessor {
  process(input: string, context?: BacklogItem): Promise<ProcessedQuery>;
  expand(query: ProcessedQuery): Promise<readonly ExpandedQuery[]>;
  extractKeywords(text: string): Promise<readonly string[]>;
}

/** What searches of an index make of a query. Expansions are those of `rag.retrieval.expansion`, of which none is on by default. */
export class QueryProcessor implements IQueryProcessor {
  readonly #index: Pick<EngineView, 'search'>;

  /** @param index an engine (`RAGService.engine`) or a view of one */
  constructor(index: Pick<EngineView, 'search'>) {
    this.#index = index;
  }

  /** With an item, its title stands behind the words that were put in. */
  async process(input: string, context?: BacklogItem): Promise<ProcessedQuery> {
    const text = context === undefined ? input : `${input}\n${context.title}`;
    const { intent, keywords } = await this.#read(text);
    return { text, intent, keywords };
  }

  async expand({ text }: ProcessedQuery): Promise<readonly ExpandedQuery[]> {
    return (await this.#read(text)).expansions;
  }

  async extractKeywords(text: string): Promise<readonly string[]> {
    return (await this.#read(text)).keywords;
  }

  async #read(text: string): Promise<QueryReading> {
    const { understanding } = await this.#index.search({ text, options: { topK: 1, rerank: false } });
    return understanding ?? { intent: 'keywords', keywords: [], expansions: [] };
  }
}
