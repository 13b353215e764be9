import { assertIntegers, assertNamespace, webAddress } from '../option-checks.js';

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
const MAX_EF = 10_000;

/** Throws `CONFIG_INVALID` for options that no server could have. Never names a secret. */
export function resolveOptions({
  url = `http://localhost:${DEFAULT_PORT}`,
  apiKey,
  namespace = 'ragstone',
  efSearch = 256,
  timeoutMs = 30_000,
}: QdrantStoreOptions): ResolvedQdrantOptions {
  assertNamespace('Qdrant', namespace);
  assertIntegers('Qdrant', { efSearch }, MAX_EF);
  assertIntegers('Qdrant', { timeoutMs });
  return { ...addressOf(url), apiKey, namespace, efSearch, timeoutMs };
}

function addressOf(text: string): { readonly origin: string; readonly prefix: string } {
  const url = webAddress(text, { server: 'the Qdrant server', example: 'http://host:6333' });
  return {
    origin: `${url.protocol}//${url.hostname}:${statedPort(text) ?? DEFAULT_PORT}`,
    prefix: url.pathname.replace(/\/+$/, ''),
  };
}

/** The port as it is written: `URL` leaves out one that is usual for the scheme. */
const statedPort = (text: string): string | undefined => /^\w+:\/\/[^/?#]*:(\d+)(?:[/?#]|$)/.exec(text)?.[1];
