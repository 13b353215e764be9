import type { RecordBatch, Vector } from 'apache-arrow';
import type { ScoredChunk, StoredChunk } from '../../core/chunk.js';
import { RAGError } from '../../core/errors.js';
import type { ScoredId, WordsOfChunk } from '../vector-store.js';

const ADVICE = 'Rebuild it with `ragstone index --force`.';

/** Columns that a stored chunk is read from. */
export const CHUNK_COLUMNS = ['record', 'content'] as const;

/** Anything that Lance answers a query with: batches of rows. */
export type Batches = AsyncIterable<RecordBatch>;

/** The columns to ask for. */
export const chunkColumns = (includeVectors: boolean | undefined, ...more: string[]): string[] => [
  ...CHUNK_COLUMNS,
  ...(includeVectors ? ['vector'] : []),
  ...more,
];

/** What scores the rows of a batch. */
export type RowScores = (batch: RecordBatch) => (row: number) => number;

export const equalScores: RowScores = () => () => 0;

/** Scores made from a column of numbers. */
export const columnScores =
  (column: string, scoreOf: (value: number) => number): RowScores =>
  (batch) => {
    const values = batch.getChild(column);
    return (row) => scoreOf(Number(values?.get(row) ?? 0));
  };

/** The cosine of a vector with that of each row. Neither may be zero: Lance gives no such row as a hit. */
export function cosineScores(vector: Float32Array): RowScores {
  const norm = Math.sqrt(innerProduct(vector, vector));
  return (batch) => {
    const vectorAt = vectorReader(batch.getChild('vector'));
    return (row) => {
      const other = vectorAt(row);
      const cosine = innerProduct(vector, other) / (norm * Math.sqrt(innerProduct(other, other)));
      return Math.max(-1, Math.min(1, cosine));
    };
  };
}

function innerProduct(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i] ?? 0) * (b[i] ?? 0);
  return sum;
}

/** The chunks of an answer, in its order. Columns are read from the batches directly; row objects cost several times more. */
export async function readChunks(batches: Batches, includeVectors = false): Promise<StoredChunk[]> {
  return (await readScored(batches, equalScores, includeVectors)).map(({ chunk }) => chunk);
}

/** The chunks of an answer with their scores. */
export async function readScored(
  batches: Batches,
  scores: RowScores,
  includeVectors = false,
): Promise<ScoredChunk[]> {
  const scored: ScoredChunk[] = [];
  for await (const batch of batches) {
    const recordAt = textReader(batch.getChild('record'));
    const contentAt = textReader(batch.getChild('content'));
    const vectorAt = includeVectors ? vectorReader(batch.getChild('vector')) : undefined;
    const scoreAt = scores(batch);
    for (let i = 0; i < batch.numRows; i++) {
      const chunk = decodeChunk(recordAt(i), contentAt(i));
      scored.push({
        // A copy: a caller must not keep the batch alive or change it.
        chunk: vectorAt === undefined ? chunk : { ...chunk, vector: vectorAt(i).slice() },
        score: scoreAt(i),
      });
    }
  }
  return scored;
}

/** The chunks of a batch with their words. */
export function readWords(batch: RecordBatch): WordsOfChunk[] {
  const recordAt = textReader(batch.getChild('record'));
  const contentAt = textReader(batch.getChild('content'));
  const wordsAt = textReader(batch.getChild('search_text'));
  return Array.from({ length: batch.numRows }, (_, i) => ({
    chunk: decodeChunk(recordAt(i), contentAt(i)),
    searchText: wordsAt(i),
  }));
}

/** The ids of an answer with their scores; `rows` gets the place of each row. */
export async function readIds(
  batches: Batches,
  scores: RowScores,
  rows: Map<string, bigint>,
): Promise<ScoredId[]> {
  const hits: ScoredId[] = [];
  for await (const batch of batches) {
    const idAt = textReader(batch.getChild('id'));
    const places = batch.getChild('_rowid');
    const scoreAt = scores(batch);
    for (let i = 0; i < batch.numRows; i++) {
      const id = idAt(i);
      hits.push({ id, score: scoreAt(i) });
      const place: unknown = places?.get(i);
      if (typeof place === 'bigint') rows.set(id, place);
    }
  }
  return hits;
}

// Arrow's own decoder drops a byte order mark at the start of a value; content must stay as it was.
function textReader(column: Vector | null): (row: number) => string {
  const data = column?.data[0];
  const offsets: unknown = data?.valueOffsets;
  const values: unknown = data?.values;
  if (!(offsets instanceof Int32Array) || !(values instanceof Uint8Array))
    throw new RAGError('STORE_DAMAGED', `A text column of the store is missing. ${ADVICE}`);
  const bytes = Buffer.from(values.buffer, values.byteOffset, values.byteLength);
  return (row) => bytes.toString('utf8', offsets[row], offsets[row + 1]);
}

function decodeChunk(record: string, content: string): StoredChunk {
  try {
    // Written by `recordTable`; bytes that were damaged since do not parse.
    const rest = JSON.parse(record) as Omit<StoredChunk, 'content'>;
    return { ...rest, content };
  } catch (error) {
    throw new RAGError('STORE_DAMAGED', `A row of the store cannot be read. ${ADVICE}`, { cause: error });
  }
}

/** The vectors of a batch, as views into it. */
function vectorReader(column: Vector | null): (row: number) => Float32Array {
  const values: unknown = column?.data[0]?.children[0]?.values;
  const dimensions: unknown = column?.type.listSize;
  if (!(values instanceof Float32Array) || typeof dimensions !== 'number')
    throw new RAGError('STORE_DAMAGED', `The vectors of the store are missing. ${ADVICE}`);
  return (row) => values.subarray(row * dimensions, (row + 1) * dimensions);
}
