import { createHash } from 'node:crypto';

/**
 * The class of a collection. Classes take no `-` and share a folder where they differ only in case, so every character but
 * small letters and digits becomes `_` and its code; two `_` part the namespace from the name.
 */
export function classNameOf(namespace: string, collection: string): string {
  const name = `${escapeName(namespace)}__${escapeName(collection)}`;
  return name.charAt(0).toUpperCase() + name.slice(1);
}

const escapeName = (name: string): string =>
  name.replace(/[^a-z0-9]/g, (character) => `_${character.charCodeAt(0).toString(16).padStart(2, '0')}`);

/** One of our tenants, as the server keeps it: apart, with an index of its own. */
export interface Shard {
  /** The server's name of the tenant. */
  readonly name: string;
  /** Our tenant; undefined where it is too long to be read from the name. */
  readonly tenant: string | undefined;
}

/** Server names of tenants are at most 64 of `[A-Za-z0-9_-]`. */
const MAX_NAME = 64;
const READABLE = /^[a-z0-9_-]{1,62}$/;

/** The shard of a tenant. No two tenants share one. */
export function shardOf(tenant: string): Shard {
  if (READABLE.test(tenant)) return { name: `t-${tenant}`, tenant };
  const encoded = `b-${Buffer.from(tenant, 'utf8').toString('base64url')}`;
  if (encoded.length <= MAX_NAME) return { name: encoded, tenant };
  const hash = createHash('sha256').update(tenant, 'utf8').digest('base64url');
  return { name: `h-${hash}`, tenant: undefined };
}

/** The shard that the server calls so. */
export function shardNamed(name: string): Shard {
  if (name.startsWith('t-')) return { name, tenant: name.slice(2) };
  if (name.startsWith('b-'))
    return { name, tenant: Buffer.from(name.slice(2), 'base64url').toString('utf8') };
  return { name, tenant: undefined };
}

/** The server's id of a chunk: a UUID of version 8 (RFC 9562, section 5.8) made of the SHA-256 of ours. */
export function objectId(chunkId: string): string {
  const bytes = createHash('sha256').update(chunkId, 'utf8').digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
