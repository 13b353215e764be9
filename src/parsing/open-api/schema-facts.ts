import { oneLine } from '../../core/one-line.js';

/** Longer values are cut, in UTF-16 code units. */
const MAX_VALUE = 500;

/** What a schema, or a parameter of version 2, demands of a value, by the words of JSON Schema that say it. */
const DEMANDS = [
  ...['const', 'default', 'minimum', 'exclusiveMinimum', 'maximum', 'exclusiveMaximum', 'multipleOf'],
  ...[
    'minLength',
    'maxLength',
    'pattern',
    'minItems',
    'maxItems',
    'minProperties',
    'maxProperties',
    'example',
  ],
] as const;
const FLAGS = ['uniqueItems', 'nullable', 'readOnly', 'writeOnly', 'deprecated'] as const;

/** A value in a line. */
export function valueText(value: unknown): string {
  if (typeof value === 'string') return short(oneLine(value));
  try {
    return short(JSON.stringify(value) ?? '');
  } catch {
    // What refers to itself has no end.
    return '';
  }
}

const short = (text: string): string => (text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}…` : text);

/** Bounds, default, pattern and example of a value, and what else is said of it: `minimum 1`, `write only`. */
export function factsOf(given: unknown): string[] {
  if (typeof given !== 'object' || given === null) return [];
  const said = given as Readonly<Record<string, unknown>>;
  const demands = DEMANDS.flatMap((word) =>
    said[word] === undefined || said[word] === null ? [] : [`${spaced(word)} ${valueText(said[word])}`],
  );
  const examples = Array.isArray(said.examples)
    ? said.examples.slice(0, 5).map((one) => `example ${valueText(one)}`)
    : [];
  const flags = FLAGS.filter((word) => said[word] === true).map(spaced);
  const items = said.type === 'array' ? factsOf(said.items).map((fact) => `items: ${fact}`) : [];
  return [...demands, ...examples, ...flags, ...items].filter((fact) => fact !== '');
}

/** A name of two words as people say it, but for those that are searched for as they are written. */
const spaced = (word: string): string =>
  ({ uniqueItems: 'unique', readOnly: 'read only', writeOnly: 'write only' })[word] ?? word;

/** Examples of a body, by its type. */
export const examplesOf = (example: unknown, examples: readonly (readonly [string, unknown])[]): string[] =>
  [...(example === undefined ? [] : [['', example] as const]), ...examples.slice(0, 10)]
    .map(([name, one]) => {
      const text = valueText(one);
      return text === '' ? '' : `Example${name === '' ? '' : ` ${oneLine(name)}`}: ${text}`;
    })
    .filter((text) => text !== '');
