import type {
  EntityReport,
  EstimateRequest,
  ExtractionEstimate,
  ExtractionResult,
  ExtractRequest,
  FactStatus,
  SummariesRequest,
  SummarizeRequest,
  SummarizeResult,
  SummaryPage,
} from './extraction-types.js';

/**
 * Facts that a language model reads out of the documents, and summaries of what hangs together. `entity` and `summaries` tell what the scope
 * may read. The others are for maintainers of the index: they mean documents of the tenant, and the project where one is stated, whatever
 * their access.
 */
export interface ScopedGraphFacts {
  /** What reading would take: chunks, tokens, money, time. The model is not asked. */
  estimate(request?: EstimateRequest): Promise<ExtractionEstimate>;
  /**
   * Reads chunks that were not read yet. One that was stopped or killed goes on where it is called again.
   *
   * @throws RAGError `CONFIG_INVALID` where no model is configured, or its price is not known and `maxCost` is stated; `INDEX_EMPTY`;
   * `INDEX_LOCKED` where another process is at it
   */
  extract(request?: ExtractRequest): Promise<ExtractionResult>;
  /** Summarises entities that hang together, out of documents with the same readers. Throws as `extract`. */
  summarize(request?: SummarizeRequest): Promise<SummarizeResult>;
  /** What was read, and what failed. */
  status(): Promise<FactStatus>;
  /** Summaries of which the scope may read every document that they were made of. */
  summaries(request?: SummariesRequest): Promise<SummaryPage>;
  /** What documents that the scope may read say of an entity; undefined where none of them names it. */
  entity(name: string): Promise<EntityReport | undefined>;
}
