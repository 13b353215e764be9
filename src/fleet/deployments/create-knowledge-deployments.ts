import { openEngine } from '../../engine/create-engine.js';
import type { CreateEngineOptions } from '../../operations/engine-options.js';
import {
  type KnowledgeDeploymentOptions,
  KnowledgeDeploymentService,
} from './knowledge-deployment-service.js';

/**
 * Opens the shared index as `createEngine` does, and beside it the indexes of tenants that have their own. Nothing is read or
 * loaded until it is needed. Throws what the configuration is refused for.
 */
export async function createKnowledgeDeployments(
  options: CreateEngineOptions = {},
  deployments: KnowledgeDeploymentOptions = {},
): Promise<KnowledgeDeploymentService> {
  return new KnowledgeDeploymentService(await openEngine(options), deployments);
}
