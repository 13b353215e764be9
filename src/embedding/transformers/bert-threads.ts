import { availableParallelism } from 'node:os';
import { RAGError } from '../../core/errors.js';
import { startWorker, WITHOUT_SECRETS } from '../../platform/threads/start-worker.js';
import { ThreadCalls } from '../../platform/threads/thread-calls.js';
import type { BertNetwork } from '../encoder/bert/bert-network.js';
import type { Pooling } from './pooling.js';

/** What a thread is given. */
export interface BertThread {
  readonly network: BertNetwork;
  readonly pooling: Pooling;
  readonly isBackground: boolean;
}

/** A text as token ids, or a pair of texts. */
export interface BertText {
  readonly ids: Int32Array;
  /** Where the second text of a pair begins. */
  readonly second?: number;
}

export interface BertThreadsOptions extends BertThread {
  /** Shown in errors. */
  readonly folder: string;
  readonly reason: 'EMBEDDING_FAILED' | 'RERANKER_UNAVAILABLE';
  /** @default one a core, eight at most; half of that in the background */
  readonly threads?: number | undefined;
}

/** Each takes some 30 MB beside the weights. */
const MOST_THREADS = 8;

/** Threads of this process in which one BERT network runs. */
export class BertThreads {
  readonly #threads: readonly ThreadCalls<BertText, Float32Array>[];

  constructor({ folder, reason, threads, ...workerData }: BertThreadsOptions) {
    const usual = Math.max(1, Math.floor(availableParallelism() / (workerData.isBackground ? 2 : 1)));
    const failure = (message: string, cause?: Error): RAGError =>
      new RAGError(reason, `The model in ${folder} failed: ${message}`, { cause });
    this.#threads = Array.from(
      { length: threads ?? Math.min(MOST_THREADS, usual) },
      () =>
        new ThreadCalls({
          start: () =>
            startWorker(new URL('./bert-worker.js', import.meta.url), { ...WITHOUT_SECRETS, workerData }),
          failed: failure,
          lost: (cause) =>
            failure(
              'a thread stopped unexpectedly. Check that there is memory for it, and try again.',
              cause,
            ),
        }),
    );
  }

  /**
   * Reads texts in their order: the vector of each or, of a sequence classifier, the logits.
   *
   * @param isOver asked before each text but the first of a thread; once true, the rest stays undefined
   * @throws RAGError by the reason that was given; `ABORTED` by the signal
   */
  async run(
    texts: readonly BertText[],
    signal?: AbortSignal,
    isOver = (): boolean => false,
  ): Promise<(Float32Array | undefined)[]> {
    const read = new Array<Float32Array | undefined>(texts.length).fill(undefined);
    const waiting = [...texts.entries()].reverse();
    const workWith = async (thread: ThreadCalls<BertText, Float32Array>): Promise<void> => {
      for (let next = waiting.pop(); next !== undefined; next = isOver() ? undefined : waiting.pop()) {
        const [at, text] = next;
        read[at] = await thread.call(text, signal);
      }
    };
    try {
      await Promise.all(this.#threads.slice(0, texts.length).map(workWith));
    } finally {
      waiting.length = 0;
    }
    return read;
  }

  async close(error: RAGError): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.close(error)));
  }
}
