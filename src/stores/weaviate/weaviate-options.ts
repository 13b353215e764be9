import { RAGError } from '../../core/errors.js';

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

const NAMESPACE = /^[a-z][a-z0-9_]{0,31}$/;
const MAX_EF = 10_000;
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

/** Throws `CONFIG_INVALID` for options that no server could have. Never names a secret. */
export function resolveOptions({
  url = 'http://localhost:8080',
  apiKey,
  namespace = 'ragstone',
  efSearch = 256,
  timeoutMs = 30_000,
}: WeaviateStoreOptions): ResolvedWeaviateOptions {
  if (!NAMESPACE.test(namespace))
    throw invalid(
      `Namespace ${JSON.stringify(namespace)} of the Weaviate store is not valid: use up to 32 lower-case letters, digits or "_", a letter first.`,
    );
  assertInteger('efSearch', efSearch, MAX_EF);
  assertInteger('timeoutMs', timeoutMs, MAX_TIMEOUT_MS);
  return { url: addressOf(url), apiKey, namespace, efSearch, timeoutMs };
}

function addressOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol))
    throw invalid('The address of the Weaviate server must be like http://host:8080.');
  if (url.username !== '' || url.password !== '')
    throw invalid('The address of the Weaviate server must hold no user or password; give it an API key.');
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
}

function assertInteger(name: string, value: number, maximum: number): void {
  if (!Number.isInteger(value) || value < 1 || value > maximum)
    throw invalid(`${name} of the Weaviate store must be an integer from 1 to ${maximum}, not ${value}.`);
}

const invalid = (message: string): RAGError => new RAGError('CONFIG_INVALID', message);
