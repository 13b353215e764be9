import type { Scope } from '../core/scope.js';
import type { GenerationReader } from '../ledger/ledger.js';
import type { MetadataSealing } from '../platform/security/sealed-metadata.js';
import type { VectorCollection } from '../stores/vector-store.js';
import type { EngineHost } from './select-sources.js';

/** The index as one scope sees it: what it may not read is not there. */
export interface ScopedIndex {
  readonly reader: GenerationReader;
  /** The whole collection; narrowed here. */
  readonly collection: VectorCollection;
  /** Decrypts what is encrypted of it. */
  readonly sealing: MetadataSealing;
  readonly scope: Scope;
}

/** What is indexed, as a scope sees it; undefined before the first run. */
export async function scopedIndex(scope: Scope, host: EngineHost): Promise<ScopedIndex | undefined> {
  if ((await host.resources.ledger.live()) === undefined) return undefined;
  const { reader, collection, sealing } = await host.resources.stores.collection();
  return { reader, collection, sealing, scope };
}
