import type { RagstoneClient } from 'ragstone/client';
import type { CorpusQuestion } from './corpus/corpus.js';

/** How well questions are answered. Shares are from 0 to 1. */
export interface Evaluation {
  readonly questions: number;
  /** Questions whose document is the first result, and among the first three. */
  readonly hitAt1: number;
  readonly hitAt3: number;
  /** Of the questions with a document among the first ten without a threshold: those that keep it with one. */
  readonly keptAtMinScore: number;
  /** Of the questions that nothing answers: those that get no result with the threshold. */
  readonly emptyAtMinScore: number;
}

/** The document's default. */
const MIN_SCORE = 0.5;

/** Asks every question twice: for the ten best, and for the ten best with a score of 0.5 or more. */
export async function evaluate(
  questions: readonly CorpusQuestion[],
  client: Pick<RagstoneClient, 'search'>,
): Promise<Evaluation> {
  const ranks: { readonly free: number; readonly cut: number; readonly isEmpty: boolean }[] = [];
  const isAnswerable = questions.map(({ documentId }) => documentId !== undefined);
  for (const { question, documentId } of questions) {
    const rankAt = async (minScore: number) => {
      const { results } = await client.search({ query: question, minScore });
      const documents = [...new Set(results.map((result) => result.documentId))];
      return { rank: documents.indexOf(documentId ?? '') + 1, isEmpty: results.length === 0 };
    };
    const [free, cut] = [await rankAt(0), await rankAt(MIN_SCORE)];
    ranks.push({ free: free.rank, cut: cut.rank, isEmpty: cut.isEmpty });
  }
  const answerable = ranks.filter((_, index) => isAnswerable[index]);
  const unanswerable = ranks.filter((_, index) => !isAnswerable[index]);
  const found = answerable.filter(({ free }) => free > 0);
  return {
    questions: questions.length,
    hitAt1: share(answerable, ({ free }) => free === 1),
    hitAt3: share(answerable, ({ free }) => free >= 1 && free <= 3),
    keptAtMinScore: share(found, ({ cut }) => cut > 0),
    emptyAtMinScore: share(unanswerable, ({ isEmpty }) => isEmpty),
  };
}

const share = <Item>(items: readonly Item[], holds: (item: Item) => boolean): number =>
  items.length === 0 ? 0 : items.filter(holds).length / items.length;
