/**
 * Maps with at most `concurrency` calls in flight and yields results in input order. A failure stops new calls; calls in
 * flight are awaited before it is thrown, so nothing goes on behind the caller's back.
 */
export async function* mapConcurrently<T, R>(
  inputs: readonly T[],
  concurrency: number,
  map: (input: T) => Promise<R>,
): AsyncGenerator<R> {
  const inFlight: Promise<R>[] = [];
  let next = 0;
  const startMore = (): void => {
    while (inFlight.length < concurrency && next < inputs.length) {
      const input = inputs[next++] as T;
      const result = map(input);
      result.catch(() => undefined);
      inFlight.push(result);
    }
  };
  try {
    startMore();
    for (let result = inFlight.shift(); result !== undefined; result = inFlight.shift()) {
      const value = await result;
      startMore();
      yield value;
    }
  } finally {
    await Promise.allSettled(inFlight);
  }
}
