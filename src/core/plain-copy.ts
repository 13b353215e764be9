import { types } from 'node:util';
import { RAGError } from './errors.js';

/** Deeper than any filter that a store takes, and far from the end of the stack. */
const MOST_LEVELS = 500;
/** Lists and objects in one value: references that repeat are copied each time, and few of them can stand for very many. */
const MOST_CONTAINERS = 200_000;
const LONGEST_KEY = 80;

/** Makes the error of a value that is refused: where it stands, and what it must be. */
export type Refuse = (path: string, expected: string, cause?: unknown) => RAGError;

/**
 * What a program hands in, as plain data of our own: every list, object, date and array of bytes is read once and copied, so that
 * no getter, proxy or later change makes what is used differ from what was checked. Only own keys count. An object of a class, a list
 * with holes, a cycle and what throws when it is read are refused. Functions and signals are passed on as they are.
 */
export function plainCopy<T>(value: T, refuse: Refuse): T {
  const path: PropertyKey[] = [];
  let containers = 0;
  const copy = (given: unknown): unknown => {
    if (typeof given !== 'object' || given === null || isSignal(given)) return given;
    if (types.isDate(given)) return new Date(Date.prototype.getTime.call(given));
    if (types.isUint8Array(given)) return new Uint8Array(given);
    containers += 1;
    if (path.length > MOST_LEVELS) throw refuse(shownPath(path), `at most ${MOST_LEVELS} levels deep`);
    if (containers > MOST_CONTAINERS)
      throw refuse(shownPath(path), `at most ${MOST_CONTAINERS} lists and objects`);
    return Array.isArray(given)
      ? ownElements(given, refuse, path).map((element, at) => inside(at, element))
      : Object.fromEntries(
          Object.entries(ownFields(given, refuse, path)).map(([key, field]) => [key, inside(key, field)]),
        );
  };
  const inside = (key: PropertyKey, given: unknown): unknown => {
    path.push(key);
    const copied = copy(given);
    path.pop();
    return copied;
  };
  return reading(path, refuse, () => copy(value) as T);
}

/** Whether it is a list; a proxy that was revoked is nothing that can be told. */
export function isList(value: unknown): value is readonly unknown[] {
  try {
    return Array.isArray(value);
  } catch {
    return false;
  }
}

/** The fields of an object, each read once. What they hold is as it was. */
export function ownFields<T extends object>(given: T, refuse: Refuse, path: readonly PropertyKey[] = []): T {
  return reading(path, refuse, () => {
    if (!isPlain(given)) throw refuse(shownPath(path), 'a plain object');
    const fields = given as Readonly<Record<string, unknown>>;
    return Object.fromEntries(Object.keys(fields).map((key) => [key, fields[key]])) as T;
  });
}

/** The elements of a list, each read once. What they hold is as it was. */
export function ownElements<T>(
  given: readonly T[],
  refuse: Refuse,
  path: readonly PropertyKey[] = [],
): readonly T[] {
  return reading(path, refuse, () => {
    const elements: T[] = [];
    const { length } = given;
    for (let at = 0; at < length; at++) {
      if (!Object.hasOwn(given, at)) throw refuse(shownPath([...path, at]), 'there: the list has holes');
      elements.push(given[at] as T);
    }
    return elements;
  });
}

/** Reads what a program handed in: code of its own may run then, and throw. */
export function reading<T>(path: readonly PropertyKey[], refuse: Refuse, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw RAGError.isInstance(error) ? error : refuse(shownPath(path), 'readable', error);
  }
}

/** A signal of this process; what only looks like one would fail when it is listened to. */
export const isSignal = (value: unknown): value is AbortSignal =>
  !types.isProxy(value) && value instanceof AbortSignal;

/** An object literal, of whatever realm; that of a class may keep in its prototype what its own keys do not say. */
function isPlain(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || (typeof prototype === 'object' && Object.hasOwn(prototype, 'isPrototypeOf'));
}

/** The place of a value in words, short however deep it is. */
export function shownPath(path: readonly PropertyKey[]): string {
  const shown = path.slice(0, 8).map((key) => String(key).slice(0, LONGEST_KEY));
  return path.length > shown.length ? `${shown.join('.')}...` : shown.join('.');
}
