// Entry of the thread that embeds in the background, behind whatever else the machine has to do.
import { getPriority, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { RAGError } from '../../core/errors.js';
import type { Embedder } from '../embedder.js';
import type { EmbedAnswer, EmbedCall, EmbedThreadData } from './embed-messages.js';
import { createTransformersEmbedder } from './transformers-embedder.js';

const { options } = workerData as EmbedThreadData;
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
let queue = Promise.resolve();

parentPort?.on('message', (call: EmbedCall) => {
  queue = queue.then(() => answer(call));
});

async function answer({ id, texts, kind }: EmbedCall): Promise<void> {
  const send = (message: EmbedAnswer): void => parentPort?.postMessage(message);
  try {
    loading ??= createTransformersEmbedder(options);
    const embedder = await loading;
    send({ id, vectors: await embedder.doEmbed(texts, kind) });
  } catch (error) {
    loading = undefined;
    const known = RAGError.isInstance(error) ? error : undefined;
    send({
      id,
      reason: known?.reason ?? 'EMBEDDING_FAILED',
      message: known?.message ?? `The model ${options.model} failed: ${String(error)}`,
    });
  }
}
