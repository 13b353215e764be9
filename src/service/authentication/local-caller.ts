import { LOCAL_SCOPE, RAGError } from '../../index.js';
import { namesLoopback } from './loopback.js';
import type { Credentials, Principal } from './principal.js';

const LOCAL: Principal = {
  name: 'local',
  scope: LOCAL_SCOPE,
  permissions: ['read', 'write', 'maintain'],
  isLocal: true,
};

/**
 * Who calls a service without keys, at an address that only this machine reaches: its user. But a web page in that user's browser
 * can send requests there too, under a name of its own that it lets point here ("DNS rebinding"), or simply so, so the request
 * must name this machine and come from no page of elsewhere.
 */
export function localCaller({ headers }: Credentials, corsOrigins: readonly string[]): Principal {
  const { host, origin } = headers;
  if (!namesLoopback(host))
    throw new RAGError(
      'FORBIDDEN',
      'Without keys the service answers to `localhost` and its addresses alone.',
    );
  if (
    origin !== undefined &&
    !corsOrigins.includes(origin) &&
    !namesLoopback(origin.replace(/^https?:\/\//, ''))
  )
    throw new RAGError(
      'FORBIDDEN',
      'Without keys the service answers no web page of elsewhere. Allow its origin with `rag.server.corsOrigins`.',
    );
  return LOCAL;
}
