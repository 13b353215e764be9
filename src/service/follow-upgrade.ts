import type { FastifyBaseLogger } from 'fastify';
import type { ResolvedConfig } from '../config/resolved-config.js';
import {
  type BackgroundUpgrade,
  type Engine,
  type KnowledgeDeploymentService,
  startUpgrade,
  type UpgradeEvent,
} from '../index.js';

interface Served {
  readonly engine?: Engine | undefined;
  readonly deployments?: KnowledgeDeploymentService | undefined;
  readonly config: ResolvedConfig;
}

/** Makes the vectors of `rag.embedding.upgrade` for the index of all tenants while the service runs; undefined where none is set. */
export function followUpgrade(
  { engine, deployments, config }: Served,
  log: FastifyBaseLogger,
): BackgroundUpgrade | undefined {
  const served = engine ?? deployments?.shared;
  if (config.rag.embedding.upgrade === undefined || served === undefined) return undefined;
  return startUpgrade(served, { onEvent: (event) => logEvent(event, log) });
}

function logEvent(event: UpgradeEvent, log: FastifyBaseLogger): void {
  switch (event.type) {
    case 'upgrade-started': {
      const { wanted, done, total } = event.status;
      log.info({ model: wanted, done, total }, 'better vectors are being made');
      break;
    }
    case 'upgrade-finished': {
      const { outcome, from, to, chunks, embeddingMs, comparison } = event.result;
      log.info(
        { outcome, from, to, chunks, embeddingMs, verdict: comparison?.verdict },
        'better vectors are complete',
      );
      break;
    }
    case 'upgrade-failed': {
      const { reason, message, nextAt } = event;
      log.warn({ reason, nextAt, problem: message }, 'better vectors could not be made');
      break;
    }
  }
}
