import { RAGError } from '../../core/errors.js';
import { contentHash } from '../../core/ids.js';
import { isPushSource } from '../../indexing/folder-names.js';
import { deploymentIdOf } from '../../operations/deployment-model.js';
import type { EngineResources } from '../../resources/engine-resources.js';
import { placeOf, type StoredDeployment } from './deployment-config.js';

/** A collection without chunks, whose fingerprint says whose the place is. */
const CLAIM = 'owner';

/**
 * One server has several addresses, so that two places may be one. Where the ledger is with the customer, too, such a place would be one
 * index, and a tenant that leaves it would remove the documents of the other. So a place says itself whose it is, and under which address.
 */
const claimOf = (deployment: StoredDeployment): string =>
  `owner-${deploymentIdOf(deployment.tenantId)}-${contentHash(placeOf(deployment)).slice(0, 16)}`;

/** Whether a place may be removed, for it is not known as that of another, or under another address. */
export async function isOwnPlace(deployment: StoredDeployment, resources: EngineResources): Promise<boolean> {
  const claim = await claimAt(resources);
  return claim === undefined || claim === claimOf(deployment);
}

/** @throws RAGError `DEPLOYMENT_CONFLICT` for a place that is another's, or known under another address */
export async function assertOwnPlace(
  deployment: StoredDeployment,
  resources: EngineResources,
): Promise<void> {
  if (!(await isOwnPlace(deployment, resources)))
    throw new RAGError(
      'DEPLOYMENT_CONFLICT',
      'Another tenant has this index, or this tenant has it under another address. Name another `indexName`.',
    );
  const isTaken = await holdsOthers(deployment.tenantId, resources);
  if (!isTaken) return;
  throw new RAGError(
    'DEPLOYMENT_CONFLICT',
    'This index holds documents of other tenants, or of configured sources. Name another `indexName`.',
  );
}

/** Makes a place known as that of a deployment. @throws RAGError `DEPLOYMENT_CONFLICT` */
export async function claimPlace(deployment: StoredDeployment, resources: EngineResources): Promise<void> {
  if (!resources.ledger.isShared) return;
  await assertOwnPlace(deployment, resources);
  if ((await claimAt(resources)) !== undefined) return;
  const { embedder } = await resources.models.embedder();
  const { store } = await resources.stores.configured();
  await store.open({ name: CLAIM, dimensions: embedder.dimensions, fingerprint: claimOf(deployment) });
}

/** Gives up a place for the next tenant. */
export async function releasePlace(resources: EngineResources): Promise<void> {
  if (resources.ledger.isShared) await (await resources.stores.configured()).store.drop(CLAIM);
}

/** Whether anything there is not what programs handed in of this tenant. */
export async function holdsOthers(tenantId: string, resources: EngineResources): Promise<boolean> {
  const sources = (await (await resources.ledger.live())?.reader.sources()) ?? [];
  return sources.some(
    ({ tenant, source, documents }) =>
      (tenant !== tenantId || !isPushSource(source)) && Object.values(documents).some((count) => count > 0),
  );
}

async function claimAt(resources: EngineResources): Promise<string | undefined> {
  if (!resources.ledger.isShared) return undefined;
  return (await (await resources.stores.configured()).store.describe(CLAIM))?.fingerprint;
}
