import { parentPort } from 'node:worker_threads';
import { sentError } from '../../core/sent-error.js';
import type { FromThread, ToThread } from './thread-calls.js';

/** Whether nobody waits for the answer any more; work that takes long asks between its parts. */
export type IsCancelled = () => boolean;

/**
 * In a thread that `ThreadCalls` asks: answers one call after the other.
 *
 * @param answer undefined where it was cancelled
 */
export function answerCalls<Request, Answer>(
  answer: (request: Request, isCancelled: IsCancelled) => Promise<Answer | undefined>,
): void {
  const cancelled = new Set<number>();
  const waiting = new Set<number>();
  let last: Promise<void> = Promise.resolve();

  const answerOne = async (id: number, request: Request): Promise<void> => {
    const isCancelled: IsCancelled = () => cancelled.has(id);
    try {
      const found = isCancelled() ? undefined : await answer(request, isCancelled);
      if (found !== undefined) send({ id, answer: found });
    } catch (error) {
      send({ id, failure: sentError(error) });
    }
    waiting.delete(id);
    cancelled.delete(id);
  };

  parentPort?.on('message', (message: ToThread<Request>) => {
    const { id } = message;
    if (message.kind === 'call') {
      waiting.add(id);
      last = last.then(() => answerOne(id, message.request));
    } else if (waiting.has(id)) cancelled.add(id);
  });
}

const send = (message: FromThread<unknown>): void => parentPort?.postMessage(message);
