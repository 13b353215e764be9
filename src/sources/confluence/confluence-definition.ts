import * as z from 'zod';
import { RAGError } from '../../core/errors.js';
import type { Secret } from '../../core/secret.js';
import { jsonValue, secretText, stringList, wholeNumber } from '../../core/setting-values.js';
import { needed, serviceFields, serviceOptions } from '../service-settings.js';
import { defineSource } from '../source-definition.js';

export const confluenceDefinition = defineSource({
  type: 'confluence',
  about: 'Pages of a Confluence site.',
  fields: {
    baseUrl: z.string().optional().describe('Address of the site.'),
    deployment: z
      .enum(['auto', 'cloud', 'data-center'])
      .default('auto')
      .describe('Kind of site. `auto`: Cloud where the address ends in `.atlassian.net`.'),
    spaceKeys: stringList().default([]).describe('Keys of the spaces to read.'),
    auth: z
      .strictObject({
        username: z.string().optional().describe('User name or e-mail address.'),
        apiToken: secretText().optional().describe('API token. Always masked in output.'),
        personalAccessToken: secretText().optional().describe('Token of a data centre site. Always masked.'),
      })
      .optional()
      .describe('How to sign in.'),
    syncOptions: z
      .strictObject({
        includeAttachments: z.boolean().default(false).describe('Read attached files too.'),
        includeComments: z.boolean().default(true).describe('Read comments too.'),
        maxPages: wholeNumber(1).default(1000).describe('Most pages to read.'),
      })
      .prefault({})
      .describe('What to read.'),
    ...serviceFields,
    accessGroups: stringList()
      .optional()
      .describe(
        'Groups that find what no restriction of a page is about, whatever the permissions of its space say. `*` is everyone in the tenant. Default: who may view the space.',
      ),
    metadata: z.record(z.string(), jsonValue).default({}).describe('Facts added to every document.'),
  },
  open: async (settings, { key, maxFileBytes, markedFields }) => {
    const { createConfluenceSource } = await import('./confluence-source.js');
    const { name, baseUrl, deployment, spaceKeys, syncOptions, metadata } = settings;
    const address = 'the address of the site, such as https://example.atlassian.net';
    return createConfluenceSource({
      name,
      baseUrl: needed(baseUrl, `${key}.baseUrl`, address),
      deployment,
      authorization: authorizationOf(settings.auth, key),
      spaceKeys,
      ...syncOptions,
      ...serviceOptions({ ...settings, accessGroups: settings.accessGroups }),
      metadata,
      markedFields,
      maxFileBytes,
    });
  },
});

interface SignIn {
  readonly username?: string | undefined;
  readonly apiToken?: Secret | undefined;
  readonly personalAccessToken?: Secret | undefined;
}

function authorizationOf({ username, apiToken, personalAccessToken }: SignIn = {}, key: string): string {
  if (personalAccessToken !== undefined && personalAccessToken.reveal() !== '')
    return `Bearer ${personalAccessToken.reveal()}`;
  if (apiToken === undefined || apiToken.reveal() === '')
    throw new RAGError(
      'SECRET_MISSING',
      `${key}.auth: set username and apiToken (Cloud), or personalAccessToken (Data Center).`,
      { details: { key: `${key}.auth` } },
    );
  return basicAuthorization(
    needed(username, `${key}.auth.username`, 'the account that the token is of'),
    apiToken.reveal(),
  );
}

/** HTTP Basic authentication (RFC 7617). */
export const basicAuthorization = (user: string, password: string): string =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
