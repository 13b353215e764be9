import { DegradationLevel } from '../core/degradation.js';
import { RAGError, throwIfAborted } from '../core/errors.js';
import { noticesOfKind } from '../core/notice.js';
import type { Scope } from '../core/scope.js';
import { withDeadline } from '../core/with-deadline.js';
import type { SearchQuery } from '../operations/engine.js';
import type { Breakers } from '../platform/degradation/breakers.js';
import { PARTS } from '../platform/degradation/level.js';
import { isOutage } from '../platform/degradation/outage.js';
import type { FoundPassages } from '../resources/found-passages.js';
import { openQueryModel } from './query-model.js';
import type { FindResources } from './searched-index.js';

/** Passages, without how long it took to find them. */
export type Found = Omit<FoundPassages, 'stages' | 'tookMs'> & Partial<Pick<FoundPassages, 'stages'>>;

export interface Asked {
  readonly query: SearchQuery;
  readonly scope: Scope;
  readonly resources: FindResources;
  /** Whether what was found before may be shown, where `rag.retrieval.cache` is on. */
  readonly isCached: boolean;
}

export interface Remembered {
  readonly found: Found;
  readonly cache: 'hit' | 'miss' | 'semantic' | 'off';
}

/** What was found in the index as it is now by a scope with the same access; else what `search` finds. */
export async function findOrRemember(
  { query, scope, resources, isCached }: Asked,
  search: (signal?: AbortSignal) => Promise<Found>,
): Promise<Remembered> {
  const isOn = isCached && resources.config.rag.retrieval.cache.enabled;
  const cache = isOn ? await resources.results?.cache.open() : undefined;
  // Read before the search: what is written meanwhile makes another revision, under which this is not looked for.
  const revision = cache === undefined ? undefined : await resources.ledger?.revision?.();
  if (cache === undefined || revision === undefined) return { found: await search(), cache: 'off' };
  const question = { revision, scope, query };
  const outcome = await withStaleCache(
    () => cache.evenOld(question),
    async () =>
      atLevelOf(
        resources.breakers,
        await cache.find(question, { search, embed: (signal) => comparedBy(question, resources, signal) }),
      ),
  );
  const warnings = noticesOfKind('cache-unavailable', cache.warnings());
  if (warnings.length === 0) return outcome;
  return { ...outcome, found: { ...outcome.found, notices: [...outcome.found.notices, ...warnings] } };
}

/** A question waits for its vector so long, of `laneDeadlineMs`, before it is searched for as if there were no earlier ones. */
const SHARE_TO_COMPARE = 0.2;

/** The vector by which a question is compared with earlier ones; undefined where words alone are asked for, or the model does not answer. */
async function comparedBy(
  { query, scope }: { readonly query: SearchQuery; readonly scope: Scope },
  resources: FindResources,
  signal: AbortSignal,
): Promise<Float32Array | undefined> {
  // What is limited in costs pays for no comparison.
  if (query.options?.mode === 'lexical' || query.options?.maxCost !== undefined) return undefined;
  const deadline = {
    timeoutMs: resources.config.rag.retrieval.laneDeadlineMs * SHARE_TO_COMPARE,
    signal,
    lateError: () => new RAGError('EMBEDDING_FAILED', 'The embedding model did not answer in time.'),
  };
  try {
    return await withDeadline(deadline, async (abort) => {
      const model = await openQueryModel(resources, await resources.stores.collection(), {
        scope,
        signal: abort,
      });
      return model.reads(query.text) ? model.embedQuery(query.text, abort) : undefined;
    });
  } catch {
    throwIfAborted(signal);
    return undefined;
  }
}

/** What was found before is worth more than words alone, and than nothing. */
async function withStaleCache(
  evenOld: () => Found | undefined,
  search: () => Promise<Remembered>,
): Promise<Remembered> {
  const kept = (outages: Found['outages'] = []): Remembered | undefined => {
    const old = evenOld();
    if (old === undefined) return undefined;
    return { found: { ...old, degradationLevel: DegradationLevel.CACHED_ONLY, outages }, cache: 'hit' };
  };
  try {
    const outcome = await search();
    const { degradationLevel, outages = [] } = outcome.found;
    return (degradationLevel > DegradationLevel.CACHED_ONLY ? kept(outages) : undefined) ?? outcome;
  } catch (error) {
    const old = isOutage(error) ? kept() : undefined;
    if (old === undefined) throw error;
    return old;
  }
}

/** What was kept is no less than it was, but while a search could not find it, it is all that there is. */
function atLevelOf(parts: Breakers | undefined, { found, cache }: Remembered): Remembered {
  if (
    cache === 'miss' ||
    cache === 'off' ||
    parts === undefined ||
    parts.level < DegradationLevel.CACHED_ONLY
  )
    return { found, cache };
  const degradationLevel = Math.max(found.degradationLevel, DegradationLevel.CACHED_ONLY);
  const outages = PARTS.filter((part) => parts.states[part] !== 'well');
  return { found: { ...found, degradationLevel, outages }, cache };
}
