import * as z from 'zod';
import { RAGError } from '../../core/errors.js';
import { nonEmptyText } from '../../core/setting-values.js';
import { withoutUndefined } from '../../core/without-undefined.js';
import { RagDeploymentModel } from '../../operations/deployment-model.js';
import { STORES } from '../../stores/definitions.js';
import type { StoreDefinition } from '../../stores/store-definition.js';
import { dedicatedIndexName } from './index-name.js';

/** Stores that a customer can provide: those behind an address. */
export const CUSTOMER_STORES: readonly string[] = STORES.filter(
  ({ reads }: StoreDefinition) => reads === 'server',
).map(({ name }) => name);

const SCHEMES: ReadonlySet<string> = new Set(['http:', 'https:', 'postgres:', 'postgresql:']);
/** How a secret is referred to; `docs/configuration.md` lists the schemes. */
const REFERENCE = /^(?:env|file|keyvault|[a-z][a-z0-9-]*):\S+$/;
const MOST_TEXT = 2_000;

const customerFields = {
  provider: nonEmptyText()
    .max(100)
    .optional()
    .describe(
      'Kind of the store that the customer provides. Default: by `searchEndpoint`, where that is one of PostgreSQL or Azure AI Search.',
    ),
  searchEndpoint: z
    .string()
    .max(MOST_TEXT)
    .optional()
    .describe("Address of the customer's server, without a password: `postgres://host:5432/database`."),
  indexName: z
    .string()
    .max(200)
    .optional()
    .describe(
      "`CustomerOwned`: name of the customer's index, 1 to 32 lower-case letters, digits, `_` or `-`, a letter first. `Dedicated`: given, not stated.",
    ),
  username: nonEmptyText().max(200).optional().describe('User of the server, where it has users.'),
  apiKeySecretName: nonEmptyText()
    .max(MOST_TEXT)
    .optional()
    .describe(
      'Where the key or password is: `keyvault:VAULT/NAME`, `env:NAME` or `file:PATH`. The secret itself is never kept.',
    ),
};

/** A deployment as it is stated. */
export const deploymentInputSchema = z.strictObject({
  tenantId: nonEmptyText().max(200),
  model: z.enum(RagDeploymentModel),
  isActive: z.boolean().default(true).describe('An inactive deployment serves nobody.'),
  ...customerFields,
});

/** A deployment as it is stated; what a customer provides is stated for `CustomerOwned` alone. */
export type KnowledgeDeploymentInput = z.input<typeof deploymentInputSchema>;

/** A deployment as it is kept, checked and with its names filled in. */
export const storedDeploymentSchema = deploymentInputSchema.extend({
  isActive: z.boolean(),
  /** ISO-8601 UTC; of `CustomerOwned` alone. */
  validatedAt: z.string().optional(),
  updatedAt: z.string().optional(),
});

export type StoredDeployment = z.output<typeof storedDeploymentSchema>;

/** The deployment of a tenant that nobody configured. */
export const sharedDeployment = (tenantId: string): StoredDeployment => ({
  tenantId,
  model: RagDeploymentModel.Shared,
  isActive: true,
});

/**
 * A stated deployment with what follows from it.
 *
 * @throws RAGError `DEPLOYMENT_INVALID` for what is missing, does not belong to the model, or is no address, name or reference
 */
export function deploymentOf(input: unknown, otherStores: readonly string[] = []): StoredDeployment {
  const parsed = deploymentInputSchema.safeParse(input);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw invalid(`${issue?.path.join('.') || 'The deployment'}: ${issue?.message ?? 'is not valid'}.`);
  }
  const { tenantId, model, isActive, ...customer } = parsed.data;
  if (model === RagDeploymentModel.CustomerOwned)
    return { tenantId, model, isActive, ...customerOwned(customer, otherStores) };
  const indexName = model === RagDeploymentModel.Dedicated ? dedicatedIndexName(tenantId) : undefined;
  const stray = Object.entries(customer).find(
    ([key, value]) => value !== undefined && !(key === 'indexName' && value === indexName),
  );
  if (stray !== undefined)
    throw invalid(`${stray[0]}: only a deployment of the model CustomerOwned states it.`);
  return { tenantId, model, isActive, ...withoutUndefined({ indexName }) };
}

type CustomerFields = z.output<z.ZodObject<typeof customerFields>>;

function customerOwned(
  { provider: stated, searchEndpoint, indexName, username, apiKeySecretName }: CustomerFields,
  otherStores: readonly string[],
): CustomerFields {
  if (searchEndpoint === undefined || indexName === undefined)
    throw invalid('A deployment of the model CustomerOwned needs `searchEndpoint` and `indexName`.');
  const { protocol } = endpointUrl(searchEndpoint);
  const provider = stated ?? providerAt(endpointUrl(searchEndpoint));
  const known = [...CUSTOMER_STORES, ...otherStores];
  if (provider === undefined || !known.includes(provider))
    throw invalid(`provider: state the kind of the store, one of ${known.join(', ')}.`);
  if (provider === 'postgres' && !protocol.startsWith('postgres'))
    throw invalid('searchEndpoint: of `postgres` it is like postgres://host:5432/database.');
  if (!/^[a-z][a-z0-9_-]{0,31}$/.test(indexName))
    throw invalid('indexName: it must be 1 to 32 lower-case letters, digits, `_` or `-`, a letter first.');
  if (apiKeySecretName !== undefined && !REFERENCE.test(apiKeySecretName))
    throw invalid(
      'apiKeySecretName: say where the secret is, as `keyvault:VAULT/NAME`, `env:NAME` or `file:PATH`. The secret itself does not belong here.',
    );
  const access = withoutUndefined({ username, apiKeySecretName });
  return { provider, searchEndpoint, indexName, ...access };
}

/** The kind of store whose addresses are like this one. */
function providerAt({ protocol, hostname }: URL): string | undefined {
  if (protocol.startsWith('postgres')) return 'postgres';
  return hostname.toLowerCase().endsWith('.search.windows.net') ? 'azure_ai_search' : undefined;
}

/** Throws `DEPLOYMENT_INVALID`; the text is not repeated, for it may hold a password. */
export function endpointUrl(text: string): URL {
  if (!URL.canParse(text) || !SCHEMES.has(new URL(text).protocol))
    throw invalid(
      'searchEndpoint: it must be an address like postgres://host:5432/database or https://host:9200.',
    );
  const url = new URL(text);
  if (url.username !== '' || url.password !== '' || text.includes('@'))
    throw invalid(
      'searchEndpoint: it must hold no user and no password. Name the user as `username`, and where the password is as `apiKeySecretName`.',
    );
  const isPlain = url.hash === '' && [...url.searchParams.keys()].every((key) => key === 'sslmode');
  if (!isPlain || url.hostname === '')
    throw invalid('searchEndpoint: it must name a host and hold nothing behind the path but `sslmode`.');
  return url;
}

/** What keeps an index apart from others on the same server; stores that take no hyphen have `_` in its place. */
export const namespaceOf = ({ indexName = '' }: StoredDeployment): string => indexName.replaceAll('-', '_');

const USUAL_PORTS: Readonly<Record<string, string>> = {
  'http:': '80',
  'https:': '443',
  'postgres:': '5432',
  'postgresql:': '5432',
};

const QDRANT_PORT = '6333';
const STATED_PORT = /^[a-z]+:\/\/(?:\[[^\]]*\]|[^/:?#]*):(\d+)/i;

/** Where the documents of a deployment are. Two deployments of one place would be one index; the shared one is meant to be. */
export function placeOf(deployment: StoredDeployment): string {
  const { model, indexName, provider, searchEndpoint = '' } = deployment;
  if (model === RagDeploymentModel.Shared) return 'shared';
  if (model === RagDeploymentModel.Dedicated) return `dedicated ${indexName ?? ''}`;
  const { protocol, hostname, pathname } = endpointUrl(searchEndpoint);
  // `URL` drops a port that is usual for its scheme, and for Qdrant another one is.
  const stated = STATED_PORT.exec(searchEndpoint.trim())?.[1];
  const port = stated ?? (provider === 'qdrant' ? QDRANT_PORT : USUAL_PORTS[protocol]) ?? '';
  const address = `${hostname.toLowerCase()}:${Number(port)}${pathname.replace(/\/+$/, '')}`;
  return `${provider ?? ''} ${address} ${namespaceOf(deployment)}`;
}

const invalid = (message: string): RAGError => new RAGError('DEPLOYMENT_INVALID', message);
