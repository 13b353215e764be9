import type { MetadataScalar } from '../core/metadata.js';

/**
 * Something that a record has or has not: a field, a field of this type, a field that is this value, a list with this element.
 * `any` is had by every record.
 */
export type Fact =
  | { readonly is: 'any' }
  | { readonly is: 'present' | 'text' | 'number'; readonly field: string }
  | { readonly is: 'value' | 'element'; readonly field: string; readonly value: MetadataScalar };

export type Comparison = '<' | '<=' | '=' | '>=' | '>';

/**
 * A question that a server answers about one record, with yes or no. A comparison is no where the field is of another type.
 * `piece` is the n-th of the `orderedPieces` of a text.
 */
export type Atom =
  | { readonly anyOf: readonly Fact[] }
  | {
      readonly number: string;
      readonly comparison: Comparison;
      /** Finite. */
      readonly operand: number;
    }
  | {
      readonly text: string;
      readonly piece: number;
      readonly comparison: Comparison;
      readonly operand: number;
    };

/** A filter as questions that servers without an algebra of their own can answer. Constants stand at the top only. */
export type Condition =
  | boolean
  | Atom
  | { readonly all: readonly Condition[] }
  | { readonly any: readonly Condition[] }
  | { readonly not: Condition };

export const all = (...parts: readonly Condition[]): Condition => combine(parts, true);
export const any = (...parts: readonly Condition[]): Condition => combine(parts, false);

export function not(condition: Condition): Condition {
  if (typeof condition === 'boolean') return !condition;
  return 'not' in condition ? condition.not : { not: condition };
}

/** One of the facts; no where there is none. */
export const anyOf = (facts: readonly Fact[]): Condition => facts.length > 0 && { anyOf: facts };

function combine(parts: readonly Condition[], isConjunction: boolean): Condition {
  const flat = parts.flatMap((part): readonly Condition[] => {
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
