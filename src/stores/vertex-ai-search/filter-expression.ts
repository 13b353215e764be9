import type { Filter } from '../../core/filter.js';
import type { Fact } from '../filter-condition.js';
import { factKey } from '../record-facts.js';

/** An expression of the service; true where everything may pass, false where nothing can. */
export type FilterExpression = string | boolean;

/** Longest expression that is sent. Google names no limit; what is longer is asked in part, and the rest is looked at here. */
const MAX_CHARACTERS = 6_000;

/** A text in double quotes. */
export const literal = (text: string): string => `"${text.replaceAll(/["\\]/g, '\\$&')}"`;

/** All documents that are chunks. */
export const EVERY_CHUNK = hasFact([factKey({ is: 'any' })]);

/** Which chunks pass: at least these where `atLeast` is set, else at most these. */
interface Bound {
  readonly atLeast: boolean;
}

/**
 * An expression that admits every chunk that the filter admits, and perhaps more, which are to be looked at. The service knows
 * equality exactly; it compares numbers of a field, but fields of metadata are many and their number in a schema is not, so ranges
 * and beginnings of texts are asked for as "has such a field".
 */
export const candidatesOf = (filter: Filter): FilterExpression =>
  both([EVERY_CHUNK, expressionOf(filter, { atLeast: true })], { atLeast: true });

/** One of the words that a chunk has. */
export function hasFact(keys: readonly string[]): string {
  return `facts: ANY(${[...new Set(keys)].map(literal).join(', ')})`;
}

function expressionOf(filter: Filter, bound: Bound): FilterExpression {
  switch (filter.op) {
    case 'and':
      return both(
        filter.filters.map((part) => expressionOf(part, bound)),
        bound,
      );
    case 'or':
      return either(
        filter.filters.map((part) => expressionOf(part, bound)),
        bound,
      );
    case 'not': {
      // What is surely in the inner one is surely not in this.
      const inner = expressionOf(filter.filter, { atLeast: !bound.atLeast });
      return typeof inner === 'boolean' ? !inner : `NOT (${inner})`;
    }
    case 'exists':
      return anyOf([{ is: 'present', field: filter.field }], bound);
    case 'contains':
      return anyOf([{ is: 'element', field: filter.field, value: filter.value }], bound);
    case 'eq':
      return anyOf([{ is: 'value', field: filter.field, value: filter.value }], bound);
    case 'in':
      return anyOf(
        filter.values.map((value): Fact => ({ is: 'value', field: filter.field, value })),
        bound,
      );
    case 'prefix':
      return bound.atLeast && anyOf([{ is: 'text', field: filter.field }], bound);
    case 'range':
      return (
        bound.atLeast &&
        anyOf(
          [
            { is: 'number', field: filter.field },
            { is: 'text', field: filter.field },
          ],
          bound,
        )
      );
  }
}

const anyOf = (facts: readonly Fact[], { atLeast }: Bound): FilterExpression => {
  if (facts.length === 0) return false;
  const expression = hasFact(facts.map(factKey));
  return expression.length <= MAX_CHARACTERS ? expression : atLeast;
};

function both(parts: readonly FilterExpression[], { atLeast }: Bound): FilterExpression {
  if (parts.includes(false)) return false;
  let whole = '';
  for (const part of parts) {
    if (typeof part === 'boolean') continue;
    const joined = whole === '' ? part : `${whole} AND (${part})`;
    // With fewer conditions more passes.
    if (joined.length > MAX_CHARACTERS && !atLeast) return false;
    if (joined.length <= MAX_CHARACTERS) whole = whole === '' ? `(${part})` : joined;
  }
  return whole === '' ? true : whole;
}

function either(parts: readonly FilterExpression[], { atLeast }: Bound): FilterExpression {
  if (parts.includes(true)) return true;
  const open = parts.filter((part) => typeof part === 'string');
  if (open.length === 0) return false;
  const whole = open.map((part) => `(${part})`).join(' OR ');
  return whole.length <= MAX_CHARACTERS ? whole : atLeast;
}
