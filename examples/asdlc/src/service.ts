import { createServer, type Server, type ServerResponse } from 'node:http';
import {
  ASDLCError,
  BackendConnectionError,
  DocumentNotFoundError,
  type KnowledgeStore,
  SearchError,
} from './knowledge-store.js';

/** `GET /health`, `GET /search?query=...&top_k=...&FACT=VALUE`, `GET /documents/ID`. It asks for no key: let agents alone reach it. */
export const createService = (store: KnowledgeStore): Server =>
  createServer((request, response) => {
    answer(new URL(request.url ?? '/', 'http://localhost'), store)
      .then(({ status, body }) => send(response, status, body))
      .catch((error: unknown) => send(response, statusOf(error), bodyOf(error)));
  });

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

async function answer({ pathname, searchParams }: URL, store: KnowledgeStore): Promise<Answer> {
  if (pathname === '/health') {
    const isHealthy = await store.health_check();
    return {
      status: isHealthy ? 200 : 503,
      body: { status: isHealthy ? 'healthy' : 'unhealthy', notices: store.notices },
    };
  }
  if (pathname === '/search') {
    const { query = '', top_k = '5', ...filters } = Object.fromEntries(searchParams);
    return { status: 200, body: { results: await store.search({ query, top_k: Number(top_k), filters }) } };
  }
  const [, id] = /^\/documents\/(.+)$/.exec(pathname) ?? [];
  if (id !== undefined) return { status: 200, body: await store.require_by_id(decodeURIComponent(id)) };
  return { status: 404, body: { error: 'NotFound', message: 'GET /health, /search or /documents/ID.' } };
}

function statusOf(error: unknown): number {
  if (error instanceof DocumentNotFoundError) return 404;
  if (error instanceof BackendConnectionError) return 503;
  return error instanceof SearchError && error.category === 'user' ? 400 : 500;
}

const bodyOf = (error: unknown): unknown =>
  error instanceof ASDLCError
    ? { error: error.name, reason: error.reason, message: error.message }
    : { error: 'InternalError', message: 'The request failed.' };

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(`${JSON.stringify(body)}\n`);
}
