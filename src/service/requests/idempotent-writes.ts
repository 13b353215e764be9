import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { RAGError } from '../../index.js';

/** How long an outcome is kept. */
const KEPT_MS = 3_600_000;
/** Characters of a tenant's keys and outcomes, some 10,000 small ones. The oldest give way, never those of another tenant. */
const MOST_KEPT = 4_194_304;
/** Tenants whose outcomes are kept; those of the one that wrote longest ago give way. */
const MOST_TENANTS = 256;

interface KeptWrite {
  /** Of the route and the body. */
  readonly fingerprint: string;
  readonly outcome: Promise<unknown>;
}

/** A write to do once. */
export interface IdempotentWrite<Outcome> {
  readonly tenant: string;
  /** Of the caller and its own choice; undefined where it chose none. */
  readonly key: string | undefined;
  /** Route and body, to tell a repetition from another request. */
  readonly content: unknown;
  /** What it gives is kept, so it is small: what stands in the body is not repeated in it. */
  readonly work: () => Promise<Outcome>;
}

/**
 * Writes with a key of the caller's are done once: a repetition gets the first one's outcome, or waits for it. Outcomes are kept in
 * the memory of this process for an hour; what failed is done again.
 */
export class IdempotentWrites {
  readonly #tenants = new LRUCache<string, LRUCache<string, KeptWrite>>({ max: MOST_TENANTS });

  /** Throws `IDEMPOTENCY_KEY_REUSED` where the key came with another body before. */
  async run<Outcome>({ tenant, key: stated, content, work }: IdempotentWrite<Outcome>): Promise<Outcome> {
    if (stated === undefined) return work();
    const key = digestOf(stated);
    const fingerprint = digestOf(JSON.stringify(content));
    const writes = this.#writesOf(tenant);
    const kept = writes.get(key);
    if (kept !== undefined && kept.fingerprint !== fingerprint)
      throw new RAGError(
        'IDEMPOTENCY_KEY_REUSED',
        'The `idempotency-key` was used for another request. Take a new one for each write.',
      );
    if (kept !== undefined) {
      // The first caller may have gone and taken its work along; then this one does it.
      const before = await kept.outcome
        .then((outcome) => ({ outcome: outcome as Outcome }))
        .catch(() => undefined);
      if (before !== undefined) return before.outcome;
    }
    const outcome = work();
    const entry = { fingerprint, outcome };
    const base = key.length + fingerprint.length;
    writes.set(key, entry, { size: base });
    outcome.then(
      (done) => {
        const size = base + (JSON.stringify(done) ?? '').length;
        if (writes.get(key) === entry) writes.set(key, { ...entry }, { size });
      },
      () => {
        if (writes.get(key) === entry) writes.delete(key);
      },
    );
    return outcome;
  }

  #writesOf(tenant: string): LRUCache<string, KeptWrite> {
    const known = this.#tenants.get(tenant);
    if (known !== undefined) return known;
    const writes = new LRUCache<string, KeptWrite>({ maxSize: MOST_KEPT, ttl: KEPT_MS });
    this.#tenants.set(tenant, writes);
    return writes;
  }
}

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex');
