import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { RAGError } from '../../index.js';

/** Answers that are kept, and for how long. */
const MOST_KEPT = 10_000;
const KEPT_MS = 3_600_000;

interface KeptWrite {
  /** Of the route and the body. */
  readonly fingerprint: string;
  readonly answer: Promise<unknown>;
}

/** A write to do once. */
export interface IdempotentWrite<Answer> {
  /** Of the caller's tenant and its own choice; undefined where it chose none. */
  readonly key: string | undefined;
  /** Route and body, to tell a repetition from another request. */
  readonly content: unknown;
  readonly work: () => Promise<Answer>;
}

/**
 * Writes with a key of the caller's are done once: a repetition gets the first one's answer, or waits for it. Answers are kept in
 * the memory of this process for an hour; what failed is done again.
 */
export class IdempotentWrites {
  readonly #kept = new LRUCache<string, KeptWrite>({ max: MOST_KEPT, ttl: KEPT_MS });

  /** Throws `IDEMPOTENCY_KEY_REUSED` where the key came with another body before. */
  async run<Answer>({ key, content, work }: IdempotentWrite<Answer>): Promise<Answer> {
    if (key === undefined) return work();
    const fingerprint = createHash('sha256').update(JSON.stringify(content)).digest('hex');
    const kept = this.#kept.get(key);
    if (kept !== undefined && kept.fingerprint !== fingerprint)
      throw new RAGError(
        'IDEMPOTENCY_KEY_REUSED',
        'The `idempotency-key` was used for another request. Take a new one for each write.',
      );
    if (kept !== undefined) {
      // The first caller may have gone and taken its work along; then this one does it.
      const before = await kept.answer
        .then((answer) => ({ answer: answer as Answer }))
        .catch(() => undefined);
      if (before !== undefined) return before.answer;
    }
    const answer = work();
    const entry = { fingerprint, answer };
    this.#kept.set(key, entry);
    answer.catch(() => {
      if (this.#kept.get(key) === entry) this.#kept.delete(key);
    });
    return answer;
  }
}
