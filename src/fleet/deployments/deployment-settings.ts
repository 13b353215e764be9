import { join } from 'node:path';
import type { ResolvedConfig } from '../../config/resolved-config.js';
import { resolveSecrets } from '../../config/secret-resolver.js';
import { DATA_FOLDERS } from '../../core/data-folder.js';
import { RAGError } from '../../core/errors.js';
import { Secret } from '../../core/secret.js';
import type { Embedder } from '../../embedding/embedder.js';
import { RagDeploymentModel } from '../../operations/deployment-model.js';
import type { SearchProcesses } from '../../resources/processes/search-processes.js';
import type { VectorStore } from '../../stores/vector-store.js';
import { isAllowedSecret, secretNotAllowed } from './allowed-secrets.js';
import { endpointUrl, namespaceOf, type StoredDeployment } from './deployment-config.js';
import type { DeploymentRecords } from './deployment-records.js';
import { fileKeyIn, fileKeyOf, rememberedKey } from './file-key.js';

/** A store of a kind that Ragstone does not have, for customers who provide one. */
export type OpenCustomerStore = (server: {
  readonly searchEndpoint: string;
  readonly indexName: string;
  readonly username?: string | undefined;
  /** Reveal it where the connection is opened. */
  readonly apiKey?: Secret | undefined;
}) => Promise<VectorStore> | VectorStore;

/** What an index beside the shared one is opened with. */
export interface DeploymentParts {
  /** Of the shared index. */
  readonly config: ResolvedConfig;
  /** Of the shared index: one model serves all. */
  readonly embedder: Embedder;
  /** Processes that search the shared index, and others beside it. */
  readonly processes?: SearchProcesses | undefined;
  readonly records: DeploymentRecords;
  readonly stores: Readonly<Record<string, OpenCustomerStore>>;
}

/** Longest wait for a call to a server of a customer, in milliseconds: shorter than that of a request. */
const CUSTOMER_TIMEOUT_MS = 10_000;

/** Settings of an index that one tenant has alone, and a store that must be closed after it. */
export interface DeploymentSettings {
  readonly config: ResolvedConfig;
  readonly store?: VectorStore | undefined;
  /** What it signs in with. */
  readonly secret?: Secret | undefined;
}

/**
 * The settings of the shared index, for another place. Configured sources stay with the shared index.
 *
 * @throws RAGError `SECRET_MISSING`, `CONFIG_NOT_BUILT`
 */
export async function settingsOf(
  deployment: StoredDeployment,
  parts: DeploymentParts,
): Promise<DeploymentSettings> {
  assertOwnIndexes(parts.config);
  const { config, embedder, records } = parts;
  const { rag, own } = config;
  const dataDir = records.indexFolder(deployment);
  const local = { ...rag.storage.local, path: join(dataDir, DATA_FOLDERS.store) };
  // Vectors go with the index that they were made for.
  const cache = { ...rag.embedding.cache, path: join(dataDir, DATA_FOLDERS.cache, 'embeddings') };
  const base: ResolvedConfig = {
    ...config,
    dataDir,
    serviceDir: config.dataDir,
    own: { ...own, embedder, sources: undefined },
    rag: {
      ...rag,
      sources: [],
      storage: { ...rag.storage, local },
      embedding: { ...rag.embedding, cache },
      // Workers are of the shared index.
      queue: { ...rag.queue, url: undefined },
    },
  };
  if (deployment.model === RagDeploymentModel.Dedicated) return { config: base };
  return customerSettings(deployment, base, parts);
}

async function customerSettings(
  deployment: StoredDeployment,
  base: ResolvedConfig,
  { stores, embedder: { dimensions } }: DeploymentParts,
): Promise<DeploymentSettings> {
  const { provider = '', searchEndpoint = '', username, indexName = '' } = deployment;
  const { rag, own } = base;
  // A second store would be the operator's, and hold the texts; so would the cache of vectors hold theirs.
  const embedding = { ...rag.embedding, cache: { ...rag.embedding.cache, enabled: false } };
  const theirs: ResolvedConfig = {
    ...{ ...base, keepsNoText: true },
    rag: { ...rag, failover: undefined, embedding },
  };
  const apiKey = await secretOf(deployment, base);
  const open = stores[provider];
  if (open !== undefined) {
    const store = await open({ searchEndpoint, indexName, username, apiKey });
    const fileKey = rememberedKey(() => fileKeyIn(store, dimensions));
    return { config: { ...theirs, own: { ...own, store }, fileKey }, store, secret: apiKey };
  }
  const namespace = namespaceOf(deployment);
  const timeoutMs = CUSTOMER_TIMEOUT_MS;
  const isPostgres = provider === 'postgres';
  const url = new Secret(
    // As text, because `URL` drops a port that is usual for its scheme, and for some stores another one is usual.
    isPostgres ? withAccess(searchEndpoint, { username, apiKey }) : checkedEndpoint(searchEndpoint),
  );
  const access = isPostgres
    ? {}
    : username === undefined
      ? { apiKey }
      : // Stores with users take the secret as the password of the user.
        { username, password: apiKey };
  const server = { url, namespace, timeoutMs, ssl: false, layout: 'ragstone' as const, ...access };
  // Where the customer's store can keep the ledger too, texts are with the customer alone.
  const ledger = isPostgres
    ? { ...rag.ledger, type: 'postgres' as const, url, namespace, timeoutMs }
    : rag.ledger;
  const storage = { ...rag.storage, server, s3: undefined };
  const built = provider as ResolvedConfig['rag']['provider'];
  const config: ResolvedConfig = {
    ...theirs,
    own: { ...own, store: undefined },
    rag: { ...theirs.rag, provider: built, storage, ledger },
  };
  if (isPostgres) return { config, secret: apiKey };
  const fileKey = rememberedKey(() => fileKeyOf(config, dimensions));
  return { config: { ...config, fileKey }, secret: apiKey };
}

/**
 * Fetched here: what cannot be fetched says so before anything is opened.
 *
 * @throws RAGError `SECRET_MISSING`, also for one that the operator does not allow (any more)
 */
export async function secretOf(
  { apiKeySecretName }: StoredDeployment,
  config: ResolvedConfig,
): Promise<Secret | undefined> {
  if (apiKeySecretName === undefined) return undefined;
  if (!isAllowedSecret(apiKeySecretName, config.rag.deployments.secrets))
    throw new RAGError('SECRET_MISSING', secretNotAllowed(apiKeySecretName));
  const secret = new Secret(apiKeySecretName);
  await resolveSecrets(secret, ['apiKeySecretName'], config);
  if (secret.reveal() !== apiKeySecretName) return secret;
  throw new RAGError(
    'SECRET_MISSING',
    `apiKeySecretName: nothing fetches secrets of "${apiKeySecretName.split(':')[0]}". Name it as \`keyvault:VAULT/NAME\`, \`env:NAME\` or \`file:PATH\`.`,
  );
}

function checkedEndpoint(endpoint: string): string {
  endpointUrl(endpoint);
  return endpoint.trim();
}

function withAccess(
  endpoint: string,
  { username, apiKey }: { readonly username: string | undefined; readonly apiKey: Secret | undefined },
): string {
  const url = endpointUrl(endpoint);
  if (username !== undefined) url.username = encodeURIComponent(username);
  if (apiKey !== undefined) url.password = encodeURIComponent(apiKey.reveal());
  return url.href;
}

/** @throws RAGError `CONFIG_NOT_BUILT` where the shared index is of a kind beside which there can be no other */
export function assertOwnIndexes({ rag, own }: ResolvedConfig): void {
  const why =
    own?.ledger !== undefined
      ? 'its ledger was handed in by a program'
      : rag.ledger.type !== 'sqlite'
        ? 'its ledger is shared by hosts, and deployments are kept in the data folder of one'
        : rag.provider === 'memory' || !rag.storage.local.persist
          ? 'it is in memory'
          : undefined;
  if (why === undefined) return;
  throw new RAGError(
    'CONFIG_NOT_BUILT',
    `Beside this index tenants can have none of their own: ${why}. Deployments other than Shared need \`rag.ledger.type: sqlite\` and a store that persists.`,
  );
}
