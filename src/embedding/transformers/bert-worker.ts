// Entry of a thread in which a BERT network runs.
import { workerData } from 'node:worker_threads';
import { answerCalls } from '../../platform/threads/answer-calls.js';
import { lowerPriority } from '../../platform/threads/lower-priority.js';
import { BertEncoder } from '../encoder/bert/bert-encoder.js';
import type { BertText, BertThread } from './bert-threads.js';
import { poolBatch } from './pooling.js';

const { network, pooling, isBackground } = workerData as BertThread;
if (isBackground) lowerPriority();
const encoder = new BertEncoder(network);

answerCalls(async ({ ids, second }: BertText) => {
  if (second !== undefined) return encoder.classify(ids, second);
  const states = { data: encoder.encode(ids), width: ids.length, dimensions: network.width };
  return poolBatch(states, [ids.length], pooling)[0];
});
