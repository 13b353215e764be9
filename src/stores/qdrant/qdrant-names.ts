import { createHash } from 'node:crypto';

/** The server's name of a collection. A namespace has no `-`, so no two pairs share a name. */
export const collectionNameOf = (namespace: string, collection: string): string =>
  `${namespace}-${collection}`;

/** The server's id of a chunk, which takes any text: a UUID of version 8 (RFC 9562, section 5.8) made of the SHA-256 of ours. */
export function pointId(chunkId: string): string {
  const bytes = createHash('sha256').update(chunkId, 'utf8').digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
