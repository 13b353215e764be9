import { originOf, type ResolvedConfig } from '../../config/resolved-config.js';
import { resolveSecrets } from '../../config/secret-resolver.js';
import { RAGError } from '../../core/errors.js';
import type { ProviderConnection } from '../../platform/providers/provider-connection.js';
import {
  factsOf,
  type ModelRole,
  PROVIDER_NAMES,
  type ProviderName,
  splitModelName,
} from '../../platform/providers/provider-table.js';

/** A hosted model and how it is reached. */
export interface ResolvedHostedModel {
  /** As the provider names it; for Azure the deployment. */
  readonly model: string;
  readonly connection: ProviderConnection;
}

/**
 * Resolves a stated `provider:model` for what it shall do.
 *
 * @param key the setting that states it, for messages.
 * @throws RAGError `CONFIG_INVALID` for an unknown provider, one without such models, or a missing address; `SECRET_MISSING` for a key.
 */
export function resolveHostedModel(
  stated: string,
  role: ModelRole,
  { config, key }: { readonly config: ResolvedConfig; readonly key: string },
): ResolvedHostedModel {
  const name = splitModelName(stated);
  if (name === undefined || !factsOf(name.provider).serves.includes(role)) {
    const able = PROVIDER_NAMES.filter((provider) => factsOf(provider).serves.includes(role));
    throw new RAGError(
      'CONFIG_INVALID',
      `${key}: "${stated}" names no ${role} model. Write provider:model, with one of the providers ${able.join(', ')}.`,
      { details: { key, value: stated } },
    );
  }
  return { model: name.model, connection: connectionOf(name.provider, config) };
}

/** Fetches the key of the service that a stated `provider:model` names; nothing for what names none. See `resolveSecrets`. */
export async function fetchModelSecrets(stated: string | undefined, config: ResolvedConfig): Promise<void> {
  const provider = stated === undefined ? undefined : splitModelName(stated)?.provider;
  if (provider === undefined) return;
  const path = ['rag', 'modelProviders', provider];
  await resolveSecrets(config.rag.modelProviders[provider], path, config);
}

function connectionOf(provider: ProviderName, config: ResolvedConfig): ProviderConnection {
  const { label, keyVariables, baseUrl: usualUrl } = factsOf(provider);
  const { environment } = config;
  const stated = config.rag.modelProviders[provider];
  const place = `rag.modelProviders.${provider}`;
  const apiKey = stated?.apiKey?.reveal() ?? keyVariables.map((name) => environment[name]).find(Boolean);
  const variable = keyVariables[0];
  if (
    stated?.apiKey !== undefined &&
    stated.apiKey.reference === undefined &&
    originOf(config, `${place}.apiKey`).kind === 'file'
  )
    throw new RAGError(
      'CONFIG_INVALID',
      `${place}.apiKey holds a key. Files are copied and shared, so put it into an environment variable and write apiKey: \${${variable ?? 'MY_KEY'}}.`,
      { details: { key: `${place}.apiKey` } },
    );
  if (!apiKey && variable !== undefined)
    throw new RAGError(
      'SECRET_MISSING',
      `${label} needs a key: set the environment variable ${variable}, or ${place}.apiKey to a reference such as \${MY_KEY}.`,
      { details: { variable, key: `${place}.apiKey` } },
    );
  const resourceName = stated?.resourceName ?? environment.AZURE_RESOURCE_NAME;
  const baseUrl = (stated?.baseUrl ?? usualUrl)?.replace(/\/+$/, '');
  refuseMissingAddress(provider, baseUrl ?? (provider === 'azure' ? resourceName : undefined));
  return {
    provider,
    ...(apiKey ? { apiKey } : {}),
    ...(baseUrl === undefined ? {} : { baseUrl }),
    ...(provider !== 'azure' || resourceName === undefined || baseUrl !== undefined ? {} : { resourceName }),
    ...(stated?.apiVersion === undefined ? {} : { apiVersion: stated.apiVersion }),
  };
}

function refuseMissingAddress(provider: ProviderName, address: string | undefined): void {
  const place = `rag.modelProviders.${provider}`;
  if (address !== undefined || (provider !== 'openai-compatible' && provider !== 'azure')) return;
  const what =
    provider === 'azure'
      ? `Azure OpenAI needs its resource: set ${place}.resourceName, ${place}.baseUrl or the variable AZURE_RESOURCE_NAME`
      : `An OpenAI-compatible server needs its address: set ${place}.baseUrl, for instance http://localhost:8000/v1`;
  throw new RAGError('CONFIG_INVALID', `${what}.`, { details: { key: `${place}.baseUrl` } });
}
