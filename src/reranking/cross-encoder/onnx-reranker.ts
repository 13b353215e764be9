import type { PairScorer } from '../../embedding/pair-scorer.js';
import { passageTextOf, type RerankedCandidate, type Reranker, type RerankRemark } from '../reranker.js';
import { probabilitiesOf } from './classifier.js';

export interface OnnxRerankerOptions {
  readonly scorer: PairScorer;
  /** Milliseconds of a search that it may take: how much is read follows from it. */
  readonly deadlineMs: number;
}

const MAX_CANDIDATES = 1_000;
/** Read for each millisecond of the deadline: two cores need half of it, where nothing else uses them. */
const CHARACTERS = 8;
/** Share of the deadline after which no further passage is begun, so that what was read is not lost. */
const READING = 0.75;

/**
 * A cross-encoder that runs without a package. It reads the first candidates, as many as its deadline has room for; the answer leaves out
 * the others, and its remark says how many.
 */
export function createOnnxReranker({ scorer, deadlineMs }: OnnxRerankerOptions): Reranker {
  const name = `onnx:${scorer.name}`;
  const remarks = new WeakMap<readonly RerankedCandidate[], RerankRemark>();
  return {
    name,
    maxCandidates: MAX_CANDIDATES,
    // A search has all of its threads.
    concurrency: 1,
    async doRerank(query, candidates, signal) {
      const { logits, cut, isLate } = await scorer.score(
        {
          query,
          passages: candidates.map(passageTextOf),
          characters: CHARACTERS * deadlineMs,
          milliseconds: READING * deadlineMs,
        },
        signal,
      );
      const answer = logits.flatMap((data, index) => {
        if (data === undefined) return [];
        const [score = 0] = probabilitiesOf({ data, dims: [1, data.length] }, { rows: 1, model: name });
        return { index, score };
      });
      const unread = candidates.length - answer.length;
      const text = [
        ...(unread === 0
          ? []
          : [
              `${name} read ${answer.length} of ${candidates.length} passages, as many as ${isLate ? 'it could in its time' : 'rag.retrieval.rerank.deadlineMs has room for'}; the others keep their order behind them.`,
            ]),
        ...(cut === 0 ? [] : [`Of ${cut} it read the first ${scorer.maxInputTokens} tokens alone.`]),
      ].join(' ');
      if (text !== '') remarks.set(answer, { text, isUnfinished: isLate });
      return answer;
    },
    remarkOf: (answer) => remarks.get(answer),
    close: () => scorer.close(),
  };
}
