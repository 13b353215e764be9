import { RAGError } from '../../../index.js';
import type { Credentials } from './principal.js';

const TOKEN = String.raw`[\w.~+/=-]+`;
const BEARER = new RegExp(`^bearer +(${TOKEN})$`, 'i');
const BARE = new RegExp(`^(${TOKEN})$`);

/**
 * The key or token of `authorization: Bearer KEY` (RFC 6750, 2.1) or `x-api-key: KEY`; undefined without either header. Throws `UNAUTHENTICATED` for
 * another scheme, and for two that differ.
 */
export function presentedKeyOf({ headers }: Credentials): string | undefined {
  const stated = [
    [headers.authorization, BEARER],
    [headers['x-api-key'], BARE],
  ] as const;
  const keys = stated.flatMap(([value, form]) =>
    value === undefined ? [] : [form.exec(String(value))?.[1]],
  );
  if (keys.includes(undefined))
    throw unauthenticated('The header must be `authorization: Bearer KEY` or `x-api-key: KEY`.');
  if (new Set(keys).size > 1)
    throw unauthenticated(
      'The headers `authorization` and `x-api-key` hold different keys. Send one of them.',
    );
  return keys[0];
}

export const unauthenticated = (message: string, cause?: unknown): RAGError =>
  new RAGError('UNAUTHENTICATED', message, { cause });
