import type { ChunkRecord, StoredChunk } from '../../core/chunk.js';
import { RAGError } from '../../core/errors.js';
import type { Metadata, MetadataValue } from '../../core/metadata.js';
import { orderedPieces } from '../ordered-pieces.js';
import { factKey, factsOf, fieldKey, type RecordFacts } from '../record-facts.js';
import { storedChunkOf } from '../record-fields.js';
import { damagedRecord } from '../store-checks.js';
import { decodeVector, encodeVector, isZero, unitVector } from '../unit-vector.js';
import type { IndexedDocument } from './azure-connection.js';
import { documentKey } from './azure-names.js';
import { ID_PIECES } from './index-schema.js';
import { orderedText } from './ordered-text.js';

/** What every chunk has whose vector is all zero, which has no direction to index. No key of a fact has a `!`. */
export const ZERO_VECTOR = '!zero';

/** Bytes of a text that the service filters or sorts by; an id is sorted by in a form of eight letters for five bytes. */
const MAX_TERM_BYTES = 32_766;
const MAX_ID_BYTES = 20_000;
/** Entries of lists of objects in one document. */
const MAX_ORDERED = 3_000;

/** The fields of a document that make a chunk, as a search's `select`. */
export const CHUNK_FIELDS = ['content', 'metadata', 'record'];
export const VECTOR_FIELDS = ['contentVector', 'vectorAsGiven'];

export const chunkFields = (includeVectors: boolean | undefined): string[] =>
  includeVectors === true ? [...CHUNK_FIELDS, ...VECTOR_FIELDS] : CHUNK_FIELDS;

/** The document of a record. Throws `STORE_INVALID_RECORD` for one that no index takes. */
export function documentOf(record: ChunkRecord, writeStamp: string): IndexedDocument {
  assertFits(record);
  const facts = factsOf(record);
  const ordered = orderedOf(facts);
  if (ordered.length > MAX_ORDERED)
    throw unfit(record, `it has more than ${MAX_ORDERED} texts and numbers in its metadata`);
  const unit = unitVector(record.vector);
  const hasDirection = !isZero(unit);
  return {
    id: documentKey(record.id),
    ...describing(record),
    tenantId: record.tenant,
    ...(record.project === undefined ? {} : { projectId: record.project }),
    documentId: record.documentId,
    source: record.source,
    groups: record.access.groups,
    // Adding zero makes 0 of -0, which equals it.
    level: record.access.level + 0,
    content: record.content,
    metadata: JSON.stringify(record.metadata),
    ...(hasDirection ? { contentVector: Array.from(unit, shortest) } : {}),
    ...(unit === record.vector && hasDirection ? {} : { vectorAsGiven: encodeVector(record.vector) }),
    facts: [...facts.facts.map(factKey), ...(hasDirection ? [] : [ZERO_VECTOR])],
    ordered,
    idOrder: orderedText(record.id),
    ...idPieces(record.id),
    record: JSON.stringify(restOf(record)),
    writeStamp,
  };
}

/** The pieces of an id that pages are asked for by. */
export function idPieces(id: string): Record<string, number> {
  const kept = orderedPieces(id).slice(0, ID_PIECES);
  return Object.fromEntries(kept.map((piece, i) => [`idPiece${i}`, piece]));
}

/** The chunk in a document. Throws `STORE_DAMAGED` where it was not written by `documentOf`. */
export function chunkOf(document: IndexedDocument, includeVector: boolean | undefined): StoredChunk {
  try {
    // What was written by `documentOf`; anything else does not parse.
    const rest = JSON.parse(textOf(document.record)) as Rest;
    const metadata = JSON.parse(textOf(document.metadata)) as Metadata;
    const content = rest.content ?? textOf(document.content);
    const chunk = { ...rest, content, metadata };
    return includeVector === true ? { ...chunk, vector: vectorOf(document) } : chunk;
  } catch (error) {
    throw damagedRecord('A chunk in Azure AI Search', error);
  }
}

type Rest = Omit<StoredChunk, 'content' | 'metadata'> & { readonly content?: string };

/** The client makes a date or a number of such a text, so it is kept a second time where it is not recognised. */
const READ_OTHERWISE = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,3})?Z|NaN|-?INF)$/i;

function restOf(record: ChunkRecord): Rest {
  const { content, metadata: _, ...rest } = storedChunkOf(record);
  return READ_OTHERWISE.test(content) ? { ...rest, content } : rest;
}

const textOf = (value: unknown): string => {
  if (typeof value !== 'string') throw new TypeError('A field of the document is no text.');
  return value;
};

function vectorOf({ contentVector, vectorAsGiven }: IndexedDocument): Float32Array {
  if (typeof vectorAsGiven === 'string') return decodeVector(vectorAsGiven);
  if (!Array.isArray(contentVector)) throw new TypeError('The document has no vector.');
  return Float32Array.from(contentVector, Number);
}

// Nine digits identify a float; more would only make the request longer.
const shortest = (component: number): number => Number(component.toPrecision(9));

function orderedOf({ numbers, texts }: RecordFacts): Record<string, string | number>[] {
  // The level of access has a field of its own.
  const ofNumbers = [...numbers].filter(([field]) => field !== '$level');
  return [
    ...ofNumbers.map(([field, number]) => ({ field: fieldKey(field), number })),
    ...[...texts].map(([field, kept]) => ({
      field: fieldKey(field),
      ...Object.fromEntries(kept.map((piece, i) => [`piece${i}`, piece])),
    })),
  ];
}

const DATE = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,7})?(Z|[+-]\d{2}:\d{2})$/;
const MAX_INT32 = 2 ** 31 - 1;

/** What other programs and the semantic ranker read of a chunk. Nothing here depends on it, so what does not fit is left out. */
function describing({ metadata }: ChunkRecord): IndexedDocument {
  const { title, documentType, type, sourceType, chunkIndex, chunkTotal, tags, createdAt, updatedAt } =
    metadata;
  const kind = [documentType, type, sourceType].find(isTerm);
  return {
    ...(typeof title === 'string' ? { documentName: title } : {}),
    ...(kind === undefined ? {} : { documentType: kind }),
    ...(isInt32(chunkIndex) ? { chunkIndex } : {}),
    ...(isInt32(chunkTotal) ? { chunkCount: chunkTotal } : {}),
    tags: Array.isArray(tags) ? tags.filter(isTerm) : [],
    ...(isDate(createdAt) ? { createdAt } : {}),
    ...(isDate(updatedAt) ? { updatedAt } : {}),
  };
}

const isTerm = (value: MetadataValue | undefined): value is string =>
  typeof value === 'string' && Buffer.byteLength(value, 'utf8') <= MAX_TERM_BYTES;

const isInt32 = (value: MetadataValue | undefined): value is number =>
  typeof value === 'number' && Number.isInteger(value) && Math.abs(value) <= MAX_INT32;

const isDate = (value: MetadataValue | undefined): value is string =>
  typeof value === 'string' && DATE.test(value) && !Number.isNaN(Date.parse(value));

function assertFits(record: ChunkRecord): void {
  if (Buffer.byteLength(record.id, 'utf8') > MAX_ID_BYTES)
    throw unfit(record, `its id has more than ${MAX_ID_BYTES} bytes`);
  const { tenant, project = '', source, documentId, access } = record;
  for (const text of [tenant, project, source, documentId, ...access.groups])
    if (!isTerm(text))
      throw unfit(
        record,
        `its tenant, project, source, document id or a group has more than ${MAX_TERM_BYTES} bytes`,
      );
}

const unfit = ({ id }: ChunkRecord, why: string): RAGError =>
  new RAGError(
    'STORE_INVALID_RECORD',
    `Chunk ${JSON.stringify(id.slice(0, 100))} cannot be stored in Azure AI Search: ${why}.`,
  );
