import type { Where } from 'chromadb';

type Comparison = '$eq' | '$ne' | '$gt' | '$gte' | '$lt' | '$lte';
type Membership = '$in' | '$nin';
type Containment = '$contains' | '$not_contains';

/** One comparison of Chroma's `where`. */
export type Atom =
  | { readonly key: string; readonly operator: Comparison; readonly value: string | number }
  | { readonly key: string; readonly operator: Membership; readonly values: readonly string[] }
  | { readonly key: string; readonly operator: Containment; readonly value: string };

/** A condition before it becomes Chroma's `where`, which knows neither constants nor NOT. */
export type Condition =
  | boolean
  | Atom
  | { readonly all: readonly Condition[] }
  | { readonly any: readonly Condition[] };

export const all = (...parts: Condition[]): Condition => combine(parts, true);
export const any = (...parts: Condition[]): Condition => combine(parts, false);

const NEGATED = {
  $eq: '$ne',
  $ne: '$eq',
  $gt: '$lte',
  $lte: '$gt',
  $gte: '$lt',
  $lt: '$gte',
  $in: '$nin',
  $nin: '$in',
  $contains: '$not_contains',
  $not_contains: '$contains',
} as const;

/**
 * The opposite, with every operator turned round. `$ne`, `$nin` and `$not_contains` admit records without the key; the four
 * orders do not, neither way, so they must stand behind something that holds only where the key is.
 */
export function negate(condition: Condition): Condition {
  if (typeof condition === 'boolean') return !condition;
  if ('all' in condition) return any(...condition.all.map(negate));
  if ('any' in condition) return all(...condition.any.map(negate));
  return { ...condition, operator: NEGATED[condition.operator] } as Atom;
}

/** Parts of one `$and` or `$or`: the server chains them, and its database takes expressions 1,000 deep. */
const PARTS_PER_LIST = 100;

/** Chroma's `where`; a boolean where no question is needed. */
export function toWhere(condition: Condition): Where | boolean {
  if (typeof condition === 'boolean') return condition;
  if ('all' in condition) return listOf(condition.all, (parts) => ({ $and: parts }));
  if ('any' in condition) return listOf(condition.any, (parts) => ({ $or: parts }));
  const operand = 'values' in condition ? [...condition.values] : condition.value;
  return { [condition.key]: { [condition.operator]: operand } } as Where;
}

function combine(parts: readonly Condition[], isConjunction: boolean): Condition {
  const flat = parts.flatMap((part) => {
    if (part === isConjunction) return [];
    if (typeof part === 'object' && isConjunction && 'all' in part) return part.all;
    if (typeof part === 'object' && !isConjunction && 'any' in part) return part.any;
    return [part];
  });
  if (flat.includes(!isConjunction)) return !isConjunction;
  const [first, ...rest] = flat;
  if (first === undefined) return isConjunction;
  if (rest.length === 0) return first;
  return isConjunction ? { all: flat } : { any: flat };
}

function listOf(parts: readonly Condition[], join: (parts: Where[]) => Where): Where {
  // `combine` leaves no constants inside.
  const wheres = parts.map((part) => toWhere(part) as Where);
  return nest(wheres, join);
}

function nest(wheres: Where[], join: (parts: Where[]) => Where): Where {
  const [only] = wheres;
  if (only !== undefined && wheres.length === 1) return only;
  if (wheres.length <= PARTS_PER_LIST) return join(wheres);
  const size = Math.ceil(wheres.length / PARTS_PER_LIST);
  const groups = Array.from({ length: Math.ceil(wheres.length / size) }, (_, i) =>
    nest(wheres.slice(i * size, (i + 1) * size), join),
  );
  return join(groups);
}
