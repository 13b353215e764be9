import type { Problem } from '../service/requests/problem.js';
import type { CallOptions, FollowOptions, WriteOptions } from './call.js';
import { type Call, Connection, type ConnectionOptions } from './connection.js';
import {
  type AnswerEvent,
  type AnswerRequest,
  type AnswerResponse,
  type ChatRequest,
  HEALTH,
  type IndexedDocument,
  type ListQuery,
  type OriginalDocument,
  ROUTES,
  type Route,
  type RunsState,
  type ServiceCalls,
  type UploadRequest,
} from './routes.js';
import { ofProblem, unreachable } from './service-error.js';

/** Which service, and who calls. */
export interface ClientOptions extends ConnectionOptions {
  /**
   * Tenant of the key. It is sent with what states a tenant, so that a key of another one is refused. @default none: each body
   * states it
   */
  readonly tenant?: string | undefined;
  /** Path of the health, where the service has another. @default '/health/rag' */
  readonly healthEndpoint?: string | undefined;
}

interface MadeCall {
  readonly call: Call;
  readonly options: WriteOptions | undefined;
}

/** The methods that are made of the routes. */
const MadeOfRoutes = class {} as unknown as abstract new () => ServiceCalls;

/**
 * The routes of a service as methods. Every failure is a `ServiceError` with the service's reason; what may pass (`retryable`) is
 * tried again first, a change with an idempotency key, so that it is made once. It needs `fetch` and nothing else, in a browser or
 * in Node.js.
 */
export class RagstoneClient extends MadeOfRoutes {
  static {
    for (const [name, route] of Object.entries(ROUTES))
      if (!(name in RagstoneClient.prototype))
        Object.assign(RagstoneClient.prototype, {
          [name](this: RagstoneClient, ...given: readonly unknown[]) {
            const { call, options } = this.#callOf(route, given);
            return this.#connection.json(call, options);
          },
        });
  }

  readonly #connection: Connection;
  readonly #tenant: { readonly tenantId?: string };
  readonly #healthEndpoint: string;

  /** Throws a `TypeError` for an address that is none of a service. Nothing is sent. */
  constructor({ tenant, healthEndpoint = HEALTH, ...connection }: ClientOptions) {
    super();
    this.#connection = new Connection(connection);
    this.#tenant = tenant === undefined ? {} : { tenantId: tenant };
    this.#healthEndpoint = healthEndpoint;
  }

  /** The same as it comes about; the last event holds the answer. Ending the iteration cancels it. */
  answerEvents(request: AnswerRequest, options?: CallOptions): AsyncGenerator<AnswerEvent> {
    return this.#events(ROUTES.answer, [request, options]);
  }

  /** All of them, a page at a time. */
  async *allDocuments(query: ListQuery = {}, options?: CallOptions): AsyncGenerator<IndexedDocument> {
    let { cursor } = query;
    do {
      const page = await this.listDocuments({ ...query, cursor }, options);
      yield* page.documents;
      cursor = page.cursor;
    } while (cursor !== undefined);
  }

  /** The bytes of a document as its source has them. Throws `DOCUMENT_NOT_FOUND`, `ORIGINAL_UNAVAILABLE`. */
  async documentOriginal(id: string, options?: CallOptions): Promise<OriginalDocument> {
    const { call } = this.#callOf(ROUTES.documentOriginal, [id]);
    const { headers, content } = await this.#connection.bytes(call, options);
    const [, name = ''] = /filename\*=UTF-8''([^;]*)/.exec(headers.get('content-disposition') ?? '') ?? [];
    return { name: decodeURIComponent(name), mediaType: headers.get('x-media-type') ?? '', content };
  }

  /**
   * How runs of the service go: the present state, and each one after it. A connection that is lost is made again, also to a service that was
   * started anew, which begins with its own state. It ends by the signal, and throws what the service refuses for good.
   */
  async *runEvents(options?: FollowOptions): AsyncGenerator<RunsState> {
    for await (const data of this.#connection.follow(this.#callOf(ROUTES.runEvents, []).call, options))
      yield JSON.parse(data) as RunsState;
  }

  /** The same as it comes about. */
  chatEvents(request: ChatRequest, options?: CallOptions): AsyncGenerator<AnswerEvent> {
    return this.#events(ROUTES.chat, [request, options]);
  }

  /** A call of a route with the arguments of its method: parameters of the path, what is sent, options. */
  #callOf(route: Route, given: readonly unknown[]): MadeCall {
    const rest = [...given];
    const path = route.path.replaceAll(/\{\w+\}/g, () => encodeURIComponent(String(rest.shift() ?? '')));
    const { sends, ofTenant = false } = route;
    const stated = sends === undefined ? undefined : (rest.shift() as object);
    const sent = ofTenant ? { ...this.#tenant, ...stated } : stated;
    const body = sends === 'form' ? formOf(sent as UploadRequest) : sent;
    return {
      call: {
        route,
        path: path.replace(HEALTH, () => this.#healthEndpoint),
        ...(sends === 'body' || sends === 'form' ? { body } : { query: sent as Call['query'] }),
      },
      options: rest[0] as WriteOptions | undefined,
    };
  }

  async *#events(route: Route, given: readonly unknown[]): AsyncGenerator<AnswerEvent> {
    const { call, options } = this.#callOf(route, given);
    for await (const { name, data } of this.#connection.events(call, options)) {
      const content = JSON.parse(data) as unknown;
      if (name === 'error') throw ofProblem(content as Problem);
      if (name === 'answer') {
        yield { type: name, answer: content as AnswerResponse };
        return;
      }
      // A younger service may tell more.
      if (isKnownEvent(name)) yield { type: name, ...(content as object) } as AnswerEvent;
    }
    throw unreachable('The stream ended before the answer.');
  }
}

/** Files and their fields as the form that the service reads: lists are repeated, objects are JSON. */
function formOf({ files, ...fields }: UploadRequest): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields))
    for (const one of Array.isArray(value) ? (value as readonly unknown[]) : [value])
      if (one !== undefined) form.append(name, typeof one === 'object' ? JSON.stringify(one) : String(one));
  for (const { name, content } of files) form.append('file', content, name);
  return form;
}

const isKnownEvent = (name: string): boolean => name === 'start' || name === 'text' || name === 'reset';
