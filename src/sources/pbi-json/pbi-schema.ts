import type { MetadataValue } from '../../core/metadata.js';

/** Type of a field, by the names of JSON; `T[]` is an array of them, `any` everything but `null`. */
export type PbiFieldType = PbiScalarType | `${PbiScalarType}[]`;
type PbiScalarType = 'string' | 'number' | 'boolean' | 'object' | 'any';

/** Field names and their types. Fields that are not named may hold anything. */
export type PbiSchema = Readonly<Record<string, PbiFieldType>>;

/** Fields that every PBI must have; the rest of a schema is optional, and `null` counts as absent. */
export const REQUIRED_PBI_FIELDS = ['id', 'title'] as const;

/** The fields that the seed's configuration names. */
export const DEFAULT_PBI_SCHEMA: PbiSchema = {
  id: 'string',
  title: 'string',
  description: 'string',
  acceptance_criteria: 'string[]',
};

export type JsonObject = Readonly<Record<string, MetadataValue>>;

export const isJsonObject = (value: MetadataValue | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Own property of a JSON object: `toString` or `__proto__` must not be found on its prototype. */
export const fieldOf = (object: JsonObject, name: string): MetadataValue | undefined =>
  Object.hasOwn(object, name) ? object[name] : undefined;

/** What is wrong with one field: where it is, what was expected, what was found. Never the value itself. */
export interface SchemaMismatch {
  /** JSON path: `$.pbis[0].title`. */
  readonly path: string;
  readonly expected: string;
  readonly actual: string;
}

/** Every mismatch of a PBI at a JSON path; empty where it satisfies the schema. */
export function checkPbi(pbi: JsonObject, path: string, schema: PbiSchema): SchemaMismatch[] {
  // id and title carry identity and display, so a schema that names them otherwise cannot loosen them.
  const types: PbiSchema = { ...schema, id: 'string', title: 'string' };
  return Object.keys(types).flatMap((name) => {
    const type = types[name] ?? 'any';
    const value = fieldOf(pbi, name) ?? undefined;
    const at = childPath(path, name);
    const isRequired = REQUIRED_PBI_FIELDS.some((required) => required === name);
    if (value === undefined) return isRequired ? [{ path: at, expected: type, actual: 'missing' }] : [];
    if (isRequired && value === '') return [{ path: at, expected: 'text', actual: 'empty' }];
    return checkValue(value, at, type);
  });
}

function checkValue(value: MetadataValue, path: string, type: PbiFieldType): SchemaMismatch[] {
  const elementType = type.endsWith('[]') ? type.slice(0, -2) : undefined;
  if (elementType === undefined) {
    return isOfType(value, type) ? [] : [{ path, expected: type, actual: nameOfType(value) }];
  }
  if (!Array.isArray(value)) return [{ path, expected: type, actual: nameOfType(value) }];
  return value.flatMap((element: MetadataValue, i) =>
    isOfType(element, elementType)
      ? []
      : [{ path: `${path}[${i}]`, expected: elementType, actual: nameOfType(element) }],
  );
}

const isOfType = (value: MetadataValue, type: string): boolean =>
  type === 'any' ? value !== null : nameOfType(value) === type;

/** `string`, `number`, `boolean`, `null`, `array` or `object`. */
export function nameOfType(value: MetadataValue): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

/** The JSON path of a member; names that are not identifiers are quoted. */
export const childPath = (path: string, name: string): string =>
  /^[A-Za-z_$][\w$]*$/.test(name) ? `${path}.${name}` : `${path}[${JSON.stringify(name)}]`;
