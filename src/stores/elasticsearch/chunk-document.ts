import { createHash } from 'node:crypto';
import * as z from 'zod';
import type { ChunkRecord, StoredChunk } from '../../core/chunk.js';
import { RAGError } from '../../core/errors.js';
import { storedChunkOf } from '../record-fields.js';
import { decodeVector, encodeVector } from '../unit-vector.js';
import { CHUNK, ID, VECTOR } from './collection-index.js';
import { EMBEDDING } from './dialect.js';
import { facetKeys } from './facet-keys.js';
import { FACETS } from './filter-query.js';
import { wordFields } from './word-fields.js';

/** Longest id, in bytes of UTF-8: it is sorted by, and a Lucene term holds 32,766. */
const MAX_ID_BYTES = 32_000;

const PLAIN_ID = /^[A-Za-z0-9_-]{1,128}$/;

/** The server's `_id` of a chunk: the id itself where the server takes it as it is, else its hash. */
export const documentId = (id: string): string =>
  PLAIN_ID.test(id) ? id : `~${createHash('sha256').update(id, 'utf8').digest('base64url')}`;

/** The document of a record, as JSON. */
export function documentOf(record: ChunkRecord): string {
  const embedding = unitVector(record.vector);
  return JSON.stringify({
    [ID]: record.id,
    [FACETS]: facetKeys(record),
    ...wordFields(record.searchText),
    [CHUNK]: JSON.stringify(storedChunkOf(record)),
    [VECTOR]: encodeVector(record.vector),
    ...(embedding === undefined ? {} : { [EMBEDDING]: embedding }),
  });
}

/** Throws `STORE_INVALID_RECORD` for an id that cannot be sorted by. */
export function assertIds(records: readonly ChunkRecord[]): void {
  for (const { id } of records)
    if (id.length * 3 > MAX_ID_BYTES && Buffer.byteLength(id, 'utf8') > MAX_ID_BYTES)
      throw new RAGError(
        'STORE_INVALID_RECORD',
        `A chunk has an id of more than ${MAX_ID_BYTES} bytes, which a search server cannot sort by.`,
      );
}

/**
 * The vector at length one, or undefined where it has none. Done here, in double precision: the servers square in single
 * precision, where very short vectors become zero, which they refuse.
 */
export function unitVector(vector: Float32Array): number[] | undefined {
  const norm = Math.sqrt(vector.reduce((sum, component) => sum + component * component, 0));
  // Nine digits identify a float; more would only make the request longer.
  return norm === 0
    ? undefined
    : Array.from(vector, (component) => Number((component / norm).toPrecision(9)));
}

/** The fields of a document that make a chunk, as a search's `_source`. */
export const chunkFields = (includeVectors: boolean | undefined): string[] =>
  includeVectors === true ? [CHUNK, VECTOR] : [CHUNK];

/** Cosine between a vector of unit length and a vector of any; 0 for one that is all zero. */
export function cosineTo(unit: readonly number[], vector: Float32Array): number {
  let product = 0;
  let square = 0;
  for (const [i, component] of vector.entries()) {
    product += (unit[i] ?? 0) * component;
    square += component * component;
  }
  return square === 0 ? 0 : Math.max(-1, Math.min(1, product / Math.sqrt(square)));
}

/** The fields of a chunk in an answer. */
export const DOCUMENT_SOURCE = z.object({ [CHUNK]: z.string(), [VECTOR]: z.string().optional() });

/** The chunk in a document. */
export function chunkOf(source: z.infer<typeof DOCUMENT_SOURCE>): StoredChunk {
  // What was written by `documentOf`; the server never looks into it.
  const chunk = JSON.parse(source[CHUNK]) as StoredChunk;
  const vector = source[VECTOR];
  return vector === undefined ? chunk : { ...chunk, vector: decodeVector(vector) };
}
