import { SEALED_KEY } from '../../core/chunk-metadata.js';
import { RAGError } from '../../core/errors.js';
import type { Filter } from '../../core/filter.js';
import { foldedName, nameSource } from '../../core/metadata.js';
import { plainCopy } from '../../core/plain-copy.js';
import { FOLDED_KEY, UNLIFTED_KEY } from '../../core/pushed-fields.js';
import type { AskedOf } from '../operation.js';
import { assertFilterShape, DEEPEST_CHECKED } from '../requests/check-filter.js';
import { filtersSchema } from '../search.js';

type StatedFilters = Pick<AskedOf, 'filters' | 'filter'>;

/** Stands in the log for what names an encrypted field, or has no known shape and may name one. */
export const NOT_LOGGED = '(encrypted field)';

/**
 * Filters as they are logged: who asks of an encrypted field is refused, and the log would be the one place that holds its value. Of a
 * program in plain JavaScript they may be anything: they are logged before they are checked.
 */
export function withoutEncrypted({ filters, filter }: StatedFilters, fields: readonly string[]): object {
  return {
    ...(filters === undefined ? {} : { filters: logged(filters, namedByFilters, fields) }),
    ...(filter === undefined ? {} : { filter: logged(filter, namedByFilter, fields) }),
  };
}

/** What a filter says, where it is of a known shape. */
interface Named {
  /** Paths of metadata. */
  readonly paths: readonly string[];
  /** Texts that are compared with; they may be JSON. */
  readonly texts: readonly string[];
}

function logged(stated: unknown, namedBy: (plain: unknown) => Named, fields: readonly string[]): unknown {
  let plain: unknown;
  let named: Named;
  try {
    plain = plainCopy(stated, refused);
    named = namedBy(plain);
  } catch {
    return fields.length === 0 ? stated : NOT_LOGGED;
  }
  return isMarked(named, fields) ? NOT_LOGGED : plain;
}

const refused = (): RAGError => new RAGError('QUERY_INVALID', 'It is no plain data.');

function isMarked({ paths, texts }: Named, fields: readonly string[]): boolean {
  // What was encrypted stays so where no field is any longer.
  if (fields.length === 0) return paths.some((path) => path.split('.').includes(SEALED_KEY));
  const names = fields.map(partsOf);
  const marked = names.map(anywhere);
  // Of `pay.base`, `pay` is asked with it.
  const wholes = names.flatMap((parts) => parts.slice(1).map((_, at) => atEnd(parts.slice(0, at + 1))));
  const blobs = [SEALED_KEY, FOLDED_KEY, UNLIFTED_KEY].map((key) => anywhere([key]));
  return (
    paths.some((path) => [...marked, ...wholes, ...blobs].some((name) => name.test(path))) ||
    texts.some((text) => marked.some((name) => name.test(text)))
  );
}

const LETTER = String.raw`[\p{L}\p{N}\p{M}]`;
/** What may stand between the letters of one name. */
const WITHIN = String.raw`[\s_-]*`;
const BETWEEN = String.raw`[^\p{L}\p{N}\p{M}]+`;

/** Parts of a name, in whatever letters they are written: what stands between them differs by who writes it (`a.b`, `a['b']`, `{"a":{"b"`). */
const partsOf = (name: string): string[] =>
  name
    .split('.')
    .map((part) => foldedName(part))
    .filter((part) => part !== '')
    .map((part) => nameSource(part, WITHIN));

const anywhere = (parts: readonly string[]): RegExp =>
  new RegExp(`(?<!${LETTER})${parts.join(BETWEEN)}(?!${LETTER})`, 'iu');

const atEnd = (parts: readonly string[]): RegExp => new RegExp(`(?<!${LETTER})${parts.join(BETWEEN)}$`, 'iu');

function namedByFilters(plain: unknown): Named {
  const paths: string[] = [];
  const texts: string[] = [];
  const read = (value: unknown, path: readonly string[]): void => {
    if (path.length > 0) paths.push(path.join('.'));
    if (typeof value === 'string') texts.push(value);
    else if (Array.isArray(value)) for (const part of value) read(part, path);
    else if (typeof value === 'object' && value !== null)
      for (const [key, part] of Object.entries(value)) read(part, [...path, key]);
  };
  read(filtersSchema.parse(plain), []);
  return { paths, texts };
}

function namedByFilter(plain: unknown): Named {
  const paths: string[] = [];
  const texts: string[] = [];
  const take = (operand: unknown): void => {
    if (typeof operand === 'string') texts.push(operand);
  };
  const read = (filter: Filter, depth: number): void => {
    if (depth > DEEPEST_CHECKED) throw refused();
    if (filter.op === 'not') read(filter.filter, depth + 1);
    else if (filter.op === 'and' || filter.op === 'or')
      for (const part of filter.filters) read(part, depth + 1);
    else {
      const { op: _, field, ...operands } = filter;
      paths.push(field);
      Object.values(operands).flat().forEach(take);
    }
  };
  assertFilterShape(plain);
  read(plain, 0);
  return { paths, texts };
}
