/** The parts of a JSON Schema (2020-12) that descriptions of routes have. */
interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly default?: unknown;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly [keyword: string]: unknown;
}

/** A JSON Schema as lines for people: a name, what it may be, what it means; members below, indented. Names of schemas stand behind a `#`. */
export function schemaLines(schema: object, name = ''): string {
  return linesOf(schema as Schema, name, '').join('\n');
}

function linesOf(schema: Schema, name: string, indent: string): string[] {
  const { description, default: usual } = schema;
  const notes = [
    ...(usual === undefined ? [] : [`default ${JSON.stringify(usual)}`]),
    ...(description === undefined ? [] : [description]),
  ];
  const head = `${indent}${[name, typeOf(schema)].filter((text) => text !== '').join(': ')}`;
  return [[head, ...notes].join('; '), ...memberLines(schema, `${indent}  `)];
}

/** Of what an object, a list of objects or one of several is made of. */
function memberLines(schema: Schema, indent: string): string[] {
  const { properties = {}, required = [], items, additionalProperties: others } = schema;
  return [
    ...Object.entries(properties).flatMap(([key, member]) =>
      linesOf(member, required.includes(key) ? `${key}*` : key, indent),
    ),
    ...(typeof others === 'object' ? linesOf(others, 'any other', indent) : []),
    ...(items === undefined ? [] : memberLines(items, indent)),
    ...alternatives(schema).flatMap((one) => memberLines(one, indent)),
  ];
}

const alternatives = ({ anyOf = [], oneOf = [], allOf = [] }: Schema): readonly Schema[] => [
  ...anyOf,
  ...oneOf,
  ...allOf,
];

function typeOf(schema: Schema): string {
  if (schema.$ref !== undefined) return `#${schema.$ref.split('/').at(-1) ?? ''}`;
  if ('const' in schema) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  const others = alternatives(schema);
  if (others.length > 0) return others.map(typeOf).join(schema.allOf === undefined ? ' | ' : ' & ');
  const limits = limitsOf(schema);
  const type = [schema.type ?? 'any'].flat().join(' | ');
  const of = schema.items === undefined ? '' : ` of ${typeOf(schema.items)}`;
  return `${type}${of}${limits === '' ? '' : ` (${limits})`}`;
}

const LIMITS = [
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'format',
];

const limitsOf = (schema: Schema): string =>
  LIMITS.filter(
    (keyword) =>
      schema[keyword] !== undefined && Math.abs(Number(schema[keyword])) !== Number.MAX_SAFE_INTEGER,
  )
    .map((keyword) => `${keyword} ${String(schema[keyword])}`)
    .join(', ');
