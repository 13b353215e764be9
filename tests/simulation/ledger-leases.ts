import { RAGError } from '../../src/core/errors.js';

interface Lease {
  readonly holder: string;
  readonly token: number;
  readonly expiresAt: number;
}

/** Who writes, and the fencing tokens that it was given, by item. */
export interface LeaseHolder {
  readonly holder: string;
  readonly tokens: Map<string, number>;
}

/** The leases of one generation. */
export class LedgerLeases {
  readonly #now: () => number;
  readonly #leases = new Map<string, Lease>();

  /** @param now milliseconds since 1970 */
  constructor(now: () => number) {
    this.#now = now;
  }

  clear(): void {
    this.#leases.clear();
  }

  /** Whether somebody holds it now. */
  isHeld(key: string): boolean {
    return (this.#leases.get(key)?.expiresAt ?? 0) > this.#now();
  }

  claim(by: LeaseHolder, keys: readonly string[], forMs: number): Set<string> {
    const now = this.#now();
    const claimed = new Set<string>();
    for (const key of keys) {
      const lease = this.#leases.get(key);
      const isOwn = lease?.holder === by.holder;
      const isOver = lease !== undefined && lease.expiresAt <= now;
      if (lease !== undefined && !isOwn && !isOver) continue;
      const token = lease === undefined ? 1 : lease.token + (!isOwn || isOver ? 1 : 0);
      this.#leases.set(key, { holder: by.holder, token, expiresAt: now + Math.round(forMs) });
      by.tokens.set(key, token);
      claimed.add(key);
    }
    return claimed;
  }

  renew(by: LeaseHolder, keys: readonly string[], forMs: number): Set<string> {
    const renewed = keys.filter((key) => {
      const lease = this.#leases.get(key);
      return lease?.holder === by.holder && lease.token === by.tokens.get(key);
    });
    for (const key of renewed) {
      const lease = this.#leases.get(key);
      if (lease !== undefined)
        this.#leases.set(key, { ...lease, expiresAt: this.#now() + Math.round(forMs) });
    }
    return new Set(renewed);
  }

  release(by: LeaseHolder, keys: readonly string[]): void {
    for (const key of keys) {
      const lease = this.#leases.get(key);
      if (lease?.holder === by.holder) this.#leases.set(key, { ...lease, expiresAt: 0 });
      by.tokens.delete(key);
    }
  }

  /** Throws `INDEX_LEASE_LOST` where somebody else holds an item, or has held it since it was claimed. */
  fence({ holder, tokens }: LeaseHolder, keys: Iterable<string>): void {
    for (const key of keys) {
      const lease = this.#leases.get(key);
      const token = tokens.get(key);
      const isHeld =
        lease === undefined
          ? token === undefined
          : lease.holder === holder
            ? token === undefined || lease.token === token
            : token === undefined && lease.expiresAt <= this.#now();
      if (!isHeld) throw leaseLost();
    }
  }
}

export const leaseLost = (): RAGError =>
  new RAGError('INDEX_LEASE_LOST', 'Another process took over what was being written here.');
