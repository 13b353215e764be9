import { escapeExpression } from './escape-expression.js';
import { madeOnce } from './made-once.js';

/** A value that every store can keep and give back unchanged. Dates are ISO-8601 UTC strings (`Date#toISOString`). */
export type MetadataScalar = string | number | boolean | null;

/** Any JSON value. */
export type MetadataValue =
  | MetadataScalar
  | readonly MetadataValue[]
  | { readonly [key: string]: MetadataValue };

/** Free, caller-owned facts about a document. System fields live apart (see `filter.ts`), so no key here can forge them. */
export type Metadata = Readonly<Record<string, MetadataValue>>;

/** Before the names of the facts of a knowledge store, so that none is taken for one that the engine writes or reads (`title`, `url`, `createdAt`). */
export const FACT_PREFIX = 'fact:';

/** A name of metadata as callers write it. */
export const callersName = (name: string): string =>
  name.startsWith(FACT_PREFIX) ? name.slice(FACT_PREFIX.length) : name;

/**
 * A name of a field as marked fields are compared: case of letters, blanks, `_` and `-` do not count, and several are as one. `Salary Band`, `salaryBand` and
 * `salary_bands` are `salary_band`.
 */
export const foldedName = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[\s_-]+/g, '')
    .replace(PLURAL, (_, ies?: string, es = '') => (ies === undefined ? es : 'y')) || name;

/** An expression for a name as `foldedName` folds it, in one or in several, with `between` between its letters. */
export function nameSource(folded: string, between: string): string {
  const letters = [...folded].map(escapeExpression);
  return letters.at(-1) === 'y'
    ? [...letters.slice(0, -1), '(?:y|ies)'].join(between)
    : `${letters.join(between)}(?:e?s)?`;
}

/** English ones, at the end of a name or of a part of one. */
const PLURAL = /(?<=\p{L}{2})(?:(ies)|(ss|x|ch|sh)es|(?<!s)s)(?![\p{L}\p{N}])/gu;

/** Names of fields as they stand in a path: between dots. */
const foldedPaths = madeOnce((fields: readonly string[]): readonly string[] => fields.map(foldedPath));

/** `hr:salary` and `@salary` as paths. */
const foldedPath = (name: string): string => `.${foldedName(name).replace(/^@/, '').replaceAll(':', '.')}.`;

/**
 * Whether a name of metadata, a path of a filter or a name in a text is that of a marked field, in whatever letters, of a part of it (`salary.base` of `salary`), or
 * of one that lies in something else (`hr.salary`).
 */
export function isMarkedName(name: string, fields: readonly string[]): boolean {
  if (fields.length === 0) return false;
  const own = foldedPath(callersName(name));
  return foldedPaths(fields).some((field) => own.includes(field));
}

/** Whether a marked field stands inside a value, at any depth. */
export function holdsMarked(value: MetadataValue, fields: readonly string[]): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.some((item: MetadataValue) => holdsMarked(item, fields));
  return Object.entries(value as Metadata).some(
    ([name, inner]) => isMarkedName(name, fields) || holdsMarked(inner, fields),
  );
}
