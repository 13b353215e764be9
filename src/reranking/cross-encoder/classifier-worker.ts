/** The thread in which a cross-encoder runs: takes `WorkerRequest`s, gives `WorkerAnswer`s, in order. */
import { parentPort, workerData } from 'node:worker_threads';
import { RAGError } from '../../core/errors.js';
import { type Classifier, loadClassifier, scoreInBatches } from './classifier.js';
import type { ClassifierOptions, WorkerAnswer, WorkerRequest } from './worker-messages.js';

const options = workerData as ClassifierOptions;
const cancelled = new Set<number>();
let loading: Promise<Classifier> | undefined;
let queue = Promise.resolve();

const send = (answer: WorkerAnswer): void => parentPort?.postMessage(answer);

parentPort?.on('message', (request: WorkerRequest) => {
  if (request.kind === 'cancel') cancelled.add(request.id);
  else queue = queue.then(() => answer(request));
});

async function answer({ id, query, passages }: Extract<WorkerRequest, { kind: 'score' }>): Promise<void> {
  try {
    loading ??= loadClassifier(options);
    const classifier = await loading;
    const isCancelled = (): boolean => cancelled.has(id);
    const scores = await scoreInBatches(classifier, { query, passages }, isCancelled);
    if (scores !== undefined) send({ id, scores });
  } catch (error) {
    // The next call tries again: the model may have been put in place.
    loading = undefined;
    const known = RAGError.isInstance(error) ? error : undefined;
    send({
      id,
      reason: known?.reason ?? 'RERANKER_UNAVAILABLE',
      message: known?.message ?? `The reranker ${options.model} failed: ${String(error)}`,
    });
  }
  cancelled.delete(id);
}
