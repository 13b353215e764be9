import { RAGError } from '../../core/errors.js';
import { runtime } from '../../core/runtime.js';
import { prepareDocument } from '../prepare-document.js';
import type { ChoosePreparer } from '../source-task.js';
import { inlinePreparer, type Preparer } from './preparer.js';
import { ThreadPreparer, type ThreadPreparerOptions } from './thread-preparer.js';

/** Bytes from which threads are worth their start: on two cores less is prepared sooner without them. */
const THREADS_FROM_BYTES = 1024 * 1024;

/** The preparers of one run. */
export interface Preparers {
  readonly choose: ChoosePreparer;
  close(): Promise<void>;
}

/**
 * As the runtime says; else threads where there is much to prepare, and this thread where there is little. When the signal fires, all that is being prepared is given up at
 * once, however long it would take.
 */
export function openPreparers(
  signal: AbortSignal | undefined,
  options: ThreadPreparerOptions & { readonly threadsFromBytes?: number | undefined } = {},
): Preparers {
  const { threadsFromBytes = THREADS_FROM_BYTES } = options;
  const { prepare } = runtime();
  if (prepare !== undefined) {
    const scheduled: Preparer = {
      prepare: (document, order) => prepare(() => prepareDocument(document, order)),
    };
    return { choose: () => scheduled, close: async () => undefined };
  }
  const inline = inlinePreparer(signal);
  let threads: ThreadPreparer | undefined;
  const close = async (error?: RAGError): Promise<void> => threads?.close(error);
  const onAbort = (): void => {
    const error = new RAGError('ABORTED', 'The operation was cancelled.', { cause: signal?.reason });
    // Threads that cannot be ended are no reason to hold up who cancelled.
    close(error).catch(() => undefined);
  };
  signal?.addEventListener('abort', onAbort, { once: true });
  return {
    choose: (bytes) => {
      if (bytes < threadsFromBytes) return inline;
      threads ??= new ThreadPreparer(options);
      return threads;
    },
    close: async () => {
      signal?.removeEventListener('abort', onAbort);
      await close();
    },
  };
}
