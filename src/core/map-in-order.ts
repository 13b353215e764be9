/**
 * Runs `work` over the inputs with at most `concurrency` at once and yields the results in the order of the inputs. A
 * failure is thrown at its place; calls in flight are awaited first, so nothing goes on behind the consumer's back.
 */
export async function* mapInOrder<Input, Output>(
  inputs: Iterable<Input>,
  concurrency: number,
  work: (input: Input) => Promise<Output>,
): AsyncGenerator<Output> {
  const inFlight: Promise<Output>[] = [];
  const remaining = inputs[Symbol.iterator]();
  const startMore = (): void => {
    while (inFlight.length < concurrency) {
      const next = remaining.next();
      if (next.done) return;
      const result = work(next.value);
      // A result that fails before its turn is handled then.
      result.catch(() => undefined);
      inFlight.push(result);
    }
  };
  try {
    startMore();
    for (let oldest = inFlight.shift(); oldest !== undefined; oldest = inFlight.shift()) {
      const value = await oldest;
      startMore();
      yield value;
    }
  } finally {
    await Promise.allSettled(inFlight);
  }
}
