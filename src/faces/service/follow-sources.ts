import type { FastifyBaseLogger } from 'fastify';
import type { ResolvedConfig } from '../../config/resolved-config.js';
import {
  type Engine,
  type KnowledgeDeploymentService,
  LOCAL_SCOPE,
  RAGError,
  type Sync,
  type Syncable,
  type SyncEvent,
  startSync,
  syncPlanOf,
} from '../../index.js';
import type { IndexRuns, RunReport } from './index-runs.js';

interface Served {
  /** Told of each run. */
  readonly runs: IndexRuns;
  readonly engine?: Engine | undefined;
  readonly deployments?: KnowledgeDeploymentService | undefined;
  readonly config: ResolvedConfig;
}

/**
 * Follows the sources of the configuration for the tenants of `rag.sync.tenants`, where they say when they are to be read;
 * `rag.server.sync` says otherwise. Undefined where it follows none.
 */
export function followSources(
  { engine, deployments, config, runs }: Served,
  log: FastifyBaseLogger,
): Pick<Sync, 'states' | 'stop'> | undefined {
  const plan = syncPlanOf(config);
  const isWanted = config.rag.server.sync ?? plan.timings.length > 0;
  if (!isWanted) return undefined;
  const served: Syncable | undefined = engine ?? {
    syncPlan: () => plan,
    index: async (request, scope = LOCAL_SCOPE) => {
      if (deployments === undefined) throw new RAGError('INTERNAL', 'There is no index to keep in step.');
      return (await deployments.of(scope)).view.index(request);
    },
    sourceStates: async (scope = LOCAL_SCOPE) => (await deployments?.of(scope))?.view.sourceStates() ?? [],
  };
  const syncs = [...new Set(config.rag.sync.tenants)].map((tenant) => {
    const ofTenant = log.child({ tenant });
    let run: RunReport | undefined;
    const onEvent = (event: SyncEvent): void => {
      logEvent(event, ofTenant);
      if (event.type === 'run-started') run = runs.begin({ tenant }, { by: 'sync', sources: [event.source] });
      if (event.type === 'run-finished') run?.end(event.result);
      if (event.type === 'run-failed') run?.fail(new RAGError(event.reason, event.message));
    };
    const sync = startSync(served, {
      command: 'ragstone serve',
      scope: { tenant },
      onEvent,
      onProgress: (progress) => run?.progress(progress),
    });
    sync.ended.catch((error: unknown) =>
      ofTenant.error({ err: error }, 'the sources are not followed any more'),
    );
    return sync;
  });
  return {
    states: () => syncs.flatMap((sync) => sync.states()),
    stop: async () => {
      await Promise.all(syncs.map((sync) => sync.stop()));
    },
  };
}

function logEvent(event: SyncEvent, log: FastifyBaseLogger): void {
  switch (event.type) {
    case 'run-finished': {
      const { source, trigger, nextAt, result } = event;
      const { documentsProcessed, documentsDeleted, documentsUnchanged, documentsFailed, timeElapsed } =
        result.stats;
      log.info(
        {
          source,
          trigger,
          nextAt,
          documentsProcessed,
          documentsDeleted,
          documentsUnchanged,
          documentsFailed,
          ms: timeElapsed,
        },
        'a source was read',
      );
      break;
    }
    case 'run-failed': {
      const { source, reason, message, failures, nextAt } = event;
      log.warn({ source, reason, failures, nextAt, problem: message }, 'a source was not read');
      break;
    }
    case 'waiting':
      log.warn({ holder: event.holder }, 'another process follows the sources; this one waits');
      break;
    case 'polling':
      log.warn(
        { source: event.source, everyMs: event.everyMs, why: event.why },
        'a source cannot be watched',
      );
      break;
    case 'notice':
      log.warn(event.message);
      break;
    default:
      log.debug(event, 'sync');
  }
}
