import type { ResolvedConfig } from '../../config/resolved-config.js';
import { EVERYTHING } from '../../core/filter.js';
import { keepVectors } from '../../embedding/prune-vectors.js';
import type { Generation } from '../../ledger/ledger.js';
import type { RemovedFrom } from '../../operations/forget-types.js';
import { listPages } from '../../stores/list-pages.js';
import type { VectorCollection } from '../../stores/vector-store.js';
import { CacheKeyFinder, type CacheKeys, cachesOf } from './cache-keys.js';

const PAGE = 500;

/** A generation, open. */
export interface OpenGeneration {
  readonly facts: Generation;
  readonly collection: VectorCollection;
}

/**
 * Leaves in the caches what belongs to a text that is indexed now, and nothing else: a cache knows texts by hashes alone, so of a revision that
 * is no longer indexed nobody could tell whose it was. What was kept for other reasons (another model, an experiment) is made
 * again when it is asked for.
 */
export async function eraseCaches(
  generations: readonly OpenGeneration[],
  config: ResolvedConfig,
  signal: AbortSignal | undefined,
): Promise<{ readonly removed: readonly RemovedFrom[]; readonly held?: CacheKeys }> {
  const caches = await cachesOf(config);
  if (caches.vectors === undefined && caches.contexts === undefined) return { removed: [] };
  const held = new CacheKeyFinder(config, caches);
  for (const { facts, collection } of generations)
    for await (const chunks of listPages(collection, { filter: EVERYTHING, limit: PAGE, signal }))
      await held.add(chunks, facts.fingerprint);
  const removed: RemovedFrom[] = [];
  if (caches.contexts !== undefined) {
    const gone = (await caches.contexts.keys()).filter((key) => !held.contexts.has(key));
    for (const key of gone) await caches.contexts.remove(key);
    removed.push({ place: 'cache of contexts', what: 'contexts', count: gone.length });
  }
  if (caches.vectors !== undefined) {
    const count = keepVectors(caches.vectors, (key) => held.vectors.has(key));
    removed.push({ place: 'cache of vectors', what: 'vectors', count });
  }
  return { removed, held };
}
