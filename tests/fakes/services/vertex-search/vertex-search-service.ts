import type { IncomingMessage, ServerResponse } from 'node:http';
import * as z from 'zod';
import { bodyOf, HttpFake } from '../../http-fake.js';
import { Branch, type StoredDocument } from './branch.js';
import { DATA_STORE, ENGINE, IMPORT, RESOURCE_ID, SEARCH } from './request-bodies.js';
import { SearchFault, searchDocuments } from './search-documents.js';

/*
 * A service with the REST interface of Vertex AI Search (Discovery Engine v1beta), written from its public documentation. Each rule
 * names its page: https://cloud.google.com/generative-ai-app-builder/docs/reference/rest. What it does not know it refuses.
 */

const COLLECTION =
  /^\/v1beta\/projects\/[a-z][a-z0-9-]+\/locations\/(global|us|eu)\/collections\/default_collection\//;
/** Values above are coerced: `documents.list`. */
const MAX_LISTED = 1_000;
const DEFAULT_LISTED = 100;
const MAX_BYTES = 10 * 1024 * 1024;

export const DEFAULT_ACCOUNT = 'ragstone@test.iam.gserviceaccount.com';

export interface VertexSearchServiceOptions {
  readonly port?: number;
  /** Account whose tokens are taken. @default 'ragstone@test.iam.gserviceaccount.com' */
  readonly account?: string;
  /** After how long a write is found by searches; `Infinity`: see `showWrites`. @default 40 */
  readonly visibleAfterMs?: number;
  /** How often an operation is asked for before it is done. @default 1 */
  readonly pollsOfOperation?: number;
}

interface DataStore {
  readonly displayName: string;
  readonly branch: Branch;
}

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** What becomes of the next request: a status, or documents of an import that fail. */
export type VertexFault =
  | { readonly status: number; readonly retryAfter?: number }
  | { readonly failing: number };

export class VertexSearchService extends HttpFake {
  /** `METHOD path` of what was asked, refused requests included. */
  readonly requests: string[] = [];
  readonly searches: Record<string, unknown>[] = [];
  /** Of the next requests, in order. */
  faults: VertexFault[] = [];
  readonly dataStores = new Map<string, DataStore>();
  readonly engines = new Map<string, string>();
  readonly #operations = new Map<string, { polls: number; readonly outcome: unknown }>();
  readonly #options: Required<Omit<VertexSearchServiceOptions, 'port'>>;

  private constructor(options: VertexSearchServiceOptions) {
    super();
    this.#options = {
      account: DEFAULT_ACCOUNT,
      visibleAfterMs: 40,
      pollsOfOperation: 1,
      ...options,
    };
  }

  static start(options: VertexSearchServiceOptions = {}): Promise<VertexSearchService> {
    return new VertexSearchService(options).listening(options.port);
  }

  /** Searches find from now on what was written so far. */
  showWrites(): void {
    for (const { branch } of this.dataStores.values()) branch.show();
  }

  documentsOf(dataStore: string): StoredDocument[] {
    return this.dataStores.get(dataStore)?.branch.all() ?? [];
  }

  /** Gives a data store another name to show. */
  rename(dataStore: string, displayName: string): void {
    const known = this.dataStores.get(dataStore);
    if (known !== undefined) this.dataStores.set(dataStore, { ...known, displayName });
  }

  async serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(incoming.url ?? '/', 'http://service');
    this.requests.push(`${incoming.method} ${url.pathname}`);
    const text = await bodyOf(incoming);
    const fault = this.faults.shift();
    const { status, body } =
      fault !== undefined && 'status' in fault
        ? failure(fault.status, 'The service is busy.')
        : (refusalOf(incoming, url, text, this.#options.account) ??
          this.#answer(incoming.method ?? 'GET', url, text, fault?.failing ?? 0));
    const wait = fault !== undefined && 'status' in fault ? fault.retryAfter : undefined;
    response.writeHead(status, {
      'content-type': 'application/json; charset=UTF-8',
      ...(wait === undefined ? {} : { 'retry-after': String(wait) }),
    });
    response.end(JSON.stringify(body));
  }

  #answer(method: string, url: URL, text: string, failing: number): Answer {
    const path = decodeURIComponent(url.pathname).replace(COLLECTION, '');
    const body: unknown = text === '' ? undefined : withoutEmpty(JSON.parse(text));
    const query = url.searchParams;
    try {
      const known = (...names: readonly string[]): void => assertQuery(query, names);
      if (method === 'GET' && path.includes('/operations/')) {
        known();
        return this.#operation(path);
      }
      if (method === 'GET' && path === 'dataStores') {
        known('pageSize', 'pageToken');
        return ok({ dataStores: [...this.dataStores.keys()].map((name) => ({ name })) });
      }
      if (method === 'POST' && path === 'dataStores') {
        known('dataStoreId');
        return this.#createDataStore(query, body);
      }
      if (method === 'POST' && path === 'engines') {
        known('engineId');
        return this.#createEngine(query, body);
      }
      return this.#onResource(method, path, { query, known, body, failing });
    } catch (error) {
      if (error instanceof z.ZodError)
        return failure(
          400,
          `Invalid JSON payload received. ${error.issues[0]?.path.join('.')} ${error.message}`,
        );
      if (error instanceof Refused) return failure(error.status, error.message);
      if (error instanceof SearchFault) return failure(400, error.message);
      throw error;
    }
  }

  #onResource(
    method: string,
    path: string,
    request: {
      readonly query: URLSearchParams;
      readonly known: (...names: readonly string[]) => void;
      readonly body: unknown;
      readonly failing: number;
    },
  ): Answer {
    const { query, known, body, failing } = request;
    const engine = /^engines\/([^/]+)(\/servingConfigs\/default_search:search)?$/.exec(path);
    if (engine?.[2] !== undefined && method === 'POST') {
      known();
      return this.#search(engine[1] ?? '', body);
    }
    if (engine !== null && method === 'DELETE') {
      known();
      if (!this.engines.delete(engine[1] ?? '')) throw new Refused(404, 'There is no such engine.');
      return this.#begin(path, {});
    }
    const match =
      /^dataStores\/([^/]+)(?:\/branches\/default_branch\/documents(?::(import)|\/([^/]+))?)?$/.exec(path);
    if (match === null) throw new Refused(404, 'There is no such method.');
    const [whole, id = '', action, document] = match;
    const store = this.dataStores.get(id);
    if (store === undefined) throw new Refused(404, `DataStore ${id} not found.`);
    if (whole === `dataStores/${id}`) {
      known();
      if (method === 'DELETE') return this.#deleteDataStore(id, path);
      if (method === 'GET') return ok({ name: path, displayName: store.displayName });
    } else if (action === 'import' && method === 'POST') {
      known();
      return this.#import(store.branch, path, body, failing);
    } else if (document !== undefined && method === 'GET') {
      known();
      const data = store.branch.get(document);
      if (data === undefined) throw new Refused(404, 'Document not found.');
      return ok({ name: path, id: document, structData: data });
    } else if (document !== undefined && method === 'DELETE') {
      known();
      if (!store.branch.remove(document)) throw new Refused(404, 'Document not found.');
      return ok({});
    } else if (action === undefined && method === 'GET') {
      known('pageSize', 'pageToken');
      return list(store.branch, path, query);
    }
    throw new Refused(404, 'There is no such method.');
  }

  #createDataStore(query: URLSearchParams, body: unknown): Answer {
    const id = RESOURCE_ID.parse(query.get('dataStoreId'));
    const { displayName, startingSchema } = DATA_STORE.parse(body);
    if (this.dataStores.has(id)) throw new Refused(409, `DataStore ${id} already exists.`);
    const branch = new Branch(startingSchema.structSchema, this.#options.visibleAfterMs);
    this.dataStores.set(id, { displayName, branch });
    return this.#begin(`dataStores/${id}`, { name: `dataStores/${id}`, displayName });
  }

  #createEngine(query: URLSearchParams, body: unknown): Answer {
    const id = RESOURCE_ID.parse(query.get('engineId'));
    const [dataStore = ''] = ENGINE.parse(body).dataStoreIds;
    if (this.engines.has(id)) throw new Refused(409, `Engine ${id} already exists.`);
    if (!this.dataStores.has(dataStore)) throw new Refused(404, `DataStore ${dataStore} not found.`);
    this.engines.set(id, dataStore);
    return this.#begin(`engines/${id}`, { name: `engines/${id}` });
  }

  /** A data store that an engine serves cannot go: https://cloud.google.com/generative-ai-app-builder/docs/delete-datastores */
  #deleteDataStore(id: string, path: string): Answer {
    if ([...this.engines.values()].includes(id))
      throw new Refused(400, `DataStore ${id} is used by an engine.`);
    this.dataStores.delete(id);
    return this.#begin(path, {});
  }

  #import(branch: Branch, path: string, body: unknown, failing: number): Answer {
    const { documents } = IMPORT.parse(body).inlineSource;
    const errorSamples: unknown[] = [];
    for (const [i, { id, structData: data }] of documents.entries()) {
      const fault = i < failing ? 'Internal error.' : branch.faultOf({ id, data });
      if (fault === undefined) branch.put({ id, data });
      else errorSamples.push({ code: i < failing ? 13 : 3, message: fault });
    }
    return this.#begin(
      path.replace(/\/documents:import$/, ''),
      { '@type': `${TYPES}ImportDocumentsResponse`, errorSamples },
      {
        '@type': `${TYPES}ImportDocumentsMetadata`,
        successCount: String(documents.length - errorSamples.length),
        failureCount: String(errorSamples.length),
      },
    );
  }

  #search(engine: string, body: unknown): Answer {
    const dataStore = this.dataStores.get(this.engines.get(engine) ?? '');
    if (dataStore === undefined) throw new Refused(404, `Engine ${engine} not found.`);
    this.searches.push(z.record(z.string(), z.unknown()).parse(body));
    const { documents, total, nextPageToken } = searchDocuments(dataStore.branch, SEARCH.parse(body));
    return ok({
      results: documents.map(({ id, data }) => ({
        id,
        document: { name: `documents/${id}`, id, structData: data },
      })),
      totalSize: total,
      attributionToken: 'token',
      ...(nextPageToken === undefined ? {} : { nextPageToken }),
    });
  }

  /** A long-running operation: https://cloud.google.com/generative-ai-app-builder/docs/long-running-operations */
  #begin(parent: string, response: object, metadata?: object): Answer {
    const name = `${parent}/operations/operation-${this.#operations.size + 1}`;
    const outcome = {
      name: `projects/p1/locations/global/collections/default_collection/${name}`,
      ...(metadata === undefined ? {} : { metadata }),
      response: '@type' in response ? response : { '@type': 'type.googleapis.com/google.protobuf.Empty' },
    };
    this.#operations.set(name, {
      polls: this.#options.pollsOfOperation,
      outcome: { ...outcome, done: true },
    });
    return ok({ name: outcome.name, done: false });
  }

  #operation(name: string): Answer {
    const operation = this.#operations.get(name);
    if (operation === undefined) throw new Refused(404, 'There is no such operation.');
    operation.polls--;
    return ok(
      operation.polls > 0
        ? { name: `projects/p1/locations/global/collections/default_collection/${name}` }
        : operation.outcome,
    );
  }
}

const TYPES = 'type.googleapis.com/google.cloud.discoveryengine.v1beta.';

class Refused extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

function refusalOf(
  { headers, method }: IncomingMessage,
  url: URL,
  text: string,
  account: string,
): Answer | undefined {
  if (!COLLECTION.test(url.pathname)) return failure(404, 'There is no such project, location or version.');
  if (accountOf(headers.authorization) !== account)
    return failure(401, 'Request had invalid authentication credentials.');
  // Every method says what it is about: https://google.aip.dev/client-libraries/4222
  const isOperation = url.pathname.includes('/operations/');
  if (!isOperation && headers['x-goog-request-params'] === undefined)
    return failure(400, 'The routing header x-goog-request-params is missing.');
  if (headers['x-goog-api-client'] === undefined) return failure(400, 'x-goog-api-client is missing.');
  if (method === 'POST' && !/^application\/json\b/.test(headers['content-type'] ?? ''))
    return failure(415, 'Content-Type must be application/json.');
  if (Buffer.byteLength(text) > MAX_BYTES) return failure(413, 'Request payload size exceeds the limit.');
  return undefined;
}

/** Who signed a token of a service account: https://google.aip.dev/auth/4111. The signature is not looked at. */
function accountOf(authorization: string | undefined): string | undefined {
  const claims = /^Bearer [\w-]+\.([\w-]+)\.[\w-]+$/.exec(authorization ?? '')?.[1];
  if (claims === undefined) return undefined;
  const { iss, exp } = JSON.parse(Buffer.from(claims, 'base64url').toString('utf8')) as {
    iss?: string;
    exp?: number;
  };
  return Number(exp) * 1_000 > Date.now() ? iss : undefined;
}

function assertQuery(query: URLSearchParams, names: readonly string[]): void {
  for (const [name, value] of query)
    if (name === '$alt' ? value !== 'json;enum-encoding=int' : !names.includes(name))
      throw new Refused(400, `Invalid JSON payload received. Unknown name "${name}".`);
}

/** `documents.list`: https://cloud.google.com/generative-ai-app-builder/docs/reference/rest/v1beta/projects.locations.collections.dataStores.branches.documents/list */
function list(branch: Branch, path: string, query: URLSearchParams): Answer {
  const asked = Number(query.get('pageSize') ?? 0);
  if (!Number.isInteger(asked) || asked < 0) throw new Refused(400, 'page_size is negative.');
  const size = asked === 0 ? DEFAULT_LISTED : Math.min(asked, MAX_LISTED);
  const start = Number(query.get('pageToken') ?? 0);
  const documents = branch.all();
  return ok({
    documents: documents
      .slice(start, start + size)
      .map(({ id, data }) => ({ name: `${path}/${id}`, id, structData: data })),
    ...(start + size < documents.length ? { nextPageToken: String(start + size) } : {}),
  });
}

/** JSON of the client names the lists and maps of a message that are empty too, which say nothing. What callers wrote stays as it is. */
function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmpty);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(
    ([, member]) => typeof member !== 'object' || member === null || Object.keys(member).length > 0,
  );
  return Object.fromEntries(
    members.map(([name, member]) => [name, name.startsWith('struct') ? member : withoutEmpty(member)]),
  );
}

const ok = (body: unknown): Answer => ({ status: 200, body });

const STATUS: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  409: 'ALREADY_EXISTS',
  429: 'RESOURCE_EXHAUSTED',
  503: 'UNAVAILABLE',
};

/** https://cloud.google.com/apis/design/errors */
const failure = (code: number, message: string): Answer => ({
  status: code,
  body: { error: { code, message, status: STATUS[code] ?? 'INTERNAL' } },
});
