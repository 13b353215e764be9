import type { ChunkRecord, StoredChunk } from '../../core/chunk.js';
import type { RAGError } from '../../core/errors.js';
import type { MetadataValue } from '../../core/metadata.js';
import { storedChunkOf } from '../record-fields.js';
import { damagedRecord } from '../store-checks.js';
import { decodeVector, encodeVector, unitVector } from '../unit-vector.js';
import { chromaId } from './chroma-names.js';
import { type FlatValue, filterKeys } from './metadata-keys.js';

/** A record as Chroma keeps it. */
export interface ChromaRow {
  readonly id: string;
  readonly document: string;
  readonly embedding: Float32Array;
  readonly metadata: Record<string, FlatValue>;
}

/** What Chroma gives back of a row; a part that was not asked for is absent. */
export interface FoundRow {
  readonly document?: string | null | undefined;
  readonly metadata?: Readonly<Record<string, unknown>> | null | undefined;
  readonly embedding?: readonly number[] | null | undefined;
}

const RECORD_KEY = 'record';
const VECTOR_KEY = 'vector';

/**
 * The row of a record: what seed readers expect to see (`source_id`, `source_path`, `title`, `tags`, ...), what filters need,
 * and the record itself as JSON in `record`. Every key but those of filters is always written, because an upsert merges.
 */
export function encodeRecord(record: ChunkRecord): ChromaRow {
  const { content: document, ...rest } = storedChunkOf(record);
  const unit = unitVector(record.vector);
  return {
    id: chromaId(record.id),
    document,
    embedding: unit,
    metadata: {
      ...readableKeys(record),
      ...filterKeys(record),
      [RECORD_KEY]: JSON.stringify(rest),
      [VECTOR_KEY]: unit === record.vector ? '' : encodeVector(record.vector),
    },
  };
}

/** The chunk of a row. Throws `STORE_DAMAGED` where the row was not written by `encodeRecord`. */
export function decodeRow({ document, metadata, embedding }: FoundRow): StoredChunk {
  const json = metadata?.[RECORD_KEY];
  if (typeof json !== 'string' || typeof document !== 'string') throw damaged();
  try {
    // Written by `encodeRecord`; anything else does not parse or is refused above.
    const rest = JSON.parse(json) as Omit<StoredChunk, 'content'>;
    const chunk = { ...rest, content: document };
    return embedding === undefined || embedding === null
      ? chunk
      : { ...chunk, vector: vectorOf(metadata?.[VECTOR_KEY], embedding) };
  } catch (error) {
    throw damaged(error);
  }
}

/** As it was given, where that is kept beside the one at unit length. */
const vectorOf = (given: unknown, embedding: readonly number[]): Float32Array =>
  typeof given === 'string' && given !== '' ? decodeVector(given) : Float32Array.from(embedding);

const damaged = (cause?: unknown): RAGError => damagedRecord('A record in Chroma', cause);

/** Keys that other readers of such collections expect, beside those that `filterKeys` writes (`source_id`, `project_id`). */
function readableKeys({ metadata }: ChunkRecord): Record<string, FlatValue> {
  return {
    source_type: textOf(metadata.sourceType),
    source_path: textOf(metadata.source),
    chunk_index: numberOf(metadata.chunkIndex),
    chunk_total: numberOf(metadata.chunkTotal),
    title: textOf(metadata.title),
    created_at: textOf(metadata.createdAt),
    updated_at: textOf(metadata.updatedAt),
    tags: tagsOf(metadata.tags),
  };
}

const textOf = (value: MetadataValue | undefined): string => (typeof value === 'string' ? value : '');
const numberOf = (value: MetadataValue | undefined): number => (typeof value === 'number' ? value : -1);

// Chroma takes no empty list.
function tagsOf(value: MetadataValue | undefined): string[] {
  const tags = Array.isArray(value) ? value.filter((tag) => typeof tag === 'string') : [];
  return tags.length === 0 ? [''] : tags;
}
