import type { Schemas } from '@qdrant/js-client-rest';
import type { ChunkRecord, StoredChunk } from '../../core/chunk.js';
import type { RAGError } from '../../core/errors.js';
import type { Fact } from '../filter-condition.js';
import { factKey, factsOf, fieldKey } from '../record-facts.js';
import { storedChunkOf } from '../record-fields.js';
import { damagedRecord } from '../store-checks.js';
import { decodeVector, encodeVector, unitVector } from '../unit-vector.js';
import { pointId } from './qdrant-names.js';

/*
 * What is in a payload. `tenant`, `project`, `source`, `document_id`, `chunk_id`, `groups`, `identifiers` and `level` are what they are
 * called. Everything else that a filter may ask, of metadata of any form, is a word in `facts` or an object in `ordered`, so that
 * a handful of indexes serves all, and strict mode, which refuses filters on fields without one, can be on.
 */
export const FACTS = 'facts';
/** Objects with `f`, the field, and either `n`, a number, or `p0` to `p4`, the pieces of a text. */
export const ORDERED = 'ordered';
export const LEVEL = 'level';
/** The chunk without its content, as JSON, which the server never looks into. */
const RECORD = 'record';
const CONTENT = 'content';
/** The vector as it was given, where it is not of unit length. */
const VECTOR = 'vector';
export const CHUNK_ID = 'chunk_id';

/** The parts of a payload that a chunk is made of. */
export const CHUNK_KEYS = [RECORD, CONTENT, VECTOR] as const;

/** Texts that stand in the payload as they are. */
const TEXT_KEYS: Readonly<Record<string, string>> = {
  $tenant: 'tenant',
  $project: 'project',
  $source: 'source',
  $documentId: 'document_id',
  $chunkId: CHUNK_ID,
};
const LIST_KEYS: Readonly<Record<string, string>> = { $groups: 'groups', $identifiers: 'identifiers' };

/** The payload key and word that a fact is, where it has a key of its own. */
export function ownKey(fact: Fact): { readonly key: string; readonly text: string } | undefined {
  if (fact.is !== 'value' && fact.is !== 'element') return undefined;
  const keys = fact.is === 'value' ? TEXT_KEYS : LIST_KEYS;
  const key = Object.hasOwn(keys, fact.field) ? keys[fact.field] : undefined;
  return key === undefined || typeof fact.value !== 'string' ? undefined : { key, text: fact.value };
}

/** An index of the payload: the key, and the parameters of the server. */
export interface PayloadIndex {
  readonly field: string;
  readonly schema: Schemas['PayloadFieldSchema'];
}

// Only the tenant is worth a graph of its own: nearly every search names it.
const keyword = (field: string, isTenant = false): PayloadIndex => ({
  field,
  schema: { type: 'keyword', ...(isTenant ? { is_tenant: true } : { enable_hnsw: false }) },
});
const PIECES = [0, 1, 2, 3, 4];

/** Every field that a filter may name, for strict mode. */
export const PAYLOAD_INDEXES: readonly PayloadIndex[] = [
  keyword('tenant', true),
  ...['project', 'source', 'document_id', CHUNK_ID, 'groups', 'identifiers', FACTS, `${ORDERED}[].f`].map(
    (field) => keyword(field),
  ),
  { field: LEVEL, schema: { type: 'float', enable_hnsw: false } },
  { field: `${ORDERED}[].n`, schema: { type: 'float', enable_hnsw: false } },
  ...PIECES.map(
    (piece): PayloadIndex => ({
      field: `${ORDERED}[].p${piece}`,
      schema: { type: 'integer', lookup: true, range: true, enable_hnsw: false },
    }),
  ),
];

/** A record as the server keeps it. */
export function pointOf(record: ChunkRecord): Schemas['PointStruct'] {
  const unit = unitVector(record.vector);
  const { content, ...rest } = storedChunkOf(record);
  return {
    id: pointId(record.id),
    vector: Array.from(unit),
    payload: {
      tenant: record.tenant,
      ...(record.project === undefined ? {} : { project: record.project }),
      source: record.source,
      document_id: record.documentId,
      [CHUNK_ID]: record.id,
      groups: record.access.groups,
      identifiers: record.identifiers,
      [LEVEL]: record.access.level + 0,
      ...filterKeys(record),
      [CONTENT]: content,
      [RECORD]: JSON.stringify(rest),
      ...(unit === record.vector ? {} : { [VECTOR]: encodeVector(record.vector) }),
    },
  };
}

function filterKeys(record: ChunkRecord): Readonly<Record<string, unknown>> {
  const { facts, numbers, texts } = factsOf(record);
  return {
    [FACTS]: [...new Set(facts.filter((fact) => ownKey(fact) === undefined).map(factKey))],
    [ORDERED]: [
      ...[...numbers]
        .filter(([field]) => field !== '$level')
        .map(([field, n]) => ({ f: fieldKey(field), n })),
      ...[...texts].map(([field, pieces]) => ({
        f: fieldKey(field),
        ...Object.fromEntries(pieces.map((piece, i) => [`p${i}`, piece])),
      })),
    ],
  };
}

/** What an answer holds of a point. */
export interface FoundPoint {
  readonly payload?: Readonly<Record<string, unknown>> | null | undefined;
  readonly vector?: unknown;
}

/** The chunk of a point. Throws `STORE_DAMAGED` where it was not written by `pointOf`. */
export function chunkOf({ payload, vector }: FoundPoint, includeVector: boolean): StoredChunk {
  const { [RECORD]: json, [CONTENT]: content, [VECTOR]: given } = payload ?? {};
  if (typeof json !== 'string' || typeof content !== 'string') throw damaged();
  try {
    // Written by `pointOf`; anything else does not parse or is refused above.
    const rest = JSON.parse(json) as Omit<StoredChunk, 'content'>;
    const chunk = { ...rest, content };
    if (!includeVector) return chunk;
    const stored = typeof given === 'string' ? decodeVector(given) : Float32Array.from(vector as number[]);
    return { ...chunk, vector: stored };
  } catch (error) {
    throw damaged(error);
  }
}

/** The id of the chunk in a point. */
export function chunkIdOf({ payload }: FoundPoint): string {
  const id = payload?.[CHUNK_ID];
  if (typeof id !== 'string') throw damaged();
  return id;
}

const damaged = (cause?: unknown): RAGError => damagedRecord('A point in Qdrant', cause);
