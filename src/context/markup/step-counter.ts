/** Counts the work on a text and ends it where it would be more than its length allows. */
export class StepCounter {
  readonly #limit: number;
  #steps = 0;

  /** @param limit most steps; `Infinity` only counts. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  get steps(): number {
    return this.#steps;
  }

  /** @throws TooManySteps */
  spend(steps = 1): void {
    this.#steps += steps;
    if (this.#steps > this.#limit) throw new TooManySteps();
  }
}

/** A text asks for more work than its length allows. Never leaves this folder's callers. */
export class TooManySteps extends Error {
  override readonly name = 'TooManySteps';
}
