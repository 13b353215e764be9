import type { MetadataScalar, MetadataValue } from './metadata.js';

/**
 * One typed algebra for every store. A store compiles it; what it cannot run exactly it refuses, never approximates.
 *
 * A field is a system field (`$tenant`, `$project`, `$level`, `$groups`, `$documentId`, `$source`, `$chunkId`, `$identifiers`)
 * or a path into the metadata (`state`, `author.name`). Meaning, for a missing field: every comparison is false
 * (so `not(eq(...))` is true). Scalars compare by type and value: `1` is not `'1'`. Text orders by Unicode code point.
 */
export type Filter =
  | { readonly op: 'and'; readonly filters: readonly Filter[] }
  | { readonly op: 'or'; readonly filters: readonly Filter[] }
  | { readonly op: 'not'; readonly filter: Filter }
  | { readonly op: 'eq'; readonly field: string; readonly value: MetadataScalar }
  | { readonly op: 'in'; readonly field: string; readonly values: readonly MetadataScalar[] }
  | ({ readonly op: 'range'; readonly field: string } & RangeBounds)
  | { readonly op: 'exists'; readonly field: string }
  | { readonly op: 'contains'; readonly field: string; readonly value: MetadataScalar }
  | { readonly op: 'prefix'; readonly field: string; readonly value: string };

/** Bounds of one type, numbers or text; a value of the other type never matches. ISO dates order as text. */
export interface RangeBounds {
  readonly gt?: number | string;
  readonly gte?: number | string;
  readonly lt?: number | string;
  readonly lte?: number | string;
}

export type FilterOperator = Filter['op'];

/** For a store that runs the whole algebra. */
export const ALL_FILTER_OPERATORS: readonly FilterOperator[] = Object.freeze([
  'and',
  'or',
  'not',
  'eq',
  'in',
  'range',
  'exists',
  'contains',
  'prefix',
] satisfies FilterOperator[]);

/** All of them; an empty `and` admits everything. */
export const and = (...filters: Filter[]): Filter =>
  filters.length === 1 && filters[0] !== undefined ? filters[0] : { op: 'and', filters };
/** Any of them; an empty `or` admits nothing. */
export const or = (...filters: Filter[]): Filter =>
  filters.length === 1 && filters[0] !== undefined ? filters[0] : { op: 'or', filters };
export const not = (filter: Filter): Filter => ({ op: 'not', filter });
/** The field is this scalar. `null` matches a field that is present and null. */
export const eq = (field: string, value: MetadataScalar): Filter => ({ op: 'eq', field, value });
export const oneOf = (field: string, values: readonly MetadataScalar[]): Filter => ({
  op: 'in',
  field,
  values,
});
export const range = (field: string, bounds: RangeBounds): Filter => ({ op: 'range', field, ...bounds });
/** The field is present, whatever its value, null included. */
export const exists = (field: string): Filter => ({ op: 'exists', field });
/** The field is a list that holds this scalar. */
export const contains = (field: string, value: MetadataScalar): Filter => ({ op: 'contains', field, value });
/** The field is text that starts with this (an empty prefix matches any text). */
export const prefix = (field: string, value: string): Filter => ({ op: 'prefix', field, value });

/** Admits everything. A delete with it must be written out: a missing filter is never taken for it. */
export const EVERYTHING: Filter = Object.freeze({
  op: 'and',
  filters: Object.freeze([]),
});

/** Looks a field up; `undefined` where it is missing. */
export type FieldLookup = (field: string) => MetadataValue | undefined;

/** Reference semantics of the algebra; stores are tested against it. */
export function matchesFilter(filter: Filter, lookup: FieldLookup): boolean {
  switch (filter.op) {
    case 'and':
      return filter.filters.every((part) => matchesFilter(part, lookup));
    case 'or':
      return filter.filters.some((part) => matchesFilter(part, lookup));
    case 'not':
      return !matchesFilter(filter.filter, lookup);
    case 'eq':
      return lookup(filter.field) === filter.value;
    case 'in': {
      const value = lookup(filter.field);
      return value !== undefined && filter.values.some((candidate) => candidate === value);
    }
    case 'range':
      return isWithin(lookup(filter.field), filter);
    case 'exists':
      return lookup(filter.field) !== undefined;
    case 'contains': {
      const value = lookup(filter.field);
      return Array.isArray(value) && value.some((element) => element === filter.value);
    }
    case 'prefix': {
      const value = lookup(filter.field);
      return typeof value === 'string' && value.startsWith(filter.value);
    }
  }
}

function isWithin(value: MetadataValue | undefined, bounds: RangeBounds): boolean {
  if (typeof value !== 'number' && typeof value !== 'string') return false;
  const order = (bound: number | string): number | undefined => {
    if (typeof value === 'number' && typeof bound === 'number') return value - bound;
    if (typeof value === 'string' && typeof bound === 'string') return compareText(value, bound);
    return undefined;
  };
  const holds = (bound: number | string | undefined, test: (order: number) => boolean): boolean => {
    if (bound === undefined) return true;
    const difference = order(bound);
    return difference !== undefined && test(difference);
  };
  return (
    holds(bounds.gt, (d) => d > 0) &&
    holds(bounds.gte, (d) => d >= 0) &&
    holds(bounds.lt, (d) => d < 0) &&
    holds(bounds.lte, (d) => d <= 0)
  );
}

/** Order of text by Unicode code point, which is the order of its UTF-8 bytes. */
export function compareText(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x !== y) return surrogateLast(x) - surrogateLast(y);
  }
  return a.length - b.length;
}

// UTF-16 puts surrogates (astral characters) before U+E000..U+FFFF; code point order puts them after.
const surrogateLast = (unit: number): number => (unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit);

/** Reads `a.b.c` in nested metadata; a key that holds the dots itself wins. */
export function lookupPath(
  metadata: Readonly<Record<string, MetadataValue>>,
  path: string,
): MetadataValue | undefined {
  if (Object.hasOwn(metadata, path)) return metadata[path];
  let value: MetadataValue | undefined = metadata;
  for (const key of path.split('.')) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    const record: Readonly<Record<string, MetadataValue>> = value as Readonly<Record<string, MetadataValue>>;
    if (!Object.hasOwn(record, key)) return undefined;
    value = record[key];
  }
  return value;
}
