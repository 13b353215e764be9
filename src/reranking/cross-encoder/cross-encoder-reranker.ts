import { basename } from 'node:path';
import { RAGError } from '../../core/errors.js';
import { startWorker } from '../../platform/threads/start-worker.js';
import { ThreadCalls } from '../../platform/threads/thread-calls.js';
import { passageTextOf, type Reranker } from '../reranker.js';
import type { ClassifierOptions, Pairs } from './classifier.js';

export interface CrossEncoderOptions extends ClassifierOptions {
  /** Most candidates of one call. @default 100 */
  readonly maxCandidates?: number;
}

const DEFAULT_MAX_CANDIDATES = 100;

/**
 * A reranker that reads query and passage together: any sequence classifier in ONNX form with one output, or two (the
 * second being "relevant"). The network runs in a worker thread, because a run blocks its thread and deadlines and other
 * searches must go on. Nothing is loaded before the first call. Needs the optional package `@huggingface/transformers`.
 */
export function createCrossEncoderReranker({
  maxCandidates = DEFAULT_MAX_CANDIDATES,
  ...options
}: CrossEncoderOptions): Reranker {
  const name = `cross-encoder:${basename(options.model)}`;
  const failure = (message: string, cause?: Error): RAGError =>
    new RAGError('RERANKER_UNAVAILABLE', message, { cause });
  const thread = new ThreadCalls<Pairs, readonly number[]>({
    start: () => startWorker(new URL('./classifier-worker.js', import.meta.url), { workerData: options }),
    failed: (message) => failure(`The reranker ${options.model} failed: ${message}`),
    lost: (cause) => failure(`The reranker ${name} stopped unexpectedly.`, cause),
  });
  return {
    name,
    maxCandidates,
    // Its thread scores one list after the other.
    concurrency: 1,
    doRerank: async (query, candidates, signal) => {
      if (candidates.length === 0) return [];
      const scores = await thread.call({ query, passages: candidates.map(passageTextOf) }, signal);
      return scores.map((score, index) => ({ index, score }));
    },
    close: () => thread.close(new RAGError('ABORTED', 'The reranker was closed.')),
  };
}
