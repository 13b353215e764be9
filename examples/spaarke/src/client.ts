import type {
  BatchResponse,
  Deployment,
  DeploymentValidation,
  Embedding,
  Explanation,
  KnowledgeDocument,
  RagAnswer,
  RagSearchResponse,
  SearchOptions,
  UploadResponse,
} from './bodies.js';
import { type Permission, tokenFor } from './issuer.js';

/** Where `npm start` listens. */
export const serviceUrl = (): string =>
  process.env.SPAARKE_URL ?? `http://127.0.0.1:${process.env.PORT ?? '7250'}`;

/** The service has refused a call, or could not answer it. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';

  constructor(
    readonly status: number,
    /** Stable: `FORBIDDEN`, `RATE_LIMITED`, ... */
    readonly reason: string,
    detail: string,
    options?: ErrorOptions,
    /** Seconds until the call may be made again, where the service says so. */
    readonly retryAfter?: number,
  ) {
    super(detail, options);
  }
}

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** The document's endpoints. They take no more than `fetch` and a token, whatever language you write in. */
export class KnowledgeClient {
  constructor(
    readonly url: string,
    readonly token: () => Promise<string>,
    readonly tenantId: string,
  ) {}

  search(query: string, options: SearchOptions = {}): Promise<RagSearchResponse> {
    return this.#call('POST', 'search', { query, tenantId: this.tenantId, ...options });
  }

  indexDocument(document: KnowledgeDocument): Promise<KnowledgeDocument> {
    return this.#call('POST', 'index', { tenantId: this.tenantId, ...document });
  }

  indexDocumentsBatch(documents: readonly KnowledgeDocument[]): Promise<BatchResponse> {
    return this.#call('POST', 'index/batch', { tenantId: this.tenantId, documents });
  }

  /** Files as they are: the service reads PDF, Word, HTML and text. */
  uploadFiles(
    files: readonly File[],
    fields: Readonly<Record<string, string>> = {},
  ): Promise<UploadResponse> {
    const form = new FormData();
    for (const [name, value] of Object.entries({ tenantId: this.tenantId, ...fields }))
      form.append(name, value);
    for (const file of files) form.append('file', file);
    return this.#call('POST', 'upload', form);
  }

  deleteDocument(id: string): Promise<void> {
    return this.#call('DELETE', encodeURIComponent(id));
  }

  deleteBySourceDocument(id: string): Promise<{ readonly deleted: number }> {
    return this.#call('DELETE', `source/${encodeURIComponent(id)}`);
  }

  getEmbedding(text: string): Promise<Embedding> {
    return this.#call('POST', 'embedding', { text });
  }

  /** The document's analysis pipeline in one call: search, context, answer with its places. */
  answer(question: string): Promise<RagAnswer> {
    return this.#call('POST', 'answer', { question });
  }

  explain(query: string): Promise<Explanation> {
    return this.#call('POST', 'explain', { query });
  }

  getDeployment(tenantId: string): Promise<Deployment> {
    return this.#call('GET', `deployments/${encodeURIComponent(tenantId)}`);
  }

  saveDeployment({ tenantId, ...deployment }: Deployment): Promise<Deployment> {
    return this.#call('PUT', `deployments/${encodeURIComponent(tenantId)}`, deployment);
  }

  validateDeployment({ tenantId, ...deployment }: Deployment): Promise<DeploymentValidation> {
    return this.#call('POST', `deployments/${encodeURIComponent(tenantId)}/validate`, deployment);
  }

  moveTenant({ tenantId, ...deployment }: Deployment): Promise<{ readonly copied: number }> {
    return this.#call('POST', `deployments/${encodeURIComponent(tenantId)}/move`, deployment);
  }

  /** Throws a `ServiceError` for what is refused. */
  async #call<Result>(method: Method, path: string, body?: object): Promise<Result> {
    const response = await this.#fetch(path, {
      method,
      headers: {
        authorization: `Bearer ${await this.token()}`,
        ...(body === undefined || body instanceof FormData ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: body instanceof FormData ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const answer: unknown = text === '' ? undefined : JSON.parse(text);
    if (response.ok) return answer as Result;
    const { reason, detail } = answer as { readonly reason: string; readonly detail: string };
    const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN);
    throw new ServiceError(response.status, reason, detail, {}, retryAfter > 0 ? retryAfter : undefined);
  }

  async #fetch(path: string, request: RequestInit): Promise<Response> {
    try {
      return await fetch(new URL(`/api/ai/rag/${path}`, this.url), request);
    } catch (cause) {
      const detail = `No service answers at ${this.url}. Start it with "npm start".`;
      throw new ServiceError(503, 'SERVICE_UNREACHABLE', detail, { cause });
    }
  }
}

/** The service as a user of one tenant calls it. */
export const clientOf = (
  tenantId: string,
  { url = serviceUrl(), permissions = ['read', 'write'] as readonly Permission[] } = {},
): KnowledgeClient => new KnowledgeClient(url, () => tokenFor({ tenantId, permissions }), tenantId);

/** The service as whoever runs it calls it: deployments of all tenants, documents of none. */
export const operatorOf = (url = serviceUrl()): KnowledgeClient =>
  clientOf('operator', { url, permissions: ['admin'] });
