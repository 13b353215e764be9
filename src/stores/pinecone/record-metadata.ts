import { createHash } from 'node:crypto';
import type { ChunkRecord, StoredChunk } from '../../core/chunk.js';
import { RAGError } from '../../core/errors.js';
import { factKey, factsOf } from '../record-facts.js';
import { storedChunkOf } from '../record-fields.js';
import { damagedRecord } from '../store-checks.js';
import { decodeVector, encodeVector, isZero, unitVector } from '../unit-vector.js';
import { FACTS, HAS_NO_VECTOR, HAS_VECTOR, numberKey, pieceKey } from './metadata-filter.js';

/** Bytes of metadata that a record may have: 40 KB (https://docs.pinecone.io/reference/api/database-limits/operation-limits). */
const MAX_METADATA_BYTES = 40_000;
/** Of a text in one part, before base64. */
const PART_BYTES = 28_000;

const CHUNK = 'chunk';
const VECTOR = 'vector';
const PARTS = 'parts';
const PART = 'part';

/** The types that metadata may have. */
export type Metadata = Record<string, string | number | boolean | string[]>;

export interface PineconeRow {
  readonly id: string;
  readonly values: number[];
  readonly metadata: Metadata;
}

/** A record as the service keeps it: one row, and, where its chunk is too large for that, parts in another namespace. */
export interface EncodedRecord {
  readonly row: PineconeRow;
  readonly parts: readonly PineconeRow[];
}

/** The id of a chunk's row: its own where the service takes it, else a hash. */
export const rowId = (chunkId: string): string =>
  /^[A-Za-z0-9_-]{1,200}$/.test(chunkId)
    ? chunkId
    : `~${createHash('sha256').update(chunkId, 'utf8').digest('base64url')}`;

/** The service takes no vector of zeros; a row without one has this, and a fact by which searches leave it out. */
const firstAxis = (dimensions: number): number[] =>
  Array.from({ length: dimensions }, (_, i) => (i === 0 ? 1 : 0));

/** Throws `STORE_INVALID_RECORD` for metadata with so many fields that their keys alone are too large. */
export function encodeRecord(record: ChunkRecord): EncodedRecord {
  const { facts, numbers, texts } = factsOf(record);
  const unit = unitVector(record.vector);
  const hasVector = !isZero(record.vector);
  const keys: Metadata = {
    [FACTS]: [...new Set([...facts.map(factKey), hasVector ? HAS_VECTOR : HAS_NO_VECTOR])],
  };
  for (const [field, number] of numbers) keys[numberKey(field)] = number;
  for (const [field, pieces] of texts)
    for (const [i, piece] of pieces.entries()) keys[pieceKey(field, i)] = piece;
  if (unit !== record.vector) keys[VECTOR] = encodeVector(record.vector);
  const id = rowId(record.id);
  const values = hasVector ? Array.from(unit) : firstAxis(record.vector.length);
  const chunk = JSON.stringify(storedChunkOf(record));
  const whole = { ...keys, [CHUNK]: chunk };
  if (bytesOf(whole) <= MAX_METADATA_BYTES) return { row: { id, values, metadata: whole }, parts: [] };
  const parts = partsOf(id, chunk, record.vector.length);
  const cut = { ...keys, [PARTS]: parts.map((part) => part.id) };
  if (bytesOf(cut) > MAX_METADATA_BYTES)
    throw new RAGError(
      'STORE_INVALID_RECORD',
      `Chunk ${JSON.stringify(record.id)} cannot be stored: what filters need of its metadata (${facts.length} facts) is more than the 40 KB that Pinecone takes of a record.`,
    );
  return { row: { id, values, metadata: cut }, parts };
}

const bytesOf = (metadata: Metadata): number => Buffer.byteLength(JSON.stringify(metadata), 'utf8');

/** Bytes of a row in a request. A component takes about 20 characters. */
export const sizeOf = ({ values, metadata }: PineconeRow): number =>
  bytesOf(metadata) + 22 * values.length + 200;

// Named by what is in them: a row never refers to parts of another revision.
function partsOf(id: string, chunk: string, dimensions: number): PineconeRow[] {
  const bytes = Buffer.from(chunk, 'utf8');
  const digest = createHash('sha256').update(bytes).digest('base64url').slice(0, 16);
  return Array.from({ length: Math.ceil(bytes.length / PART_BYTES) }, (_, i) => ({
    id: `${id}.${digest}.${i}`,
    values: firstAxis(dimensions),
    metadata: { [PART]: bytes.subarray(i * PART_BYTES, (i + 1) * PART_BYTES).toString('base64') },
  }));
}

/** The ids of the parts that a row refers to. */
export function partIdsOf(metadata: Readonly<Record<string, unknown>> | undefined): readonly string[] {
  const ids = metadata?.[PARTS];
  return Array.isArray(ids) ? ids.map(String) : [];
}

/** The text in a part. */
export function textOfPart(metadata: Readonly<Record<string, unknown>> | undefined): Buffer {
  const text = metadata?.[PART];
  if (typeof text !== 'string') throw damaged();
  return Buffer.from(text, 'base64');
}

/** What an answer holds of a row. */
export interface FoundRow {
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  readonly values?: readonly number[] | undefined;
}

/** The chunk of a row, whose parts are given where it has some. Throws `STORE_DAMAGED` where it was not written by `encodeRecord`. */
export function chunkOf(
  { metadata, values }: FoundRow,
  parts: readonly Buffer[],
  includeVector: boolean,
): StoredChunk {
  const text = parts.length > 0 ? Buffer.concat(parts).toString('utf8') : metadata?.[CHUNK];
  const facts = metadata?.[FACTS];
  if (typeof text !== 'string' || !Array.isArray(facts)) throw damaged();
  try {
    // Written by `encodeRecord`; anything else does not parse or is refused above.
    const chunk = JSON.parse(text) as StoredChunk;
    if (!includeVector) return chunk;
    const given = metadata?.[VECTOR];
    const vector = typeof given === 'string' ? decodeVector(given) : Float32Array.from(values ?? []);
    return { ...chunk, vector: facts.includes(HAS_NO_VECTOR) ? new Float32Array(vector.length) : vector };
  } catch (error) {
    throw damaged(error);
  }
}

const damaged = (cause?: unknown): RAGError => damagedRecord('A record in Pinecone', cause);
