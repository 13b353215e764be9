import { InvalidArgumentError } from 'commander';
import type { Filter } from '../../index.js';

/** What follows an option is its value, whatever it is. */
const VALUE_FIRST = 'Write it directly behind the option, before files, folders and questions.';

/** A whole number of at least `minimum`, and at most `maximum`, for commander. */
export const wholeNumber =
  (minimum: number, maximum = Number.MAX_SAFE_INTEGER) =>
  (text: string): number => {
    const value = Number(text);
    const range =
      maximum === Number.MAX_SAFE_INTEGER ? `of at least ${minimum}` : `from ${minimum} to ${maximum}`;
    if (!/^\d+$/.test(text) || value < minimum || value > maximum)
      throw new InvalidArgumentError(`It must be a whole number ${range}. ${VALUE_FIRST}`);
    return value;
  };

/** A number within bounds, both included. */
export const numberBetween =
  (minimum: number, maximum: number) =>
  (text: string): number => {
    const value = Number(text);
    if (text.trim() === '' || !(value >= minimum && value <= maximum))
      throw new InvalidArgumentError(`It must be a number from ${minimum} to ${maximum}. ${VALUE_FIRST}`);
    return value;
  };

const DATE = /^\d{4}-\d{2}-\d{2}$/;
const DATE_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})$/;

/** An ISO-8601 date or time. A date alone is its first moment in UTC, or, for the end of a range, its last. */
export const isoDate =
  (edge: 'start' | 'end') =>
  (text: string): Date => {
    const time = edge === 'start' ? 'T00:00:00.000Z' : 'T23:59:59.999Z';
    const date = DATE.test(text) ? new Date(text + time) : DATE_TIME.test(text) ? new Date(text) : undefined;
    // `new Date('2026-02-30T...')` rolls over to March in some forms, so the day is compared.
    const isSameDay =
      date !== undefined &&
      !Number.isNaN(date.getTime()) &&
      (!DATE.test(text) || date.toISOString().startsWith(text));
    if (date === undefined || !isSameDay)
      throw new InvalidArgumentError(
        'It must be a date such as 2026-01-31, or a time such as 2026-01-31T12:00:00Z.',
      );
    return date;
  };

/** One more value of an option that may be repeated. */
export const collect = (value: string, previous: readonly string[] = []): readonly string[] => [
  ...previous,
  value,
];

/** One more of these names, of an option that may be repeated. */
export const collectOneOf =
  <Name extends string>(names: readonly Name[]) =>
  (text: string, previous: readonly Name[] = []): readonly Name[] => {
    const name = names.find((known) => known === text);
    if (name === undefined) throw new InvalidArgumentError(`It must be one of ${names.join(', ')}.`);
    return [...previous, name];
  };

/**
 * `KEY=VALUE` as a filter: the field is the value, or a list that holds it. The value is compared as text and, where it
 * looks like one, as a number or a truth value.
 */
export function parseFilter(text: string): Filter {
  const equals = text.indexOf('=');
  if (equals < 1) throw new InvalidArgumentError(`"${text}" must be KEY=VALUE, such as tags=payments.`);
  const field = text.slice(0, equals);
  if (field.startsWith('$'))
    throw new InvalidArgumentError(`"${field}" is a field of the engine and cannot be filtered here.`);
  const value = text.slice(equals + 1);
  const filters = alternativesOf(value).flatMap((alternative): Filter[] => [
    { op: 'eq', field, value: alternative },
    { op: 'contains', field, value: alternative },
  ]);
  return { op: 'or', filters };
}

function alternativesOf(value: string): (string | number | boolean)[] {
  if (value === 'true' || value === 'false') return [value, value === 'true'];
  if (/^-?(0|[1-9]\d*)(\.\d+)?$/.test(value)) return [value, Number(value)];
  return [value];
}

/** One more filter; all of them must hold. */
export const collectFilter = (text: string, previous: readonly Filter[] = []): readonly Filter[] => [
  ...previous,
  parseFilter(text),
];
