import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { DamagedDeployment, KnowledgeDeploymentService } from '../../../index.js';
import { auditedDeployment } from '../../../operations/audit/audited-deployment.js';
import { contextOf, writeOnce } from '../requests/request-context.js';
import { jsonOf, problemResponses } from '../schemas/common.js';
import {
  deploymentConfig,
  deploymentList,
  deploymentRequest,
  deploymentValidation,
  moveResponse,
  tenantParams,
} from '../schemas/deployments.js';

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

/** Where the documents of each tenant are: for whoever runs the service, over all tenants. */
export const deploymentRoutes: FastifyPluginAsyncZod<DeploymentRouteOptions> = async (
  app,
  { deployments },
) => {
  const config = { access: 'admin' } as const;
  // Before the line that says that the change is begun, and before the body is known to be right.
  app.addHook('preValidation', async ({ audit, params, body }) => {
    const { tenantId } = params as { tenantId?: string };
    if (audit === null || tenantId === undefined) return;
    audit.trail.concerned(auditedDeployment(tenantId, body));
  });

  app.get(
    '',
    {
      config,
      schema: {
        tags,
        summary: 'List the deployments that were configured',
        response: {
          200: jsonOf('By tenant. Tenants that are not listed have the shared index.', deploymentList),
          ...problemResponses,
        },
      },
    },
    async () => {
      const damaged: DamagedDeployment[] = [];
      const all = await deployments.listDeploymentConfigs({ onDamaged: (one) => damaged.push(one) });
      return { deployments: all, ...(damaged.length === 0 ? {} : { damaged }) };
    },
  );

  app.get(
    '/:tenantId',
    {
      config,
      schema: {
        tags,
        summary: 'The deployment of a tenant',
        params: tenantParams,
        response: {
          200: jsonOf('`Shared` for a tenant that nobody configured.', deploymentConfig),
          ...problemResponses,
        },
      },
    },
    async ({ params }) => deployments.getDeploymentConfig(params.tenantId),
  );

  app.put(
    '/:tenantId',
    {
      config,
      schema: {
        tags,
        summary: 'Save the deployment of a tenant; one with documents elsewhere is moved instead',
        params: tenantParams,
        body: deploymentRequest,
        response: {
          200: jsonOf('It is kept, and holds from the next request on.', deploymentConfig),
          ...problemResponses,
        },
      },
    },
    // A repetition must not undo what another operator saved meanwhile.
    async (request) =>
      writeOnce(request, () => deployments.saveDeploymentConfig({ ...request.body, ...request.params })),
  );

  app.post(
    '/:tenantId/validate',
    {
      config,
      schema: {
        tags,
        summary: 'Say whether a store that a customer provides can be used',
        params: tenantParams,
        body: deploymentRequest,
        response: {
          200: jsonOf('What was looked at, and what failed. Nothing is kept.', deploymentValidation),
          ...problemResponses,
        },
      },
    },
    async ({ params, body }) => deployments.validateCustomerOwnedDeployment({ ...body, ...params }),
  );

  app.post(
    '/:tenantId/move',
    {
      config: { ...config, isLong: true },
      schema: {
        tags,
        summary: 'Move a tenant to another deployment while it is served',
        params: tenantParams,
        body: deploymentRequest,
        response: {
          200: jsonOf(
            'It is moved. The same request again goes on with a move that broke off.',
            moveResponse,
          ),
          ...problemResponses,
        },
      },
    },
    async (request) =>
      writeOnce(request, () =>
        deployments.moveTenant({ ...request.body, ...request.params }, contextOf(request).signal),
      ),
  );
};
