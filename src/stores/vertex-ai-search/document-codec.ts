import type { ChunkRecord, StoredChunk } from '../../core/chunk.js';
import { factKey, factsOf } from '../record-facts.js';
import { storedChunkOf } from '../record-fields.js';
import { damagedRecord } from '../store-checks.js';
import { decodeVector, encodeVector, isZero, unitVector } from '../unit-vector.js';
import { VECTOR_FIELD } from './data-store-schema.js';
import type { JsonObject } from './struct.js';
import { documentIdOf } from './vertex-names.js';

/** What every chunk has whose vector is all zero, which has no direction to index. No key of a fact has a `!`. */
export const ZERO_VECTOR = '!zero';

/** A chunk as a document has it, with the vector that it was given. */
export interface DocumentedChunk {
  readonly chunk: StoredChunk;
  readonly vector: Float32Array;
}

/** A document, not yet in the client's form. */
export interface DocumentData {
  readonly id: string;
  readonly data: JsonObject;
}

export function documentOf(record: ChunkRecord, writeStamp: string): DocumentData {
  const unit = unitVector(record.vector);
  const hasDirection = !isZero(unit);
  const { content, ...rest } = storedChunkOf(record);
  const { title } = record.metadata;
  const id = documentIdOf(record.id);
  return {
    id,
    data: {
      ...(typeof title === 'string' ? { title } : {}),
      content,
      tenantId: record.tenant,
      ...(record.project === undefined ? {} : { projectId: record.project }),
      documentId: record.documentId,
      source: record.source,
      ...(hasDirection ? { [VECTOR_FIELD]: Array.from(unit, shortest) } : {}),
      facts: [...factsOf(record).facts.map(factKey), ...(hasDirection ? [] : [ZERO_VECTOR])],
      key: id,
      record: JSON.stringify(rest),
      vectorAsGiven: encodeVector(record.vector),
      writeStamp,
    },
  };
}

/** The chunk in the texts of a document. Throws `STORE_DAMAGED` where it was not written by `documentOf`. */
export function chunkOf({
  content,
  record,
  vectorAsGiven,
}: Readonly<Record<string, string>>): DocumentedChunk {
  try {
    if (content === undefined || record === undefined || vectorAsGiven === undefined)
      throw new TypeError('A field of the document is missing.');
    // What was written by `documentOf`; anything else does not parse.
    const rest = JSON.parse(record) as Omit<StoredChunk, 'content'>;
    return { chunk: { ...rest, content }, vector: decodeVector(vectorAsGiven) };
  } catch (error) {
    throw damagedRecord('A chunk in Vertex AI Search', error);
  }
}

/** With its vector where that is asked for. */
export const shownChunk = (
  { chunk, vector }: DocumentedChunk,
  includeVectors: boolean | undefined,
): StoredChunk => (includeVectors === true ? { ...chunk, vector } : chunk);

// Nine digits identify a float; more would only make the request longer.
const shortest = (component: number): number => Number(component.toPrecision(9));
