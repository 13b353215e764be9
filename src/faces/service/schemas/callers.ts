import * as z from 'zod';
import { PERMISSIONS } from '../../../config/schema/server.js';
import {
  boolean,
  int,
  listOf,
  optionalString,
  string,
  strings,
} from '../../../operations/requests/outcome-fields.js';

const rights = {
  tenant: string,
  project: optionalString.describe('Absent: every project of the tenant.'),
  groups: strings,
  clearance: int,
  permissions: listOf(z.enum(PERMISSIONS)),
};

export const callerResponse = z
  .object({
    name: string.describe('Id of the key, subject of the token, or `local`.'),
    ...rights,
    isLocal: boolean.describe('The user of a machine whose service has no keys.'),
    offers: z
      .object({
        feedback: boolean,
        deployments: boolean,
        keys: boolean,
        queries: boolean.describe('Calls are logged, so that `GET .../queries` lists them.'),
        queryTexts: boolean.describe('With the text of questions.'),
      })
      .describe('What this service does beside what every service does.'),
  })
  .meta({ id: 'Caller' });

export const keysResponse = z.object({
  keys: listOf(
    z
      .object({
        id: string,
        name: optionalString.describe('What it is for.'),
        ...rights,
        createdAt: string,
        expiresAt: optionalString,
        revokedAt: optionalString,
      })
      .meta({ id: 'ApiKey' }),
  ).describe('Oldest first, revoked ones too.'),
});
