import { Wrong } from './outcomes.js';

/** Claims of one item of one generation, numbered in their order. */
interface Claims {
  /** Those that were not given back, by holder. */
  readonly open: Map<string, number>;
  last: { readonly holder: string; readonly number: number };
}

/**
 * Watches from outside who claims what, and what a ledger lets through: no write may change an item that somebody else has claimed since
 * who writes it did. It goes by the order of claims alone, and knows nothing of tokens and their checks.
 */
export class LeaseAudit {
  readonly #items = new Map<string, Map<number, Claims>>();
  readonly #processes = new Map<string, string>();
  readonly #report: (wrong: Wrong) => void;

  constructor(report: (wrong: Wrong) => void) {
    this.#report = report;
  }

  /** A process writes by this name. */
  belongs(holder: string, process: string): void {
    this.#processes.set(holder, process);
  }

  claimed(generation: number, holder: string, keys: Iterable<string>): void {
    for (const key of keys) {
      const generations = this.#items.get(key) ?? new Map<number, Claims>();
      this.#items.set(key, generations);
      const before = generations.get(generation);
      const last = { holder, number: 1 + (before?.last.number ?? 0) };
      const open = (before?.open ?? new Map<string, number>()).set(holder, last.number);
      generations.set(generation, { open, last });
    }
  }

  released(generation: number, holder: string, keys: Iterable<string>): void {
    for (const key of keys) this.#items.get(key)?.get(generation)?.open.delete(holder);
  }

  /** The ledger has let a write of these items through. */
  accepted(generation: number, holder: string, keys: Iterable<string>): void {
    for (const key of keys) {
      const claims = this.#items.get(key)?.get(generation);
      if (claims !== undefined && isStale(claims, holder))
        this.#report(
          new Wrong(
            `The ledger took a write of ${key} by ${this.#nameOf(holder)}, and ${this.#nameOf(claims.last.holder)} has claimed it since.`,
          ),
        );
    }
  }

  /** Whether somebody else has claimed an item since this process did. */
  isLate(process: string, key: string): boolean {
    return [...(this.#items.get(key)?.values() ?? [])].some((claims) =>
      [...claims.open.keys()].some(
        (holder) => this.#processes.get(holder) === process && isStale(claims, holder),
      ),
    );
  }

  #nameOf(holder: string): string {
    return this.#processes.get(holder) ?? holder;
  }
}

function isStale({ open, last }: Claims, holder: string): boolean {
  const claim = open.get(holder);
  return claim !== undefined && claim < last.number && last.holder !== holder;
}
