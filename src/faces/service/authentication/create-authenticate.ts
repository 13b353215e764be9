import { isIP } from 'node:net';
import type { DataFolder } from '../../../config/trust/index-reach.js';
import { LOCAL_SCOPE, RAGError } from '../../../index.js';
import { type JwtSettings, tokenVerifier } from './json-web-token.js';
import { KeyStore } from './key-store.js';
import { presentedKeyOf, unauthenticated } from './presented-key.js';
import type { Authenticate, Credentials, Principal } from './principal.js';

/** What callers are told by. */
export interface AuthenticationOptions {
  /** Address that the service listens at. */
  readonly host: string;
  /** Data folder of the index, with the keys. */
  readonly place: DataFolder;
  readonly jwt?: JwtSettings | undefined;
  readonly corsOrigins?: readonly string[] | undefined;
  /** Without keys and tokens it does not start. @default false */
  readonly requireKeys?: boolean | undefined;
}

/** Who may call, and how that is told. */
export interface Authentication {
  readonly authenticate: Authenticate;
  /** For what everyone may call: where nobody needs a key, throws `FORBIDDEN` for what does not come from this machine. */
  readonly guard: (credentials: Credentials) => Promise<void>;
  /** Nobody needs a key now: only the user of this machine reaches the service. */
  readonly isOpen: boolean;
}

/**
 * Keys and tokens; where there are none, the user of this machine. A key that is made while the service runs closes it from the
 * next request on, until it is started again.
 *
 * @throws RAGError `CONFIG_INVALID` for an address that other machines reach, or where keys are required, with neither keys nor tokens;
 * `INDEX_UNTRUSTED` for keys that somebody else made
 */
export async function createAuthenticate({
  host,
  place,
  jwt,
  corsOrigins = [],
  requireKeys = false,
}: AuthenticationOptions): Promise<Authentication> {
  const keys = new KeyStore(place);
  keys.assertTrusted();
  await keys.rememberRevocations();
  const verify = jwt === undefined ? undefined : tokenVerifier(jwt);
  // Keys that vanish, with a disk that is gone, open nothing.
  let isClosed = verify !== undefined;
  const isOpen = async (): Promise<boolean> => {
    isClosed ||= !(await keys.isEmpty());
    return !isClosed;
  };
  const isOpenNow = await isOpen();
  // A data folder whose disk is not there has no keys either.
  if (requireKeys && isOpenNow)
    throw new RAGError(
      'CONFIG_INVALID',
      `rag.server.requireKeys is set, and there is no key in ${place.dataDir}. Look whether its disk is there, or make a key (\`ragstone keys create --tenant default\`).`,
      { details: { key: 'rag.server.requireKeys' } },
    );
  if (!isLoopback(host) && isOpenNow)
    throw new RAGError(
      'CONFIG_INVALID',
      `The service would be open to everybody who reaches ${host}. Make a key (\`ragstone keys create --tenant default\`) or set \`rag.server.jwt\`; without them it listens at 127.0.0.1 alone.`,
    );
  const authenticate: Authenticate = async (credentials) => {
    const token = presentedKeyOf(credentials);
    if (token === undefined && isLoopback(host) && (await isOpen()))
      return localCaller(credentials, corsOrigins);
    if (token === undefined)
      throw unauthenticated(
        'The service wants a key: `authorization: Bearer KEY`, or `x-api-key: KEY`. `ragstone keys create` makes one.',
      );
    const principal = (await keys.find(token)) ?? (await verify?.(token));
    if (principal === undefined) throw unauthenticated('The key is unknown, revoked or expired.');
    return principal;
  };
  const guard = async (credentials: Credentials): Promise<void> => {
    if (isLoopback(host) && (await isOpen())) assertFromHere(credentials);
  };
  return { authenticate, guard, isOpen: isOpenNow };
}

/** Names and addresses that only this machine reaches. */
function isLoopback(host: string): boolean {
  const name = host.toLowerCase().replace(/^\[(.*)\]$/, '$1');
  if (name === 'localhost' || name === '::1') return true;
  return isIP(name) === 4 && name.startsWith('127.');
}

/** Whether a `Host` header names this machine. */
function namesLoopback(authority: string | undefined): boolean {
  if (authority === undefined || !/^[\w.:[\]-]+$/.test(authority) || !URL.canParse(`http://${authority}`))
    return false;
  return isLoopback(new URL(`http://${authority}`).hostname);
}

const LOCAL: Principal = {
  name: 'local',
  scope: LOCAL_SCOPE,
  permissions: ['read', 'write', 'maintain', 'admin', 'monitor'],
  isLocal: true,
};

/** What proxies add to requests. */
const OF_PROXIES = /^(?:x-forwarded-.*|forwarded|via|x-real-ip)$/;
/** Where a browser says that a page of elsewhere sends the request (W3C Fetch Metadata). */
const ELSEWHERE: readonly unknown[] = ['cross-site', 'same-site'];

/**
 * Refuses what does not come from this machine, for a service without keys: its address alone says who calls. A web page in a
 * browser here can send requests under a name of its own that it lets point here ("DNS rebinding"), and a proxy on this machine
 * sends those of everybody who reaches it.
 */
function assertFromHere({ headers }: Credentials): void {
  if (!namesLoopback(headers.host))
    throw new RAGError(
      'FORBIDDEN',
      'Without keys the service answers to `localhost` and its addresses alone.',
    );
  if (Object.keys(headers).some((name) => OF_PROXIES.test(name)))
    throw new RAGError(
      'FORBIDDEN',
      'Without keys the service answers no proxy, for anybody may be behind it. Make a key: `ragstone keys create`.',
    );
}

/** Who calls a service without keys, at an address that only this machine reaches: its user, but no web page of elsewhere. */
function localCaller(credentials: Credentials, corsOrigins: readonly string[]): Principal {
  assertFromHere(credentials);
  const { host, origin, 'sec-fetch-site': site } = credentials.headers;
  const isAllowed = origin !== undefined && corsOrigins.includes(origin);
  // Another port of this machine is another page.
  const isOwn = origin === undefined ? !ELSEWHERE.includes(site) : origin === `http://${host}`;
  if (!isAllowed && !isOwn)
    throw new RAGError(
      'FORBIDDEN',
      'Without keys the service answers no web page of elsewhere. Allow its origin with `rag.server.corsOrigins`.',
    );
  return LOCAL;
}
