import * as z from 'zod';
import type { FieldDefinition, IndexDefinition } from './index-definition.js';
import type { StoredDocument } from './odata-filter.js';

/** At most 1,000 actions: https://learn.microsoft.com/azure/search/search-limits-quotas-capacity */
const MAX_ACTIONS = 1_000;
/** "Maximum search term size is 32,766 bytes", of the same page: what is filtered or sorted by is one term. */
const MAX_TERM_BYTES = 32_766;
/** Elements of all lists of objects in one document, of the same page. */
const MAX_COMPLEX_ELEMENTS = 3_000;
/** https://learn.microsoft.com/rest/api/searchservice/naming-rules */
const KEY = /^[A-Za-z0-9=-][A-Za-z0-9_=-]{0,1023}$/;

const ACTION = '@search.action';

/** https://learn.microsoft.com/rest/api/searchservice/documents: actions, each with the fields of its document beside it. */
const BATCH = z.strictObject({
  value: z
    .array(z.looseObject({ [ACTION]: z.enum(['upload', 'merge', 'mergeOrUpload', 'delete']) }))
    .min(1)
    .max(MAX_ACTIONS),
});

/** One action. `fault` is told of it alone. */
export interface DocumentAction {
  readonly kind: 'upload' | 'delete';
  readonly key: string;
  readonly document: StoredDocument;
  readonly fault: string | undefined;
}

/** What is wrong with the whole request: an unknown field, a value of a wrong type. */
export class BadRequest extends Error {}

/** The actions of a batch. Throws `BadRequest`. */
export function actionsOf(body: unknown, { fields }: IndexDefinition): DocumentAction[] {
  const parsed = BATCH.safeParse(body);
  if (!parsed.success)
    throw new BadRequest(`The request is invalid: ${parsed.error.issues[0]?.message ?? ''}`);
  return parsed.data.value.map((entry) => {
    const { [ACTION]: kind, ...given } = entry;
    if (kind !== 'upload' && kind !== 'delete')
      throw new BadRequest(`The action "${kind}" is not known here.`);
    assertTyped(given, fields, '');
    const keyField = fields.find(({ key }) => key === true)?.name ?? '';
    const key = given[keyField];
    if (typeof key !== 'string') throw new BadRequest(`The key field "${keyField}" is missing.`);
    return { kind, key, document: completed(given, fields), fault: faultOf(key, given, fields) };
  });
}

/** `upload` replaces the whole document: fields that are not given become null, or empty where they are lists. */
function completed(given: StoredDocument, fields: readonly FieldDefinition[]): StoredDocument {
  return Object.fromEntries(
    fields.map(({ name, type }) => [
      name,
      given[name] ?? (type.startsWith('Collection(') && type !== 'Collection(Edm.Single)' ? [] : null),
    ]),
  );
}

function assertTyped(given: StoredDocument, fields: readonly FieldDefinition[], path: string): void {
  for (const [name, value] of Object.entries(given)) {
    const field = fields.find((candidate) => candidate.name === name);
    if (field === undefined)
      throw new BadRequest(`The property '${path}${name}' does not exist on type 'search.documentFields'.`);
    assertType(field, field.type, value, path + name);
  }
}

function assertType(field: FieldDefinition, type: string, value: unknown, path: string): void {
  const element = /^Collection\((.+)\)$/.exec(type)?.[1];
  if (element !== undefined) {
    const isList = Array.isArray(value);
    if (!isList && !(value === null && element === 'Edm.Single')) throw mistyped(path, type);
    for (const part of isList ? value : []) {
      if (part === null) throw new BadRequest(`'${path}': a collection cannot contain null.`);
      assertType(field, element, part, path);
    }
    if (element === 'Edm.Single' && isList && value.length !== field.dimensions)
      throw new BadRequest(
        `'${path}': the vector has ${value.length} dimensions, the field ${field.dimensions ?? 0}.`,
      );
    return;
  }
  if (type === 'Edm.ComplexType') {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw mistyped(path, type);
    assertTyped(value as StoredDocument, field.fields ?? [], `${path}/`);
    return;
  }
  if (value !== null && !isOfType(type, value)) throw mistyped(path, type);
}

const mistyped = (path: string, type: string): BadRequest =>
  new BadRequest(`Cannot convert the value of '${path}' to the expected type '${type}'.`);

const DATE = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,7})?(Z|[+-]\d{2}:\d{2})$/;

function isOfType(type: string, value: unknown): boolean {
  switch (type) {
    case 'Edm.String':
      return typeof value === 'string';
    case 'Edm.Boolean':
      return typeof value === 'boolean';
    case 'Edm.DateTimeOffset':
      return typeof value === 'string' && DATE.test(value) && !Number.isNaN(Date.parse(value));
    case 'Edm.Int32':
      return Number.isInteger(value) && Math.abs(Number(value)) < 2 ** 31;
    case 'Edm.Int64':
      // What is beyond this cannot be told from its neighbours here.
      return Number.isSafeInteger(value);
    default:
      return typeof value === 'number';
  }
}

function faultOf(key: string, given: StoredDocument, fields: readonly FieldDefinition[]): string | undefined {
  if (!KEY.test(key))
    return `Invalid document key: '${key}'. Keys can only contain letters, digits, underscore (_), dash (-), or equal sign (=).`;
  let elements = 0;
  for (const field of fields) {
    const value = given[field.name];
    if (field.type === 'Collection(Edm.ComplexType)' && Array.isArray(value)) elements += value.length;
    const isTerm = field.filterable === true || field.sortable === true;
    const isTooLong = (part: unknown): boolean =>
      typeof part === 'string' && Buffer.byteLength(part, 'utf8') > MAX_TERM_BYTES;
    if (isTerm && (Array.isArray(value) ? value : [value]).some(isTooLong))
      return `Field '${field.name}' contains a term that is too large to process. The max length for UTF-8 encoded terms is ${MAX_TERM_BYTES} bytes.`;
  }
  return elements > MAX_COMPLEX_ELEMENTS
    ? `The document has ${elements} objects in collections; the limit is ${MAX_COMPLEX_ELEMENTS}.`
    : undefined;
}
