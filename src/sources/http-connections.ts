import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import { Agent, Pool } from 'undici';
import type { UrlGuard } from '../platform/security/url-guard.js';

/** Every address of a name. */
export type ResolveName = (hostname: string) => Promise<LookupAddress[]>;

export interface ConnectionOptions {
  readonly guard: UrlGuard;
  /** In milliseconds, for connecting, for the answer to begin, and between its parts. */
  readonly timeoutMs: number;
  /** Connections to one origin. */
  readonly connections: number;
  readonly resolve?: ResolveName;
}

/** Connections that go only where the guard allows: names are looked up here and nowhere else. */
export function openConnections(options: ConnectionOptions): Agent {
  const { timeoutMs, connections } = options;
  return new Agent({
    factory: (origin) =>
      new Pool(origin, {
        connections,
        headersTimeout: timeoutMs,
        bodyTimeout: timeoutMs,
        connect: { timeout: timeoutMs, lookup: guardedLookup(new URL(origin).origin, options) },
      }),
  });
}

function guardedLookup(origin: string, { guard, resolve = resolveAll }: ConnectionOptions): LookupFunction {
  return (hostname, options, callback) => {
    const answer = async (): Promise<void> => {
      const addresses = guard.allowedAddresses(origin, await resolve(hostname));
      const [first] = addresses;
      if (options.all === true) callback(null, addresses);
      else callback(null, first?.address ?? '', first?.family);
    };
    answer().catch((error: unknown) =>
      callback(error instanceof Error ? error : new Error(String(error)), ''),
    );
  };
}

const resolveAll: ResolveName = (hostname) => lookup(hostname, { all: true });
