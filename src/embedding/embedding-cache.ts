import { createHash } from 'node:crypto';
import { type EmbeddingKind, fingerprintOf, type ModelIdentity } from './embedder.js';

type Awaitable<Value> = Value | Promise<Value>;

/** Keeps vectors between runs. Losing an entry costs time and nothing else, so no method throws. */
export interface EmbeddingCache {
  /** Why nothing is kept, in words for the user; absent while the cache works. */
  readonly problem: string | undefined;
  /** The vectors of these keys, in order; `undefined` where there is none that is whole and this long. */
  getMany(keys: readonly string[], dimensions: number): Awaitable<(Float32Array | undefined)[]>;
  /** Keeps vectors, replacing what stands under their keys and dropping the oldest entries where space runs out. */
  setMany(entries: readonly (readonly [key: string, vector: Float32Array])[]): Awaitable<void>;
  /** What went wrong lately, in words for the user; told once a minute at most. Absent where `problem` says all. */
  warnings?(): string[];
  close(): void;
}

/** As `cacheKeyer`, of a model that is known by its fingerprint alone. */
export const cacheKeyerOf = (
  fingerprint: string,
  kind: EmbeddingKind,
  owner?: string,
): ((text: string) => string) => {
  const of = [fingerprint, kind, ...(owner === undefined ? [] : [owner])];
  const prefix = createHash('sha256').update(JSON.stringify(of));
  return (text) => prefix.copy().update(text).digest('hex');
};

/**
 * Builds the keys of one model, kind and owner: SHA-256, in hexadecimal, over fingerprint, kind, owner and text.
 *
 * @param owner whose texts they are; see `cacheOwner`
 */
export function cacheKeyer(
  identity: ModelIdentity,
  kind: EmbeddingKind,
  owner?: string,
): (text: string) => string {
  return cacheKeyerOf(fingerprintOf(identity), kind, owner);
}
