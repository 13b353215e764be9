/** What one search may spend on paid models, and what it has. US dollars, reckoned before each call by prices and lengths of texts. */
export class SearchBudget {
  readonly maxCost: number;
  readonly #leftOut = new Set<string>();
  #spent = 0;

  constructor(maxCost: number) {
    this.maxCost = maxCost;
  }

  get spent(): number {
    return this.#spent;
  }

  /** What was too expensive, in words. */
  get leftOut(): readonly string[] {
    return [...this.#leftOut];
  }

  canPay(cost: number): boolean {
    return this.#spent + cost <= this.maxCost;
  }

  pay(cost: number): void {
    this.#spent += cost;
  }

  leaveOut(what: string): void {
    this.#leftOut.add(what);
  }
}
