import { SEALED_KEY } from '../core/chunk-metadata.js';
import { isMarkedName } from '../core/metadata.js';
import { FOLDED_KEY, UNLIFTED_KEY } from '../core/pushed-fields.js';
import type { SearchQuery } from '../engine/engine.js';

type StatedFilters = Pick<SearchQuery, 'filters' | 'filter'>;

/** Stands in the log for what was asked of an encrypted field. */
export const NOT_LOGGED = '(encrypted field)';

/** Filters as they are logged: who asks of an encrypted field is refused, and the log would be the one place that holds its value. */
export function withoutEncrypted({ filters, filter }: StatedFilters, fields: readonly string[]): object {
  const isEncrypted = (path: string): boolean => {
    const [root = ''] = path.split('.');
    const isBlob = root === FOLDED_KEY || root === UNLIFTED_KEY;
    return root === SEALED_KEY || isMarkedName(path, fields) || (fields.length > 0 && isBlob);
  };
  const metadata =
    filters?.metadata &&
    Object.fromEntries(
      Object.entries(filters.metadata).map(([field, value]) => [
        field,
        isEncrypted(field) ? NOT_LOGGED : value,
      ]),
    );
  return {
    ...(filters === undefined
      ? {}
      : { filters: metadata === undefined ? filters : { ...filters, metadata } }),
    ...(filter === undefined ? {} : { filter: shown(filter, isEncrypted) }),
  };
}

/** Of a program in plain JavaScript it may be anything: it is logged before it is checked. */
function shown(filter: unknown, isEncrypted: (field: string) => boolean): unknown {
  if (Array.isArray(filter)) return filter.map((part: unknown) => shown(part, isEncrypted));
  if (typeof filter !== 'object' || filter === null) return filter;
  if ('field' in filter && isEncrypted(String(filter.field)))
    return { op: 'op' in filter ? filter.op : undefined, field: filter.field, value: NOT_LOGGED };
  return Object.fromEntries(
    Object.entries(filter).map(([key, part]) => [
      key,
      key === 'filters' || key === 'filter' ? shown(part, isEncrypted) : part,
    ]),
  );
}
