import { availableParallelism } from 'node:os';
import { RAGError } from '../../core/errors.js';
import { startWorker } from '../../platform/threads/start-worker.js';
import { ThreadCalls } from '../../platform/threads/thread-calls.js';
import type { Embedder } from '../embedder.js';
import type { EmbedRequest } from './embed-request.js';
import { createTransformersEmbedder, type TransformersEmbedderOptions } from './transformers-embedder.js';

/**
 * The same embedder as `createTransformersEmbedder`, for much work that nobody waits for: its network runs in a thread of its own with a
 * lower priority (on Linux), on half of the cores, so that searches on this thread and others go before it.
 *
 * @throws RAGError as `createTransformersEmbedder`
 */
export async function createBackgroundEmbedder(options: TransformersEmbedderOptions): Promise<Embedder> {
  // Reads names, lengths and tokens; its network is never loaded.
  const model = await createTransformersEmbedder(options);
  const threads = options.threads ?? Math.max(1, Math.floor(availableParallelism() / 2));
  const workerData: TransformersEmbedderOptions = { ...options, threads };
  const { identity, dimensions, maxInputTokens, maxBatch } = model;
  const failure = (message: string, cause?: Error): RAGError =>
    new RAGError('EMBEDDING_FAILED', message, { cause });
  const thread = new ThreadCalls<EmbedRequest, readonly Float32Array[]>({
    start: () => startWorker(new URL('./embed-worker.js', import.meta.url), { workerData }),
    failed: (message) => failure(`The model ${options.model} failed: ${message}`),
    lost: (cause) =>
      failure(
        `The thread of the embedding model ${identity.model} stopped unexpectedly${cause === undefined ? '' : ` (${cause.message})`}. Check that there is memory for it, and try again.`,
        cause,
      ),
  });
  return {
    identity,
    dimensions,
    maxInputTokens,
    maxBatch,
    isCheap: false,
    countTokens: (text) => model.countTokens(text),
    doEmbed: async (texts, kind, signal) => [...(await thread.call({ texts, kind }, signal))],
    close: async () => {
      await thread.close(new RAGError('ABORTED', 'The embedding model was closed.'));
      await model.close();
    },
  };
}
