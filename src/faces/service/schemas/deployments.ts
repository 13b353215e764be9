import * as z from 'zod';
import { deploymentInputSchema, RagDeploymentModel } from '../../../index.js';
import { idText, listOf } from './common.js';

export const tenantParams = z.object({ tenantId: idText.describe('Of any tenant.') });

/** The tenant is in the address. */
export const deploymentRequest = deploymentInputSchema.omit({ tenantId: true });

export const deploymentConfig = z
  .object({
    tenantId: z.string(),
    deploymentId: z.string().describe('Always the same for a tenant.'),
    model: z.enum(RagDeploymentModel),
    isActive: z.boolean(),
    indexName: z.string().optional(),
    provider: z.string().optional(),
    searchEndpoint: z.string().optional(),
    username: z.string().optional(),
    apiKeySecretName: z.string().optional().describe('Where the secret is.'),
    validatedAt: z.string().optional(),
    updatedAt: z.string().optional(),
    move: z
      .object({
        stage: z.enum(['copying', 'cleaning']),
        model: z.enum(RagDeploymentModel),
        startedAt: z.string(),
      })
      .optional()
      .describe('While documents are copied to that model, or what was left there is removed.'),
  })
  .meta({ id: 'KnowledgeDeploymentConfig' });

export const deploymentList = z.object({
  deployments: listOf(deploymentConfig),
  damaged: listOf(z.object({ deploymentId: z.string(), message: z.string() }))
    .optional()
    .describe('Those that cannot be read, and how they are mended. Their tenants are not served.'),
});

export const deploymentValidation = z
  .object({
    isValid: z.boolean(),
    checks: listOf(z.object({ check: z.string(), isValid: z.boolean(), message: z.string() })).describe(
      'Up to the first that failed.',
    ),
    errors: listOf(z.string()),
    validatedAt: z.string(),
  })
  .meta({ id: 'DeploymentValidationResult' });

export const moveResponse = z.object({
  tenantId: z.string(),
  model: z.enum(RagDeploymentModel),
  copied: z.int().describe('Documents that the new index got.'),
  left: z
    .record(z.string(), z.int())
    .describe('Documents of configured sources, by source: they stay, and the tenant finds them no longer.'),
});
