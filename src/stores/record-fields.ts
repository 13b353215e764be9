import type { ChunkRecord, StoredChunk } from '../core/chunk.js';
import { type FieldLookup, lookupPath } from '../core/filter.js';

/** Names that a filter may use for what the engine itself keeps about a chunk. Every other name is a metadata path. */
export const SYSTEM_FIELDS = [
  '$tenant',
  '$project',
  '$level',
  '$groups',
  '$documentId',
  '$source',
  '$chunkId',
  '$identifiers',
] as const;

export type SystemField = (typeof SYSTEM_FIELDS)[number];

const systemFields: ReadonlySet<string> = new Set(SYSTEM_FIELDS);

/** Whether a filter field is a system field; metadata with a key of that name can never forge it. */
export const isSystemField = (field: string): field is SystemField => systemFields.has(field);

/** What `matchesFilter` sees of a chunk: the one mapping from records to filter fields, for every store. */
export function fieldLookup(chunk: StoredChunk): FieldLookup {
  return (field) => (isSystemField(field) ? systemField(chunk, field) : lookupPath(chunk.metadata, field));
}

function systemField(chunk: StoredChunk, field: SystemField) {
  switch (field) {
    case '$tenant':
      return chunk.tenant;
    case '$project':
      return chunk.project;
    case '$level':
      return chunk.access.level;
    case '$groups':
      return chunk.access.groups;
    case '$documentId':
      return chunk.documentId;
    case '$source':
      return chunk.source;
    case '$chunkId':
      return chunk.id;
    case '$identifiers':
      return chunk.identifiers;
  }
}

/** The part of a record that a store gives back, without its vector. */
export function storedChunkOf(record: ChunkRecord): StoredChunk {
  return {
    id: record.id,
    documentId: record.documentId,
    tenant: record.tenant,
    ...(record.project === undefined ? {} : { project: record.project }),
    source: record.source,
    access: record.access,
    content: record.content,
    identifiers: record.identifiers,
    metadata: record.metadata,
  };
}
