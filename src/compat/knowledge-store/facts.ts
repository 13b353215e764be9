import { and, eq, type Filter } from '../../core/filter.js';
import type { Metadata } from '../../core/metadata.js';
import type { Scalar, ScalarMetadata } from './models.js';

/**
 * How the caller's facts stand among what a store keeps of a chunk: each under its name with something before it, so that
 * none is taken for one that the engine writes or reads (`title`, `url`, `createdAt`).
 */
export interface FactNames {
  readonly prefix: string;
  /** Names with the prefix that are none of the caller's. */
  readonly own?: readonly string[];
}

export const toMetadata = (facts: ScalarMetadata, { prefix }: FactNames): Metadata =>
  Object.fromEntries(Object.entries(facts).map(([name, value]) => [prefix + name, value]));

export const factsOf = (metadata: Metadata, { prefix, own = [] }: FactNames): ScalarMetadata =>
  Object.fromEntries(
    Object.entries(metadata)
      .filter((entry): entry is [string, Scalar] => entry[0].startsWith(prefix) && !own.includes(entry[0]))
      .map(([name, value]) => [name.slice(prefix.length), value]),
  );

/** All of them hold. */
export const factsFilter = (facts: ScalarMetadata, { prefix }: FactNames): Filter =>
  and(...Object.entries(facts).map(([name, value]) => eq(prefix + name, value)));
