import fc from 'fast-check';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { type TestService, testService, withDocuments } from './test-service.js';

/** As much of JSON Schema as the description of the routes has. */
interface Schema {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly format?: string;
  readonly minimum?: number;
}

type Content = Readonly<Record<string, { readonly schema: Schema }>>;

interface Operation {
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly schema: Schema }[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
}

interface Route {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly operation: Operation;
}

async function describedRoutes({ app }: TestService) {
  const document = (await app.inject('/openapi.json')).json<{
    paths: Record<string, Record<string, Operation>>;
    components: { schemas: Record<string, Schema> };
  }>();
  const routes = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(
      ([method, operation]): Route => ({
        method: method.toUpperCase() as Route['method'],
        path,
        operation,
      }),
    ),
  );
  return { routes, schemas: document.components.schemas };
}

/** What a schema describes, as a check. */
function checkOf(schema: Schema, schemas: Readonly<Record<string, Schema>>): z.ZodType {
  const whole = JSON.stringify({ ...schema, $defs: schemas }).replaceAll('#/components/schemas/', '#/$defs/');
  return z.fromJSONSchema(JSON.parse(whole) as Parameters<typeof z.fromJSONSchema>[0]);
}

const TEXTS = fc.constantFrom('acme', 'open', 'pay', 'How often are payments retried?', 'x');
const HOSTILE = fc.oneof(
  fc.constantFrom<unknown>('', '\0', '\ud800', '__proto__', '../..', 'x'.repeat(20_000), null, true, -1, 0.5),
  fc.constantFrom<unknown>(1e308, Number.MAX_SAFE_INTEGER + 1, [], {}, [[]], nested(60)),
  fc.jsonValue({ maxDepth: 3 }),
);

function nested(depth: number): unknown {
  return depth === 0 ? 'x' : { a: nested(depth - 1) };
}

/** Mostly what a schema asks for, with something else in some places. */
function valuesOf(schema: Schema): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 12, arbitrary: goodValuesOf(schema) }, { weight: 1, arbitrary: HOSTILE });
}

function goodValuesOf(schema: Schema): fc.Arbitrary<unknown> {
  const { type, anyOf, properties = {}, required = [], items = {} } = schema;
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (anyOf !== undefined) return fc.oneof(...anyOf.map(goodValuesOf));
  if (type === 'object')
    return fc.record(
      Object.fromEntries(Object.entries(properties).map(([name, value]) => [name, valuesOf(value)])),
      { requiredKeys: required.filter((name) => name in properties) },
    );
  if (type === 'array') return fc.array(valuesOf(items), { minLength: 1, maxLength: 3 });
  if (schema.format === 'date-time') return fc.constant('2026-01-01T00:00:00Z');
  if (type === 'string') return TEXTS;
  if (type === 'integer' || type === 'number') return fc.constantFrom(schema.minimum ?? 0, 1);
  if (type === 'boolean') return fc.boolean();
  return type === 'null' ? fc.constant(null) : HOSTILE;
}

/** As they stand in an address. One that cannot be decoded reaches no route: the server around them refuses it. */
const ADDRESSES = fc.constantFrom(
  ...['open', 'pay', 'globex-plan', 'a%00b', '%F0%9F%92%A9', '__proto__', '..%2f..'],
  'x'.repeat(1_500),
);

const JSON_TYPE = 'application/json';
const RAW = fc.constantFrom(
  '',
  '{',
  'null',
  '{"__proto__":{"a":1}}',
  '{"constructor":{"prototype":{}}}',
  `${'['.repeat(5_000)}${']'.repeat(5_000)}`,
  '{"query":1e999}',
  '"\ud800"',
);

/** Bodies with their types. */
function bodiesOf({
  requestBody,
}: Operation): fc.Arbitrary<readonly [type: string, body: string | FormData] | null> {
  const [[type, { schema }] = ['', { schema: {} }]] = Object.entries(requestBody?.content ?? {});
  const raw = RAW.map((text) => [JSON_TYPE, text] as const);
  if (type === 'multipart/form-data')
    return fc.oneof(
      { weight: 4, arbitrary: valuesOf(schema).map((value) => [type, toForm(value)] as const) },
      {
        weight: 1,
        arbitrary: fc.oneof(
          raw,
          RAW.map((text) => [`${type}; boundary=x`, text] as const),
        ),
      },
    );
  if (type === '') return fc.oneof(fc.constant(null), raw);
  return fc.oneof(
    { weight: 6, arbitrary: valuesOf(schema).map((value) => [type, JSON.stringify(value)] as const) },
    { weight: 1, arbitrary: raw },
    { weight: 1, arbitrary: fc.constant(['text/plain', 'x'] as const) },
  );
}

function toForm(value: unknown): FormData {
  const form = new FormData();
  if (typeof value !== 'object' || value === null) return form;
  for (const [name, stated] of Object.entries(value))
    for (const one of Array.isArray(stated) ? (stated as readonly unknown[]) : [stated]) {
      const text = typeof one === 'string' ? one : JSON.stringify(one);
      if (name === 'file') form.append(name, new File([`Text of ${text}.`], `${text.slice(0, 300)}.md`));
      else form.append(name, text);
    }
  return form;
}

const requestsOf = (routes: readonly Route[]) =>
  fc.constantFrom(...routes).chain((route) =>
    fc.record({
      route: fc.constant(route),
      caller: fc.constantFrom('nobody', 'acme-reader', 'acme', 'acme-hr', 'globex', 'operator'),
      body: bodiesOf(route.operation),
      address: ADDRESSES,
      query: fc.array(
        fc.tuple(fc.constantFrom('limit', 'cursor', 'documentType', '__proto__', 'x'), ADDRESSES),
        {
          maxLength: 2,
        },
      ),
      asEvents: fc.boolean(),
    }),
  );

test('whatever is asked along the description of the routes is answered as it says, and never fails', async () => {
  const service = await testService();
  await withDocuments(service);
  const { routes: all, schemas } = await describedRoutes(service);
  // Nobody waits for the end of one that has none.
  const routes = all.filter(({ path }) => path !== '/api/ai/rag/runs/events');
  const checks = new Map<object, z.ZodType>();
  const statuses = new Set<number>();
  await fc.assert(
    fc.asyncProperty(requestsOf(routes), async ({ route, caller, body, address, query, asEvents }) => {
      const { method, path, operation } = route;
      const sent = body === null ? undefined : new Response(body[1]);
      const stated = query.map(([name, value]) => `${name}=${value}`).join('&');
      const type = body?.[1] instanceof FormData ? sent?.headers.get('content-type') : body?.[0];
      const reply = await service.app.inject({
        method,
        url: `${path.replace(/\{\w+\}/, address)}${stated === '' ? '' : `?${stated}`}`,
        headers: {
          ...(caller === 'nobody' ? {} : { authorization: `Bearer ${caller}` }),
          ...(asEvents ? { accept: 'text/event-stream' } : {}),
          ...(type === undefined || type === null ? {} : { 'content-type': type }),
        },
        ...(sent === undefined ? {} : { payload: Buffer.from(await sent.arrayBuffer()) }),
      });
      const { statusCode: status, body: text } = reply;
      const told = `${method} ${path} as ${caller}: ${status} ${text}`;
      expect(status, told).toBeLessThan(500);
      statuses.add(status);
      const isRefused = status >= 400;
      const described = operation.responses[status] ?? operation.responses[isRefused ? '4XX' : ''];
      expect(described, told).toBeDefined();
      if (described?.content === undefined) {
        expect(text, told).toBe('');
        return;
      }
      const [answered = ''] = String(reply.headers['content-type']).split(';');
      if (isRefused) expect(answered, told).toBe('application/problem+json');
      const described200 = described.content[answered];
      expect(described200, told).toBeDefined();
      if (described200 === undefined || (answered !== JSON_TYPE && !isRefused)) return;
      const check = checks.get(described200.schema) ?? checkOf(described200.schema, schemas);
      checks.set(described200.schema, check);
      const { error } = check.safeParse(JSON.parse(text));
      expect(error?.message, told).toBeUndefined();
    }),
    // The same in every run: a gate that finds something new lands nothing. `RAGSTONE_SEED` draws others.
    { numRuns: 400, seed: Number(process.env.RAGSTONE_SEED ?? 1) },
  );
  expect([...statuses].sort()).toEqual(expect.arrayContaining([200, 400, 401, 403, 404, 415]));
});

test('a field that the description does not name is found', async () => {
  const service = await testService();
  const { schemas } = await describedRoutes(service);
  const reply = await service.call('nobody', 'GET', '/rag/stats');
  const check = checkOf(schemas.Problem ?? {}, schemas);
  expect(check.safeParse(reply.json()).success).toBe(true);
  expect(check.safeParse({ ...reply.json(), trace: 'x' }).success).toBe(false);
});
