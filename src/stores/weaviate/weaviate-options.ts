import { assertIntegers, assertNamespace, webAddress, withoutSlash } from '../option-checks.js';

export interface WeaviateStoreOptions {
  /** Address of the REST and GraphQL interface. @default 'http://localhost:8080' */
  readonly url?: string | undefined;
  /** Sent as a bearer token. Give a value read from the environment; it is never in an error or a log. */
  readonly apiKey?: string | undefined;
  /**
   * What keeps collections apart from those of others on the server: up to 32 lower-case letters, digits or `_`, a letter
   * first. @default 'ragstone'
   */
  readonly namespace?: string | undefined;
  /** Candidates that a graph search visits, for collections that are made: more is slower and nearer to exact. @default 256 */
  readonly efSearch?: number;
  /** Longest time one call to the server may take, retries included, in milliseconds. @default 30_000 */
  readonly timeoutMs?: number | undefined;
}

/** The options with their defaults. */
export interface ResolvedWeaviateOptions {
  /** Without a slash at the end. */
  readonly url: string;
  readonly apiKey: string | undefined;
  readonly namespace: string;
  readonly efSearch: number;
  readonly timeoutMs: number;
}

const MAX_EF = 10_000;

/** Throws `CONFIG_INVALID` for options that no server could have. Never names a secret. */
export function resolveOptions({
  url = 'http://localhost:8080',
  apiKey,
  namespace = 'ragstone',
  efSearch = 256,
  timeoutMs = 30_000,
}: WeaviateStoreOptions): ResolvedWeaviateOptions {
  assertNamespace('Weaviate', namespace);
  assertIntegers('Weaviate', { efSearch }, MAX_EF);
  assertIntegers('Weaviate', { timeoutMs });
  const address = webAddress(url, { server: 'the Weaviate server', example: 'http://host:8080' });
  return { url: withoutSlash(address), apiKey, namespace, efSearch, timeoutMs };
}
