import { EVERYTHING, type FieldLookup, type Filter, matchesFilter } from '../../core/filter.js';

/** Fields whose value a chunk shares with all chunks of its profile. */
const PROFILE_FIELDS: ReadonlySet<string> = new Set(['$tenant', '$project', '$source', '$level', '$groups']);

/** Fields that are known of every chunk without reading its body. */
const KEY_FIELDS: ReadonlySet<string> = new Set([...PROFILE_FIELDS, '$chunkId', '$documentId']);

/** From this many values on, a set is faster than comparing one by one. */
const SET_FROM = 8;

/** Whether a filter asks for a field of the body: metadata or identifiers. */
export function readsBody(filter: Filter): boolean {
  switch (filter.op) {
    case 'and':
    case 'or':
      return filter.filters.some(readsBody);
    case 'not':
      return readsBody(filter.filter);
    default:
      return !KEY_FIELDS.has(filter.field);
  }
}

/** An identifier that every chunk must hold which the filter admits, and what else it asks for; undefined where it names none. */
export function demandedIdentifier(
  filter: Filter,
): { readonly identifier: string; readonly rest: Filter } | undefined {
  if (filter.op === 'contains' && filter.field === '$identifiers' && typeof filter.value === 'string')
    return { identifier: filter.value, rest: EVERYTHING };
  if (filter.op !== 'and') return undefined;
  for (const [i, part] of filter.filters.entries()) {
    const demand = demandedIdentifier(part);
    if (demand !== undefined)
      return { ...demand, rest: { op: 'and', filters: filter.filters.with(i, demand.rest) } };
  }
  return undefined;
}

/** Ids among which every chunk is that a filter admits; undefined where it names none. */
export function demandedIds(filter: Filter): readonly string[] | undefined {
  if (filter.op === 'and')
    for (const part of filter.filters) {
      const ids = demandedIds(part);
      if (ids !== undefined) return ids;
    }
  if (filter.op !== 'in' || filter.field !== '$chunkId') return undefined;
  return filter.values.filter((id) => typeof id === 'string');
}

/**
 * What is left of a filter for the chunks of one profile: decided (`true`, `false`), or a smaller filter over the other
 * fields. Scope filters are decided for a whole profile, so a scan pays nothing for them per chunk.
 */
export function reduceByProfile(filter: Filter, profile: FieldLookup): Filter | boolean {
  switch (filter.op) {
    case 'and':
    case 'or':
      return reduceJunction(filter.op, filter.filters, profile);
    case 'not': {
      const inner = reduceByProfile(filter.filter, profile);
      return typeof inner === 'boolean' ? !inner : { op: 'not', filter: inner };
    }
    default:
      return PROFILE_FIELDS.has(filter.field) ? matchesFilter(filter, profile) : filter;
  }
}

function reduceJunction(
  op: 'and' | 'or',
  filters: readonly Filter[],
  profile: FieldLookup,
): Filter | boolean {
  const absorbing = op === 'or';
  const open: Filter[] = [];
  for (const part of filters) {
    const reduced = reduceByProfile(part, profile);
    if (reduced === absorbing) return absorbing;
    if (typeof reduced !== 'boolean') open.push(reduced);
  }
  return open.length === 0 ? !absorbing : { op, filters: open };
}

/** A filter as a function, with the meaning of `matchesFilter` and long lists of values turned into sets. */
export function compileFilter(filter: Filter): (lookup: FieldLookup) => boolean {
  switch (filter.op) {
    case 'and': {
      const parts = filter.filters.map(compileFilter);
      return (lookup) => parts.every((part) => part(lookup));
    }
    case 'or': {
      const parts = filter.filters.map(compileFilter);
      return (lookup) => parts.some((part) => part(lookup));
    }
    case 'not': {
      const inner = compileFilter(filter.filter);
      return (lookup) => !inner(lookup);
    }
    case 'in': {
      if (filter.values.length < SET_FROM) return (lookup) => matchesFilter(filter, lookup);
      const values: ReadonlySet<unknown> = new Set(filter.values);
      return (lookup) => values.has(lookup(filter.field));
    }
    default:
      return (lookup) => matchesFilter(filter, lookup);
  }
}
