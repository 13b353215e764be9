import type { ChunkRecord, StoredChunk } from '../../core/chunk.js';
import type { MetadataValue } from '../../core/metadata.js';
import { fieldLookup, storedChunkOf } from '../record-fields.js';
import { damagedRecord } from '../store-checks.js';
import { decodeVector, encodeVector, unitVector } from '../unit-vector.js';
import { filterKeys } from './filter-keys.js';
import { objectId, shardOf } from './weaviate-names.js';

/** Keys for comparisons for equality; see `filter-keys.ts`. */
export const FACTS = 'facts';
/** Keys for ranges and prefixes. */
export const ORDERED = 'ordered';
/** The chunk's id in code point order. */
export const CHUNK_ID = 'chunkId';
/** The chunk as JSON, which the server never looks into. */
export const CHUNK = 'chunk';
/** The vector as it was given, where it is not of unit length. */
export const VECTOR = 'vectorAsGiven';

/** The security level, as a number. */
export const LEVEL = 'level';
/** Fields with a property of their own, whose ranges the server finds in one step: those that scopes and freshness ask for. */
const TEXT_PROPERTIES: Readonly<Record<string, string>> = {
  $chunkId: CHUNK_ID,
  createdAt: 'createdAt',
  updatedAt: 'updatedAt',
};

// `field` tokenization keeps a text in one piece; the server would cut spaces off, which no key has.
const property = (name: string, dataType: string, isFilterable = true) => ({
  name,
  dataType: [dataType],
  ...(dataType.startsWith('text') ? { tokenization: 'field' } : { indexRangeFilters: true }),
  indexFilterable: isFilterable,
  indexSearchable: false,
});

/** The properties of a class. */
export const PROPERTIES = [
  property(FACTS, 'text[]'),
  property(ORDERED, 'text[]'),
  property(LEVEL, 'number'),
  ...Object.values(TEXT_PROPERTIES).map((name) => property(name, 'text')),
  property(CHUNK, 'text', false),
  property(VECTOR, 'text', false),
];

/** The property and operand that stand for a text of this field, where it has a property of its own. */
export function nativeProperty(
  field: string,
  text: string,
): { readonly path: string; readonly text: string } | undefined {
  const path = Object.hasOwn(TEXT_PROPERTIES, field) ? TEXT_PROPERTIES[field] : undefined;
  return path === undefined ? undefined : { path, text: orderedText(text) };
}

const hasProperty = (field: string, value: number | string): boolean =>
  typeof value === 'string' ? Object.hasOwn(TEXT_PROPERTIES, field) : field === '$level';

/** A text in plain ASCII that orders by code point and is never empty. */
export const orderedText = (text: string): string => `x${Buffer.from(text, 'utf8').toString('hex')}`;

/** An object of the server's batch interface. */
export function objectOf(className: string, record: ChunkRecord): Readonly<Record<string, unknown>> {
  const unit = unitVector(record.vector);
  return {
    class: className,
    tenant: shardOf(record.tenant).name,
    id: objectId(record.id),
    vector: Array.from(unit),
    properties: {
      ...filterKeys(record, hasProperty),
      [LEVEL]: record.access.level,
      ...textProperties(record),
      [CHUNK]: JSON.stringify(storedChunkOf(record)),
      ...(unit === record.vector ? {} : { [VECTOR]: encodeVector(record.vector) }),
    },
  };
}

function textProperties(record: ChunkRecord): Record<string, string> {
  const lookup = fieldLookup(storedChunkOf(record));
  const ordered = (value: MetadataValue | undefined): string | undefined =>
    typeof value === 'string' ? orderedText(value) : undefined;
  const properties: Record<string, string> = {};
  for (const [field, name] of Object.entries(TEXT_PROPERTIES)) {
    const text = ordered(lookup(field));
    if (text !== undefined) properties[name] = text;
  }
  return properties;
}

/** What an answer holds of an object. */
export interface FoundObject {
  readonly chunk?: string | null | undefined;
  readonly vectorAsGiven?: string | null | undefined;
  readonly _additional?: { readonly vector?: readonly number[] | null | undefined } | null | undefined;
}

/** The chunk in an object. Throws `STORE_DAMAGED` where it was not written by `objectOf`. */
export function chunkOf(found: FoundObject, includeVector: boolean): StoredChunk {
  try {
    // Written by `objectOf`; anything else does not parse.
    const chunk = JSON.parse(found.chunk ?? '') as StoredChunk;
    if (!includeVector) return chunk;
    const given = found.vectorAsGiven ?? '';
    const vector = given === '' ? Float32Array.from(found._additional?.vector ?? []) : decodeVector(given);
    return { ...chunk, vector };
  } catch (error) {
    throw damagedRecord('A chunk in Weaviate', error);
  }
}
