import { RAGError } from '../../core/errors.js';
import type { Filter, FilterOperator } from '../../core/filter.js';
import { nearestName } from '../../core/nearest-name.js';
import { shownPath } from '../../core/plain-copy.js';

/** What each operator has beside `op`: what must be there, and what may be. */
const OPERANDS: { readonly [Op in FilterOperator]: Readonly<Record<string, Operand>> } = {
  and: { filters: 'filters' },
  or: { filters: 'filters' },
  not: { filter: 'filter' },
  eq: { field: 'text', value: 'scalar' },
  in: { field: 'text', values: 'scalars' },
  range: { field: 'text', gt: 'bound', gte: 'bound', lt: 'bound', lte: 'bound' },
  exists: { field: 'text' },
  contains: { field: 'text', value: 'scalar' },
  prefix: { field: 'text', value: 'text' },
};

type Operand = 'filter' | 'filters' | 'text' | 'scalar' | 'scalars' | 'bound';

const isScalar = (value: unknown): boolean =>
  value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';

const FITS: Readonly<Record<Operand, (value: unknown) => boolean>> = {
  filter: (value) => typeof value === 'object' && value !== null,
  filters: Array.isArray,
  text: (value) => typeof value === 'string',
  scalar: isScalar,
  scalars: (value) => Array.isArray(value) && value.every(isScalar),
  bound: (value) => value === undefined || typeof value === 'number' || typeof value === 'string',
};

/** Deeper than any store takes a filter: the rest is the store's to refuse. */
export const DEEPEST_CHECKED = 200;

/**
 * Holds a caller's filter against the algebra.
 *
 * @throws RAGError `STORE_FILTER_UNSUPPORTED` for an unknown operator, `QUERY_INVALID` for anything else that is wrong
 */
export function assertFilterShape(filter: unknown, depth = 0): asserts filter is Filter {
  if (depth > DEEPEST_CHECKED) return;
  if (typeof filter !== 'object' || filter === null || !('op' in filter))
    throw invalid('A filter is an object with an `op`, such as { op: "eq", field: "state", value: "New" }.');
  const { op, ...operands } = filter;
  if (!isOperator(op))
    throw new RAGError('STORE_FILTER_UNSUPPORTED', `There is no filter operator ${operatorName(op)}.`);
  assertOperands(op, operands);
  if ('filter' in operands) assertFilterShape(operands.filter, depth + 1);
  if ('filters' in operands && Array.isArray(operands.filters))
    for (const part of operands.filters) assertFilterShape(part, depth + 1);
}

const operatorName = (op: unknown): string =>
  typeof op === 'string' ? JSON.stringify(shownPath([op])) : `of type ${typeof op}`;

const isOperator = (op: unknown): op is FilterOperator =>
  typeof op === 'string' && Object.hasOwn(OPERANDS, op);

function assertOperands(op: FilterOperator, given: Readonly<Record<string, unknown>>): void {
  const known = OPERANDS[op];
  for (const key of Object.keys(given)) {
    if (Object.hasOwn(known, key)) continue;
    const near = nearestName(key, Object.keys(known));
    const hint = near === undefined ? `Known: ${Object.keys(known).join(', ')}.` : `Did you mean ${near}?`;
    throw invalid(`The filter "${op}" has no ${JSON.stringify(shownPath([key]))}. ${hint}`);
  }
  for (const [key, operand] of Object.entries(known))
    if (!FITS[operand](given[key])) throw invalid(`The filter "${op}" has a wrong "${key}".`);
}

const invalid = (message: string): RAGError => new RAGError('QUERY_INVALID', message);
