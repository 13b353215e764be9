import type * as Driver from '@azure/search-documents';
import { loadDriver } from '../../core/load-driver.js';
import { type Passing, type ServerCall, sendAgain, withinTime } from '../server-calls.js';
import { StoreConnection } from '../store-connection.js';
import { isRetryableStatus, refusalError, refusalOf, transportError } from './azure-errors.js';
import type { ResolvedAzureOptions } from './azure-options.js';

export const AZURE_PACKAGE = '@azure/search-documents@13.0.0';
const IDENTITY_PACKAGE = '@azure/identity@4.13.1';

/** A document as the client takes and gives it. */
export type IndexedDocument = Record<string, unknown>;

/** The clients of one service. */
export interface Clients {
  readonly indexes: Driver.SearchIndexClient;
  readonly documents: (index: string) => Driver.SearchClient<IndexedDocument>;
  readonly batchOf: (
    actions: readonly Driver.IndexDocumentsAction<IndexedDocument>[],
  ) => Driver.IndexDocumentsBatch<IndexedDocument>;
}

export type CallOptions = ServerCall;

type Send<T> = (clients: Clients, options: { readonly abortSignal: AbortSignal }) => Promise<T>;

/**
 * Calls of the official client: limited in time, cancellable, tried again. Whatever this store sends may be sent twice, so every call
 * is. A service that asks to wait (`Retry-After`) is waited for, within the limit.
 */
export class AzureSearchConnection extends StoreConnection {
  readonly #options: ResolvedAzureOptions;
  #clients: Promise<Clients> | undefined;

  constructor(options: ResolvedAzureOptions) {
    super('Azure AI Search', options.url);
    this.#options = options;
  }

  /** What the call gives. */
  async call<T>(call: CallOptions, send: Send<T>): Promise<T> {
    this.begin(call.signal);
    const clients = await this.#load();
    const limited = { ...call, timeoutMs: this.#options.timeoutMs };
    try {
      return await withinTime(this, limited, (signal) =>
        sendAgain(() => send(clients, { abortSignal: signal }), { signal, passing: passingOf }),
      );
    } catch (error) {
      const refusal = refusalOf(error);
      throw refusal === undefined
        ? transportError(this.address, call.action, error)
        : refusalError(this.address, call.action, refusal);
    }
  }

  /** The same; undefined where the service has no such thing. */
  find<T>(call: CallOptions, send: Send<T>): Promise<T | undefined> {
    return this.call<T | undefined>(call, async (clients, options) => {
      try {
        return await send(clients, options);
      } catch (error) {
        if (refusalOf(error)?.status === 404) return undefined;
        throw error;
      }
    });
  }

  #load(): Promise<Clients> {
    this.#clients ??= this.#connect().catch((error: unknown) => {
      this.#clients = undefined;
      throw error;
    });
    return this.#clients;
  }

  async #connect(): Promise<Clients> {
    const driver = await loadDriver(() => import('@azure/search-documents'), {
      store: 'Azure AI Search',
      install: AZURE_PACKAGE,
    });
    const { url } = this.#options;
    const credential = await this.#credential(driver);
    // Retries and time limits are ours.
    const options = {
      retryOptions: { maxRetries: 0 },
      allowInsecureConnection: url.startsWith('http:'),
    };
    const byIndex = new Map<string, Driver.SearchClient<IndexedDocument>>();
    return {
      indexes: new driver.SearchIndexClient(url, credential, options),
      documents: (index) => {
        const known = byIndex.get(index) ?? new driver.SearchClient(url, index, credential, options);
        byIndex.set(index, known);
        return known;
      },
      batchOf: (actions) => new driver.IndexDocumentsBatch([...actions]),
    };
  }

  async #credential(driver: typeof Driver) {
    const { apiKey, credential } = this.#options;
    if (apiKey !== undefined) return new driver.AzureKeyCredential(apiKey);
    if (credential !== undefined) return credential;
    const { DefaultAzureCredential } = await loadDriver(() => import('@azure/identity'), {
      store: 'Azure identities',
      install: IDENTITY_PACKAGE,
    });
    return new DefaultAzureCredential();
  }
}

/** A connection that broke passes; an answer does where its status says so. */
function passingOf(sent: PromiseSettledResult<unknown>): Passing | undefined {
  if (sent.status === 'fulfilled') return undefined;
  const refusal = refusalOf(sent.reason);
  if (refusal === undefined) return isTransport(sent.reason) ? {} : undefined;
  return isRetryableStatus(refusal.status) ? refusal : undefined;
}

/** Whether the connection broke, or what came could not be read. Errors of the client that are neither are faults of ours. */
const isTransport = (error: unknown): boolean =>
  error instanceof Error && error.name === 'RestError' && 'code' in error && error.code !== 'PARSE_ERROR';
