import type { Schemas } from '@qdrant/js-client-rest';
import { slicesOf } from '../batches.js';
import type { Comparison, Condition, Fact } from '../filter-condition.js';
import { factKey, fieldKey } from '../record-facts.js';
import { CHUNK_ID, FACTS, LEVEL, ORDERED, ownKey } from './point-payload.js';
import { pointId } from './qdrant-names.js';

type Filter = Schemas['Filter'];
type Part = Schemas['Condition'];

/** The filter that every point passes. */
export const ANY_POINT: Filter = { must: [{ key: FACTS, match: { value: factKey({ is: 'any' }) } }] };

/** Both filters; either may be absent and is then no condition. */
export const bothOf = (a: Filter | undefined, b: Filter): Filter => (a === undefined ? b : { must: [a, b] });

/** The filter that only points of these chunks pass. */
export const hasIds = (ids: readonly string[]): Filter => ({ must: [{ has_id: ids.map(pointId) }] });

/**
 * A condition as Qdrant's filter, equal to it point by point: the server's conditions know two values, and `must_not` is what a
 * condition does not admit, fields that are missing included. Lists of values are at most `maxValues` long (strict mode's
 * `condition_max_size`).
 */
export function toFilter(condition: Exclude<Condition, boolean>, maxValues: number): Filter {
  const part = toPart(condition, maxValues);
  return isFilter(part) ? part : { must: [part] };
}

function toPart(condition: Condition, maxValues: number): Part {
  if (typeof condition === 'boolean') return condition ? ANY_POINT : { must_not: [ANY_POINT] };
  if ('all' in condition) return { must: condition.all.map((part) => toPart(part, maxValues)) };
  if ('any' in condition) return { should: condition.any.map((part) => toPart(part, maxValues)) };
  if ('not' in condition) return { must_not: [toPart(condition.not, maxValues)] };
  if ('anyOf' in condition) return hasAnyOf(condition.anyOf, maxValues);
  if ('number' in condition) {
    const range = rangeOf(condition.comparison, condition.operand);
    return condition.number === '$level' ? { key: LEVEL, range } : ordered(condition.number, 'n', range);
  }
  return ordered(condition.text, `p${condition.piece}`, rangeOf(condition.comparison, condition.operand));
}

const isFilter = (part: Part): part is Filter => 'must' in part || 'should' in part || 'must_not' in part;

const rangeOf = (comparison: Comparison, operand: number): Schemas['Range'] =>
  ({
    '<': { lt: operand },
    '<=': { lte: operand },
    '=': { gte: operand, lte: operand },
    '>=': { gte: operand },
    '>': { gt: operand },
  })[comparison];

/** A question about the object of one field, which each point has one of at most. */
const ordered = (field: string, key: string, range: Schemas['Range']): Part => ({
  nested: {
    key: ORDERED,
    filter: {
      must: [
        { key: 'f', match: { value: fieldKey(field) } },
        { key, range },
      ],
    },
  },
});

function hasAnyOf(facts: readonly Fact[], maxValues: number): Part {
  const words = new Map<string, Set<string>>();
  for (const fact of facts) {
    const { key, text } = ownKey(fact) ?? { key: FACTS, text: factKey(fact) };
    const known = words.get(key) ?? new Set();
    words.set(key, known.add(text));
  }
  const parts = [...words].flatMap(([key, texts]) =>
    Array.from(slicesOf([...texts], maxValues), (slice) => isOneOf(key, slice)),
  );
  const [only] = parts;
  // The server takes a list without alternatives for no condition at all.
  if (only === undefined) return { must_not: [ANY_POINT] };
  return parts.length === 1 ? only : { should: parts };
}

function isOneOf(key: string, texts: string[]): Part {
  // A point is found by its id without any index.
  if (key === CHUNK_ID) return { has_id: texts.map(pointId) };
  const [only] = texts;
  return { key, match: only !== undefined && texts.length === 1 ? { value: only } : { any: texts } };
}
