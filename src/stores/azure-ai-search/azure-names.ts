import { createHash } from 'node:crypto';

/** Names in which nothing must be escaped: a dash between parts, none at the ends. */
const PLAIN_NAME = /^[a-z0-9]+(-[a-z0-9]+)*$/;
const PLAIN_NAMESPACE = /^[a-z0-9]+$/;
/** Characters of a name that are kept for the reader, before the hash that tells it from others. */
const READABLE = 40;

/**
 * The index of a collection. Indexes take small letters, digits and single dashes, so any other name becomes what is readable of
 * it and a hash. No two collections share one: a plain name begins with its namespace, which begins with a letter and has no
 * dash, and any other with a digit.
 */
export function indexNameOf(namespace: string, collection: string): string {
  if (PLAIN_NAMESPACE.test(namespace) && PLAIN_NAME.test(collection)) return `${namespace}-${collection}`;
  const readable = `${namespace}-${collection}`.toLowerCase().replace(/[^a-z0-9]+/g, '-');
  const hash = sha256(JSON.stringify([namespace, collection]), 'hex').slice(0, 40);
  return `0-${readable.slice(0, READABLE).replace(/^-+|-+$/g, '')}-${hash}`;
}

/** Keys are letters, digits, `_`, `-` and `=`. Four at least, for the client makes numbers of `NaN` and `INF`. */
const PLAIN_KEY = /^[A-Za-z0-9][A-Za-z0-9_-]{3,127}$/;

/** The key of a chunk's document: the id itself where the service takes it, else its hash, which has a `=` as no plain one has. */
export const documentKey = (chunkId: string): string =>
  PLAIN_KEY.test(chunkId) ? chunkId : `h=${sha256(chunkId, 'base64url')}`;

const sha256 = (text: string, encoding: 'hex' | 'base64url'): string =>
  createHash('sha256').update(text, 'utf8').digest(encoding);
