import { withoutUndefined } from '../../core/without-undefined.js';
import type { ProviderName } from './provider-table.js';

/** How one provider is reached. It holds a key: never log it, never put it into an error. */
export interface ProviderConnection {
  readonly provider: ProviderName;
  /** Absent for servers that ask for none. */
  readonly apiKey?: string;
  /** Without the path of a call; absent where the provider's package knows it. */
  readonly baseUrl?: string;
  /** Azure OpenAI: name of the resource, the first part of its address. */
  readonly resourceName?: string;
  /** Azure OpenAI: `api-version` of the calls. */
  readonly apiVersion?: string;
  /** Sent with every call. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** What Azure OpenAI takes beside the shared options. Versions with a date belong to addresses that name the deployment. */
export function azureFactoryOptions(connection: ProviderConnection): ReturnType<
  typeof sharedFactoryOptions
> & {
  resourceName?: string;
  apiVersion?: string;
  useDeploymentBasedUrls?: boolean;
} {
  const { resourceName, apiVersion } = connection;
  return {
    ...sharedFactoryOptions(connection),
    ...withoutUndefined({ resourceName }),
    ...(apiVersion === undefined ? {} : { apiVersion, useDeploymentBasedUrls: /^\d{4}-/.test(apiVersion) }),
  };
}

/** The options that the factories of all `@ai-sdk` packages share, without keys whose value is absent. */
export function sharedFactoryOptions({ apiKey, baseUrl, headers }: ProviderConnection): {
  apiKey?: string;
  baseURL?: string;
  headers?: Record<string, string>;
} {
  return {
    ...withoutUndefined({ apiKey, baseURL: baseUrl }),
    ...(headers === undefined ? {} : { headers: { ...headers } }),
  };
}
