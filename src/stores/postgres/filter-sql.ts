import type { Filter, RangeBounds } from '../../core/filter.js';
import type { MetadataScalar } from '../../core/metadata.js';
import { isSystemField } from '../record-fields.js';
import { TABLE_COLUMNS, type TableColumn } from '../table-columns.js';
import { containmentOf } from './metadata-containment.js';
import { bound, joined, raw, type SqlText, sql } from './sql-text.js';
import { storableJson, storableText } from './storable-json.js';

/** SQL that admits every row; compared by identity. */
const ALWAYS: SqlText = ['TRUE'];
/** SQL that admits no row; compared by identity. */
const NEVER: SqlText = ['FALSE'];

/** What differs between table layouts; the columns are named alike in all of them. */
export interface FilterTarget {
  /** SQL type of the column `key`. */
  readonly keyType: string;
  /** The key under which a chunk id is kept. */
  readonly keyOf: (id: string) => string;
  /** Fields that are text columns of their own, beside the system fields. */
  readonly extraColumns?: Readonly<Record<string, string>>;
  /**
   * Keep the planner from guessing at metadata. It has no statistics inside JSON, takes every comparison for a rare match,
   * and would rather read the whole table than walk the vector index. @default false
   */
  readonly hidesMetadata?: boolean;
  /** There may be a GIN index over the column `metadata`. @default false */
  readonly indexesMetadata?: boolean;
  /** Function over which there may be a GIN index of the column `identifiers`: it makes hashes of them (see schema-migrations.ts). */
  readonly identifierKeys?: string;
}

type Leaf = Exclude<Filter, { readonly op: 'and' | 'or' | 'not' }>;

/**
 * A filter as a condition that is true for exactly the rows that `matchesFilter` admits. Every value and every metadata key
 * is a bound parameter.
 *
 * Negation is pushed down to the leaves, where a comparison with something missing (NULL) becomes false before it is
 * negated. Numbers compare as the decimals that JSON wrote, which order and equal as the doubles they came from.
 */
export function compileFilter(filter: Filter, target: FilterTarget, isNegated = false): SqlText {
  switch (filter.op) {
    case 'and':
    case 'or':
      return combine(
        (filter.op === 'and') !== isNegated ? 'AND' : 'OR',
        filter.filters.map((part) => compileFilter(part, target, isNegated)),
      );
    case 'not':
      return compileFilter(filter.filter, target, !isNegated);
    default: {
      const leaf = compileLeaf(filter, target);
      if (!isNegated) return leaf;
      if (leaf === ALWAYS) return NEVER;
      return leaf === NEVER ? ALWAYS : sql`(${leaf}) IS NOT TRUE`;
    }
  }
}

function combine(operator: 'AND' | 'OR', conditions: readonly SqlText[]): SqlText {
  const [neutral, absorbing] = operator === 'AND' ? [ALWAYS, NEVER] : [NEVER, ALWAYS];
  if (conditions.includes(absorbing)) return absorbing;
  const parts = conditions.filter((part) => part !== neutral);
  if (parts.length <= 1) return parts[0] ?? neutral;
  return joined(
    parts.map((part) => sql`(${part})`),
    ` ${operator} `,
  );
}

function compileLeaf(filter: Leaf, target: FilterTarget): SqlText {
  const { extraColumns = {} } = target;
  const extra = Object.hasOwn(extraColumns, filter.field) ? extraColumns[filter.field] : undefined;
  if (extra !== undefined) return compileOnColumn(filter, { type: 'text', name: extra }, target);
  return isSystemField(filter.field)
    ? compileOnColumn(filter, TABLE_COLUMNS[filter.field], target)
    : compileMetadataLeaf(filter, target);
}

function compileMetadataLeaf(filter: Leaf, target: FilterTarget): SqlText {
  const exact = compileOnMetadata(filter);
  if (exact === ALWAYS || exact === NEVER) return exact;
  if (target.hidesMetadata === true) return withoutEstimate(exact);
  const indexed = target.indexesMetadata === true ? containmentOf(filter) : undefined;
  return indexed === undefined ? exact : sql`(${indexed}) AND (${exact})`;
}

// The planner takes a CASE to be true for every other row.
const withoutEstimate = (condition: SqlText): SqlText => sql`CASE WHEN ${condition} THEN TRUE ELSE FALSE END`;

function compileOnColumn(filter: Leaf, column: TableColumn, target: FilterTarget): SqlText {
  const name = raw(column.name);
  switch (filter.op) {
    case 'exists':
      return column.type === 'text' && column.isNullable ? sql`${name} IS NOT NULL` : ALWAYS;
    case 'contains':
      return column.type === 'list' && typeof filter.value === 'string'
        ? compileListContains(column.name, filter.value, target)
        : NEVER;
    case 'eq':
      return compileIn(column, [filter.value], target);
    case 'in':
      return compileIn(column, filter.values, target);
    case 'prefix':
      return column.type === 'text' ? sql`starts_with(${name}, ${text(filter.value)})` : NEVER;
    case 'range':
      return compileColumnRange(filter, column);
  }
}

function compileListContains(name: string, value: string, { identifierKeys }: FilterTarget): SqlText {
  const item = text(value);
  const contains = sql`${item} = ANY(${raw(name)})`;
  if (name !== TABLE_COLUMNS.$identifiers.name || identifierKeys === undefined) return contains;
  const keys = sql`${raw(identifierKeys)}(identifiers) @> ARRAY[pg_catalog.hashtextextended(${item}, 0)]`;
  return sql`${keys} AND ${contains}`;
}

function compileIn(column: TableColumn, values: readonly MetadataScalar[], target: FilterTarget): SqlText {
  if (column.type === 'text') {
    const texts = values.filter((value) => typeof value === 'string');
    return texts.length === 0 ? NEVER : compileTextIn(column.name, texts, target);
  }
  const numbers = values.filter((value) => typeof value === 'number');
  if (column.type === 'list' || numbers.length === 0) return NEVER;
  return sql`${raw(column.name)} = ANY(${bound(numbers.map(String), 'float8[]')})`;
}

function compileTextIn(name: string, texts: readonly string[], target: FilterTarget): SqlText {
  const isIn = sql`${raw(name)} = ANY(${bound(texts.map(storableText), 'text[]')})`;
  if (name !== TABLE_COLUMNS.$chunkId.name) return isIn;
  // Ids may be longer than an index takes, their keys are not.
  return sql`key = ANY(${bound(texts.map(target.keyOf), `${target.keyType}[]`)}) AND ${isIn}`;
}

function compileColumnRange(bounds: RangeBounds, column: TableColumn): SqlText {
  const { numbers, texts } = boundsOf(bounds);
  if (column.type === 'list') return NEVER;
  const [own, other, type] = column.type === 'text' ? [texts, numbers, 'text'] : [numbers, texts, 'float8'];
  if (other.length > 0) return NEVER;
  if (own.length === 0) return sql`${raw(column.name)} IS NOT NULL`;
  const name = raw(column.type === 'text' ? `${column.name} COLLATE "C"` : column.name);
  const comparisons = own.map(({ operator, limit }) => {
    const value = typeof limit === 'string' ? storableText(limit) : String(limit);
    return sql`${name} ${raw(operator)} ${bound(value, type)}`;
  });
  return joined(comparisons, ' AND ');
}

function compileOnMetadata(filter: Leaf): SqlText {
  const value = metadataAt(filter.field);
  switch (filter.op) {
    case 'exists':
      return sql`${value} IS NOT NULL`;
    case 'eq':
      return isStorable(filter.value) ? sql`${value} = ${json(filter.value)}` : NEVER;
    case 'in': {
      const values = filter.values.filter(isStorable).map((scalar) => storableJson(scalar));
      return values.length === 0 ? NEVER : sql`${value} = ANY(${bound(values, 'jsonb[]')})`;
    }
    case 'contains':
      return isStorable(filter.value)
        ? sql`${hasType(value, 'array')} AND ${value} @> ${json(filter.value)}`
        : NEVER;
    case 'prefix':
      return sql`${hasType(value, 'string')} AND starts_with(${textOf(value)}, ${text(filter.value)})`;
    case 'range':
      return compileMetadataRange(filter, value);
  }
}

function compileMetadataRange(bounds: RangeBounds, value: SqlText): SqlText {
  const { numbers, texts } = boundsOf(bounds);
  const [isNumber, isText] = [hasType(value, 'number'), hasType(value, 'string')];
  if (numbers.length > 0 && texts.length > 0) return NEVER;
  if (numbers.length > 0)
    return combine('AND', [isNumber, ...numbers.map((comparison) => compareNumber(value, comparison))]);
  if (texts.length === 0) return sql`${isNumber} OR ${isText}`;
  const comparisons = texts.map(
    ({ operator, limit }) => sql`${textOf(value)} ${raw(operator)} ${text(limit)}`,
  );
  return combine('AND', [isText, ...comparisons]);
}

interface Comparison<T> {
  readonly operator: string;
  readonly limit: T;
}

// JSON has no infinity, and every number it has is on this side of it.
function compareNumber(value: SqlText, { operator, limit }: Comparison<number>): SqlText {
  if (!Number.isFinite(limit)) return operator.startsWith(limit > 0 ? '<' : '>') ? ALWAYS : NEVER;
  return sql`${value} ${raw(operator)} ${json(limit)}`;
}

/** Metadata at a path; a key that holds the dots itself wins. The arrow with text gives NULL on lists and scalars. */
function metadataAt(path: string): SqlText {
  const whole = sql`metadata -> ${text(path)}`;
  if (!path.includes('.')) return sql`(${whole})`;
  const steps = path.split('.').map((key) => sql` -> ${text(key)}`);
  return sql`COALESCE(${whole}, metadata${joined(steps, '')})`;
}

const text = (value: string) => bound(storableText(value), 'text');

const json = (scalar: MetadataScalar) => bound(storableJson(scalar), 'jsonb');

const hasType = (value: SqlText, type: string): SqlText => sql`jsonb_typeof(${value}) = ${raw(`'${type}'`)}`;

const textOf = (value: SqlText): SqlText => sql`(${value} #>> '{}') COLLATE "C"`;

const isStorable = (scalar: MetadataScalar): boolean => typeof scalar !== 'number' || Number.isFinite(scalar);

/** The comparisons of a range by the type of their bound. */
function boundsOf(bounds: RangeBounds) {
  const numbers: Comparison<number>[] = [];
  const texts: Comparison<string>[] = [];
  for (const [operator, limit] of [
    ['>', bounds.gt],
    ['>=', bounds.gte],
    ['<', bounds.lt],
    ['<=', bounds.lte],
  ] as const) {
    if (typeof limit === 'number') numbers.push({ operator, limit });
    if (typeof limit === 'string') texts.push({ operator, limit });
  }
  return { numbers, texts };
}
