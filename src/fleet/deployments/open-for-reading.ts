import { existsSync } from 'node:fs';
import { deploymentsFolderOf } from '../../config/trust/deployment-risks.js';
import { openEngine } from '../../engine/create-engine.js';
import type { CreateEngineOptions } from '../../operations/engine-options.js';
import type { Monitorable } from '../monitoring/start-monitoring.js';
import { indexesOf, type TenantIndexes } from './tenant-indexes.js';

/** Indexes of tenants that are read once. */
export interface ReadIndexes extends TenantIndexes, Monitorable {
  close(): Promise<void>;
}

/**
 * Opens the indexes of all tenants for a process that reads and ends. Where no tenant ever had an index of its own it is the shared one, and nothing of
 * deployments is loaded: one that is saved while it is read is not seen. Throws what the configuration is refused for.
 */
export async function openForReading(options: CreateEngineOptions): Promise<ReadIndexes> {
  const opened = await openEngine(options);
  const { engine, resources } = opened;
  if (!existsSync(deploymentsFolderOf(resources.config.dataDir)))
    return {
      ...indexesOf(engine),
      monitoringPlan: () => engine.monitoringPlan(),
      close: () => engine.close(),
    };
  const { KnowledgeDeploymentService } = await import('./knowledge-deployment-service.js');
  return new KnowledgeDeploymentService(opened, {});
}
