import { RAGError } from '../core/errors.js';
import { repeat, runtime, sleep } from '../core/runtime.js';
import type { GenerationWriter, ItemKey } from '../ledger/ledger.js';

/** Leases are renewed when this share of them has passed. */
const RENEW_AFTER = 1 / 3;
/** Pause before items that could not be given back are given back again, in milliseconds. */
const GIVE_BACK_MS = 1_000;
/** Pause before items of another holder are asked for again, in milliseconds. */
const POLL_MS = 200;

/** The items of a source. */
export type SourceKey = Pick<ItemKey, 'tenant' | 'source'>;

export interface ItemsOfSource<Item extends ItemKey> {
  readonly key: SourceKey;
  readonly items: Item[];
}

/** Items by their sources, in the order in which they come. */
export function bySource<Item extends ItemKey>(items: readonly Item[]): Iterable<ItemsOfSource<Item>> {
  const sources = new Map<string, ItemsOfSource<Item>>();
  for (const item of items) {
    const { tenant, source } = item;
    const name = JSON.stringify([tenant, source]);
    const own = sources.get(name) ?? { key: { tenant, source }, items: [] };
    own.items.push(item);
    sources.set(name, own);
  }
  return sources.values();
}

/**
 * The items that a run holds beside other writers of one index. They are kept for as long as the process lives: it renews its
 * leases, and when it dies others can have its items after `leaseMs`.
 */
export class ItemClaims {
  readonly #ledger: GenerationWriter;
  readonly #leaseMs: number;
  readonly #held = new Map<string, { readonly key: SourceKey; readonly itemIds: Set<string> }>();
  readonly #stopRenewing: () => void;
  #renewing: Promise<void> = Promise.resolve();

  constructor(ledger: GenerationWriter, leaseMs: number) {
    this.#ledger = ledger;
    this.#leaseMs = leaseMs;
    const renew = (): void => {
      // What cannot be renewed is lost when another one wants it; the ledger then refuses to write it.
      this.#renewing = this.#renew().catch(() => undefined);
    };
    this.#stopRenewing = repeat(renew, leaseMs * RENEW_AFTER, { isBackground: true });
  }

  /** How long a writer that has died may hold others up, in milliseconds. */
  get leaseMs(): number {
    return this.#leaseMs;
  }

  /** Claims items; those that this run holds now. The others are being written by another one. */
  async take(key: SourceKey, itemIds: readonly string[]): Promise<ReadonlySet<string>> {
    if (itemIds.length === 0) return new Set();
    const taken = await this.#ledger.claim(key.tenant, key.source, itemIds, this.#leaseMs);
    const { itemIds: held } = this.#of(key);
    for (const itemId of taken) held.add(itemId);
    return taken;
  }

  /**
   * Claims all of the items, waiting for their holders for as long as they may be dead.
   *
   * @throws RAGError `INDEX_LOCKED` where one goes on with them
   */
  async takeAll(
    key: SourceKey,
    itemIds: readonly string[],
    { signal }: { readonly signal: AbortSignal | undefined },
  ): Promise<void> {
    const deadline = runtime().elapsed() + 2 * this.#leaseMs;
    for (let missing = itemIds; missing.length > 0; ) {
      const taken = await this.takeAny(key, missing, { deadline, signal });
      if (taken.size === 0) throw beingWritten(missing);
      missing = missing.filter((itemId) => !taken.has(itemId));
    }
  }

  /** Claims at least one of the items, waiting for their holders; none where they hold all of them until the deadline. */
  async takeAny(
    key: SourceKey,
    itemIds: readonly string[],
    { deadline, signal }: { readonly deadline: number; readonly signal: AbortSignal | undefined },
  ): Promise<ReadonlySet<string>> {
    for (;;) {
      const taken = await this.take(key, itemIds);
      if (taken.size > 0 || runtime().elapsed() >= deadline) return taken;
      await sleep(POLL_MS, signal);
    }
  }

  /**
   * Makes sure that items are still held, for a whole lease from now. Asked right before the store is written, which knows no leases: who
   * slept since it claimed them is told so here.
   *
   * @throws RAGError `INDEX_LEASE_LOST`
   */
  async hold(items: readonly ItemKey[]): Promise<void> {
    for (const { key, itemIds } of [...this.#held.values()]) {
      const wanted = items
        .filter(({ tenant, source, itemId }) => isOf(key, { tenant, source }) && itemIds.has(itemId))
        .map(({ itemId }) => itemId);
      if (wanted.length === 0) continue;
      const held = await this.#ledger.renew(key.tenant, key.source, wanted, this.#leaseMs);
      if (wanted.some((itemId) => !held.has(itemId)))
        throw new RAGError(
          'INDEX_LEASE_LOST',
          `Another process took over what was being written of "${key.source}", because this one was silent for too long. The other one finishes it; nothing is lost.`,
        );
    }
  }

  /** What cannot be given back, for the ledger is out, is tried again until the lease is over; nobody need wait for that. */
  async release(key: SourceKey, itemIds: readonly string[]): Promise<void> {
    if (itemIds.length === 0) return;
    const { itemIds: held } = this.#of(key);
    for (const itemId of itemIds) held.delete(itemId);
    try {
      await this.#ledger.release(key.tenant, key.source, itemIds);
    } catch (error) {
      this.#giveBackLater(key, itemIds);
      throw error;
    }
  }

  /** Gives everything back. */
  async close(): Promise<void> {
    this.#stopRenewing();
    await this.#renewing;
    for (const { key, itemIds } of this.#held.values()) await this.release(key, [...itemIds]);
  }

  #giveBackLater(key: SourceKey, itemIds: readonly string[]): void {
    let left = Math.ceil(this.#leaseMs / GIVE_BACK_MS);
    let isTrying = false;
    const giveBack = async (): Promise<void> => {
      const { itemIds: held } = this.#of(key);
      // Those that were claimed again are not given away.
      const free = itemIds.filter((itemId) => !held.has(itemId));
      left -= 1;
      try {
        await this.#ledger.release(key.tenant, key.source, free);
        stop();
      } catch {
        if (left <= 0) stop();
      }
    };
    const stop = repeat(
      () => {
        if (isTrying) return;
        isTrying = true;
        void giveBack().finally(() => {
          isTrying = false;
        });
      },
      GIVE_BACK_MS,
      { isBackground: true },
    );
  }

  #of(key: SourceKey): { readonly key: SourceKey; readonly itemIds: Set<string> } {
    const name = JSON.stringify([key.tenant, key.source]);
    const held = this.#held.get(name) ?? { key, itemIds: new Set<string>() };
    this.#held.set(name, held);
    return held;
  }

  async #renew(): Promise<void> {
    for (const { key, itemIds } of this.#held.values())
      if (itemIds.size > 0) await this.#ledger.renew(key.tenant, key.source, [...itemIds], this.#leaseMs);
  }
}

const isOf = (key: SourceKey, { tenant, source }: SourceKey): boolean =>
  key.tenant === tenant && key.source === source;

/** What is told where another process writes items and does not let go of them. */
export const beingWritten = ([first, ...others]: readonly string[]): RAGError =>
  new RAGError(
    'INDEX_LOCKED',
    `"${first}"${others.length === 0 ? ' is' : ` and ${others.length} others are`} being written by another process. Try again when that has finished.`,
  );

/** Whether a write was refused because another holder has taken the item over. */
export const isLeaseLost = (error: unknown): boolean =>
  RAGError.isInstance(error) && error.reason === 'INDEX_LEASE_LOST';
