import { isoNow, runtime } from '../core/runtime.js';
import { ItemClaims } from '../indexing/item-claims.js';
import type { WriteTargets } from '../indexing/write-batch.js';
import type { Generation, Ledger } from '../ledger/ledger.js';
import type { EngineResources } from '../resources/engine-resources.js';
import type { StoreHandle } from '../resources/handles/store-handle.js';
import { openForWriting, retiredGenerations } from '../resources/open-collection.js';

/** Where a write that is no run goes: the live generation, made where there is none. */
export interface LiveTargets {
  readonly targets: WriteTargets;
  readonly ledger: Ledger;
  readonly facts: Generation;
}

/** Writes the live generation without a run. Hold the lock of the whole index. */
export async function writeLive<Result>(
  resources: EngineResources,
  signal: AbortSignal | undefined,
  work: (live: LiveTargets) => Promise<Result>,
): Promise<Result> {
  const ledger = await resources.ledger.writing({ check: false });
  const { store } = await resources.stores.configured();
  const { embedder, cache } = await resources.models.embedder();
  const storeOf: StoreHandle['of'] = (facts) => resources.stores.of(facts);
  const { facts, collection } = await openForWriting(ledger, store, {
    ...{ embedder, storeOf },
    rebuild: false,
    at: isoNow(),
  });
  const holder = runtime().uniqueName();
  const writer = ledger.writer(facts.generation, holder);
  const claims = resources.ledger.isShared
    ? new ItemClaims(writer, resources.config.rag.ledger.leaseMs)
    : undefined;
  const targets: WriteTargets = {
    ...{ collection, embedder, now: isoNow, claims },
    ledger: writer,
    embedding: { cache },
    signal,
    retired: retiredGenerations(ledger, storeOf, { holder, signal }),
  };
  try {
    return await work({ targets, ledger, facts });
  } finally {
    // What cannot be given back is free when its lease is over.
    await claims?.close().catch(() => undefined);
  }
}
