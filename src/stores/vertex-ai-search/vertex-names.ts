import { createHash } from 'node:crypto';

/** Names of the service are labels of RFC 1034: small letters, digits and hyphens, a letter first, 63 characters. */
const MAX_LABEL = 63;
const PLAIN_NAMESPACE = /^[a-z][a-z0-9]*$/;
const PLAIN_NAME = /^[a-z0-9]+(-[a-z0-9]+)*$/;
/** Begins the name of every data store that is named by a hash. */
const HASHED = 'h';

/**
 * The data store of a collection, and the engine that serves it. A name that is no label becomes a hash and what is readable of it. No two
 * collections share one: a plain name begins with its namespace and a hyphen, and no namespace that is kept is that of the hashes.
 */
export function dataStoreIdOf(namespace: string, collection: string): string {
  const plain = `${namespace}-${collection}`;
  const isPlain = PLAIN_NAMESPACE.test(namespace) && PLAIN_NAME.test(collection) && namespace !== HASHED;
  if (isPlain && plain.length <= MAX_LABEL) return plain;
  const hash = sha256(JSON.stringify([namespace, collection])).slice(0, 40);
  const readable = plain.toLowerCase().replace(/[^a-z0-9]+/g, '-');
  return `${HASHED}-${hash}-${readable.slice(0, 20)}`.replace(/-+$/, '');
}

/** The document of a chunk: a hash, because ids of chunks may be any text. */
export const documentIdOf = (chunkId: string): string => `c${sha256(chunkId).slice(0, 60)}`;

/** The document that says what a collection is made for. Not the hash of any chunk's id, for it has a hyphen. */
export const MARKER_ID = 'ragstone-collection';

export const sha256 = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex');
