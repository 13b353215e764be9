import { RAGError } from '../../core/errors.js';
import { type Filter, matchesFilter, type RangeBounds } from '../../core/filter.js';
import {
  ANY_CHUNK,
  elementKey,
  numberKey,
  orderedParts,
  presenceKey,
  textKey,
  valueKey,
} from './filter-keys.js';
import { FACTS, LEVEL, nativeProperty, ORDERED } from './object-codec.js';
import { type Shard, shardOf } from './weaviate-names.js';

/** A condition of Weaviate's query language. */
export type Where =
  | { readonly operator: 'And' | 'Or' | 'Not'; readonly operands: readonly Where[] }
  | { readonly operator: 'ContainsAny'; readonly path: string; readonly texts: readonly string[] }
  | {
      readonly operator: 'Like' | 'GreaterThan' | 'GreaterThanEqual';
      readonly path: string;
      readonly text: string;
    }
  | { readonly operator: 'GreaterThanEqual'; readonly path: string; readonly number: number };

/** Alternatives that one bound may come to; each is a look into the server's index. */
const MAX_ALTERNATIVES = 20_000;

type Condition = Where | boolean;

const ANY: Where = { operator: 'ContainsAny', path: FACTS, texts: [ANY_CHUNK] };

/**
 * A filter as a condition that admits in this shard exactly what `matchesFilter` admits, or undefined where nothing can pass.
 * Every leaf asks for what a chunk has or has not, so there is no third truth value. What a filter says of `$tenant` is known
 * of a whole shard and is not asked.
 *
 * Throws `STORE_FILTER_UNSUPPORTED` for a text bound of more than about 3,000 bytes.
 */
export function compileFilter(filter: Filter, shard: Shard): Where | undefined {
  const condition = compile(filter, shard);
  return condition === true ? ANY : condition === false ? undefined : condition;
}

/** The only tenants whose chunks the filter can admit, or undefined where it does not say. */
export function tenantsOf(filter: Filter): readonly string[] | undefined {
  if (filter.op === 'eq' && filter.field === '$tenant') return textsOf([filter.value]);
  if (filter.op === 'in' && filter.field === '$tenant') return textsOf(filter.values);
  if (filter.op !== 'and') return undefined;
  for (const part of filter.filters) {
    const tenants = tenantsOf(part);
    if (tenants !== undefined) return tenants;
  }
  return undefined;
}

const textsOf = (values: readonly unknown[]): string[] => [
  ...new Set(values.filter((value) => typeof value === 'string')),
];

function compile(filter: Filter, shard: Shard): Condition {
  switch (filter.op) {
    case 'and':
      return combine(
        'And',
        filter.filters.map((part) => compile(part, shard)),
      );
    case 'or':
      return combine(
        'Or',
        filter.filters.map((part) => compile(part, shard)),
      );
    case 'not':
      return negate(compile(filter.filter, shard));
    default:
      return (filter.field === '$tenant' ? tenantLeaf(filter, shard) : undefined) ?? leaf(filter);
  }
}

type Leaf = Exclude<Filter, { op: 'and' | 'or' | 'not' }>;

/** Whether the leaf holds in the whole shard; undefined where its name does not tell. */
function tenantLeaf(filter: Leaf, { name, tenant }: Shard): boolean | undefined {
  if (tenant !== undefined) return matchesFilter(filter, () => tenant);
  const isShard = (value: unknown): boolean => typeof value === 'string' && shardOf(value).name === name;
  if (filter.op === 'eq') return isShard(filter.value);
  return filter.op === 'in' ? filter.values.some(isShard) : undefined;
}

function leaf(filter: Leaf): Condition {
  const { field } = filter;
  switch (filter.op) {
    case 'eq':
      return facts([valueKey(field, filter.value)]);
    case 'in':
      return facts(filter.values.map((value) => valueKey(field, value)));
    case 'exists':
      return facts([presenceKey(field)]);
    case 'contains':
      return facts([elementKey(field, filter.value)]);
    case 'prefix':
      return startsWith(field, filter.value);
    case 'range':
      return within(field, filter);
  }
}

const facts = (keys: readonly string[]): Condition =>
  keys.length > 0 && { operator: 'ContainsAny', path: FACTS, texts: [...new Set(keys)] };

const like = (start: string): Where => ({ operator: 'Like', path: ORDERED, text: `${start}*` });

function startsWith(field: string, prefix: string): Condition {
  const native = nativeProperty(field, prefix);
  if (native !== undefined) return { operator: 'Like', path: native.path, text: `${native.text}*` };
  const last = orderedParts(field, prefix).at(-1);
  return last !== undefined && like(last.level + last.digits);
}

function within(field: string, { gt, gte, lt, lte }: RangeBounds): Condition {
  const bounds = [gt, gte, lt, lte].filter((bound) => bound !== undefined);
  const types = new Set(bounds.map((bound) => typeof bound));
  // Without any bound a range admits whatever has an order: numbers and text.
  if (types.size === 0) return facts([numberKey(field), textKey(field)]);
  if (types.size > 1) return false;
  const isOfType = facts([types.has('number') ? numberKey(field) : textKey(field)]);
  const equals = (bound: number | string): Condition => facts([valueKey(field, bound)]);
  return combine('And', [
    isOfType,
    gte === undefined || atLeast(field, gte),
    gt === undefined || combine('And', [atLeast(field, gt), negate(equals(gt))]),
    lt === undefined || negate(atLeast(field, lt)),
    lte === undefined || combine('Or', [negate(atLeast(field, lte)), equals(lte)]),
  ]);
}

/** Of the values of the bound's type those that are not below it. A list of keys knows no ranges, only what keys start with. */
function atLeast(field: string, bound: number | string): Condition {
  // A level is finite, and JSON has no infinity.
  if (field === '$level' && typeof bound === 'number')
    return Number.isFinite(bound) ? { operator: 'GreaterThanEqual', path: LEVEL, number: bound } : bound < 0;
  const native = typeof bound === 'string' ? nativeProperty(field, bound) : undefined;
  if (native !== undefined) return { operator: 'GreaterThanEqual', ...native };
  const parts = orderedParts(field, bound);
  const starts = parts.flatMap(({ level, digits }, i) => [
    ...greaterStarts(digits).map((start) => level + start),
    ...(i === parts.length - 1 ? [level + digits] : []),
  ]);
  if (starts.length > MAX_ALTERNATIVES)
    throw new RAGError(
      'STORE_FILTER_UNSUPPORTED',
      `A bound of the range on "${field}" is too long for Weaviate; use one of at most 3,000 bytes.`,
    );
  return combine('Or', starts.map(like));
}

/** The shortest starts of digit strings that are greater than this one without going on from it. */
function greaterStarts(digits: string): string[] {
  const starts: string[] = [];
  for (const [i, digit] of [...digits].entries())
    for (let next = Number(digit) + 1; next <= 3; next++) starts.push(`${digits.slice(0, i)}${next}`);
  return starts;
}

function combine(operator: 'And' | 'Or', parts: readonly Condition[]): Condition {
  const neutral = operator === 'And';
  const open = parts.filter((part) => typeof part !== 'boolean');
  if (parts.includes(!neutral)) return !neutral;
  return open.length <= 1 ? (open[0] ?? neutral) : { operator, operands: open };
}

// Of all chunks, because the server's complement goes over numbers of objects that may be no more.
const negate = (condition: Condition): Condition =>
  typeof condition === 'boolean'
    ? !condition
    : { operator: 'And', operands: [ANY, { operator: 'Not', operands: [condition] }] };

/** As a literal of the GraphQL interface. Every text is a key of ours in plain ASCII. */
export function toGraphQl(where: Where): string {
  if ('operands' in where)
    return `{operator:${where.operator},operands:[${where.operands.map(toGraphQl).join(',')}]}`;
  const value =
    'texts' in where
      ? `valueText:${JSON.stringify(where.texts)}`
      : 'text' in where
        ? `valueText:${JSON.stringify(where.text)}`
        : `valueNumber:${where.number}`;
  return `{operator:${where.operator},path:["${where.path}"],${value}}`;
}

/** As JSON of the REST interface. */
export function toRest(where: Where): Readonly<Record<string, unknown>> {
  const { operator } = where;
  if ('operands' in where) return { operator, operands: where.operands.map(toRest) };
  const path = [where.path];
  if ('texts' in where) return { operator, path, valueTextArray: where.texts };
  return 'text' in where
    ? { operator, path, valueText: where.text }
    : { operator, path, valueNumber: where.number };
}
