import * as z from 'zod';
import { deploymentInputSchema, RagDeploymentModel } from '../../../index.js';
import {
  boolean,
  int,
  listOf,
  optionalString,
  rowsOf,
  string,
  strings,
} from '../../../operations/requests/outcome-fields.js';
import { idText } from './common.js';

export const tenantParams = z.object({ tenantId: idText.describe('Of any tenant.') });

/** The tenant is in the address. */
export const deploymentRequest = deploymentInputSchema.omit({ tenantId: true });

export const deploymentConfig = z
  .object({
    tenantId: string,
    deploymentId: string.describe('Always the same for a tenant.'),
    model: z.enum(RagDeploymentModel),
    isActive: boolean,
    indexName: optionalString,
    provider: optionalString,
    searchEndpoint: optionalString,
    username: optionalString,
    apiKeySecretName: optionalString.describe('Where the secret is.'),
    validatedAt: optionalString,
    updatedAt: optionalString,
    move: z
      .object({
        stage: z.enum(['copying', 'cleaning']),
        model: z.enum(RagDeploymentModel),
        startedAt: string,
      })
      .optional()
      .describe('While documents are copied to that model, or what was left there is removed.'),
  })
  .meta({ id: 'KnowledgeDeploymentConfig' });

export const deploymentList = z.object({
  deployments: listOf(deploymentConfig),
  damaged: rowsOf({ deploymentId: string, message: string })
    .optional()
    .describe('Those that cannot be read, and how they are mended. Their tenants are not served.'),
});

export const deploymentValidation = z
  .object({
    isValid: boolean,
    checks: rowsOf({ check: string, isValid: boolean, message: string }).describe(
      'Up to the first that failed.',
    ),
    errors: strings,
    validatedAt: string,
  })
  .meta({ id: 'DeploymentValidationResult' });

export const moveResponse = z.object({
  tenantId: string,
  model: z.enum(RagDeploymentModel),
  copied: int.describe('Documents that the new index got.'),
  left: z
    .record(string, int)
    .describe('Documents of configured sources, by source: they stay, and the tenant finds them no longer.'),
});
