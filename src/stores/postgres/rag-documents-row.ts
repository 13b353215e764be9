import { createHash } from 'node:crypto';
import type { ChunkRecord } from '../../core/chunk.js';
import { storableText } from './storable-json.js';

/** Key of `chunk_metadata` that marks a row as ours and holds what the table has no column for. */
export const OWN_FACTS = '$ragstone';

/** Lengths of the columns `source_type` and `source_id`, in characters. */
const SOURCE_TYPE_LENGTH = 30;
const SOURCE_ID_LENGTH = 100;
/** Hexadecimal digits that keep a shortened source id apart from others with the same beginning. */
const DIGEST_LENGTH = 16;

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * The row of a chunk id. A UUID is itself, so that rows of the other application are found by theirs; any other id is
 * hashed with its collection to a UUID of version 8 (RFC 9562, free form).
 */
export function rowIdOf(collection: string, id: string): string {
  if (UUID.test(id)) return id;
  const hex = digest(`${collection}:${id}`).slice(0, 32);
  const variant = ((Number.parseInt(hex[16] ?? '0', 16) & 0x3) | 0x8).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`;
}

/**
 * A chunk in the table's columns: `source_type` is the kind of source (`metadata.sourceType`), `source_id` the document's
 * own name in it (`metadata.source`), as the table's application has them.
 */
export function ragDocumentRow(record: ChunkRecord, collection: string) {
  const { sourceType, source } = record.metadata;
  return {
    id: rowIdOf(collection, record.id),
    source_type: fitted(nonEmptyText(sourceType) ?? record.source, SOURCE_TYPE_LENGTH),
    source_id: fitted(nonEmptyText(source) ?? record.documentId, SOURCE_ID_LENGTH),
    chunk_text: record.content,
    chunk_metadata: {
      ...record.metadata,
      [OWN_FACTS]: {
        collection,
        id: record.id,
        documentId: record.documentId,
        source: record.source,
        identifiers: record.identifiers,
      },
    },
  };
}

const nonEmptyText = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

/** Text no longer than a column; what is cut off is stood for by a digest, so that two names stay two. */
function fitted(name: string, length: number): string {
  // Escapes lengthen a text when it is stored.
  if (Array.from(storableText(name)).length <= length) return name;
  const kept = Array.from(name).slice(0, length - DIGEST_LENGTH - 1);
  const plain = kept.map((character) => (storableText(character) === character ? character : ' '));
  return `${plain.join('')}~${digest(name).slice(0, DIGEST_LENGTH)}`;
}

const digest = (content: string): string => createHash('sha256').update(content).digest('hex');
