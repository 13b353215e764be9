import { loadDriver } from '../../core/load-driver.js';
import type { SearchServerAuth, SearchServerOptions } from './server-options.js';

/** One HTTP request in the words of both servers' APIs. */
export interface ServerRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | boolean>>;
  readonly body?: Readonly<Record<string, unknown>>;
  /** Newline-delimited JSON, in place of `body`. */
  readonly lines?: string;
}

/** An answer, whatever its status. */
export interface ServerAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** The part of an official client that is used: its transport, with connections, TLS and parsing. */
export interface ServerDriver {
  /** Throws the client's errors only where there is no answer. */
  send(request: ServerRequest, signal: AbortSignal): Promise<ServerAnswer>;
  close(): Promise<void>;
}

/** Where the server is: without credentials in the address, and the header that carries them. */
export interface ServerAddress {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Loads `@elastic/elasticsearch` (`PACKAGE_MISSING` where it is not installed). */
export async function connectElasticsearch(
  { url, headers }: ServerAddress,
  options: SearchServerOptions,
): Promise<ServerDriver> {
  const { Client } = await loadDriver(() => import('@elastic/elasticsearch'), {
    store: 'Elasticsearch',
    install: '@elastic/elasticsearch@9.4.3',
  });
  // Retries and time limits are ours, the same for both clients.
  const client = new Client({
    node: url,
    headers,
    maxRetries: 0,
    tls: { ...options.tls },
    enableMetaHeader: false,
  });
  return {
    send: async ({ method, path, query, body, lines }, signal) => {
      try {
        const { statusCode, body: answer } = await client.transport.request(
          {
            method,
            path,
            ...(query === undefined ? {} : { querystring: { ...query } }),
            ...(body === undefined ? {} : { body }),
            ...(lines === undefined ? {} : { bulkBody: lines }),
          },
          { signal, meta: true },
        );
        return { status: statusCode, body: answer };
      } catch (error) {
        return answerIn(error);
      }
    },
    close: () => client.close(),
  };
}

/** Loads `@opensearch-project/opensearch` (`PACKAGE_MISSING` where it is not installed). */
export async function connectOpenSearch(
  { url, headers }: ServerAddress,
  options: SearchServerOptions,
): Promise<ServerDriver> {
  const { Client } = await loadDriver(() => import('@opensearch-project/opensearch'), {
    store: 'OpenSearch',
    install: '@opensearch-project/opensearch@3.9.0',
  });
  const client = new Client({ node: url, headers, maxRetries: 0, ssl: { ...options.tls } });
  return {
    send: async ({ method, path, query, body, lines }, signal) => {
      const answering = client.transport.request(
        {
          method,
          path,
          ...(query === undefined ? {} : { querystring: { ...query } }),
          ...(body === undefined ? {} : { body }),
          ...(lines === undefined ? {} : { bulkBody: lines }),
        },
        // The client's own limit watches for silence only and is shorter than ours might be.
        { maxRetries: 0, requestTimeout: 2 ** 31 - 1 },
      );
      const abort = (): void => {
        answering.abort();
      };
      signal.addEventListener('abort', abort, { once: true });
      try {
        if (signal.aborted) abort();
        const { statusCode, body: answer } = await answering;
        return { status: statusCode ?? 0, body: answer };
      } catch (error) {
        return answerIn(error);
      } finally {
        signal.removeEventListener('abort', abort);
      }
    },
    close: () => client.close(),
  };
}

/** Both clients throw for a status that is no success; the answer is in the error. */
function answerIn(error: unknown): ServerAnswer {
  if (error instanceof Error && error.name === 'ResponseError' && 'statusCode' in error && 'body' in error)
    if (typeof error.statusCode === 'number') return { status: error.statusCode, body: error.body };
  throw error;
}

/** Splits credentials off the address. */
export function serverAddress({ url, auth }: SearchServerOptions): ServerAddress {
  const { username, password, ...parsed } = splitUrl(url);
  const inUrl = username === '' ? undefined : { username, password };
  const credentials = auth ?? inUrl;
  return {
    url: parsed.url,
    headers: credentials === undefined ? {} : { authorization: authorization(credentials) },
  };
}

function splitUrl(text: string): {
  readonly url: string;
  readonly username: string;
  readonly password: string;
} {
  const url = new URL(text);
  const username = decodeURIComponent(url.username);
  const password = decodeURIComponent(url.password);
  url.username = '';
  url.password = '';
  return { url: url.href, username, password };
}

function authorization(auth: SearchServerAuth): string {
  if ('apiKey' in auth) return `ApiKey ${auth.apiKey}`;
  if ('bearer' in auth) return `Bearer ${auth.bearer}`;
  return `Basic ${Buffer.from(`${auth.username}:${auth.password}`, 'utf8').toString('base64')}`;
}
