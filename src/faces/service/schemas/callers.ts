import * as z from 'zod';
import { PERMISSIONS } from '../../../config/schema/server.js';
import { listOf } from './common.js';

const rights = {
  tenant: z.string(),
  project: z.string().optional().describe('Absent: every project of the tenant.'),
  groups: listOf(z.string()),
  clearance: z.int(),
  permissions: listOf(z.enum(PERMISSIONS)),
};

export const callerResponse = z
  .object({
    name: z.string().describe('Id of the key, subject of the token, or `local`.'),
    ...rights,
    isLocal: z.boolean().describe('The user of a machine whose service has no keys.'),
    offers: z
      .object({
        feedback: z.boolean(),
        deployments: z.boolean(),
        keys: z.boolean(),
        queries: z.boolean().describe('Calls are logged, so that `GET .../queries` lists them.'),
        queryTexts: z.boolean().describe('With the text of questions.'),
      })
      .describe('What this service does beside what every service does.'),
  })
  .meta({ id: 'Caller' });

export const keysResponse = z.object({
  keys: listOf(
    z
      .object({
        id: z.string(),
        name: z.string().optional().describe('What it is for.'),
        ...rights,
        createdAt: z.string(),
        expiresAt: z.string().optional(),
        revokedAt: z.string().optional(),
      })
      .meta({ id: 'ApiKey' }),
  ).describe('Oldest first, revoked ones too.'),
});
