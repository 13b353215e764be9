import { RAGError } from '../core/errors.js';
import type { AzureDevOpsSourceOptions } from '../sources/azure-devops/azure-devops-source.js';
import type { ConfluenceSourceOptions } from '../sources/confluence/confluence-source.js';
import type { ResolvedConfig, ResolvedSource } from './resolved-config.js';

type Settings<T extends ResolvedSource['type']> = Extract<ResolvedSource, { type: T }>;

/**
 * Options of a Confluence source.
 *
 * @throws RAGError `CONFIG_INVALID` for a missing address, `SECRET_MISSING` for a missing token, naming the setting.
 */
export function confluenceOptions(
  settings: Settings<'confluence'>,
  key: string,
  config: ResolvedConfig,
): ConfluenceSourceOptions {
  const { name, baseUrl, deployment, spaceKeys, syncOptions, metadata } = settings;
  return {
    name,
    baseUrl: needed(
      baseUrl,
      `${key}.baseUrl`,
      'the address of the site, such as https://example.atlassian.net',
    ),
    deployment,
    authorization: confluenceAuthorization(settings, key),
    spaceKeys,
    ...syncOptions,
    ...serviceOptions(settings),
    metadata,
    maxFileBytes: config.rag.limits.maxFileBytes,
  };
}

/**
 * Options of an Azure DevOps source.
 *
 * @throws RAGError `CONFIG_INVALID` for a missing organisation or project, `SECRET_MISSING` for a missing token.
 */
export function azureDevOpsOptions(
  settings: Settings<'azure_devops'>,
  key: string,
): AzureDevOpsSourceOptions {
  const { name, baseUrl, organization, project, auth, metadata } = settings;
  const { workItemTypes, fields, includeComments, maxItems, includeWikis } = settings;
  const pat = auth?.pat?.reveal() ?? '';
  if (pat === '')
    throw new RAGError(
      'SECRET_MISSING',
      `${key}.auth.pat is missing: a personal access token that may read work items.`,
      { details: { key: `${key}.auth.pat` } },
    );
  return {
    name,
    baseUrl,
    organization: needed(organization, `${key}.organization`, 'the name of the organisation'),
    project: needed(project, `${key}.project`, 'the name of the project'),
    pat,
    workItemTypes,
    fields,
    includeComments,
    maxItems,
    includeWikis,
    ...serviceOptions(settings),
    metadata,
  };
}

const serviceOptions = ({
  completeListingHours,
  accessGroups,
  allowPrivateNetwork,
}: Settings<'confluence' | 'azure_devops'>) => ({
  completeListingHours,
  openGroups: accessGroups,
  allowPrivateNetwork,
});

function confluenceAuthorization({ auth = {} }: Settings<'confluence'>, key: string): string {
  const { username, apiToken, personalAccessToken } = auth;
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

function needed(value: string | undefined, key: string, what: string): string {
  if (value !== undefined && value !== '') return value;
  throw new RAGError('CONFIG_INVALID', `${key} is missing: ${what}.`, { details: { key } });
}

/** HTTP Basic authentication (RFC 7617). */
const basicAuthorization = (user: string, password: string): string =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
