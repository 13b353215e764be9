import type { Scope } from '../core/scope.js';
import type { ScopedIndex } from './documents.js';
import type { EngineHost } from './select-sources.js';

/** What is indexed, as a scope sees it; undefined before the first run. */
export async function scopedIndex(scope: Scope, host: EngineHost): Promise<ScopedIndex | undefined> {
  if ((await host.resources.ledger.live()) === undefined) return undefined;
  const { reader, collection, sealing } = await host.resources.stores.collection();
  return { reader, collection, sealing, scope };
}
