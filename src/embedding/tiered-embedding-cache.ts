import type { RedisShelf } from '../platform/redis/redis-shelf.js';
import type { EmbeddingCache } from './embedding-cache.js';

/** How long a vector is kept on a server that nobody asks for it, in seconds: 7 days. */
export const SHARED_LIFE_SECONDS = 604_800;

const PREFIX = 'sdap:embedding:';

/** The name of a vector on a server: `sdap:embedding:` and the SHA-256 of model, kind, owner and text, in base64. */
export const sharedKeyOf = (key: string): string => `${PREFIX}${Buffer.from(key, 'hex').toString('base64')}`;

/**
 * A cache of this machine before one on a server that processes share. What only the server has is kept here from then on. A server that
 * does not answer has nothing.
 */
export function tieredEmbeddingCache(
  local: EmbeddingCache,
  shared: RedisShelf,
  lifeSeconds: number = SHARED_LIFE_SECONDS,
): EmbeddingCache {
  return {
    get problem() {
      return local.problem;
    },
    getMany: async (keys, dimensions) => {
      const found = await local.getMany(keys, dimensions);
      const missing = keys.filter((_, i) => found[i] === undefined);
      if (missing.length === 0) return found;
      const values = await shared.get(missing.map(sharedKeyOf));
      const fetched = new Map(
        missing.flatMap((key, i) => {
          const vector = vectorOf(values[i], dimensions);
          return vector === undefined ? [] : [[key, vector] as const];
        }),
      );
      if (fetched.size > 0) await local.setMany([...fetched]);
      return keys.map((key, i) => found[i] ?? fetched.get(key));
    },
    setMany: async (entries) => {
      await local.setMany(entries);
      await shared.set(
        entries.map(([key, vector]) => [sharedKeyOf(key), bytesOf(vector)] as const),
        lifeSeconds,
      );
    },
    warnings: () => shared.warnings(),
    close: () => {
      local.close();
      shared.close();
    },
  };
}

/** Little-endian, as on every machine that Node runs on. */
const bytesOf = ({ buffer, byteOffset, byteLength }: Float32Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength);

/** Undefined for what is no vector of this length: anybody may have written it. */
function vectorOf(bytes: Buffer | undefined, dimensions: number): Float32Array | undefined {
  if (bytes === undefined || bytes.byteLength !== dimensions * Float32Array.BYTES_PER_ELEMENT)
    return undefined;
  // A copy, because bytes of a reply may not begin where numbers may.
  const vector = new Float32Array(Uint8Array.from(bytes).buffer);
  return vector.every(Number.isFinite) ? vector : undefined;
}
