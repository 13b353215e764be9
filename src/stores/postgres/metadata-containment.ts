import type { Filter } from '../../core/filter.js';
import type { MetadataScalar, MetadataValue } from '../../core/metadata.js';
import { isSystemField } from '../record-fields.js';
import { bound, joined, type SqlText, sql } from './sql-text.js';
import { storableJson } from './storable-json.js';

/** Values of an `in` that are looked up one by one; with more of them a scan is as fast. */
const MAX_VALUES = 100;
/** Names in a path; each level of a look-up nests the JSON once more. */
const MAX_PATH = 16;

/**
 * A condition that a GIN index over metadata answers and that holds wherever the filter does, so that the two together are
 * the filter: `metadata @> '{"state": "open"}'` beside `metadata -> 'state' = '"open"'`. Undefined where there is none.
 */
export function containmentOf(filter: Filter): SqlText | undefined {
  if (!('field' in filter) || isSystemField(filter.field)) return undefined;
  switch (filter.op) {
    case 'eq':
      return containsAny(filter.field, [filter.value]);
    case 'in':
      return containsAny(filter.field, filter.values);
    case 'contains':
      return isFiniteScalar(filter.value) ? containsAny(filter.field, [[filter.value]]) : undefined;
    default:
      return undefined;
  }
}

/** The same for all that a filter demands; undefined where it demands nothing that the index knows. */
export function containmentsIn(filter: Filter): SqlText | undefined {
  const demanded = demandedBy(filter).flatMap((leaf) => {
    const condition = containmentOf(leaf);
    return condition === undefined ? [] : [sql`(${condition})`];
  });
  return demanded.length === 0 ? undefined : joined(demanded, ' AND ');
}

const demandedBy = (filter: Filter): readonly Filter[] =>
  filter.op === 'and' ? filter.filters.flatMap(demandedBy) : [filter];

function containsAny(field: string, values: readonly MetadataValue[]): SqlText | undefined {
  const path = field.split('.');
  const known = values.filter((value) => typeof value !== 'number' || Number.isFinite(value));
  if (known.length === 0 || known.length > MAX_VALUES || path.length > MAX_PATH) return undefined;
  const places = known.flatMap((value) => [
    objectOf([field], value),
    ...(path.length > 1 ? [objectOf(path, value)] : []),
  ]);
  return joined(
    places.map((place) => sql`metadata @> ${bound(storableJson(place), 'jsonb')}`),
    ' OR ',
  );
}

/** `{"a": {"b": value}}`; by entries, so that a path may say `__proto__`. */
const objectOf = (path: readonly string[], value: MetadataValue): unknown =>
  path.reduceRight<unknown>((inner, key) => Object.fromEntries([[key, inner]]), value);

const isFiniteScalar = (value: MetadataScalar): boolean =>
  typeof value !== 'number' || Number.isFinite(value);
