import type { IncomingMessage, ServerResponse } from 'node:http';
import { bodyOf, HttpFake } from '../../http-fake.js';
import { actionsOf, BadRequest, type DocumentAction } from './document-batch.js';
import { definitionFaults, INDEX, type IndexDefinition } from './index-definition.js';
import type { StoredDocument } from './odata-filter.js';
import { searchDocuments } from './search-documents.js';

/*
 * A service with the interface of Azure AI Search, written from its public documentation. Each rule names its page. What it does not
 * know it refuses: members, parameters, versions, headers.
 */

/** Versions that are known: https://learn.microsoft.com/rest/api/searchservice/search-service-api-versions, and the client's own. */
const API_VERSIONS: ReadonlySet<string> = new Set(['2024-07-01', '2025-09-01', '2026-04-01']);
/** Of a request: https://learn.microsoft.com/azure/search/search-limits-quotas-capacity */
const MAX_BYTES = 16 * 1024 * 1024;

export interface AzureSearchServiceOptions {
  readonly port?: number;
  /** Admin key. @default 'admin-key' */
  readonly apiKey?: string;
  /** The only bearer token. @default 'identity-token' */
  readonly token?: string;
  /** After how long a write is seen: "a few seconds", shorter here. @default 40 */
  readonly visibleAfterMs?: number;
}

/** What becomes of the next request, or of single actions of the next batch. */
export type AzureFault =
  | { readonly status: number; readonly retryAfter?: number }
  | { readonly actions: Readonly<Record<number, number>> };

interface Pending {
  readonly visibleAt: number;
  readonly key: string;
  readonly document: StoredDocument | undefined;
}

class Index {
  readonly definition: IndexDefinition;
  readonly #visible = new Map<string, StoredDocument>();
  #pending: Pending[] = [];

  constructor(definition: IndexDefinition) {
    this.definition = definition;
  }

  write({ kind, key, document }: DocumentAction, visibleAt: number): void {
    this.#pending.push({ visibleAt, key, document: kind === 'delete' ? undefined : document });
  }

  documents(): StoredDocument[] {
    const now = Date.now();
    const due = this.#pending.filter(({ visibleAt }) => visibleAt <= now);
    this.#pending = this.#pending.filter(({ visibleAt }) => visibleAt > now);
    for (const { key, document } of due) {
      this.#visible.delete(key);
      if (document !== undefined) this.#visible.set(key, document);
    }
    return [...this.#visible.values()];
  }
}

interface Answer {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Request {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
}

export class AzureSearchService extends HttpFake {
  /** `METHOD path` of what was asked, refused requests included. */
  readonly requests: string[] = [];
  /** Bodies of the searches. */
  readonly searches: Record<string, unknown>[] = [];
  /** Of the next requests, in order. */
  faults: AzureFault[] = [];
  readonly #options: Required<Omit<AzureSearchServiceOptions, 'port'>>;
  readonly #indexes = new Map<string, Index>();

  private constructor(options: AzureSearchServiceOptions) {
    super();
    this.#options = { apiKey: 'admin-key', token: 'identity-token', visibleAfterMs: 40, ...options };
  }

  static start(options: AzureSearchServiceOptions = {}): Promise<AzureSearchService> {
    return new AzureSearchService(options).listening(options.port);
  }

  get indexNames(): string[] {
    return [...this.#indexes.keys()];
  }

  definitionOf(name: string): IndexDefinition | undefined {
    return this.#indexes.get(name)?.definition;
  }

  documentsOf(name: string): StoredDocument[] {
    return this.#indexes.get(name)?.documents() ?? [];
  }

  async serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { status, body, headers } = await this.#answer(incoming);
    const text = body === undefined ? '' : JSON.stringify(body);
    response.writeHead(status, { 'content-type': 'application/json; odata.metadata=none', ...headers });
    response.end(text);
  }

  async #answer(incoming: IncomingMessage): Promise<Answer> {
    const url = new URL(incoming.url ?? '/', 'http://service');
    const path = decodeURIComponent(url.pathname);
    const method = incoming.method ?? 'GET';
    this.requests.push(`${method} ${path}`);
    const text = await bodyOf(incoming);
    const fault = this.faults.shift();
    if (fault !== undefined && 'status' in fault)
      return {
        ...failure(fault.status, 'The service is busy.'),
        headers: fault.retryAfter === undefined ? {} : { 'retry-after': String(fault.retryAfter) },
      };
    const refused = this.#refusal(incoming, url, text);
    if (refused !== undefined) return refused;
    const body: unknown = text === '' ? undefined : JSON.parse(text);
    try {
      return this.#route({ method, path, body }, fault?.actions ?? {});
    } catch (error) {
      if (error instanceof BadRequest) return failure(400, error.message);
      throw error;
    }
  }

  #refusal({ headers, method }: IncomingMessage, url: URL, text: string): Answer | undefined {
    const version = url.searchParams.get('api-version');
    if (version === null) return failure(400, 'The api-version query parameter is required.');
    if (!API_VERSIONS.has(version)) return failure(400, `Invalid or unsupported api-version "${version}".`);
    const unknown = [...url.searchParams.keys()].find((name) => name !== 'api-version');
    if (unknown !== undefined) return failure(400, `The parameter "${unknown}" is not known.`);
    // 401 without credentials, 403 for a wrong key: https://learn.microsoft.com/rest/api/searchservice/http-status-codes
    const { 'api-key': key, authorization } = headers;
    if (key === undefined && authorization === undefined) return failure(401, 'Credentials are missing.');
    if (key !== undefined && key !== this.#options.apiKey) return failure(403, 'The api-key is not valid.');
    if (key === undefined && authorization !== `Bearer ${this.#options.token}`)
      return failure(401, 'The token is not valid.');
    // "Content-Type: Required. Set this to application/json": https://learn.microsoft.com/rest/api/searchservice/documents
    const hasBody = method === 'POST' || method === 'PUT';
    if (hasBody && !/^application\/json\b/.test(headers['content-type'] ?? ''))
      return failure(415, 'Content-Type must be application/json.');
    if (Buffer.byteLength(text) > MAX_BYTES) return failure(413, 'The request is larger than 16 MB.');
    return undefined;
  }

  #route({ method, path, body }: Request, failing: Readonly<Record<number, number>>): Answer {
    if (path === '/servicestats' && method === 'GET') return { status: 200, body: this.#statistics() };
    if (path === '/indexes' && method === 'POST') return this.#create(body);
    const [, name, operation] = /^\/indexes\('([^']+)'\)(?:\/(.+))?$/.exec(path) ?? [];
    if (name === undefined) return failure(404, 'Resource not found.');
    if (operation === undefined && method === 'PUT') return this.#replace(name, body);
    const index = this.#indexes.get(name);
    if (index === undefined) return failure(404, `No index with the name '${name}' was found.`);
    switch (`${method} ${operation ?? ''}`) {
      case 'GET ':
        return { status: 200, body: index.definition };
      case 'DELETE ':
        this.#indexes.delete(name);
        return { status: 204 };
      case 'GET search.stats':
        return {
          status: 200,
          body: { documentCount: index.documents().length, storageSize: 4_096, vectorIndexSize: 1_024 },
        };
      case 'POST docs/search.index':
        return this.#write(index, body, failing);
      case 'POST docs/search.post.search':
        this.searches.push(body as Record<string, unknown>);
        return { status: 200, body: searchDocuments(body, index.definition, index.documents()) };
      default:
        return failure(405, 'The method is not supported.');
    }
  }

  #create(body: unknown): Answer {
    const definition = definitionIn(body);
    if (this.#indexes.has(definition.name))
      return failure(400, `Cannot create index '${definition.name}' because it already exists.`);
    this.#indexes.set(definition.name, new Index(definition));
    return { status: 201, body: definition };
  }

  /** Only what describes an index can change while it holds documents. */
  #replace(name: string, body: unknown): Answer {
    const definition = definitionIn(body);
    const old = this.#indexes.get(name);
    if (old === undefined) return this.#create(body);
    const same =
      JSON.stringify({ ...old.definition, description: '' }) ===
      JSON.stringify({ ...definition, description: '' });
    if (!same) return failure(400, 'Existing fields cannot be changed or deleted.');
    Object.assign(old.definition, { description: definition.description });
    return { status: 200, body: definition };
  }

  /** Each action has an outcome: 200, 201 for a new document, 400 for one that does not fit; the whole is 207 where one failed. */
  #write(index: Index, body: unknown, failing: Readonly<Record<number, number>>): Answer {
    const visibleAt = Date.now() + this.#options.visibleAfterMs;
    const outcomes = actionsOf(body, index.definition).map((action, i) => {
      const status = failing[i] ?? (action.fault === undefined ? 200 : 400);
      if (status === 200) index.write(action, visibleAt);
      const errorMessage = status === 200 ? null : (action.fault ?? 'The document could not be indexed.');
      return { key: action.key, status: status === 200, errorMessage, statusCode: status };
    });
    return { status: outcomes.every(({ status }) => status) ? 200 : 207, body: { value: outcomes } };
  }

  #statistics(): unknown {
    const counter = (usage: number) => ({ usage, quota: null });
    return {
      counters: {
        aliasesCount: counter(0),
        documentCount: counter(0),
        indexesCount: counter(this.#indexes.size),
        indexersCount: counter(0),
        dataSourcesCount: counter(0),
        storageSize: counter(0),
        synonymMaps: counter(0),
        skillsetCount: counter(0),
        vectorIndexSize: counter(0),
      },
      limits: {},
      indexersRuntime: {
        usedSeconds: 0,
        beginningTime: '2026-01-01T00:00:00Z',
        endingTime: '2026-01-02T00:00:00Z',
      },
    };
  }
}

function definitionIn(body: unknown): IndexDefinition {
  const parsed = INDEX.safeParse(body);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new BadRequest(
      `The request is invalid: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''} ${JSON.stringify(issue)}`,
    );
  }
  for (const fault of definitionFaults(parsed.data)) throw new BadRequest(fault);
  return parsed.data;
}

const failure = (status: number, message: string): Answer => ({
  status,
  body: { error: { code: '', message } },
});
