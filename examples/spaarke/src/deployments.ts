import type { DeploymentRequest, RagstoneClient } from 'ragstone/client';
import { TENANTS } from './corpus/corpus.js';

/** The variable by which the service reads the password of the customer's database. Yours is in a key vault: `keyvault:VAULT/NAME`. */
export const PASSWORD_VARIABLE = 'CUSTOMER_DATABASE_PASSWORD';

/** A PostgreSQL database with pgvector that a customer provides. */
export interface CustomerDatabase {
  /** `postgres://user:password@host:5432/database`. */
  readonly url: string;
  /** What keeps the index apart from what else is in the database. @default 'knowledge' */
  readonly indexName?: string | undefined;
}

export const passwordOf = ({ url }: CustomerDatabase): string => decodeURIComponent(new URL(url).password);

/** A place for a tenant in a database of its own. Neither address nor configuration holds the password. */
export function customerOwned(database: CustomerDatabase): DeploymentRequest {
  const url = new URL(database.url);
  const username = decodeURIComponent(url.username);
  const hasPassword = url.password !== '';
  url.username = '';
  url.password = '';
  return {
    model: 'CustomerOwned',
    searchEndpoint: url.href,
    indexName: database.indexName ?? 'knowledge',
    ...(username === '' ? {} : { username }),
    ...(hasPassword ? { apiKeySecretName: `env:${PASSWORD_VARIABLE}` } : {}),
  };
}

/**
 * Gives each tenant the deployment that it has agreed on, with its documents where it has some already. Returns a sentence for each.
 *
 * @throws ServiceError `DEPLOYMENT_INVALID` where the customer's database cannot be used
 */
export async function assignDeployments(
  operator: RagstoneClient,
  database: CustomerDatabase | undefined,
): Promise<string[]> {
  const sentences: string[] = [];
  for (const { id: tenantId, model } of TENANTS) {
    const present = await operator.getDeployment(tenantId);
    const wanted = wantedOf(model, database);
    if (wanted === undefined) {
      const why = present.model === model ? '' : ', for DATABASE_URL names no database of its own';
      sentences.push(`${tenantId}: ${present.model}${why}`);
      continue;
    }
    if (present.model !== wanted.model || present.searchEndpoint !== wanted.searchEndpoint)
      await operator.moveDeployment(tenantId, wanted);
    sentences.push(`${tenantId}: ${wanted.model}`);
  }
  return sentences;
}

/** Undefined for a customer's own database where there is none. */
function wantedOf(
  model: DeploymentRequest['model'],
  database: CustomerDatabase | undefined,
): DeploymentRequest | undefined {
  if (model !== 'CustomerOwned') return { model };
  return database && customerOwned(database);
}
