// Entry of the thread that embeds in the background, behind whatever else the machine has to do.
import { workerData } from 'node:worker_threads';
import { answerCalls } from '../../platform/threads/answer-calls.js';
import { lowerPriority } from '../../platform/threads/lower-priority.js';
import type { Embedder } from '../embedder.js';
import type { EmbedRequest } from './embed-request.js';
import { createTransformersEmbedder, type TransformersEmbedderOptions } from './transformers-embedder.js';

const options = workerData as TransformersEmbedderOptions;

lowerPriority();

let loading: Promise<Embedder> | undefined;

answerCalls(async ({ texts, kind }: EmbedRequest) => {
  try {
    loading ??= createTransformersEmbedder(options);
    const embedder = await loading;
    return await embedder.doEmbed(texts, kind);
  } catch (error) {
    loading = undefined;
    throw error;
  }
});
