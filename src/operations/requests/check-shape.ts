import type * as z from 'zod';
import { type ErrorReason, RAGError } from '../../core/errors.js';
import { formatCount } from '../../core/format-count.js';
import { nearestName } from '../../core/nearest-name.js';
import { plainCopy, type Refuse, shownPath } from '../../core/plain-copy.js';
import { assertFilterShape } from './check-filter.js';

/** Holds a schema in step with a type: every key of the type, no other, each with a value that fits. */
export type ShapeOf<T> = { readonly [Key in keyof T]-?: z.ZodType<T[Key] | undefined> };

/** What an error says of the value that is refused. */
export interface Refusal {
  /** The value in words: `A search`, `The options of createEngine`. */
  readonly what: string;
  readonly reason: ErrorReason;
  /** A text alone is taken too. */
  readonly orText?: true;
}

/**
 * What callers hand in, copied into plain data; the copy is held against the types before anything is done, and only it goes further.
 *
 * @throws RAGError of the refusal's reason; `QUERY_INVALID` for its `filter`
 */
export function checked<T>(given: T, schema: z.ZodType, refusal: Refusal): T {
  const copy = plainCopy(given, refusing(refusal));
  assertShape(schema, copy, refusal);
  // A list has a method of that name.
  const filter = Array.isArray(copy)
    ? undefined
    : (copy as { readonly filter?: unknown } | undefined)?.filter;
  if (filter !== undefined) assertFilterShape(filter);
  return copy;
}

/** The value as its schema reads it. Throws for the first thing that is wrong; an unknown key with the one that was probably meant. */
export function assertShape<Value>(schema: z.ZodType<Value>, value: unknown, refusal: Refusal): Value {
  const { data, error } = read(schema, value, refusal);
  const [issue] = error?.issues ?? [];
  if (error === undefined || issue === undefined) return data as Value;
  const { what, reason } = refusal;
  const unknown = error.issues.find(({ code, path }) => code === 'unrecognized_keys' && path.length === 0);
  const words = isMissing(issue) ? needed(issue, unknown) : inWords(issue, schema, refusal);
  throw new RAGError(reason, `${what} ${words}`, { details: { key: pathOf(issue) } });
}

/** The error of a value that cannot be copied. */
export const refusing =
  ({ what, reason }: Refusal): Refuse =>
  (path, expected, cause) =>
    new RAGError(reason, `${what} ${mustBe(path, expected)}`, { cause, details: { key: path } });

type Issue = z.core.$ZodIssue;

/** Parts that are handed in are looked at as they are, and own code of theirs may throw. */
function read<Value>(schema: z.ZodType<Value>, value: unknown, refusal: Refusal) {
  try {
    return schema.safeParse(value, { reportInput: true, error: expected });
  } catch (error) {
    throw refusing(refusal)('', 'readable', error);
  }
}

const isMissing = (issue: Issue): boolean =>
  issue.code === 'invalid_type' && issue.path.length > 0 && issue.input === undefined;

/** A caller with another API in mind sees both what is missing and what stands in its place. */
function needed(issue: Issue, unknown: Issue | undefined): string {
  const instead =
    unknown?.code === 'unrecognized_keys'
      ? `, and has no ${JSON.stringify(shownPath(unknown.keys.slice(0, 1)))}`
      : '';
  return `needs ${JSON.stringify(pathOf(issue))}, ${issue.message}${instead}.`;
}

const pathOf = ({ path }: Issue): string => shownPath(path);

function inWords(issue: Issue, schema: z.ZodType, { orText }: Refusal): string {
  const path = pathOf(issue);
  if (issue.code === 'unrecognized_keys') {
    const key = shownPath(issue.keys.slice(0, 1));
    const known = keysAt(schema, issue.path);
    const near = nearestName(key, known);
    const hint = near === undefined ? `Known: ${known.join(', ')}.` : `Did you mean ${near}?`;
    return `has no ${JSON.stringify(path === '' ? key : `${path}.${key}`)}. ${hint}`;
  }
  return mustBe(path, orText === true && path === '' ? `a text or ${issue.message}` : issue.message);
}

const mustBe = (path: string, expected: string): string =>
  path === '' ? `must be ${expected}.` : `has a wrong ${JSON.stringify(path)}: it must be ${expected}.`;

const TYPES: Readonly<Record<string, string>> = {
  string: 'a text',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  boolean: 'true or false',
  number: 'a number',
  int: 'a whole number',
  date: 'a valid date',
};

/** What a value must be, where its schema has no words of its own. */
function expected(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return TYPES[issue.expected] ?? `of type ${issue.expected}`;
    case 'invalid_value':
      return issue.values.length === 1 ? String(issue.values[0]) : `one of ${issue.values.join(', ')}`;
    case 'too_small':
      return within(issue, issue.inclusive === false ? 'more than' : 'at least', issue.minimum);
    case 'too_big':
      return within(issue, issue.inclusive === false ? 'less than' : 'at most', issue.maximum);
    case 'invalid_union':
      return [...new Set(issue.errors.map(([first]) => first?.message))].join(' or ');
    case 'invalid_format':
      return issue.format === 'datetime' ? 'a time with its zone, such as 2026-03-01T09:30:00Z' : undefined;
    default:
      return undefined;
  }
}

function within({ origin }: { readonly origin: string }, side: string, limit: number | bigint): string {
  const bound = `${side} ${formatCount(Number(limit))}`;
  const counted = { string: 'a text', array: 'a list' }[origin];
  if (counted === undefined) return bound;
  if (side === 'at least' && limit === 1) return `${counted} that is not empty`;
  return `${counted} of ${bound}${origin === 'string' ? ' characters' : ''}`;
}

/** The keys that an object at a path of a schema may have. */
function keysAt(schema: z.ZodType, path: readonly PropertyKey[]): string[] {
  let at: unknown = schema;
  for (const key of path) at = childOf(bare(at), key);
  return Object.keys(shapeOf(bare(at)));
}

/** The type of what a field of an object holds, as Zod calls it. */
export const fieldType = (schema: z.ZodType, field: string): string | undefined =>
  definitionOf(bare(shapeOf(schema)[field])).type;

interface Definition {
  readonly def?: {
    readonly type?: string;
    readonly innerType?: unknown;
    readonly element?: unknown;
    readonly shape?: Readonly<Record<PropertyKey, unknown>>;
  };
}

const definitionOf = (schema: unknown): NonNullable<Definition['def']> =>
  (schema as Definition | undefined)?.def ?? {};

/** Without what only says that it may be left out. */
function bare(schema: unknown): unknown {
  const { innerType } = definitionOf(schema);
  return innerType === undefined ? schema : bare(innerType);
}

const childOf = (schema: unknown, key: PropertyKey): unknown =>
  definitionOf(schema).element ?? shapeOf(schema)[key];

const shapeOf = (schema: unknown): Readonly<Record<PropertyKey, unknown>> => definitionOf(schema).shape ?? {};
