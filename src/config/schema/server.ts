import * as z from 'zod';
import { nonEmptyText, secretText, stringList, wholeNumber } from '../../core/setting-values.js';
import { TENANT_PERMISSIONS } from '../permissions.js';

export { PERMISSIONS } from '../permissions.js';

/** Asymmetric ones alone (RFC 7518): who checks tokens can make none. */
const ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
] as const;

const LOOPBACK_NAMES = new Set(['localhost', '127.0.0.1', '[::1]']);

function isProtectedAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK_NAMES.has(hostname));
}

const claims = z
  .strictObject({
    tenant: nonEmptyText()
      .default('tenant_id')
      .describe('Claim that holds the tenant. A token without it is refused.'),
    project: nonEmptyText()
      .optional()
      .describe('Claim that holds the project. Default: every project of the tenant.'),
    groups: nonEmptyText()
      .default('groups')
      .describe('Claim that holds the groups: a list, or one text with spaces.'),
    clearance: nonEmptyText()
      .optional()
      .describe('Claim that holds the clearance, a whole number. Default: 0 for all.'),
    permissions: nonEmptyText()
      .optional()
      .describe(
        'Claim that holds the permissions: a list, or one text with spaces. Other words in it are left aside. Default: those of `permissions`.',
      ),
  })
  .prefault({})
  .describe('Which claims of a token say who asks.');

const consoleSignIn = z
  .strictObject({
    clientId: nonEmptyText().describe(
      'Id of the page at the provider: a public client (no secret) that may use the authorization code flow with PKCE and return to the address of the page, `https://search.example.com/`.',
    ),
    scope: nonEmptyText()
      .default('openid')
      .describe('Scopes that the page asks for, with spaces between them.'),
  })
  .describe(
    'Signing in on the page of the service at the provider (OpenID Connect), beside keys. The provider must allow the page to call it (CORS), and give access tokens that are JSON Web Tokens for `audience`.',
  );

const jwt = z
  .strictObject({
    issuer: nonEmptyText().describe('What `iss` must be.'),
    audience: nonEmptyText().describe('What `aud` must hold.'),
    jwksUrl: z
      .string()
      .refine(isProtectedAddress, 'must be an https address, or http of this machine')
      .describe(
        'Where the public keys are (JSON Web Key Set). They are fetched again when a token names a new one.',
      ),
    algorithms: z
      .array(z.enum(ALGORITHMS))
      .min(1)
      .default(['RS256'])
      .describe('Algorithms that a token may be signed with.'),
    clockSkewSeconds: wholeNumber(0)
      .max(600)
      .default(30)
      .describe('How far clocks may be apart, in seconds.'),
    claims,
    operatorTenant: nonEmptyText()
      .optional()
      .describe(
        'Tenant of the operators of the service: `admin` and `monitor` in the claim of permissions count in its tokens alone, for they are over all tenants. Default: in no token.',
      ),
    permissions: z
      .array(z.enum(TENANT_PERMISSIONS))
      .default(['read', 'write'])
      .describe('What every token may do, where no claim says it.'),
    console: consoleSignIn.optional(),
  })
  .refine(({ issuer, console }) => console === undefined || isProtectedAddress(issuer), {
    path: ['issuer'],
    error: 'must be an https address, or http of this machine, for people to sign in there',
  })
  .describe('Tokens of an identity provider (JSON Web Tokens), beside keys of `ragstone keys`.');

/** Routes that may have a limit of their own, which they then share. */
export const LIMIT_GROUPS = ['ai-search', 'ai-answer', 'ai-batch'] as const;
export type LimitGroup = (typeof LIMIT_GROUPS)[number];

const limit = (what: string) =>
  wholeNumber(0)
    .optional()
    .describe(`${what}, all together; 0 for any number. Default: \`requestsPerMinute\` for each of them.`);

const limits = z
  .strictObject({
    'ai-search': limit('Searches, contexts and explanations of searches'),
    'ai-answer': limit('Answers and chats'),
    'ai-batch': limit('Batches of documents and uploads of files'),
  } satisfies Record<LimitGroup, unknown>)
  .prefault({})
  .describe('Calls of a group of routes that a tenant may make in a minute.');

/** `rag.server`: the HTTP service, `ragstone serve`. */
export const serverSchema = z
  .strictObject({
    host: nonEmptyText()
      .default('127.0.0.1')
      .describe('Address to listen at. One that other machines reach needs keys or `jwt`.'),
    port: wholeNumber(0).max(65_535).default(7240).describe('Port to listen at; 0 takes a free one.'),
    basePath: z
      .string()
      .regex(/^(?:\/[\w.~-]+)*$/, 'must be a path such as /knowledge, without a slash at its end')
      .default('')
      .describe(
        'Path under which a proxy in front shows the service, such as `/knowledge`: routes answer below it and without it, and addresses that the service gives begin with it.',
      ),
    jwt: jwt.optional(),
    requireKeys: z
      .boolean()
      .default(false)
      .describe(
        'Whether the service refuses to start without a key or `jwt`, also at an address that only this machine reaches. Set it where it has keys: without the disk that holds them it would else be open to every account of this machine.',
      ),
    corsOrigins: stringList()
      .prefault([])
      .describe('Origins of web pages that may call the service from a browser: `https://app.example.com`.'),
    requestsPerMinute: wholeNumber(0)
      .default(600)
      .describe(
        'Calls of one route that a tenant may make in a minute; 0 for any number. Without keys and `jwt` there is no limit.',
      ),
    searchProcesses: z
      .union([z.literal('auto'), wholeNumber(0).max(64)])
      .default('auto')
      .describe(
        'Processes that search beside the one that listens, started as they are needed, each with the index in its own memory: searches use as many cores, and callers and writes do not wait for them. 0: none. `auto`: one a core, fewer where memory is short; none on one core, or for an index in memory.',
      ),
    maxRequests: wholeNumber(0)
      .default(256)
      .describe(
        'Requests under way at once, and as many whose bodies have not come whole; more are answered with 503 and `retry-after` at once. 0 for any number.',
      ),
    maxRequestsPerTenant: wholeNumber(0)
      .default(128)
      .describe(
        'Those of one tenant, of each; more are answered with 429 and `retry-after`. The last eighth of all is for tenants that hold fewer than are free. 0 for any number. Without keys and `jwt` there is no limit.',
      ),
    maxUploads: wholeNumber(0)
      .default(16)
      .describe(
        'Forms with files that are read at once; more are answered with 503 and `retry-after`. Each may hold 25 MiB in memory. 0 for any number.',
      ),
    maxUploadsPerTenant: wholeNumber(0)
      .default(4)
      .describe('Those of one tenant; more are answered with 429 and `retry-after`. 0 for any number.'),
    maxDelayMs: wholeNumber(0)
      .max(60_000)
      .default(2_000)
      .describe(
        'How late the event loop may be in the mean of a second, in milliseconds, before requests are answered with 503. 0 for any.',
      ),
    limits,
    redis: secretText()
      .optional()
      .describe(
        'Address of a Redis or Valkey server (`redis://HOST:6379`, best by a reference such as `env:REDIS_URL`) by which several processes count calls together; needs the package `ioredis`. While it does not answer, each process counts for itself, and health and log say so. Default: each process counts for itself.',
      ),
    sync: z
      .boolean()
      .optional()
      .describe(
        'Whether the service follows the sources itself, for the tenants of `rag.sync.tenants`. Default: it does where a source states `watch`, `autoIndex` or a schedule.',
      ),
    timeoutMs: wholeNumber(100)
      .max(3_600_000)
      .default(30_000)
      .describe('Longest time that a request may take, in milliseconds. Index runs have no limit.'),
    stopMs: wholeNumber(0)
      .max(3_600_000)
      .default(10_000)
      .describe('How long requests under way may go on after the service is told to stop, in milliseconds.'),
  })
  .prefault({})
  .describe('The HTTP service, `ragstone serve`.');
