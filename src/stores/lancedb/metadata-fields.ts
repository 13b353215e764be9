import { lookupPath } from '../../core/filter.js';
import type { Metadata, MetadataScalar, MetadataValue } from '../../core/metadata.js';

/** The metadata of one chunk as parallel lists, the form in which SQL can filter any nested key exactly. */
export interface MetadataFields {
  /** Every path that `lookupPath` resolves, once. */
  readonly paths: readonly string[];
  /** The value at each path, with its type; see `encodeScalar`. */
  readonly values: readonly string[];
  /** The value at each path where it is a number. */
  readonly numbers: readonly (number | null)[];
  /** Every scalar in a list, with the list's path; see `encodeElement`. */
  readonly elements: readonly string[];
}

/** First letter of an encoded text; texts keep their order behind it. */
export const TEXT_TAG = 's';
/** First letter of an encoded number. */
export const NUMBER_TAG = '#';

/** A scalar as text that is equal exactly where type and value are. */
export function encodeScalar(value: MetadataScalar): string {
  if (typeof value === 'string') return `${TEXT_TAG}${value}`;
  // Adding zero turns -0, which equals 0, into it.
  if (typeof value === 'number') return `${NUMBER_TAG}${value + 0}`;
  return `${value}`;
}

/** A list's element together with the list's path. */
export const encodeElement = (path: string, value: MetadataScalar): string =>
  JSON.stringify([path, encodeScalar(value)]);

/** Flattens metadata for filtering. Paths are resolved by `lookupPath` itself, so that both agree on dots in keys. */
export function metadataFields(metadata: Metadata): MetadataFields {
  const paths = [...new Set(candidatePaths(metadata))];
  const found = paths.flatMap((path) => {
    const value = lookupPath(metadata, path);
    return value === undefined ? [] : [{ path, value }];
  });
  return {
    paths: found.map(({ path }) => path),
    values: found.map(({ value }) =>
      isScalar(value) ? encodeScalar(value) : Array.isArray(value) ? '[' : '{',
    ),
    numbers: found.map(({ value }) => (typeof value === 'number' ? value : null)),
    elements: found.flatMap(({ path, value }) => elementsOf(path, value)),
  };
}

function* candidatePaths(metadata: Metadata, prefix = ''): Generator<string> {
  for (const [key, value] of Object.entries(metadata)) {
    yield prefix + key;
    if (isRecord(value)) yield* candidatePaths(value, `${prefix}${key}.`);
  }
}

function elementsOf(path: string, value: MetadataValue): string[] {
  if (!Array.isArray(value)) return [];
  return [...new Set(value.filter(isScalar).map((element) => encodeElement(path, element)))];
}

const isScalar = (value: MetadataValue): value is MetadataScalar =>
  typeof value !== 'object' || value === null;

const isRecord = (value: MetadataValue): value is Metadata =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
