import { RAGError } from '../../core/errors.js';
import type { Filter, RangeBounds } from '../../core/filter.js';
import {
  elementKey,
  numberKey,
  numberKeys,
  presenceKey,
  textLevel,
  textSegments,
  valueKey,
} from './facet-keys.js';

/** A query of the search language that Elasticsearch and OpenSearch share. */
export type Query = Readonly<Record<string, unknown>>;

/** The keyword field that holds every key of `facet-keys.ts`. */
export const FACETS = 'facets';

export const MATCH_ALL: Query = { match_all: {} };
const MATCH_NONE: Query = { match_none: {} };

/** Values of one `terms` query; servers refuse more than 65,536 (`index.max_terms_count`). */
const MAX_TERMS = 50_000;
/** Servers refuse queries nested deeper than 20 (OpenSearch) or 30 (Elasticsearch); a search adds a few of its own. */
const MAX_QUERY_DEPTH = 16;

/** What a part of a filter comes to; sets of keys stay open, so that alternatives can become one `terms` query. */
type Plan =
  | { readonly kind: 'all' }
  | { readonly kind: 'none' }
  | { readonly kind: 'keys'; readonly keys: readonly string[] }
  | { readonly kind: 'query'; readonly query: Query; readonly depth: number };

const ALL: Plan = { kind: 'all' };
const NONE: Plan = { kind: 'none' };

/**
 * A filter as a query that admits exactly what `matchesFilter` admits. Every leaf asks for keys that a chunk has or has not,
 * so there is no third truth value, and negation is `must_not`.
 *
 * Throws `STORE_FILTER_UNSUPPORTED` where the query would be nested deeper than servers accept.
 */
export function compileFilter(filter: Filter): Query {
  const plan = planOf(filter);
  if (depthOf(plan) > MAX_QUERY_DEPTH)
    throw new RAGError(
      'STORE_FILTER_UNSUPPORTED',
      `The filter alternates and, or and not ${depthOf(plan)} deep; search servers accept ${MAX_QUERY_DEPTH}. Write it flatter.`,
    );
  return queryOf(plan);
}

/** Both queries. */
export const bothOf = (a: Query, b: Query): Query => ({ bool: { filter: [a, b] } });

function planOf(filter: Filter): Plan {
  switch (filter.op) {
    case 'and':
      return planAnd(flatten(filter.filters, 'and'));
    case 'or':
      return planOr(flatten(filter.filters, 'or').map(planOf));
    case 'not':
      return planAnd([filter]);
    case 'eq':
      return keysPlan([valueKey(filter.field, filter.value)]);
    case 'in':
      return keysPlan(filter.values.map((value) => valueKey(filter.field, value)));
    case 'exists':
      return keysPlan([presenceKey(filter.field)]);
    case 'contains':
      return keysPlan([elementKey(filter.field, filter.value)]);
    case 'prefix':
      return planPrefix(filter.field, filter.value);
    case 'range':
      return planRange(filter.field, filter);
  }
}

const flatten = (filters: readonly Filter[], op: 'and' | 'or'): Filter[] =>
  filters.flatMap((part) => (part.op === op ? flatten(part.filters, op) : [part]));

const keysPlan = (keys: readonly string[]): Plan =>
  keys.length === 0 ? NONE : { kind: 'keys', keys: [...new Set(keys)] };

function planAnd(filters: readonly Filter[]): Plan {
  const required: Plan[] = [];
  const excluded: Plan[] = [];
  for (const part of filters)
    if (part.op === 'not') excluded.push(planOf(part.filter));
    else required.push(planOf(part));
  if (required.some(isNone) || excluded.some(isAll)) return NONE;
  return planBool({
    required: required.filter((plan) => !isAll(plan)),
    excluded: excluded.filter((plan) => !isNone(plan)),
  });
}

function planBool({ required, excluded }: { required: readonly Plan[]; excluded: readonly Plan[] }): Plan {
  const [only] = required;
  if (excluded.length === 0 && required.length <= 1) return only ?? ALL;
  const query = {
    bool: {
      ...(required.length === 0 ? {} : { filter: required.map(queryOf) }),
      ...(excluded.length === 0 ? {} : { must_not: excluded.map(queryOf) }),
    },
  };
  return { kind: 'query', query, depth: 1 + Math.max(...[...required, ...excluded].map(depthOf)) };
}

function planOr(parts: readonly Plan[]): Plan {
  if (parts.some(isAll)) return ALL;
  const keys = keysPlan(parts.flatMap((plan) => (plan.kind === 'keys' ? plan.keys : [])));
  const alternatives = [keys, ...parts.filter((plan) => plan.kind === 'query')].filter(
    (plan) => !isNone(plan),
  );
  const [only] = alternatives;
  if (alternatives.length <= 1) return only ?? NONE;
  return {
    kind: 'query',
    query: anyOf(alternatives.map(queryOf)),
    depth: 1 + Math.max(...alternatives.map(depthOf)),
  };
}

/** As a range, because servers refuse prefix queries of more than 1,000 characters (`index.max_regex_length`). */
function planPrefix(field: string, prefix: string): Plan {
  const { level, text } = textSegments(prefix).at(-1) ?? { level: '0', text: '' };
  const { from, to } = textLevel(field, level);
  const after = firstAfterAll(text);
  return leaf({ range: { [FACETS]: { gte: from + text, lt: after === undefined ? to : from + after } } });
}

const LAST_CODE_POINT = 0x10ffff;

/** The first text after all that start with this one, in code point order; undefined where there is none. */
function firstAfterAll(prefix: string): string | undefined {
  const points = Array.from(prefix, (character) => character.codePointAt(0) ?? 0);
  while (points.at(-1) === LAST_CODE_POINT) points.pop();
  const last = points.pop();
  if (last === undefined) return undefined;
  // Half a surrogate pair is no text.
  const next = last === 0xd7ff ? 0xe000 : last + 1;
  return String.fromCodePoint(...points, next);
}

function planRange(field: string, bounds: RangeBounds): Plan {
  const present = [bounds.gt, bounds.gte, bounds.lt, bounds.lte].filter((bound) => bound !== undefined);
  if (present.every((bound) => typeof bound === 'number')) {
    const numbers = numberRange(field, bounds);
    // Without any bound a range admits whatever has an order: numbers and text.
    return present.length > 0 ? leaf(numbers) : leaf(anyOf([numbers, textAtLevel(field, '0', {})]), 2);
  }
  if (!present.every((bound) => typeof bound === 'string')) return NONE;
  const queries = [
    ...(typeof bounds.gt === 'string' ? [textBound(field, 'gt', bounds.gt)] : []),
    ...(typeof bounds.gte === 'string' ? [textBound(field, 'gte', bounds.gte)] : []),
    ...(typeof bounds.lt === 'string' ? [textBound(field, 'lt', bounds.lt)] : []),
    ...(typeof bounds.lte === 'string' ? [textBound(field, 'lte', bounds.lte)] : []),
  ];
  return leaf(queries.length === 1 ? (queries[0] ?? MATCH_NONE) : { bool: { filter: queries } }, 3);
}

function numberRange(field: string, bounds: RangeBounds): Query {
  const { from, to } = numberKeys(field);
  const limits: Record<string, string> = {};
  const { gt, gte, lt, lte } = tightest(bounds);
  if (gt !== undefined) limits.gt = numberKey(field, gt);
  else limits.gte = gte === undefined ? from : numberKey(field, gte);
  if (lt !== undefined) limits.lt = numberKey(field, lt);
  else if (lte !== undefined) limits.lte = numberKey(field, lte);
  else limits.lt = to;
  return { range: { [FACETS]: limits } };
}

/** At most one lower and one upper bound, as a range query takes them. */
function tightest({ gt, gte, lt, lte }: RangeBounds): {
  gt?: number;
  gte?: number;
  lt?: number;
  lte?: number;
} {
  const isGtTighter = typeof gt === 'number' && (typeof gte !== 'number' || gt >= gte);
  const isLtTighter = typeof lt === 'number' && (typeof lte !== 'number' || lt <= lte);
  return {
    ...(isGtTighter ? { gt } : typeof gte === 'number' ? { gte } : {}),
    ...(isLtTighter ? { lt } : typeof lte === 'number' ? { lte } : {}),
  };
}

type BoundOperator = 'gt' | 'gte' | 'lt' | 'lte';

/** A text is beyond a bound where it agrees with it before some segment and is beyond it there. */
function textBound(field: string, operator: BoundOperator, bound: string): Query {
  const segments = textSegments(bound);
  const strict = operator === 'gt' || operator === 'gte' ? 'gt' : 'lt';
  return anyOf(
    segments.map(({ level, text }, i) =>
      textAtLevel(field, level, { [i === segments.length - 1 ? operator : strict]: text }),
    ),
  );
}

function textAtLevel(field: string, level: string, bounds: Partial<Record<BoundOperator, string>>): Query {
  const { from, to } = textLevel(field, level);
  const [operator, text] = Object.entries(bounds)[0] ?? [];
  const isLower = operator === 'gt' || operator === 'gte';
  return {
    range: {
      [FACETS]: {
        ...(isLower ? {} : { gte: from }),
        ...(operator === undefined ? {} : { [operator]: from + text }),
        ...(operator === undefined || isLower ? { lt: to } : {}),
      },
    },
  };
}

const isAll = (plan: Plan): boolean => plan.kind === 'all';
const isNone = (plan: Plan): boolean => plan.kind === 'none';
const depthOf = (plan: Plan): number => (plan.kind === 'query' ? plan.depth : 1);
const leaf = (query: Query, depth = 1): Plan => ({ kind: 'query', query, depth });

const anyOf = (queries: readonly Query[]): Query =>
  queries.length === 1 ? (queries[0] ?? MATCH_NONE) : { bool: { should: queries, minimum_should_match: 1 } };

function queryOf(plan: Plan): Query {
  switch (plan.kind) {
    case 'all':
      return MATCH_ALL;
    case 'none':
      return MATCH_NONE;
    case 'query':
      return plan.query;
    case 'keys': {
      const parts: Query[] = [];
      for (let start = 0; start < plan.keys.length; start += MAX_TERMS)
        parts.push({ terms: { [FACETS]: plan.keys.slice(start, start + MAX_TERMS) } });
      return anyOf(parts);
    }
  }
}
