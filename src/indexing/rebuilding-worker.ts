// Entry of the thread that finds words of chunks again. One keeps nothing and may end at any moment.
import { answerCalls } from '../platform/threads/answer-calls.js';
import type { SentDocument } from './rebuilding-thread.js';
import { type RebuiltChunk, rebuildChunks } from './rebuilt-chunks.js';

answerCalls<readonly SentDocument[], readonly RebuiltChunk[][]>(async (documents, isCancelled) => {
  const rebuilt: RebuiltChunk[][] = [];
  for (const { chunks, ...document } of documents) {
    if (isCancelled()) return undefined;
    rebuilt.push(await rebuildChunks(chunks, document));
  }
  return rebuilt;
});
