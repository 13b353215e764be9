import type { StoredChunk } from '../../core/chunk.js';
import { RAGError } from '../../core/errors.js';
import type { Metadata } from '../../core/metadata.js';
import type { SqlRow } from '../../platform/postgres/postgres-session.js';
import { originalJson, originalText } from './storable-json.js';
import { decodeVector } from './vector-codec.js';

/** The id of a chunk out of a row with the columns `id` and `is_ours`. */
export const readId = (row: SqlRow): string =>
  row.is_ours === true ? originalText(textOf(row, 'id')) : textOf(row, 'id');

/** A chunk out of a row with the columns of `rowColumns`. Throws `STORE_DAMAGED` where a column has another type. */
export function readChunk(row: SqlRow): StoredChunk {
  // Text that another application wrote has no escapes of ours.
  const original = row.is_ours === true ? originalText : (text: string) => text;
  const project = row.project === null ? undefined : original(textOf(row, 'project'));
  return {
    id: original(textOf(row, 'id')),
    documentId: original(textOf(row, 'document_id')),
    tenant: original(textOf(row, 'tenant')),
    ...(project === undefined ? {} : { project }),
    source: original(textOf(row, 'source')),
    access: { groups: textsOf(row, 'groups').map(original), level: numberOf(row, 'level') },
    content: original(textOf(row, 'content')),
    identifiers: textsOf(row, 'identifiers').map(original),
    metadata: readMetadata(row),
    ...(typeof row.vector === 'string' ? { vector: decodeVector(row.vector) } : {}),
  };
}

function readMetadata(row: SqlRow): Metadata {
  const text = textOf(row, 'metadata');
  const metadata: unknown = row.is_ours === true ? originalJson(text) : JSON.parse(text);
  if (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata)) throw damaged('metadata');
  // What JSON.parse makes of an object is metadata: string keys, JSON values.
  return metadata as Metadata;
}

/** Text of a column. Throws `STORE_DAMAGED` where it holds something else. */
export function textOf(row: SqlRow, column: string): string {
  const value = row[column];
  if (typeof value !== 'string') throw damaged(column);
  return value;
}

/** A number of a column; a bigint, which the driver gives as text, too. Throws `STORE_DAMAGED` where it is none. */
export function numberOf(row: SqlRow, column: string): number {
  const value = row[column];
  const number = typeof value === 'string' && value !== '' ? Number(value) : value;
  if (typeof number !== 'number' || Number.isNaN(number)) throw damaged(column);
  return number;
}

/** Numbers of an array column. Throws `STORE_DAMAGED` where it holds something else. */
export function numbersOf(row: SqlRow, column: string): number[] {
  const value = row[column];
  if (!Array.isArray(value)) throw damaged(column);
  return value.map((item: unknown) => numberOf({ item }, 'item'));
}

function textsOf(row: SqlRow, column: string): string[] {
  const value = row[column];
  if (!Array.isArray(value) || !value.every((text) => typeof text === 'string')) throw damaged(column);
  return value;
}

const damaged = (column: string): RAGError =>
  new RAGError(
    'STORE_DAMAGED',
    `Column "${column}" of the PostgreSQL store holds a value of another type than it was made for. Rebuild the index with \`ragstone index --force\`.`,
  );
