import type { TokenCredential } from '@azure/identity';
import { RAGError } from '../../core/errors.js';

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

const NAMESPACE = /^[a-z][a-z0-9_]{0,31}$/;
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

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
  if (!NAMESPACE.test(namespace))
    throw invalid(
      `Namespace ${JSON.stringify(namespace)} of the Azure AI Search store is not valid: use up to 32 lower-case letters, digits or "_", a letter first.`,
    );
  assertMilliseconds('visibleWithinMs', visibleWithinMs);
  assertMilliseconds('timeoutMs', timeoutMs);
  return { url: addressOf(url), apiKey, credential, namespace, exhaustive, visibleWithinMs, timeoutMs };
}

function assertMilliseconds(name: string, value: number): void {
  if (!Number.isInteger(value) || value < 1 || value > MAX_TIMEOUT_MS)
    throw invalid(
      `${name} of the Azure AI Search store must be an integer from 1 to ${MAX_TIMEOUT_MS}, not ${value}.`,
    );
}

function addressOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol))
    throw invalid('The address of Azure AI Search must be like https://NAME.search.windows.net.');
  if (url.username !== '' || url.password !== '')
    throw invalid('The address of Azure AI Search must hold no user or password; give it an API key.');
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
}

const invalid = (message: string): RAGError => new RAGError('CONFIG_INVALID', message);
