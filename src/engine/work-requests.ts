import { hasQueue } from '../assembly/open-queue.js';
import { RAGError } from '../core/errors.js';
import { runtime } from '../core/runtime.js';
import { cacheOwner, scopeOf } from '../core/scope.js';
import { configuredSources, inProject } from '../indexing/configured-sources.js';
import { retryPolicyOf } from '../indexing/retry-policy.js';
import { type BatchRun, runBatch } from '../indexing/run-batch.js';
import { configuredNames } from '../indexing/source-owners.js';
import type { HandOver } from '../indexing/source-task.js';
import type { OwedBatch } from '../ledger/ledger.js';
import { DEFAULT_BATCH_SIZE, DEFAULT_PARALLEL } from './index-requests.js';
import { type EngineHost, indexedSources, selectSourcesOf } from './select-sources.js';

/** A batch that was worked on here, or the reason why it cannot be. */
export type BatchReport = BatchRun | { readonly isUnknown: true };

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

/** Adds to the queue what a listing leaves to workers; undefined where the run is to do it itself. */
export function handOverFor(
  { handOver = false, force = false, prune = false, dryRun = false }: HandOverOptions,
  { config, resources }: EngineHost,
): HandOver | undefined {
  if (!handOver || dryRun || !hasQueue(config)) return undefined;
  if (force || prune !== false)
    throw new RAGError(
      'USAGE',
      'What replaces or gives up the whole is not left to workers: leave out `handOver`, or `force` and `prune`.',
    );
  return async (batches, notice) => {
    const queue = await resources.queue();
    try {
      await queue.add(batches);
    } catch (error) {
      if (!RAGError.isInstance(error) || error.reason !== 'QUEUE_UNAVAILABLE') throw error;
      notice(`${error.message} Workers take it up when it does.`);
    }
  };
}

interface HandOverOptions {
  readonly handOver?: boolean;
  readonly force?: boolean;
  readonly prune?: boolean | readonly string[];
  readonly dryRun?: boolean;
}
