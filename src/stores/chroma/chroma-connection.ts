import type * as ChromaModule from 'chromadb';
import type { ChromaClient, Collection } from 'chromadb';
import { RAGError } from '../../core/errors.js';
import { loadDriver } from '../../core/load-driver.js';
import { runtime, sleep, timeoutSignal } from '../../core/runtime.js';
import { StoreConnection } from '../store-connection.js';
import { chromaError, isPassing } from './chroma-errors.js';

/** Where a Chroma server is and how to talk to it. */
export interface ChromaServerOptions {
  /** Name or address, without scheme. @default 'localhost' */
  readonly host?: string;
  /** @default 8000 */
  readonly port?: number;
  /** Talk HTTPS. @default false */
  readonly ssl?: boolean;
  /** Secret that the server, or a proxy before it, asks for. */
  readonly token?: string;
  /** How the token is sent: `Authorization: Bearer ...` or `X-Chroma-Token: ...`. @default 'authorization' */
  readonly tokenHeader?: 'authorization' | 'x-chroma-token';
  /** Chroma's own tenant, which must exist. Tenants of a `Scope` are kept apart by filters inside it. @default 'default_tenant' */
  readonly tenant?: string;
  /** Chroma's own database, which must exist. @default 'default_database' */
  readonly database?: string;
  /** Longest wait for one request, in milliseconds. @default 30_000 */
  readonly timeoutMs?: number;
  /** How often a call that changes nothing when repeated is tried again after the connection broke. @default 2 */
  readonly retries?: number;
}

export interface CallOptions {
  /** What is done, for messages: `search vectors`. */
  readonly action: string;
  readonly signal?: AbortSignal | undefined;
  /** May be sent twice without harm. */
  readonly isIdempotent: boolean;
  /** It may take this many times as long as other calls. @default 1 */
  readonly patience?: number;
}

const FIRST_PAUSE_MS = 100;

type Driver = typeof ChromaModule;

/** A server, called with a deadline, a signal and retries. Errors are ours and name the address, never the token. */
export class ChromaConnection extends StoreConnection {
  readonly #options: Required<Omit<ChromaServerOptions, 'token'>> & Pick<ChromaServerOptions, 'token'>;
  #driver: Promise<Driver> | undefined;
  #maxBatch: number | undefined;

  constructor(options: ChromaServerOptions) {
    const resolved = {
      host: 'localhost',
      port: 8000,
      ssl: false,
      tokenHeader: 'authorization' as const,
      tenant: 'default_tenant',
      database: 'default_database',
      timeoutMs: 30_000,
      retries: 2,
      ...options,
    };
    const { ssl, host, port } = resolved;
    super('Chroma', `${ssl ? 'https' : 'http'}://${host}:${port}`);
    this.#options = resolved;
  }

  /** Runs one call of the driver's client. */
  async call<T>(options: CallOptions, run: (client: ChromaClient) => Promise<T>): Promise<T> {
    const driver = await this.#load();
    for (let attempt = 0; ; attempt++) {
      this.begin(options.signal);
      const timeoutMs = this.#options.timeoutMs * (options.patience ?? 1);
      const deadline = timeoutSignal(timeoutMs);
      try {
        return await run(this.#clientFor(driver, this.#anyOf(deadline, options.signal)));
      } catch (error) {
        this.begin(options.signal);
        if (deadline.aborted) throw this.#timedOut(options.action, timeoutMs, error);
        if (!options.isIdempotent || attempt >= this.#options.retries || !isPassing(error))
          throw chromaError(error, { action: options.action, address: this.address });
      }
      await pause(FIRST_PAUSE_MS * 2 ** attempt, options.signal);
    }
  }

  /** Runs one call on a collection, which is known by the id that the server gave it. */
  callOn<T>(
    collectionId: string,
    options: CallOptions,
    run: (collection: Collection) => Promise<T>,
  ): Promise<T> {
    return this.call(options, (client) => run(client.collection(collectionId)));
  }

  /** Most records that the server takes at once. */
  async maxBatch(signal?: AbortSignal): Promise<number> {
    this.#maxBatch ??= await this.call({ action: 'tell its limits', signal, isIdempotent: true }, (client) =>
      client.getMaxBatchSize(),
    );
    return this.#maxBatch > 0 ? this.#maxBatch : Number.MAX_SAFE_INTEGER;
  }

  #load(): Promise<Driver> {
    this.#driver ??= loadDriver(() => import('chromadb'), {
      store: 'Chroma',
      install: 'chromadb@3.5.0',
    }).catch((error: unknown) => {
      this.#driver = undefined;
      throw error;
    });
    return this.#driver;
  }

  // The driver takes a signal only for a whole client; a client is a light object without a connection of its own.
  #clientFor({ ChromaClient }: Driver, signal: AbortSignal): ChromaClient {
    const { host, port, ssl, tenant, database, token, tokenHeader } = this.#options;
    const headers: Record<string, string> =
      token === undefined
        ? {}
        : { [tokenHeader]: tokenHeader === 'authorization' ? `Bearer ${token}` : token };
    return new ChromaClient({ host, port, ssl, tenant, database, headers, fetchOptions: { signal } });
  }

  #anyOf(deadline: AbortSignal, signal: AbortSignal | undefined): AbortSignal {
    return AbortSignal.any([deadline, this.closing, ...(signal === undefined ? [] : [signal])]);
  }

  #timedOut(action: string, timeoutMs: number, cause: unknown): RAGError {
    return new RAGError(
      'STORE_TIMEOUT',
      `Chroma at ${this.address} did not ${action} within ${timeoutMs} ms. Look whether it is overloaded, or raise timeoutMs.`,
      { cause },
    );
  }
}

/** Half of it at least, so that callers do not come back in step. */
const pause = (milliseconds: number, signal: AbortSignal | undefined): Promise<void> =>
  sleep(milliseconds * (0.5 + runtime().random() / 2), signal);
