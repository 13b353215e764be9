// Entry of the thread in which a cross-encoder runs.
import { workerData } from 'node:worker_threads';
import { answerCalls } from '../../platform/threads/answer-calls.js';
import {
  type Classifier,
  type ClassifierOptions,
  loadClassifier,
  type Pairs,
  scoreInBatches,
} from './classifier.js';

const options = workerData as ClassifierOptions;
let loading: Promise<Classifier> | undefined;

answerCalls(async (request: Pairs, isCancelled) => {
  try {
    loading ??= loadClassifier(options);
    const classifier = await loading;
    return await scoreInBatches(classifier, request, isCancelled);
  } catch (error) {
    // The next call tries again: the model may have been put in place.
    loading = undefined;
    throw error;
  }
});
