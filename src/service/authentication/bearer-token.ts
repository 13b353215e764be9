import { RAGError } from '../../index.js';
import type { Credentials } from './principal.js';

/** The token of `Authorization: Bearer TOKEN` (RFC 6750, 2.1); undefined without that header. Throws `UNAUTHENTICATED` for another scheme. */
export function bearerTokenOf({ headers }: Credentials): string | undefined {
  const { authorization } = headers;
  if (authorization === undefined) return undefined;
  const token = /^bearer +([\w.~+/=-]+)$/i.exec(authorization)?.[1];
  if (token === undefined) throw unauthenticated('The header must be `authorization: Bearer KEY`.');
  return token;
}

export const unauthenticated = (message: string, cause?: unknown): RAGError =>
  new RAGError('UNAUTHENTICATED', message, { cause });
