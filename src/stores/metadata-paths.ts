import type { Metadata, MetadataScalar, MetadataValue } from '../core/metadata.js';

/** Every path that a filter could name; `lookupPath` decides which of several readings of a dot counts. */
export function* metadataPaths(metadata: Metadata, start = ''): Generator<string> {
  for (const [key, value] of Object.entries(metadata)) {
    yield start + key;
    if (isObject(value)) yield* metadataPaths(value, `${start}${key}.`);
  }
}

export const isScalar = (value: MetadataValue): value is MetadataScalar =>
  typeof value !== 'object' || value === null;

const isObject = (value: MetadataValue): value is Metadata =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
