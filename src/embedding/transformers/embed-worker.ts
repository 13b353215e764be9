// Entry of the thread that embeds in the background, behind whatever else the machine has to do.
import { getPriority, setPriority } from 'node:os';
import { workerData } from 'node:worker_threads';
import { answerCalls } from '../../threads/answer-calls.js';
import type { Embedder } from '../embedder.js';
import type { EmbedRequest } from './embed-request.js';
import { createTransformersEmbedder, type TransformersEmbedderOptions } from './transformers-embedder.js';

const options = workerData as TransformersEmbedderOptions;
/** Low enough that whatever else wants the core has nine tenths of it, and not so low that a busy machine never comes to it. */
const STEPS_DOWN = 10;
const LOWEST_PRIORITY = 19;

// Linux alone has a priority for each thread; elsewhere it would be that of the whole process. Threads of the network inherit it.
if (process.platform === 'linux') {
  try {
    setPriority(Math.min(LOWEST_PRIORITY, getPriority() + STEPS_DOWN));
  } catch {
    // A container may forbid it: then it is one thread less that gives way.
  }
}

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
