import { type ScopeInput, scopeOf } from '../../core/scope.js';
import {
  type DeploymentReference,
  deploymentIdOf,
  RagDeploymentModel,
} from '../../operations/deployment-model.js';
import type { Engine, EngineHealth, EngineView, HealthOptions } from '../../operations/engine.js';

/** The index of one tenant, as a scope sees it. */
export interface TenantIndex {
  /** Each call finds the index that the tenant has then, so that it may move while a view is held. */
  readonly view: EngineView;
  readonly deployment: DeploymentReference;
}

/** Finds the index of each tenant: the one way to an index for code that serves several tenants. */
export interface TenantIndexes {
  /**
   * The index of the scope's tenant. Nothing is connected to before the view is used; the methods of the view throw
   * `SERVICE_UNAVAILABLE` for a tenant whose deployment is not to be used now. Throws `SCOPE_INVALID`.
   */
  of(scope: ScopeInput): Promise<TenantIndex>;
  /** Whether the index that all tenants share answers. What a customer provides is no part of it. */
  health(options?: HealthOptions): Promise<EngineHealth>;
}

/** One index for all tenants. The engine is not closed. */
export const indexesOf = (engine: Engine): TenantIndexes => ({
  of: async (scope) => {
    const { tenant } = scopeOf(scope);
    return {
      view: engine.as(scope),
      deployment: {
        deploymentId: deploymentIdOf(tenant),
        deploymentModel: RagDeploymentModel.Shared,
      },
    };
  },
  health: (options) => engine.health(options),
});
