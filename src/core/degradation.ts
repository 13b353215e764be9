/** How much of the full answer a response could give (seed names). */
export enum DegradationLevel {
  FULL_RAG = 0,
  NO_RERANKING = 1,
  CACHED_ONLY = 2,
  KEYWORD_ONLY = 3,
  STATIC_ONLY = 4,
  DISABLED = 5,
}
