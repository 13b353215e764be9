import { LOCAL_SCOPE, RAGError } from '../../index.js';
import { namesLoopback } from './loopback.js';
import type { Credentials, Principal } from './principal.js';

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
export function assertFromHere({ headers }: Credentials): void {
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
export function localCaller(credentials: Credentials, corsOrigins: readonly string[]): Principal {
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
