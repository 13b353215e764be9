import { RAGError } from '../../../index.js';

export interface PlaceLimits {
  /** Places in all; 0 for any number. */
  readonly most: number;
  /** Those of one tenant; 0 for any number. */
  readonly mostOfTenant: number;
  /** What a tenant is told that has its share. @default `RATE_LIMITED` */
  readonly shareError?: (() => RAGError) | undefined;
}

/** Places that are held. */
export interface Place {
  /** @throws RAGError where the tenant has its share; the places are left then */
  giveTo(tenant: string): void;
  /**
   * Holds so many more.
   *
   * @throws OverloadError where no more are free, RAGError where the tenant has its share; the places are left then
   */
  grow(count: number): void;
  /** Frees them; once. */
  leave(): void;
}

/** Part of the places that is for tenants which hold fewer than are free of it. */
const RESERVED_PART = 1 / 8;

/**
 * Places for what is under way at once. However many tenants fill them, others get in: of the last places a tenant takes none while it holds as
 * many as are free, so that each further one finds at least half of what is left (dynamic thresholds; Choudhury and Hahne, IEEE/ACM Transactions on
 * Networking 6(2), 1998).
 */
export class SharedPlaces {
  readonly #most: number;
  readonly #mostOfTenant: number;
  readonly #shareError: () => RAGError;
  readonly #byTenant = new Map<string, number>();
  #held = 0;

  constructor({ most, mostOfTenant, shareError = tooManyRequests }: PlaceLimits) {
    this.#most = most === 0 ? Infinity : most;
    this.#mostOfTenant = mostOfTenant === 0 ? Infinity : mostOfTenant;
    this.#shareError = shareError;
  }

  /** @throws OverloadError where so many are not free */
  take(count = 1): Place {
    let held = 0;
    let owner: string | undefined;
    let isHeld = true;
    const leave = (): void => {
      if (!isHeld) return;
      isHeld = false;
      this.#held -= held;
      if (owner !== undefined) this.#count(owner, -held);
    };
    const grow = (by: number): void => {
      if (!isHeld || by <= 0) return;
      const isFull = this.#held + by > this.#most;
      if (isFull || (owner !== undefined && this.#hasItsShare(owner, by, this.#held))) {
        leave();
        throw isFull ? new OverloadError() : this.#shareError();
      }
      held += by;
      this.#held += by;
      if (owner !== undefined) this.#count(owner, by);
    };
    grow(count);
    return {
      leave,
      grow,
      giveTo: (tenant) => {
        if (!isHeld) return;
        if (this.#hasItsShare(tenant, held, this.#held - held)) {
          leave();
          throw this.#shareError();
        }
        owner = tenant;
        this.#count(tenant, held);
      },
    };
  }

  /** @param heldBefore places that are held without these */
  #hasItsShare(tenant: string, count: number, heldBefore: number): boolean {
    if (count === 0) return false;
    const own = this.#byTenant.get(tenant) ?? 0;
    const free = this.#most - heldBefore;
    const isReserved = free <= Math.floor(this.#most * RESERVED_PART);
    return own + count > this.#mostOfTenant || (isReserved && own >= free);
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

/** What a tenant is told that holds its share. */
const tooManyRequests = (): RAGError =>
  new RAGError('RATE_LIMITED', 'Too many requests of this tenant are under way. Try again shortly.');
