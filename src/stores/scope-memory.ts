import type { Scope } from '../core/scope.js';
import type { RunRecord } from '../ledger/ledger.js';
import type { VectorCollection } from './vector-store.js';

/** Scopes remembered for one state of one collection; beyond them the memory starts anew. */
const REMEMBERED = 1_000;

/** What is known of a scope in one state of a collection, and made by `first` where nothing is. */
export function scopeMemory<Known>(
  first: () => Known,
): (collection: VectorCollection, scope: Scope, run: RunRecord | undefined) => Known {
  const memories = new WeakMap<
    VectorCollection,
    { readonly state: string; readonly byScope: Map<string, Known> }
  >();
  return (collection, scope, run) => {
    const state = `${run?.runId ?? ''} ${run?.finishedAt ?? ''}`;
    let memory = memories.get(collection);
    if (memory?.state !== state || memory.byScope.size >= REMEMBERED) {
      memory = { state, byScope: new Map() };
      memories.set(collection, memory);
    }
    const key = JSON.stringify(scope);
    const known = memory.byScope.get(key) ?? first();
    memory.byScope.set(key, known);
    return known;
  };
}
