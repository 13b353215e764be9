import { isoNow } from '../core/runtime.js';
import { cacheOwner, scopeOf } from '../core/scope.js';
import { inProject } from '../indexing/configured-sources.js';
import { runBatch } from '../indexing/run-batch.js';
import type { EngineHost } from '../indexing/select-sources.js';
import { configuredNames } from '../indexing/source-owners.js';
import type { PendingBatch } from '../ledger/pending-work.js';
import type { BatchReport } from '../operations/engine.js';
import { retryPolicyOf } from '../operations/retry-policy.js';
import { tracedIndexing } from '../resources/traced-indexing.js';
import type { CachedSources } from './cached-sources.js';
import { DEFAULT_BATCH_SIZE, DEFAULT_PARALLEL, type HeldIndex } from './index-requests.js';

interface BatchWork extends HeldIndex {
  readonly signal: AbortSignal;
  readonly sources: CachedSources;
}

/** Does a batch that a listing has left to workers. Share the writer lock. */
export function workOnBatch(batch: PendingBatch, context: BatchWork, host: EngineHost): Promise<BatchReport> {
  return tracedIndexing({
    kind: 'batch',
    tenant: batch.tenant,
    sources: [batch.source],
    work: () => doBatch(batch, context, host),
    statsOf: (report) => ('result' in report ? [report.result.stats] : []),
  });
}

async function doBatch(
  batch: PendingBatch,
  { signal, leaseMs, isShared, sources }: BatchWork,
  { config, resources }: EngineHost,
): Promise<BatchReport> {
  const { tenant, project } = batch;
  const scope = scopeOf({ tenant, ...(project === undefined ? {} : { project }) });
  const done = await sources.use(batch.source, async (configured) => {
    const ledger = await resources.ledger.writing({ check: false });
    const { store } = await resources.stores.configured();
    const { embedder, cache } = await resources.models.embedder();
    return runBatch(
      {
        contextualiser: await resources.models.contextualiser.open(),
        ledger,
        store,
        storeOf: (facts) => resources.stores.of(facts),
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
        history: config.rag.history.keep,
        leaseMs,
        isShared,
        learn: (target) => resources.models.learnFrom({ ledger, ...target }, { signal }),
        now: isoNow,
        signal,
      },
      inProject(configured, project),
      batch,
    );
  });
  return done ?? { isUnknown: true };
}
