/**
 * The part of Pinecone's API that the store uses, for tests, written from its public documentation; none of Pinecone's own code is in it. It is strict
 * where the service may not be: unknown fields, parameters and paths are refused, and so are requests without the headers that the reference calls
 * required (`Api-Key`, and `X-Pinecone-Api-Version` of the version that these pages are of). Writes are seen after `--delay` milliseconds.
 *
 * Run: `tsx server.ts --port N [--delay MS]`
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { parseArgs } from 'node:util';
import type * as z from 'zod';
import { CREATE_INDEX, DELETE, FETCH, FETCH_BY_METADATA, LIST, QUERY, STATS, UPSERT } from './bodies.js';
import { compile, Refused } from './filter.js';
import { cosine, Namespace, type Row } from './namespace.js';

const API_VERSION = '2026-04';
const API_KEY = 'ragstone-test-key';
/** https://docs.pinecone.io/reference/api/database-limits/operation-limits: of an upsert, and of the result of a query. */
const MAX_UPSERT_BYTES = 2 * 1024 * 1024;
const MAX_RESULT_BYTES = 4 * 1024 * 1024;

interface Index {
  readonly name: string;
  readonly dimension: number;
  readonly metric: string;
  readonly spec: unknown;
  readonly tags: Readonly<Record<string, string>> | undefined;
  readonly namespaces: Map<string, Namespace>;
  /** A new index is not ready at once. */
  described: number;
}

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: Buffer;
  readonly host: string;
}

interface Answer {
  readonly status?: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

const { values: options } = parseArgs({
  options: { port: { type: 'string' }, delay: { type: 'string', default: '120' } },
});
const indexes = new Map<string, Index>();

function answer(asked: Asked): Answer {
  const { method, path } = asked;
  if (path === '/') return { body: { name: 'test server of the Pinecone API', version: API_VERSION } };
  const [, area, name = '', ...rest] = path.split('/');
  if (area === 'indexes') {
    if (method === 'POST' && name === '')
      return { status: 201, body: described(createIndex(asked), asked.host) };
    const index = indexOf(name);
    if (method === 'GET') return { body: described(index, asked.host) };
    if (method === 'DELETE') return { status: 202, body: indexes.delete(name) && {} };
  }
  // The address of an index is one of its own; here it is a path.
  if (area === 'index') return dataAnswer(indexOf(name), `${method} /${rest.join('/')}`, asked);
  throw new Refused(404, `${method} ${path} is not part of this test server`);
}

function createIndex(asked: Asked): Index {
  const { name, dimension, metric, spec, tags } = read(CREATE_INDEX, asked.body);
  if (indexes.has(name)) throw new Refused(409, 'Resource already exists');
  const index = { name, dimension, metric, spec, tags, namespaces: new Map(), described: 0 };
  indexes.set(name, index);
  return index;
}

function indexOf(name: string): Index {
  const index = indexes.get(name);
  if (index === undefined) throw new Refused(404, `Resource ${name} not found`);
  return index;
}

function described(index: Index, host: string): unknown {
  const ready = index.described++ > 1;
  const { name, dimension, metric, spec, tags } = index;
  return {
    name,
    dimension,
    metric,
    host: `http://${host}/index/${name}`,
    spec,
    tags,
    deletion_protection: 'disabled',
    vector_type: 'dense',
    status: { ready, state: ready ? 'Ready' : 'Initializing' },
  };
}

function dataAnswer(index: Index, route: string, { body, query }: Asked): Answer {
  switch (route) {
    case 'POST /vectors/upsert':
      return upsert(index, body);
    case 'POST /query':
      return search(index, read(QUERY, body));
    case 'POST /vectors/delete':
      return remove(index, read(DELETE, body));
    case 'GET /vectors/fetch':
      return fetched(index, parse(FETCH, { ids: query.getAll('ids'), ...single(query, 'ids') }));
    case 'GET /vectors/list':
      return listed(index, parse(LIST, single(query)));
    case 'POST /vectors/fetch_by_metadata':
      return fetchedByMetadata(index, read(FETCH_BY_METADATA, body));
    case 'POST /describe_index_stats':
      read(STATS, body);
      return stats(index);
    default:
      throw new Refused(404, `${route} is not part of this test server`);
  }
}

function upsert(index: Index, body: Buffer): Answer {
  if (body.length > MAX_UPSERT_BYTES)
    throw new Refused(
      400,
      `message length too large: found ${body.length} bytes, the limit is: ${MAX_UPSERT_BYTES} bytes`,
    );
  const { vectors, namespace } = read(UPSERT, body);
  for (const { values } of vectors) assertDimension(index, values);
  const key = namespace ?? '';
  const place = index.namespaces.get(key) ?? new Namespace(Number(options.delay));
  index.namespaces.set(key, place);
  const lsn = place.write((rows) => {
    for (const { id, values, metadata } of vectors)
      rows.set(id, { id, values: Float32Array.from(values), metadata });
  });
  return { body: { upsertedCount: vectors.length }, headers: { 'x-pinecone-request-lsn': String(lsn) } };
}

function search(index: Index, { vector, topK, filter, ...wanted }: z.output<typeof QUERY>): Answer {
  assertDimension(index, vector);
  const admits = filter === undefined ? () => true : compile(filter);
  const { rows, seen } = shown(index, wanted.namespace);
  const matches = [...rows.values()]
    .filter(({ metadata = {} }) => admits(metadata))
    .map((row) => ({ row, score: cosine(row.values, vector) }))
    .sort((a, b) => b.score - a.score)
    .slice(0, topK)
    .map(({ row, score }) => ({
      id: row.id,
      score,
      ...(wanted.includeValues === true ? { values: Array.from(row.values) } : {}),
      ...(wanted.includeMetadata === true ? { metadata: row.metadata } : {}),
    }));
  const body = { matches, namespace: wanted.namespace ?? '', usage: { readUnits: 1 } };
  if (JSON.stringify(body).length > MAX_RESULT_BYTES)
    throw new Refused(400, 'the query result is larger than 4MB');
  return { body, headers: { 'x-pinecone-max-indexed-lsn': String(seen) } };
}

function remove(index: Index, { ids, filter, namespace }: z.output<typeof DELETE>): Answer {
  const admits = filter === undefined ? () => true : compile(filter);
  const place = index.namespaces.get(namespace ?? '');
  if (place === undefined) throw new Refused(404, 'Namespace not found');
  const lsn = place.write((rows) => {
    for (const id of ids ?? [...rows.keys()]) if (admits(rows.get(id)?.metadata ?? {})) rows.delete(id);
  });
  return { body: {}, headers: { 'x-pinecone-request-lsn': String(lsn) } };
}

function fetched(index: Index, { ids, namespace }: z.output<typeof FETCH>): Answer {
  const { rows } = shown(index, namespace);
  const found = ids.flatMap((id) => rows.get(id) ?? []);
  return { body: { vectors: byId(found), namespace: namespace ?? '', usage: { readUnits: 1 } } };
}

function fetchedByMetadata(
  index: Index,
  { filter, limit, paginationToken, namespace }: z.output<typeof FETCH_BY_METADATA>,
): Answer {
  const admits = compile(filter);
  const { rows } = shown(index, namespace);
  const after = paginationToken ?? '';
  const found = [...rows.values()]
    .filter(({ id, metadata = {} }) => id > after && admits(metadata))
    .sort((a, b) => (a.id < b.id ? -1 : 1));
  const page = found.slice(0, limit);
  const next = found.length > limit ? { pagination: { next: page.at(-1)?.id } } : {};
  return { body: { vectors: byId(page), namespace: namespace ?? '', usage: { readUnits: 1 }, ...next } };
}

function listed(
  index: Index,
  { prefix = '', limit, paginationToken = '', namespace }: z.output<typeof LIST>,
): Answer {
  const { rows } = shown(index, namespace);
  const ids = [...rows.keys()].filter((id) => id.startsWith(prefix) && id > paginationToken).sort();
  const page = ids.slice(0, limit);
  const next = ids.length > limit ? { pagination: { next: page.at(-1) } } : {};
  return {
    body: {
      vectors: page.map((id) => ({ id })),
      namespace: namespace ?? '',
      usage: { readUnits: 1 },
      ...next,
    },
  };
}

function stats({ dimension, metric, namespaces }: Index): Answer {
  const counted = [...namespaces].map(
    ([name, place]) => [name, { vectorCount: place.read().rows.size }] as const,
  );
  const total = counted.reduce((sum, [, { vectorCount }]) => sum + vectorCount, 0);
  return {
    body: {
      namespaces: Object.fromEntries(counted),
      dimension,
      metric,
      indexFullness: 0,
      totalVectorCount: total,
      vectorType: 'dense',
    },
  };
}

/** A namespace that was never written to is empty. */
function shown(index: Index, namespace: string | undefined): ReturnType<Namespace['read']> {
  return index.namespaces.get(namespace ?? '')?.read() ?? { rows: new Map<string, Row>(), seen: 0 };
}

const byId = (rows: readonly Row[]): Record<string, unknown> =>
  Object.fromEntries(
    rows.map(({ id, values, metadata }) => [id, { id, values: Array.from(values), metadata }]),
  );

function assertDimension({ dimension }: Index, values: readonly number[]): void {
  if (values.length !== dimension)
    throw new Refused(
      400,
      `Vector dimension ${values.length} does not match the dimension of the index ${dimension}`,
    );
}

function single(query: URLSearchParams, ...lists: string[]): Record<string, string> {
  return Object.fromEntries([...query].filter(([name]) => !lists.includes(name)));
}

function read<T>(schema: z.ZodType<T>, body: Buffer): T {
  try {
    return parse(schema, JSON.parse(body.toString('utf8')));
  } catch (error) {
    throw error instanceof Refused ? error : new Refused(400, 'the body is no JSON');
  }
}

function parse<T>(schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const said = parsed.error.issues.slice(0, 3).map(({ path, message }) => `${path.join('.')}: ${message}`);
  throw new Refused(400, said.join('; '));
}

function assertHeaders({ headers, method, url }: IncomingMessage, body: Buffer): void {
  if (url === '/') return;
  if (headers['api-key'] === undefined) throw new Refused(401, 'Unauthorized');
  if (headers['api-key'] !== API_KEY) throw new Refused(401, 'Invalid API Key');
  if (headers['x-pinecone-api-version'] !== API_VERSION)
    throw new Refused(400, `X-Pinecone-Api-Version must be ${API_VERSION}`);
  if (method === 'POST' && body.length > 0 && !headers['content-type']?.startsWith('application/json'))
    throw new Refused(415, 'Content-Type must be application/json');
}

function serve(request: IncomingMessage, response: ServerResponse, body: Buffer): void {
  const url = new URL(request.url ?? '/', 'http://localhost');
  let sent: Answer;
  try {
    assertHeaders(request, body);
    const { method = 'GET', headers } = request;
    sent = answer({ method, path: url.pathname, query: url.searchParams, body, host: headers.host ?? '' });
  } catch (error) {
    const [status, message] = error instanceof Refused ? [error.status, error.message] : [500, String(error)];
    sent = { status, body: { code: status, message, details: [] } };
  }
  response.writeHead(sent.status ?? 200, { 'content-type': 'application/json', ...sent.headers });
  response.end(JSON.stringify(sent.body));
}

createServer((request, response) => {
  const parts: Buffer[] = [];
  request.on('data', (part: Buffer) => parts.push(part));
  request.on('end', () => serve(request, response, Buffer.concat(parts)));
  request.on('error', () => undefined);
}).listen(Number(options.port), '127.0.0.1');
