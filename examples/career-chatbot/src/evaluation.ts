import type { CareerQuestion } from './questions.js';

/** The document's three measures of a search, with two of our own. Each is a mean over questions. */
export interface RetrievalScores {
  /** Of the documents that were retrieved, the share that is relevant. */
  readonly precision_at_3: number;
  /** Of the relevant documents, the share that was retrieved. */
  readonly recall_at_3: number;
  /** 1 / place of the first relevant document, 0 without one. */
  readonly mrr: number;
  /** Mean grade, 0 to 10, of the documents that were retrieved. */
  readonly relevance: number;
  /** Documents that were retrieved. */
  readonly retrieved: number;
}

/** A search as it is measured: ids of the documents whose passages it shows, best first, a document for each passage. */
export type MeasuredSearch = (question: string) => Promise<readonly string[]>;

/** `evaluate_retrieval` of the document, over the questions that have an answer. */
export async function evaluateRetrieval(
  questions: readonly CareerQuestion[],
  search: MeasuredSearch,
): Promise<RetrievalScores> {
  const scores: RetrievalScores[] = [];
  for (const question of questions.filter(({ relevant_doc_ids }) => relevant_doc_ids.length > 0))
    scores.push(retrievalScores(await search(question.question), question));
  return meanOf(scores);
}

function retrievalScores(
  retrieved: readonly string[],
  { relevant_doc_ids, relevance }: CareerQuestion,
): RetrievalScores {
  const relevant = new Set(relevant_doc_ids);
  const found = [...new Set(retrieved)].filter((id) => relevant.has(id)).length;
  const first = retrieved.findIndex((id) => relevant.has(id));
  return {
    precision_at_3: retrieved.length === 0 ? 0 : found / retrieved.length,
    recall_at_3: found / relevant.size,
    mrr: first < 0 ? 0 : 1 / (first + 1),
    relevance: average(retrieved.map((id) => relevance[id] ?? 0)),
    retrieved: retrieved.length,
  };
}

/** Arithmetic mean; 0 of none. */
export const average = (values: readonly number[]): number =>
  values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;

/** Means by name. */
export function meanOf<Scores extends { readonly [Name in keyof Scores]: number }>(
  all: readonly Scores[],
): Scores {
  const names = Object.keys(all[0] ?? {}) as (keyof Scores)[];
  return Object.fromEntries(
    names.map((name) => [name, average(all.map((scores) => scores[name]))]),
  ) as Scores;
}
