import { dotProduct } from '../../core/dot-product.js';
import { RAGError } from '../../core/errors.js';
import { logOddsOf } from '../../core/logistic.js';
import type { ComparedTexts, TextReader } from '../../embedding/text-reader.js';
import { passageTextOf, type RerankCandidate, type RerankedCandidate, type Reranker } from '../reranker.js';

/** Passages that are read. */
const READ = 30;
/** Of a cosine beside log-odds: chosen on sources that the reader was not trained on (`tools/reader`). */
const WEIGHT = 32;
/** How long a search waits for passages that were not read before, in milliseconds. */
const READ_MS = 250;

export interface ReaderRerankerOptions {
  /** Scores all candidates; where the reader fails, its order stands. */
  readonly builtin: Reranker;
  readonly reader: TextReader;
}

/**
 * Orders the first passages of the built-in reranker by the sum of its scores (as log-odds) and the weighted cosines of the reader
 * with the query. The scores themselves are those of the built-in reranker, dealt out in the new order: its scale was fitted.
 */
export function createReaderReranker({ builtin, reader }: ReaderRerankerOptions): Reranker {
  const problems = new WeakMap<readonly RerankedCandidate[], string>();
  return {
    name: 'reader',
    maxCandidates: builtin.maxCandidates,
    ...(builtin.scoring === undefined ? {} : { scoring: builtin.scoring }),
    concurrency: 1,
    async doRerank(query, candidates, signal) {
      const scored = await builtin.doRerank(query, candidates, signal);
      const first = [...scored].sort((a, b) => b.score - a.score || a.index - b.index).slice(0, READ);
      const passages = first.map(({ index }) => textOf(candidates[index]));
      try {
        const read = await reader.read({ query, passages, forMs: READ_MS }, signal);
        const answer = withOrder(scored, first, orderOf(first, cosines(read)));
        const late = read.passages.filter((vector) => vector === undefined).length;
        if (late > 0)
          problems.set(
            answer,
            `The reader had no time for ${late} of ${passages.length} passages; they keep their place.`,
          );
        return answer;
      } catch (error) {
        if (!RAGError.isInstance(error) || error.reason === 'ABORTED') throw error;
        const answer = [...scored];
        problems.set(answer, `${error.message} The built-in reranker took its place.`);
        return answer;
      }
    },
    noticeOf: (answer) => problems.get(answer),
    readAhead: async (candidates, forMs, signal) => {
      const { passages } = await reader.read({ passages: candidates.map(passageTextOf), forMs }, signal);
      return passages.filter((vector) => vector === undefined).length;
    },
    close: async () => {
      await reader.close();
      await builtin.close();
    },
  };
}

const textOf = (candidate: RerankCandidate | undefined): string =>
  candidate === undefined ? '' : passageTextOf(candidate);

/**
 * How alike passages are to the query. One that there was no time for counts as the least alike, for those before it are read first; one in a
 * script that is not read as alike as the others are. Where the query is not read, all are the same.
 */
function cosines({ query, passages }: ComparedTexts): readonly number[] {
  const read = passages.flatMap((passage) =>
    passage === undefined || passage.length === 0 ? [] : [passage],
  );
  if (query === undefined || query.length === 0 || read.length === 0) return passages.map(() => 0);
  const alike = new Map<Float32Array | undefined, number>(
    read.map((passage) => [passage, dotProduct(query, passage)]),
  );
  const least = Math.min(...alike.values());
  const usual = mean([...alike.values()]);
  return passages.map((passage) => alike.get(passage) ?? (passage === undefined ? least : usual));
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** Positions in `first`, best first. */
function orderOf(first: readonly RerankedCandidate[], alike: readonly number[]): readonly number[] {
  const evidence = first.map(({ score }, at) => logOddsOf(score) + WEIGHT * (alike[at] ?? 0));
  return first.map((_, at) => at).sort((a, b) => (evidence[b] ?? 0) - (evidence[a] ?? 0) || a - b);
}

/** The scores of the first ones, dealt out in another order. */
function withOrder(
  scored: readonly RerankedCandidate[],
  first: readonly RerankedCandidate[],
  order: readonly number[],
): RerankedCandidate[] {
  const dealt = new Map(order.map((at, place) => [first[at]?.index, first[place]?.score]));
  return scored.map(({ index, score }) => ({ index, score: dealt.get(index) ?? score }));
}
