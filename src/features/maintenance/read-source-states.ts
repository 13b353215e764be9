import type { ResolvedConfig } from '../../config/resolved-config.js';
import type { Scope } from '../../core/scope.js';
import { withoutUndefined } from '../../core/without-undefined.js';
import { configuredNames } from '../../indexing/source-owners.js';
import type { SourceState } from '../../ledger/source-state.js';
import type { SourceSyncState } from '../../operations/engine.js';
import type { EngineResources } from '../../resources/engine-resources.js';
import { sourcesOfScope } from './sources-of-scope.js';

/** How the runs over each source went: those that the configuration states, and others that were listed, in name order. */
export async function readSourceStates(resources: EngineResources, scope: Scope): Promise<SourceSyncState[]> {
  const { config } = resources;
  const { tenant } = scope;
  const reader = (await resources.ledger.live())?.reader;
  const states = await reader?.sourceStates(tenant);
  const configured = configuredNames(config);
  const inScope = await sourcesOfScope(reader, scope);
  const names = [...new Set([...configured, ...(states?.keys() ?? [])])].filter(inScope).sort();
  return Promise.all(
    names.map(async (source) => {
      const cursor = await reader?.sourceCursor(tenant, source);
      return {
        source,
        ...syncState(states?.get(source), configured.has(source)),
        ...withoutUndefined({ cursor }),
      };
    }),
  );
}

/** `type` of a source that the configuration states. */
export const typeOfSource = (source: string, { rag, own }: ResolvedConfig): string =>
  [...rag.sources, ...(own?.sources ?? [])].find(({ name }) => name === source)?.type ?? 'unknown';

/** Sources of a scope whose last run failed as a whole, in name order. */
export async function readFailingSources(resources: EngineResources, scope: Scope): Promise<string[]> {
  const reader = (await resources.ledger.live())?.reader;
  const inScope = await sourcesOfScope(reader, scope);
  const states = [...((await reader?.sourceStates(scope.tenant)) ?? [])];
  return states
    .flatMap(([source, { error }]) => (error !== undefined && inScope(source) ? source : []))
    .sort();
}

/** A state of the ledger in the words of the engine. */
export function syncState(
  state: SourceState | undefined,
  isConfigured: boolean,
): Omit<SourceSyncState, 'source' | 'cursor'> {
  const { failures = 0, error, succeededAt, reconciledAt, ...times } = state ?? {};
  return {
    isConfigured,
    consecutiveFailures: failures,
    ...times,
    ...withoutUndefined({ lastSuccessAt: succeededAt, lastReconcileAt: reconciledAt, lastError: error }),
  };
}
