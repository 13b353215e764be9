import type { TokenCredential } from '@azure/identity';
import { assertIntegers, assertNamespace, webAddress, withoutSlash } from '../option-checks.js';

export interface AzureSearchStoreOptions {
  /** Address of the search service: `https://NAME.search.windows.net`. `http` is spoken to a server of ours or a proxy alone. */
  readonly url: string;
  /** An admin key of the service. Give a value read from the environment; it is never in an error or a log. */
  readonly apiKey?: string | undefined;
  /**
   * Who signs in where there is no key. Needs the roles *Search Service Contributor* and *Search Index Data Contributor*.
   * @default `DefaultAzureCredential` of `@azure/identity`, which tries environment, workload and managed identity, and the Azure CLI
   */
  readonly credential?: TokenCredential | undefined;
  /**
   * What keeps collections apart from those of others in the service: up to 32 lower-case letters, digits or `_`, a letter
   * first. Begins the name of every index. @default 'ragstone'
   */
  readonly namespace?: string | undefined;
  /** Compare with every vector instead of going by the graph: exact, and slower with each chunk. @default false */
  readonly exhaustive?: boolean | undefined;
  /**
   * After how long at most the service shows a write, in milliseconds: declared as the consistency of the store, and as long as
   * `optimize` waits. Azure says "a few seconds". @default 10_000
   */
  readonly visibleWithinMs?: number | undefined;
  /** Longest time one call to the service may take, retries included, in milliseconds. @default 30_000 */
  readonly timeoutMs?: number | undefined;
}

/** The options with their defaults. */
export interface ResolvedAzureOptions {
  /** Without a slash at the end. */
  readonly url: string;
  readonly apiKey: string | undefined;
  readonly credential: TokenCredential | undefined;
  readonly namespace: string;
  readonly exhaustive: boolean;
  readonly visibleWithinMs: number;
  readonly timeoutMs: number;
}

/** Throws `CONFIG_INVALID` for options that no service could have. Never names a secret. */
export function resolveOptions({
  url,
  apiKey,
  credential,
  namespace = 'ragstone',
  exhaustive = false,
  visibleWithinMs = 10_000,
  timeoutMs = 30_000,
}: AzureSearchStoreOptions): ResolvedAzureOptions {
  assertNamespace('Azure AI Search', namespace);
  assertIntegers('Azure AI Search', { visibleWithinMs, timeoutMs });
  const address = webAddress(url, {
    server: 'Azure AI Search',
    example: 'https://NAME.search.windows.net',
  });
  return {
    url: withoutSlash(address),
    apiKey,
    credential,
    namespace,
    exhaustive,
    visibleWithinMs,
    timeoutMs,
  };
}
