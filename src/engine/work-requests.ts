import { runtime } from '../core/runtime.js';
import { cacheOwner, scopeOf } from '../core/scope.js';
import { configuredSources, inProject } from '../indexing/configured-sources.js';
import { retryPolicyOf } from '../indexing/retry-policy.js';
import { runBatch } from '../indexing/run-batch.js';
import { configuredNames } from '../indexing/source-owners.js';
import type { OwedBatch } from '../ledger/ledger.js';
import type { BatchReport } from './engine.js';
import { DEFAULT_BATCH_SIZE, DEFAULT_PARALLEL } from './index-requests.js';
import { type EngineHost, indexedSources, selectSourcesOf } from './select-sources.js';

/** Does a batch that a listing has left to workers. Share the writer lock. */
export async function workOnBatch(
  batch: OwedBatch,
  { signal, leaseMs }: { readonly signal: AbortSignal; readonly leaseMs: number | undefined },
  host: EngineHost,
): Promise<BatchReport> {
  const { config, resources } = host;
  const { tenant, project, source: name } = batch;
  const scope = scopeOf({ tenant, ...(project === undefined ? {} : { project }) });
  if (!(await configuredSources(config)).some(({ source }) => source.name === name))
    return { isUnknown: true };
  const ledger = await resources.writingLedger({ check: false });
  const known = await indexedSources(ledger, tenant, host);
  const { sources } = await selectSourcesOf({ sources: [name] }, project, known, host);
  const configured = sources.find(({ source }) => source.name === name);
  if (configured === undefined) return { isUnknown: true };
  const { store } = await resources.store();
  const { embedder, cache } = await resources.embedder();
  return runBatch(
    {
      contextualiser: await resources.contextualiser(),
      ledger,
      store,
      storeOf: (facts) => resources.storeOf(facts),
      embedder,
      embedding: { cache, owner: cacheOwner(scope) },
      sources: [],
      configuredNames: configuredNames(config),
      options: {
        scope,
        force: false,
        dryRun: false,
        rebuild: 'never',
        batchSize: DEFAULT_BATCH_SIZE,
        parallel: DEFAULT_PARALLEL,
        retry: retryPolicyOf(config),
      },
      command: 'worker',
      leaseMs,
      learn: (target) => resources.learnFrom({ ledger, ...target }, { signal }),
      now: () => new Date(runtime().now()).toISOString(),
      signal,
    },
    inProject(configured, project),
    batch,
  );
}
