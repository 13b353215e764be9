/**
 * Runs `work` over the inputs with at most `concurrency` at once and yields the results in the order of the inputs.
 * Ends early without losing a rejection when the consumer stops.
 */
export async function* mapInOrder<Input, Output>(
  inputs: Iterable<Input>,
  concurrency: number,
  work: (input: Input) => Promise<Output>,
): AsyncGenerator<Output> {
  const inFlight: Promise<Output>[] = [];
  try {
    for (const input of inputs) {
      inFlight.push(work(input));
      const oldest = inFlight.length >= concurrency ? inFlight.shift() : undefined;
      if (oldest !== undefined) yield await oldest;
    }
    for (let next = inFlight.shift(); next !== undefined; next = inFlight.shift()) yield await next;
  } finally {
    await Promise.allSettled(inFlight);
  }
}
