import { AsyncLocalStorage } from 'node:async_hooks';
import { type BulkheadPolicy, bulkhead } from 'cockatiel';
import { throwIfAborted } from './errors.js';

const gates = new WeakMap<object, BulkheadPolicy>();

/**
 * Does work when its turn comes: of all that asks for the same owner, so much goes on at once, in the order in which it asked.
 * A deadline that is set inside begins with the turn, so that waiting for others is not counted.
 *
 * @throws RAGError `ABORTED` where the signal fired meanwhile; what the work throws.
 */
export function withPermit<Result>(
  { owner, concurrency }: { readonly owner: object; readonly concurrency: number },
  work: () => Promise<Result>,
  signal: AbortSignal | undefined,
): Promise<Result> {
  const gate = gates.get(owner) ?? bulkhead(concurrency, Number.POSITIVE_INFINITY);
  gates.set(owner, gate);
  // A waiting task is started by the one that has just finished, and must not be taken for a part of it.
  const own = AsyncLocalStorage.bind(() => {
    throwIfAborted(signal);
    return work();
  });
  return gate.execute(() => own());
}
