import type { RagstoneClient } from 'ragstone/client';
import type { CorpusQuestion } from './corpus/corpus.js';
import { MIN_SCORE } from './min-score.js';

/** How well questions are answered. Shares are from 0 to 1. */
export interface Evaluation {
  readonly questions: number;
  /** Questions whose document is the first result, and among the first three. */
  readonly hitAt1: number;
  readonly hitAt3: number;
  /** Of the questions with a document among the first ten without a threshold: those that keep it with this example's, and with the document's. */
  readonly keptAtMinScore: number;
  readonly keptAtHalf: number;
  /** Of the questions that nothing answers: those that get no result with this example's threshold. */
  readonly emptyAtMinScore: number;
}

/** The document's default. */
const HALF = 0.5;

/** Asks every question three times: for the ten best without a threshold, with this example's, and with the document's. */
export async function evaluate(
  questions: readonly CorpusQuestion[],
  client: Pick<RagstoneClient, 'search'>,
): Promise<Evaluation> {
  const ranks: {
    readonly free: number;
    readonly cut: number;
    readonly cutAtHalf: number;
    readonly isEmpty: boolean;
  }[] = [];
  const isAnswerable = questions.map(({ documentId }) => documentId !== undefined);
  for (const { question, documentId } of questions) {
    const rankAt = async (minScore: number) => {
      const { results } = await client.search({ query: question, minScore });
      const documents = [...new Set(results.map((result) => result.documentId))];
      return { rank: documents.indexOf(documentId ?? '') + 1, isEmpty: results.length === 0 };
    };
    const [free, cut, half] = [await rankAt(0), await rankAt(MIN_SCORE), await rankAt(HALF)];
    ranks.push({ free: free.rank, cut: cut.rank, cutAtHalf: half.rank, isEmpty: cut.isEmpty });
  }
  const answerable = ranks.filter((_, index) => isAnswerable[index]);
  const unanswerable = ranks.filter((_, index) => !isAnswerable[index]);
  const found = answerable.filter(({ free }) => free > 0);
  return {
    questions: questions.length,
    hitAt1: share(answerable, ({ free }) => free === 1),
    hitAt3: share(answerable, ({ free }) => free >= 1 && free <= 3),
    keptAtMinScore: share(found, ({ cut }) => cut > 0),
    keptAtHalf: share(found, ({ cutAtHalf }) => cutAtHalf > 0),
    emptyAtMinScore: share(unanswerable, ({ isEmpty }) => isEmpty),
  };
}

const share = <Item>(items: readonly Item[], holds: (item: Item) => boolean): number =>
  items.length === 0 ? 0 : items.filter(holds).length / items.length;
