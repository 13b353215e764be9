import * as z from 'zod';

/** `rag.deployments`: what deployments of tenants may name. */
export const deploymentsSchema = z
  .strictObject({
    secrets: z
      .array(
        z
          .string()
          .regex(/^[a-z][a-z0-9-]*:\S+$/, 'must be like `keyvault:customers/*`, with a scheme in front'),
      )
      .default([])
      .describe(
        'Secrets that a deployment of the model `CustomerOwned` may name, such as `keyvault:customers/*`, `env:CUSTOMER_*` or `file:/run/secrets/customers/*`; `*` stands for any text without `/`. A caller who may save deployments (permission `admin`) can have such a secret sent to any server, so name none of the service here. Default: none.',
      ),
  })
  .prefault({})
  .describe('Deployments of tenants: which index each has.');
