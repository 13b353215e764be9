import type { ChunkRecord } from '../core/chunk.js';
import { RAGError } from '../core/errors.js';
import type { Filter } from '../core/filter.js';
import type { MetadataValue } from '../core/metadata.js';
import type { CollectionSpec } from './vector-store.js';

/** Deepest nesting of `and`, `or` and `not` that any store accepts: query parsers of databases recurse. */
export const MAX_FILTER_DEPTH = 32;

const COLLECTION_NAME = /^[A-Za-z0-9_-]{1,64}$/;

/** Throws `CONFIG_INVALID` for a name, dimension count or fingerprint that no collection can have. */
export function assertSpec(spec: CollectionSpec): void {
  assertCollectionName(spec.name);
  if (!Number.isInteger(spec.dimensions) || spec.dimensions < 1)
    throw new RAGError(
      'CONFIG_INVALID',
      `Vector dimensions must be a positive integer, not ${spec.dimensions}.`,
    );
  if (spec.fingerprint === '')
    throw new RAGError('CONFIG_INVALID', 'The embedding fingerprint of a collection must not be empty.');
}

/** Throws `CONFIG_INVALID` for a name that no collection can have. */
export function assertCollectionName(name: string): void {
  if (!COLLECTION_NAME.test(name))
    throw new RAGError(
      'CONFIG_INVALID',
      `Collection name ${JSON.stringify(name)} is not valid: use 1 to 64 letters, digits, "_" or "-".`,
    );
}

/**
 * Refuses what a newer version wrote: `STORE_SCHEMA_TOO_NEW`.
 *
 * @param subject what was read: `Collection "notes"`
 */
export function assertKnownSchema(subject: string, actual: number, known: number): void {
  if (actual > known)
    throw new RAGError(
      'STORE_SCHEMA_TOO_NEW',
      `${subject} was written by a newer Ragstone (schema ${actual}, this one knows ${known}). Update Ragstone.`,
      { details: { expected: known, actual } },
    );
}

/** What a server has of a chunk and no store of ours wrote so. */
export const damagedRecord = (subject: string, cause?: unknown): RAGError =>
  new RAGError(
    'STORE_DAMAGED',
    `${subject} cannot be read: it was written or changed by something else. Rebuild with \`ragstone index --force\`.`,
    { cause },
  );

/**
 * Refuses to open a collection that was made for another embedding model. Throws `STORE_DIMENSION_MISMATCH` or
 * `STORE_FINGERPRINT_MISMATCH`.
 */
export function assertSameSpec(stored: CollectionSpec, wanted: CollectionSpec): void {
  const advice = 'Use the model it was built with, or rebuild it with `ragstone index --force`.';
  if (stored.dimensions !== wanted.dimensions)
    throw new RAGError(
      'STORE_DIMENSION_MISMATCH',
      `Collection "${stored.name}" holds vectors of ${stored.dimensions} dimensions, the embedding model makes ${wanted.dimensions}. ${advice}`,
      { details: { expected: stored.dimensions, actual: wanted.dimensions } },
    );
  if (stored.fingerprint !== wanted.fingerprint)
    throw new RAGError(
      'STORE_FINGERPRINT_MISMATCH',
      `Collection "${stored.name}" was built with embedding model ${stored.fingerprint}, not ${wanted.fingerprint}. ${advice}`,
      { details: { expected: stored.fingerprint, actual: wanted.fingerprint } },
    );
}

/**
 * Refuses a batch before anything of it is written: `STORE_DIMENSION_MISMATCH` for a vector of the wrong length,
 * `STORE_INVALID_RECORD` for what no store could give back unchanged (numbers that are not finite, text with half a
 * surrogate pair, values that are not JSON). Messages name the chunk id, never its text.
 */
export function assertRecords(spec: CollectionSpec, records: readonly ChunkRecord[]): void {
  for (const record of records) {
    assertLength(spec, record.vector, `Chunk ${JSON.stringify(record.id)}`);
    const fault = vectorFault(record.vector) ?? textFault(record) ?? metadataFault(record.metadata);
    if (fault !== undefined)
      throw new RAGError(
        'STORE_INVALID_RECORD',
        `Chunk ${JSON.stringify(record.id)} cannot be stored: ${fault}.`,
      );
  }
}

/** Refuses a query vector of the wrong length (`STORE_DIMENSION_MISMATCH`) or with NaN or infinity (`QUERY_INVALID`). */
export function assertQueryVector(spec: CollectionSpec, vector: Float32Array): void {
  assertLength(spec, vector, 'The query');
  if (!vector.every(Number.isFinite))
    throw new RAGError('QUERY_INVALID', 'The query vector has a component that is not finite.');
}

function assertLength(spec: CollectionSpec, vector: Float32Array, subject: string): void {
  if (vector.length !== spec.dimensions)
    throw new RAGError(
      'STORE_DIMENSION_MISMATCH',
      `${subject} has a vector of ${vector.length} dimensions; collection "${spec.name}" holds ${spec.dimensions}.`,
      { details: { expected: spec.dimensions, actual: vector.length } },
    );
}

const vectorFault = (vector: Float32Array): string | undefined =>
  vector.every(Number.isFinite) ? undefined : 'its vector has a component that is not finite';

function textFault(record: ChunkRecord): string | undefined {
  const { id, documentId, tenant, project, source, access, content, searchText, identifiers } = record;
  const texts = { id, documentId, tenant, project: project ?? '', source, content, searchText };
  for (const [name, text] of Object.entries(texts))
    if (!text.isWellFormed()) return `its ${name} has half a surrogate pair`;
  if (!Number.isFinite(access.level)) return 'its access level is not a finite number';
  if ([...access.groups, ...identifiers].some((text) => !text.isWellFormed()))
    return 'a group or identifier has half a surrogate pair';
  return undefined;
}

function metadataFault(value: MetadataValue | undefined): string | undefined {
  switch (typeof value) {
    case 'string':
      return value.isWellFormed() ? undefined : 'its metadata has text with half a surrogate pair';
    case 'number':
      return Number.isFinite(value) ? undefined : 'its metadata has a number that is not finite';
    case 'boolean':
      return undefined;
    case 'object':
      return value === null ? undefined : compositeFault(value);
    default:
      return `its metadata has a value of type ${typeof value}, which is not JSON`;
  }
}

function compositeFault(value: Exclude<MetadataValue, null | string | number | boolean>): string | undefined {
  if (!Array.isArray(value)) {
    const prototype: unknown = Object.getPrototypeOf(value);
    if (prototype !== null && prototype !== Object.prototype)
      return 'its metadata has an object that is not plain JSON (write a date as an ISO-8601 string)';
    if (Object.keys(value).some((key) => !key.isWellFormed()))
      return 'its metadata has a key with half a surrogate pair';
  }
  for (const part of Object.values(value)) {
    const fault = metadataFault(part);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** The batch with only the last record of each id, in the order of first appearance. */
export function lastRecordById(records: readonly ChunkRecord[]): readonly ChunkRecord[] {
  const byId = new Map(records.map((record) => [record.id, record]));
  return byId.size === records.length ? records : [...byId.values()];
}

/** Throws `QUERY_INVALID` unless `value` is an integer from 1 to `maximum`. */
export function assertCount(name: 'topK' | 'limit', value: number, maximum: number): void {
  if (!Number.isInteger(value) || value < 1 || value > maximum)
    throw new RAGError('QUERY_INVALID', `${name} must be an integer from 1 to ${maximum}, not ${value}.`);
}

/**
 * Refuses a filter that no store can run: one that is missing (it never means everything), with NaN or half a surrogate
 * pair (`QUERY_INVALID`), or nested deeper than `MAX_FILTER_DEPTH` (`STORE_FILTER_UNSUPPORTED`).
 */
export function assertFilter(filter: Filter | undefined, depth = 0): asserts filter is Filter {
  if (filter === undefined || filter === null)
    throw new RAGError('QUERY_INVALID', 'A filter is required; pass EVERYTHING to mean every chunk.');
  if (depth > MAX_FILTER_DEPTH)
    throw new RAGError(
      'STORE_FILTER_UNSUPPORTED',
      `A filter may be nested at most ${MAX_FILTER_DEPTH} deep.`,
    );
  switch (filter.op) {
    case 'and':
    case 'or':
      for (const part of filter.filters) assertFilter(part, depth + 1);
      return;
    case 'not':
      assertFilter(filter.filter, depth + 1);
      return;
    case 'in':
      assertOperands(filter.field, filter.values);
      return;
    case 'range':
      assertOperands(filter.field, [filter.gt, filter.gte, filter.lt, filter.lte]);
      return;
    case 'exists':
      assertOperands(filter.field, []);
      return;
    case 'eq':
    case 'contains':
    case 'prefix':
      assertOperands(filter.field, [filter.value]);
      return;
    default:
      filter satisfies never;
      throw new RAGError('STORE_FILTER_UNSUPPORTED', 'The filter has an operator that does not exist.');
  }
}

function assertOperands(field: string, operands: readonly unknown[]): void {
  for (const operand of [field, ...operands]) {
    if (typeof operand === 'string' && !operand.isWellFormed())
      throw new RAGError('QUERY_INVALID', 'The filter has text with half a surrogate pair.');
    if (Number.isNaN(operand))
      throw new RAGError(
        'QUERY_INVALID',
        `The filter on "${field}" compares with NaN, which equals nothing.`,
      );
  }
}
