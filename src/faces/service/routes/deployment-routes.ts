import type { FastifyPluginAsync } from 'fastify';
import type { DamagedDeployment, KnowledgeDeploymentService } from '../../../index.js';
import { auditedDeployment } from '../../../operations/audit/audited-deployment.js';
import { ROUTES } from '../../client/routes.js';
import { writeOnce } from '../requests/request-context.js';
import { jsonOf } from '../schemas/common.js';
import {
  deploymentConfig,
  deploymentList,
  deploymentRequest,
  deploymentValidation,
  moveResponse,
  tenantParams,
} from '../schemas/deployments.js';
import { serve } from './serve.js';

const tags = ['Deployments'];

export interface DeploymentRouteOptions {
  readonly deployments: Pick<
    KnowledgeDeploymentService,
    | 'listDeploymentConfigs'
    | 'getDeploymentConfig'
    | 'saveDeploymentConfig'
    | 'validateCustomerOwnedDeployment'
    | 'moveTenant'
  >;
}

/** Where the documents of each tenant are: for operators, over all tenants. */
export const deploymentRoutes: FastifyPluginAsync<DeploymentRouteOptions> = async (app, { deployments }) => {
  // Before the line that says that the change is begun, and before the body is known to be right.
  app.addHook('preValidation', async ({ audit, params, body }) => {
    const { tenantId } = params as { tenantId?: string };
    if (audit === null || tenantId === undefined) return;
    audit.trail.concerned(auditedDeployment(tenantId, body));
  });

  serve(app, {
    route: ROUTES.listDeployments,
    access: 'admin',
    tags,
    summary: 'List the deployments that were configured',
    response: jsonOf('By tenant. Tenants that are not listed have the shared index.', deploymentList),
    answer: async () => {
      const damaged: DamagedDeployment[] = [];
      const all = await deployments.listDeploymentConfigs({ onDamaged: (one) => damaged.push(one) });
      return { deployments: all, ...(damaged.length === 0 ? {} : { damaged }) };
    },
  });

  serve(app, {
    route: ROUTES.getDeployment,
    access: 'admin',
    tags,
    summary: 'The deployment of a tenant',
    params: tenantParams,
    response: jsonOf('`Shared` for a tenant without a deployment.', deploymentConfig),
    answer: async ({ params }) => deployments.getDeploymentConfig(params.tenantId),
  });

  serve(app, {
    route: ROUTES.saveDeployment,
    access: 'admin',
    tags,
    summary: 'Save the deployment of a tenant; one with documents elsewhere is moved instead',
    params: tenantParams,
    body: deploymentRequest,
    response: jsonOf('It is kept, and holds from the next request on.', deploymentConfig),
    // A repetition must not undo what another operator saved meanwhile.
    answer: async ({ body, params, request }) =>
      writeOnce(request, () => deployments.saveDeploymentConfig({ ...body, ...params })),
  });

  serve(app, {
    route: ROUTES.validateDeployment,
    access: 'admin',
    tags,
    summary: 'Say whether a store that a customer provides can be used',
    params: tenantParams,
    body: deploymentRequest,
    response: jsonOf('What was looked at, and what failed. Nothing is kept.', deploymentValidation),
    answer: async ({ body, params }) => deployments.validateCustomerOwnedDeployment({ ...body, ...params }),
  });

  serve(app, {
    route: ROUTES.moveDeployment,
    access: 'admin',
    tags,
    summary: 'Move a tenant to another deployment while it is served',
    params: tenantParams,
    body: deploymentRequest,
    response: jsonOf('It is moved. The same request again goes on with a move that broke off.', moveResponse),
    answer: async ({ body, params, signal, request }) =>
      writeOnce(request, () => deployments.moveTenant({ ...body, ...params }, signal)),
  });
};
