import * as z from 'zod';
import type { MetadataValue } from '../../core/metadata.js';
import { isSignal } from '../../core/plain-copy.js';
import { type Count, FIELDS, rangeOf } from '../fields.js';
import { checked, type Refusal, type ShapeOf } from './check-shape.js';

const JSON_DEPTH = 50;

/** Where a value is no JSON, and why: a filter without keys would let everything through, and no store keeps NaN or a date. */
function problemOf(value: unknown, path: readonly PropertyKey[] = []): JsonProblem | undefined {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return undefined;
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : { path, why: 'a finite number' };
  if (typeof value !== 'object' || value instanceof Date || value instanceof Uint8Array || isSignal(value))
    return { path, why: 'made of JSON values: texts, numbers, true, false, null, lists and objects of them' };
  if (path.length > JSON_DEPTH) return { path, why: `at most ${JSON_DEPTH} levels deep` };
  for (const [key, inner] of Object.entries(value)) {
    const problem = problemOf(inner, [...path, key]);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

interface JsonProblem {
  readonly path: readonly PropertyKey[];
  readonly why: string;
}

export function onlyJson(value: unknown, context: z.core.$RefinementCtx): void {
  const problem = problemOf(value);
  if (problem !== undefined)
    context.addIssue({ code: 'custom', path: [...problem.path], message: problem.why });
}

/** An object of JSON values; each problem is told with its key. */
export const jsonObject = z
  .custom<Readonly<Record<string, MetadataValue>>>(
    (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
    'an object',
  )
  .superRefine(onlyJson);

/** An object that may be left out. To state `undefined` in it is to leave a key out, which its type need not say. */
export const optional = <T extends object>(shape: ShapeOf<T>): z.ZodType<T | undefined> =>
  z.strictObject(shape).optional() as unknown as z.ZodType<T | undefined>;

/** Half a surrogate pair cannot be stored: two ids could become one. */
const NAMEABLE = /^[^\p{Cc}\p{Cs}]*$/u;

/** Longest name of a document over a route, in characters. */
const MOST_ID = 1_000;

/** What a document is called by, in a body of a route. */
export const idText = z
  .string()
  .min(1)
  .max(MOST_ID)
  .regex(NAMEABLE, 'a text without control characters and halves of surrogate pairs');

export const choiceOf = <const Choice extends string>(choices: readonly Choice[]) =>
  z.enum(choices).optional();

/** Some of the kinds that there are; all where it is left out. */
export const kindsOf = <const Kind extends string>(kinds: readonly Kind[]) =>
  z.array(z.enum(kinds)).min(1).max(kinds.length).optional();

export const texts = z.array(z.string()).optional();
export const text = z.string().optional();
export const flag = z.boolean().optional();
/** Ranges are checked where they are known, with the store. */
export const number = z.custom<number>((value) => typeof value === 'number', 'a number').optional();
/** A whole number within bounds; its description ends with what holds where it is left out. */
export const countOf = (count: Count, description?: string) => {
  const { least = 1, most = Number.MAX_SAFE_INTEGER, preset } = count;
  const said = `a whole number from ${rangeOf(count)}`;
  const field = z.int(said).min(least, said).max(most, said).optional();
  return description === undefined ? field : field.describe(`${description} Default: ${preset}.`);
};
export const countFromOne = countOf({});
export const countFromZero = countOf({ least: 0 });
export const milliseconds = z
  .custom<number>((value) => typeof value === 'number' && value >= 0, 'a number from 0 up')
  .optional();
export const cost = z.number('a number from 0 up').min(0, 'a number from 0 up').optional();
export const signal = z.custom<AbortSignal>(isSignal, 'an AbortSignal').optional();
export const callback = <F>() => z.custom<F>((value) => typeof value === 'function', 'a function').optional();
export const collapse = choiceOf(FIELDS.search.collapse);
const nameSchema = z.string();

/** A text that names something. Throws `USAGE`. */
export const checkedName = (name: string, what: Refusal['what'] = 'The id of a document'): string =>
  checked(name, nameSchema, { what, reason: 'USAGE' });

const generationSchema = z.int();

/** Throws `USAGE`. */
export const checkedGeneration = (generation: number): number =>
  checked(generation, generationSchema, { what: 'The number of a generation', reason: 'USAGE' });

/** To state `undefined` is to leave a key out, as in JSON. */
export function withoutUndefined<T>(value: T): T {
  if (typeof value !== 'object' || value === null || !isRecord(value)) return value;
  const stated = Object.entries(value).filter(([, inner]) => inner !== undefined);
  return Object.fromEntries(stated.map(([key, inner]) => [key, withoutUndefined(inner)])) as T;
}

const isRecord = (value: object): boolean => Object.getPrototypeOf(value) === Object.prototype;
