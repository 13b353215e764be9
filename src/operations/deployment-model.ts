import { contentHash } from '../core/ids.js';

/** Where the index of a tenant is kept, under the names of the knowledge service. */
export const RagDeploymentModel = {
  /** In the index of all tenants, apart in every read. */
  Shared: 'Shared',
  /** In an index of its own, beside the shared one. */
  Dedicated: 'Dedicated',
  /** In a store that the customer provides. */
  CustomerOwned: 'CustomerOwned',
} as const;

export type RagDeploymentModel = (typeof RagDeploymentModel)[keyof typeof RagDeploymentModel];

/** Which deployment a document is kept in, as the index schema names it. */
export interface DeploymentReference {
  /** Of the tenant's deployment, whatever its model is now. */
  readonly deploymentId: string;
  readonly deploymentModel: RagDeploymentModel;
}

/** A tenant has one deployment, so its id is made of the tenant's. It is a name for a file too. */
export const deploymentIdOf = (tenantId: string): string =>
  contentHash(`deployment ${tenantId}`).slice(0, 16);
