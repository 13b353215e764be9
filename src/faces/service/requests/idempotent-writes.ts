import { type DeploymentReference, RAGError, SYSTEM_RUNTIME } from '../../../index.js';
import {
  digestOf,
  type RetainedPlace,
  type RetainedValues,
  ValuesOfDeployments,
} from '../retained/retained-values.js';

/** How long an outcome is kept. */
const KEPT_MS = 3_600_000;
/** How long a write that is under way is waited for, unless its process says that it goes on: a process that died says nothing. */
const LEASE_MS = 30_000;
const RENEW_MS = 10_000;
/** How often is looked for the outcome of a write that another process does. */
const LOOK_MS = 100;

/** A write to do once. */
export interface IdempotentWrite<Outcome> {
  readonly tenant: string;
  /** Where the documents are. */
  readonly deployment: DeploymentReference;
  /** Of the caller and its own choice; undefined where it chose none. */
  readonly key: string | undefined;
  /** Route and body, to tell a repetition from another request. */
  readonly content: unknown;
  /** Fires when nobody waits any more. */
  readonly signal?: AbortSignal | undefined;
  /** What it gives is kept as JSON, so it is small: what stands in the body is not repeated in it. */
  readonly work: () => Promise<Outcome>;
}

/** What is kept under a key: a write that is under way, or its outcome. */
interface RetainedWrite {
  /** Of the route and the body. */
  readonly fingerprint: string;
  readonly isDone: boolean;
  readonly outcome?: unknown;
}

interface UnderWay {
  readonly fingerprint: string;
  readonly outcome: Promise<unknown>;
}

/**
 * Writes with a key of the caller's are done once: a repetition gets the first one's outcome, or waits for it, whichever process it
 * comes to. Outcomes are kept for an hour; what failed is done again. Of documents in a store of the customer this process alone knows them.
 */
export class IdempotentWrites {
  readonly #values: ValuesOfDeployments;
  /** Of this process. */
  readonly #underWay = new Map<string, UnderWay>();

  constructor(values?: RetainedValues) {
    this.#values = new ValuesOfDeployments(values);
  }

  /** Throws `IDEMPOTENCY_KEY_REUSED` where the key came with another body before. */
  async run<Outcome>({
    tenant,
    deployment,
    key,
    content,
    signal,
    work,
  }: IdempotentWrite<Outcome>): Promise<Outcome> {
    if (key === undefined) return work();
    const place: RetainedPlace = { kind: 'write', tenant, key };
    const fingerprint = digestOf(JSON.stringify(content));
    const name = JSON.stringify([tenant, key]);
    for (;;) {
      signal?.throwIfAborted();
      const own = this.#underWay.get(name);
      if (own !== undefined) {
        assertSame(own, fingerprint);
        // The first caller may have gone and taken its work along; then this one does it.
        const before = await own.outcome.then((outcome) => ({ outcome })).catch(() => undefined);
        if (before !== undefined) return before.outcome as Outcome;
        continue;
      }
      const outcome = claim({ values: this.#values.of(deployment), place }, fingerprint, work);
      const done = outcome.then((claimed) => {
        if (claimed === undefined) throw new RAGError('ABORTED', 'Another process does it.');
        return claimed.outcome;
      });
      done.catch(() => undefined);
      this.#underWay.set(name, { fingerprint, outcome: done });
      try {
        const claimed = await outcome;
        if (claimed !== undefined) return claimed.outcome as Outcome;
      } finally {
        this.#underWay.delete(name);
      }
      await new Promise<void>((resolve) => {
        SYSTEM_RUNTIME.setTimer(resolve, LOOK_MS);
      });
    }
  }
}

/** Where a write is known. */
interface WritePlace {
  readonly values: RetainedValues;
  readonly place: RetainedPlace;
}

/** Does the write, or gives its outcome; undefined while another process does it. */
async function claim<Outcome>(
  { values, place }: WritePlace,
  fingerprint: string,
  work: () => Promise<Outcome>,
): Promise<{ readonly outcome: unknown } | undefined> {
  const begun = JSON.stringify({ fingerprint, isDone: false } satisfies RetainedWrite);
  const known = await values.claim(place, begun, LEASE_MS);
  if (known !== undefined) {
    const kept = JSON.parse(known) as RetainedWrite;
    assertSame(kept, fingerprint);
    return kept.isDone ? { outcome: kept.outcome } : undefined;
  }
  const stopRenewing = renewing({ values, place }, begun);
  try {
    const outcome = await work();
    await stopRenewing();
    const done = JSON.stringify({ fingerprint, isDone: true, outcome } satisfies RetainedWrite);
    // It is done: that it is not known to be is no failure of it.
    await values.set(place, done, KEPT_MS).catch(() => undefined);
    return { outcome };
  } catch (error) {
    await stopRenewing();
    await values.remove(place).catch(() => undefined);
    throw error;
  }
}

function renewing({ values, place }: WritePlace, begun: string): () => Promise<void> {
  let renewed: Promise<unknown> = Promise.resolve();
  let cancel = (): void => undefined;
  const next = (): void => {
    const renew = (): void => {
      renewed = values.set(place, begun, LEASE_MS).catch(() => undefined);
      next();
    };
    cancel = SYSTEM_RUNTIME.setTimer(renew, RENEW_MS, { isBackground: true });
  };
  next();
  return async () => {
    cancel();
    await renewed;
  };
}

function assertSame(kept: Pick<RetainedWrite, 'fingerprint'>, fingerprint: string): void {
  if (kept.fingerprint === fingerprint) return;
  throw new RAGError(
    'IDEMPOTENCY_KEY_REUSED',
    'The `idempotency-key` was used for another request. Take a new one for each write.',
  );
}
