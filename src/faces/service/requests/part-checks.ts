import { type CheckedHealth, type EngineHealth, SYSTEM_RUNTIME, type TenantIndexes } from '../../../index.js';

/** Calls within this time get the same answer, for everyone may ask. */
const KEPT_MS = 1_000;

/** An engine that was closed checks nothing any more. */
const UNHEALTHY: EngineHealth = { ok: false, parts: [] };

/** Which parts of the index answer: as it was found at the last interval, or on request. */
export class PartChecks {
  readonly #indexes: Pick<TenantIndexes, 'health'>;
  readonly #lastHealth: () => CheckedHealth | undefined;
  #asked: { readonly at: number; readonly health: Promise<EngineHealth> } | undefined;
  /** Of `#asked`, when it is over. */
  #found: CheckedHealth | undefined;
  /** When each part did not answer `check` for the last time. */
  readonly #failedAt = new Map<string, number>();

  /** @param lastHealth what was found at the last interval. @default parts are checked on request */
  constructor(
    indexes: Pick<TenantIndexes, 'health'>,
    lastHealth: () => CheckedHealth | undefined = () => undefined,
  ) {
    this.#indexes = indexes;
    this.#lastHealth = lastHealth;
  }

  /** As at the last interval; checked now where there are no intervals. */
  health(): Promise<EngineHealth> {
    const checked = this.#lastHealth();
    return checked === undefined ? this.check() : Promise.resolve(checked.health);
  }

  /** Checks now, once a second at most. */
  check(): Promise<EngineHealth> {
    const at = SYSTEM_RUNTIME.elapsed();
    if (this.#asked === undefined || at - this.#asked.at >= KEPT_MS) {
      const health = this.#indexes.health().catch(() => UNHEALTHY);
      this.#asked = { at, health };
      void health.then((found) => {
        this.#found = { health: found, at: SYSTEM_RUNTIME.elapsed() };
        for (const part of failedIn(found)) this.#failedAt.set(part, this.#found.at);
      });
    }
    return this.#asked.health;
  }

  /**
   * Parts that did not answer when they were checked last, or on request since some moment
   * (`SYSTEM_RUNTIME.elapsed()`): a request that they kept waiting may be late though they are back.
   */
  outSince(from: number): readonly string[] {
    const ofInterval = this.#lastHealth();
    const isOlder =
      (this.#found?.at ?? Number.NEGATIVE_INFINITY) < (ofInterval?.at ?? Number.NEGATIVE_INFINITY);
    const last = (isOlder ? ofInterval : this.#found)?.health;
    const meanwhile = [...this.#failedAt].flatMap(([part, at]) => (at >= from ? [part] : []));
    return [...new Set([...(last === undefined ? [] : failedIn(last)), ...meanwhile])];
  }
}

const failedIn = ({ parts }: EngineHealth): string[] => parts.flatMap(({ part, ok }) => (ok ? [] : [part]));
