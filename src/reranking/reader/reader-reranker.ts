import { RAGError } from '../../core/errors.js';
import { passageTextOf, type RerankCandidate, type RerankedCandidate, type Reranker } from '../reranker.js';

/** Passages that are read, and the share of their cosines in the order: chosen on questions over Git's and Apache's documentation (`tools/reader`). */
const READ = 30;
const SHARE = 0.7;
/** How long a search waits for passages that were not read before, in milliseconds. */
const READ_MS = 250;

export interface ReaderRerankerOptions {
  /** Scores all candidates; where the reader fails, its order stands. */
  readonly builtin: Reranker;
  readonly reader: TextReader;
}

/** Makes texts vectors of length 1 whose cosines tell how alike they are. */
export interface TextReader {
  /**
   * Vectors of texts, the most wanted first, read for so many milliseconds; undefined for one that there was no time for,
   * empty for one in a script that is not read.
   */
  read(
    wanted: { readonly texts: readonly string[]; readonly forMs: number },
    signal?: AbortSignal,
  ): Promise<readonly (Float32Array | undefined)[]>;
  close(): Promise<void>;
}

/**
 * Orders the first passages of the built-in reranker by a convex combination of its scores (as log-odds) and the cosines of the reader
 * with the query, both brought to one range. A passage that there was no time for, or in a script that the reader does not know, keeps
 * what the built-in reranker gave it. The scores themselves are those of the built-in reranker, dealt out in the new order: its scale was fitted.
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
      const texts = [query, ...first.map(({ index }) => textOf(candidates[index]))];
      try {
        const [asked, ...read] = await reader.read({ texts, forMs: READ_MS }, signal);
        const answer = withOrder(scored, first, orderOf(first, cosines(asked, read)));
        const late = read.filter((vector) => vector === undefined).length;
        if (late > 0)
          problems.set(
            answer,
            `The reader had no time for ${late} of ${read.length} passages; they keep their place.`,
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
    close: async () => {
      await reader.close();
      await builtin.close();
    },
  };
}

const textOf = (candidate: RerankCandidate | undefined): string =>
  candidate === undefined ? '' : passageTextOf(candidate);

/** Undefined where a passage was not read; all of them where the query was not. */
function cosines(
  query: Float32Array | undefined,
  passages: readonly (Float32Array | undefined)[],
): readonly (number | undefined)[] {
  return passages.map((passage) =>
    query === undefined || query.length === 0 || passage === undefined || passage.length === 0
      ? undefined
      : passage.reduce((sum, value, at) => sum + value * (query[at] ?? 0), 0),
  );
}

/** Positions in `first`, best first. */
function orderOf(
  first: readonly RerankedCandidate[],
  meanings: readonly (number | undefined)[],
): readonly number[] {
  const scores = inOneRange(first.map(({ score }) => logOdds(score)));
  const alike = inOneRange(meanings);
  const blended = scores.map((score = 0, at) => (1 - SHARE) * score + SHARE * (alike[at] ?? score));
  return first.map((_, at) => at).sort((a, b) => (blended[b] ?? 0) - (blended[a] ?? 0) || a - b);
}

const logOdds = (probability: number): number => {
  const inside = Math.min(1 - 1e-9, Math.max(1e-9, probability));
  return Math.log(inside / (1 - inside));
};

/** From 0, the least, to 1, the greatest; undefined stays, and so does everything where all are equal. */
function inOneRange(values: readonly (number | undefined)[]): readonly (number | undefined)[] {
  const known = values.filter((value) => value !== undefined);
  const [least, most] = [Math.min(...known), Math.max(...known)];
  return values.map((value) =>
    value === undefined || most === least ? undefined : (value - least) / (most - least),
  );
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
