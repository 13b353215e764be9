// A thread for tests: says a word back, fails, ends, or works until it is cancelled.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { RAGError } from '../../core/errors.js';
import { answerCalls } from './answer-calls.js';

answerCalls(async (word: string, isCancelled) => {
  if (word === 'refuse') throw new RAGError('MODEL_INVALID', 'no', { details: { field: 'model' } });
  if (word === 'fail') throw new TypeError('a fault');
  if (word === 'end') process.exit(3);
  if (word === 'unsendable') return () => word;
  while (word === 'forever') {
    await nextTurn();
    if (isCancelled()) return undefined;
  }
  return word;
});
