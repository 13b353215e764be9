import { AsyncLocalStorage } from 'node:async_hooks';
import type { v1beta } from '@google-cloud/discoveryengine';
import { loadDriver } from '../../core/load-driver.js';
import { sha256 } from './vertex-names.js';
import type { ResolvedVertexOptions } from './vertex-options.js';

export const VERTEX_PACKAGE = '@google-cloud/discoveryengine@2.9.0';

/** The clients of one project. */
export interface Clients {
  readonly dataStores: v1beta.DataStoreServiceClient;
  readonly engines: v1beta.EngineServiceClient;
  readonly documents: v1beta.DocumentServiceClient;
  readonly search: v1beta.SearchServiceClient;
}

/** How a client fetches. */
interface Fetching {
  fetch: (url: string, init: RequestInit) => Promise<unknown>;
}

/** Each client reads the types of all messages anew, so those of one account are made once in a process. They hold no connection. */
const known = new Map<string, Promise<Clients>>();
const current = new AsyncLocalStorage<AbortSignal>();

/** The official clients of this address, project and account. Throws `PACKAGE_MISSING`. */
export function clientsOf(options: ResolvedVertexOptions): Promise<Clients> {
  const { url, project, account } = options;
  const key = sha256(JSON.stringify([url.origin, project, account]));
  const clients = known.get(key) ?? connect(options);
  known.set(key, clients);
  clients.catch(() => known.delete(key));
  return clients;
}

/** Does calls of the clients that end when the signal fires. */
export const withSignal = <T>(signal: AbortSignal, call: () => Promise<T>): Promise<T> =>
  current.run(signal, call);

async function connect({ url, account, project }: ResolvedVertexOptions): Promise<Clients> {
  const { v1beta } = await loadDriver(() => import('@google-cloud/discoveryengine'), {
    store: 'Vertex AI Search',
    install: VERTEX_PACKAGE,
  });
  const options = {
    // By REST and not by gRPC, so that any proxy of a company carries it.
    fallback: true,
    apiEndpoint: url.hostname,
    port: Number(url.port) || (url.protocol === 'http:' ? 80 : 443),
    protocol: url.protocol.slice(0, -1),
    projectId: project,
    ...(account === undefined
      ? {}
      : { credentials: { client_email: account.clientEmail, private_key: account.privateKey } }),
  };
  const clients = {
    dataStores: new v1beta.DataStoreServiceClient(options),
    engines: new v1beta.EngineServiceClient(options),
    documents: new v1beta.DocumentServiceClient(options),
    search: new v1beta.SearchServiceClient(options),
  };
  for (const client of Object.values(clients)) {
    makeCancellable(client.auth);
    // Its types of messages are read here, and not within the time of the first call.
    await client.initialize();
  }
  return clients;
}

/** The client has no way to cancel a request, which would hold its socket, and with it the process. */
function makeCancellable(auth: Fetching): void {
  const fetch = auth.fetch.bind(auth);
  auth.fetch = (url, init) => {
    const signals = [init.signal, current.getStore()].filter((signal) => signal instanceof AbortSignal);
    return fetch(url, { ...init, signal: AbortSignal.any(signals) });
  };
}
