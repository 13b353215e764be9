// Entry of a thread in which the reader runs.
import { runtime } from '../../../core/runtime.js';
import { answerCalls } from '../../../threads/answer-calls.js';
import { loadReader, type Reader } from './reader.js';
import type { TextsToRead } from './reader-threads.js';

let loading: Promise<Reader> | undefined;

answerCalls(async ({ texts, forMs }: TextsToRead, isCancelled) => {
  loading ??= loadReader();
  const read = await loading;
  const until = runtime().elapsed() + forMs;
  const vectors: Float32Array[] = [];
  for (const text of texts) {
    if (vectors.length > 0 && (isCancelled() || runtime().elapsed() > until)) break;
    vectors.push(read(text));
  }
  return vectors;
});
