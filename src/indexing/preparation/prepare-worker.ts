// Entry of the threads that prepare documents. One keeps nothing that the index needs and may end at any moment.
import { parentPort } from 'node:worker_threads';
import { runtime } from '../../core/runtime.js';
import { sentError } from '../../core/sent-error.js';
import { embedAll } from '../../embedding/embed-all.js';
import type { Embedder } from '../../embedding/embedder.js';
import { createStaticEmbedder } from '../../embedding/static/static-embedder.js';
import { type EmbeddedChunk, type PreparedDocument, prepareDocument } from '../prepare-document.js';
import { FREE_BATCHES, type FromThread, type PrepareRequest, type ToThread } from './prepare-message.js';
import { openPreparation } from './preparer.js';

const open = memoised(openPreparation);
const openModel = memoised((folder: string) => createStaticEmbedder({ folder }));

/** What a function gives for each argument, computed once; a failure is not kept. */
function memoised<Argument, Value>(
  make: (argument: Argument) => Promise<Value>,
): (argument: Argument) => Promise<Value> {
  const made = new Map<string, Promise<Value>>();
  return (argument) => {
    const key = JSON.stringify(argument);
    const value = made.get(key) ?? make(argument);
    made.set(key, value);
    value.catch(() => made.delete(key));
    return value;
  };
}

/** How far the reader of a document lets its batches come. */
class Credit {
  #batches = FREE_BATCHES;
  #isDropped = false;
  #wake: () => void = () => undefined;

  add(batches: number): void {
    this.#batches += batches;
    this.#wake();
  }

  drop(): void {
    this.#isDropped = true;
    this.#wake();
  }

  get isSpent(): boolean {
    return this.#batches === 0 && !this.#isDropped;
  }

  /** Whether one more batch is wanted, as soon as that is known. */
  async take(): Promise<boolean> {
    while (this.isSpent) await new Promise<void>((resolve) => (this.#wake = resolve));
    this.#batches -= 1;
    return !this.#isDropped;
  }
}

const credits = new Map<number, Credit>();

function send(message: FromThread): void {
  const buffers = new Set(buffersOf(message));
  parentPort?.postMessage(
    message,
    [...buffers].filter((buffer) => buffer instanceof ArrayBuffer),
  );
}

/** What is handed over and not copied. */
function buffersOf(message: FromThread): ArrayBufferLike[] {
  if (message.kind === 'batch')
    return message.chunks.flatMap(({ embedded }) => embedded?.vector.buffer ?? []);
  if (message.kind !== 'document') return [];
  const { encoding, bytes } = message.summary.text;
  // Others may still be read here.
  return encoding === 'deflate' ? [bytes.buffer] : [];
}

async function prepare(request: PrepareRequest, times: Record<string, number>): Promise<PreparedDocument> {
  const add = (stage: string, since: number): void => {
    times[stage] = (times[stage] ?? 0) + runtime().elapsed() - since;
  };
  const { document, origin, recipe, modelFolder } = request;
  const parts = await open(recipe);
  const model = modelFolder === undefined ? undefined : await openModel(modelFolder);
  return prepareDocument(document, {
    ...origin,
    ...parts,
    embed: model && ((texts) => embedTexts(model, texts)),
    timed: (stage, work) => {
      const start = runtime().elapsed();
      try {
        return work();
      } finally {
        add(stage, start);
      }
    },
    timedAsync: async (stage, work) => {
      const start = runtime().elapsed();
      try {
        return await work();
      } finally {
        add(stage, start);
      }
    },
  });
}

async function embedTexts(model: Embedder, texts: readonly string[]): Promise<EmbeddedChunk[]> {
  const { vectors, truncated } = await embedAll(model, texts, 'document');
  return ownVectors(vectors).map((vector, i) => ({ vector, isTruncated: truncated.has(texts[i] ?? '') }));
}

/** The same vectors in one buffer, so that handing them over moves one thing. */
function ownVectors(vectors: readonly Float32Array[]): Float32Array[] {
  const dimensions = vectors[0]?.length ?? 0;
  const all = new Float32Array(vectors.length * dimensions);
  return vectors.map((vector, i) => {
    all.set(vector, i * dimensions);
    return all.subarray(i * dimensions, (i + 1) * dimensions);
  });
}

/** Sends what became of a document: first what the ledger must know, then its chunks, as far as they are wanted. */
async function serve(
  job: number,
  preparing: Promise<PreparedDocument>,
  times: Record<string, number>,
): Promise<void> {
  const credit = new Credit();
  credits.set(job, credit);
  try {
    const { sketches, batches, shortcoming: _, ...summary } = await preparing;
    send({ kind: 'document', job, summary, sketches });
    for await (const chunks of batches) {
      if (credit.isSpent) send({ kind: 'waiting', job });
      if (!(await credit.take())) break;
      send({ kind: 'batch', job, chunks });
    }
    send({ kind: 'end', job, times });
  } catch (error) {
    send({ kind: 'failed', job, failure: sentError(error) });
  } finally {
    credits.delete(job);
  }
}

parentPort?.on('message', (message: ToThread) => {
  if (message.kind === 'more') credits.get(message.job)?.add(message.batches);
  else if (message.kind === 'drop') credits.get(message.job)?.drop();
  else {
    const times: Record<string, number> = {};
    // The bytes of the document are let go with this frame, while its chunks may be read for long.
    void serve(message.job, prepare(message, times), times);
  }
});
