import { RAGError } from '../../core/errors.js';

export interface QdrantStoreOptions {
  /** Address of the REST interface. Without a port it is 6333, as with Qdrant's own clients. @default 'http://localhost:6333' */
  readonly url?: string | undefined;
  /** Sent as `api-key`. Give a value read from the environment; it is never in an error or a log. */
  readonly apiKey?: string | undefined;
  /**
   * What keeps collections apart from those of others on the server: up to 32 lower-case letters, digits or `_`, a letter
   * first. @default 'ragstone'
   */
  readonly namespace?: string | undefined;
  /** Candidates that a graph search visits: more is slower and nearer to exact. @default 256 */
  readonly efSearch?: number | undefined;
  /** Longest time one call to the server may take, retries included, in milliseconds. @default 30_000 */
  readonly timeoutMs?: number | undefined;
}

/** The options with their defaults. */
export interface ResolvedQdrantOptions {
  /** Scheme, host and port. */
  readonly origin: string;
  /** Path before those of the interface, as behind a proxy: `/qdrant`. Empty where there is none. */
  readonly prefix: string;
  readonly apiKey: string | undefined;
  readonly namespace: string;
  readonly efSearch: number;
  readonly timeoutMs: number;
}

const DEFAULT_PORT = 6333;
const NAMESPACE = /^[a-z][a-z0-9_]{0,31}$/;
const MAX_EF = 10_000;
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

/** Throws `CONFIG_INVALID` for options that no server could have. Never names a secret. */
export function resolveOptions({
  url = `http://localhost:${DEFAULT_PORT}`,
  apiKey,
  namespace = 'ragstone',
  efSearch = 256,
  timeoutMs = 30_000,
}: QdrantStoreOptions): ResolvedQdrantOptions {
  if (!NAMESPACE.test(namespace))
    throw invalid(
      `Namespace ${JSON.stringify(namespace)} of the Qdrant store is not valid: use up to 32 lower-case letters, digits or "_", a letter first.`,
    );
  assertInteger('efSearch', efSearch, MAX_EF);
  assertInteger('timeoutMs', timeoutMs, MAX_TIMEOUT_MS);
  return { ...addressOf(url), apiKey, namespace, efSearch, timeoutMs };
}

function addressOf(text: string): { readonly origin: string; readonly prefix: string } {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol))
    throw invalid('The address of the Qdrant server must be like http://host:6333.');
  if (url.username !== '' || url.password !== '')
    throw invalid('The address of the Qdrant server must hold no user or password; give it an API key.');
  return {
    origin: `${url.protocol}//${url.hostname}:${statedPort(text) ?? DEFAULT_PORT}`,
    prefix: url.pathname.replace(/\/+$/, ''),
  };
}

/** The port as it is written: `URL` leaves out one that is usual for the scheme. */
const statedPort = (text: string): string | undefined => /^\w+:\/\/[^/?#]*:(\d+)(?:[/?#]|$)/.exec(text)?.[1];

function assertInteger(name: string, value: number, maximum: number): void {
  if (!Number.isInteger(value) || value < 1 || value > maximum)
    throw invalid(`${name} of the Qdrant store must be an integer from 1 to ${maximum}, not ${value}.`);
}

const invalid = (message: string): RAGError => new RAGError('CONFIG_INVALID', message);
