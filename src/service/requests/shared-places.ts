import { RAGError } from '../../index.js';

export interface PlaceLimits {
  /** Places in all; 0 for any number. */
  readonly most: number;
  /** Those of one tenant; 0 for any number. */
  readonly mostOfTenant: number;
}

/** A place that is held. */
export interface Place {
  /** @throws RAGError `RATE_LIMITED` where the tenant has its share; the place is left then */
  giveTo(tenant: string): void;
  /** Frees it; once. */
  leave(): void;
}

/** Part of the places that is for whoever holds fewer than are free of it. */
const RESERVED_PART = 1 / 8;

/**
 * Places for what is under way at once. However many tenants fill them, others get in: of the last places a tenant takes none while it holds as
 * many as are free, so that each further one finds at least half of what is left (dynamic thresholds; Choudhury and Hahne, IEEE/ACM Transactions on
 * Networking 6(2), 1998).
 */
export class SharedPlaces {
  readonly #most: number;
  readonly #mostOfTenant: number;
  readonly #byTenant = new Map<string, number>();
  #held = 0;

  constructor({ most, mostOfTenant }: PlaceLimits) {
    this.#most = most === 0 ? Infinity : most;
    this.#mostOfTenant = mostOfTenant === 0 ? Infinity : mostOfTenant;
  }

  /** @throws OverloadError where none is free */
  take(): Place {
    if (this.#held >= this.#most) throw new OverloadError();
    this.#held += 1;
    let owner: string | undefined;
    let isHeld = true;
    const leave = (): void => {
      if (!isHeld) return;
      isHeld = false;
      this.#held -= 1;
      if (owner !== undefined) this.#count(owner, -1);
    };
    return {
      leave,
      giveTo: (tenant) => {
        if (!isHeld) return;
        if (this.#hasItsShare(tenant)) {
          leave();
          throw new ShareError();
        }
        owner = tenant;
        this.#count(tenant, 1);
      },
    };
  }

  /** The place that is given is held already. */
  #hasItsShare(tenant: string): boolean {
    const own = this.#byTenant.get(tenant) ?? 0;
    const free = this.#most - this.#held + 1;
    const isReserved = free <= Math.floor(this.#most * RESERVED_PART);
    return own >= this.#mostOfTenant || (isReserved && own >= free);
  }

  #count(tenant: string, change: number): void {
    const own = (this.#byTenant.get(tenant) ?? 0) + change;
    if (own > 0) this.#byTenant.set(tenant, own);
    else this.#byTenant.delete(tenant);
  }
}

/** It is the service's answer to what is asked of it, and no failure. */
export class OverloadError extends RAGError {
  constructor() {
    super('SERVICE_UNAVAILABLE', 'The service has more to do than it can. Try again shortly.');
  }
}

/** A tenant that holds its share. */
class ShareError extends RAGError {
  constructor() {
    super('RATE_LIMITED', 'Too many requests of this tenant are under way. Try again shortly.');
  }
}
