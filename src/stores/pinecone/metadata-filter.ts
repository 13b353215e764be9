import { slicesOf } from '../batches.js';
import type { Comparison, Condition, Fact } from '../filter-condition.js';
import { factKey, fieldKey } from '../record-facts.js';

/** A filter of Pinecone's query language. */
export type MetadataFilter = Readonly<Record<string, unknown>>;

/** Key of the list of facts, which every record has. */
export const FACTS = 'facts';
/** Facts of a record that is none of the algebra: whether it has a vector, and whether its chunk is kept in parts. */
export const HAS_VECTOR = 'has-vector';
export const HAS_NO_VECTOR = 'has-no-vector';

export const numberKey = (field: string): string => `n_${fieldKey(field)}`;
export const pieceKey = (field: string, piece: number): string => `p${piece}_${fieldKey(field)}`;

/** Values that one `$in` takes (https://docs.pinecone.io/reference/api/database-limits/operation-limits). */
const MAX_VALUES = 10_000;

export const ANY_RECORD: MetadataFilter = { [FACTS]: { $in: [factKey({ is: 'any' })] } };

/** The filter that records with this fact pass, of those that pass another. */
export const withFact = (filter: MetadataFilter, fact: string): MetadataFilter => ({
  $and: [{ [FACTS]: { $in: [fact] } }, filter],
});

/**
 * A condition as Pinecone's filter; undefined where nothing can pass. The language has no `not`, so each operator is turned round. Nothing rests on
 * what an operator makes of a key that is missing: a comparison counts only together with a fact, and facts are in every record.
 */
export function toFilter(condition: Condition): MetadataFilter | undefined {
  if (typeof condition === 'boolean') return condition ? ANY_RECORD : undefined;
  return render(condition, false);
}

function render(condition: Condition, isNegated: boolean): MetadataFilter {
  // `compileFilter` leaves no constants inside.
  if (typeof condition === 'boolean') throw new TypeError('A constant inside of a condition.');
  if ('not' in condition) return render(condition.not, !isNegated);
  if ('all' in condition) return join(condition.all, isNegated ? '$or' : '$and', isNegated);
  if ('any' in condition) return join(condition.any, isNegated ? '$and' : '$or', isNegated);
  if ('anyOf' in condition) return hasAnyOf(condition.anyOf, isNegated);
  const key = 'number' in condition ? numberKey(condition.number) : pieceKey(condition.text, condition.piece);
  const operators = isNegated ? NEGATED : OPERATORS;
  return { [key]: { [operators[condition.comparison]]: condition.operand } };
}

const OPERATORS: Readonly<Record<Comparison, string>> = {
  '<': '$lt',
  '<=': '$lte',
  '=': '$eq',
  '>=': '$gte',
  '>': '$gt',
};
const NEGATED: Readonly<Record<Comparison, string>> = {
  '<': '$gte',
  '<=': '$gt',
  '=': '$ne',
  '>=': '$lt',
  '>': '$lte',
};

const join = (parts: readonly Condition[], operator: '$and' | '$or', isNegated: boolean): MetadataFilter => ({
  [operator]: parts.map((part) => render(part, isNegated)),
});

function hasAnyOf(facts: readonly Fact[], isNegated: boolean): MetadataFilter {
  const keys = [...new Set(facts.map(factKey))];
  const lists = Array.from(slicesOf(keys, MAX_VALUES), (some) => ({
    [FACTS]: { [isNegated ? '$nin' : '$in']: some },
  }));
  const [only] = lists;
  if (only !== undefined && lists.length === 1) return only;
  return { [isNegated ? '$and' : '$or']: lists };
}
