import type { RecordBatch, Vector } from 'apache-arrow';
import type { ScoredChunk, StoredChunk } from '../../core/chunk.js';
import { RAGError } from '../../core/errors.js';
import type { ScoredId } from '../vector-store.js';

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

/** The chunks of an answer, in its order. Columns are read from the batches directly; row objects cost several times more. */
export async function readChunks(batches: Batches): Promise<StoredChunk[]> {
  return (await readScored(batches, () => 0)).map(({ chunk }) => chunk);
}

/** The chunks of an answer with the score made from a column of it. */
export async function readScored(
  batches: Batches,
  scoreOf: (value: number) => number,
  scoreColumn = '',
): Promise<ScoredChunk[]> {
  const scored: ScoredChunk[] = [];
  for await (const batch of batches) {
    const recordAt = textReader(batch.getChild('record'));
    const contentAt = textReader(batch.getChild('content'));
    const vectors = batch.getChild('vector');
    const scores = batch.getChild(scoreColumn);
    for (let i = 0; i < batch.numRows; i++) {
      const chunk = decodeChunk(recordAt(i), contentAt(i));
      const vector: unknown = vectors?.get(i);
      scored.push({
        chunk: vector === undefined ? chunk : { ...chunk, vector: copyOfVector(vector) },
        score: scoreOf(Number(scores?.get(i) ?? 0)),
      });
    }
  }
  return scored;
}

/** The ids of an answer with the score made from a column of it; `rows` gets the place of each row. */
export async function readIds(
  batches: Batches,
  options: {
    readonly scoreOf: (value: number) => number;
    readonly column?: string | undefined;
    readonly rows: Map<string, bigint>;
  },
): Promise<ScoredId[]> {
  const hits: ScoredId[] = [];
  for await (const batch of batches) {
    const idAt = textReader(batch.getChild('id'));
    const places = batch.getChild('_rowid');
    const scores = batch.getChild(options.column ?? '');
    for (let i = 0; i < batch.numRows; i++) {
      const id = idAt(i);
      hits.push({ id, score: options.scoreOf(Number(scores?.get(i) ?? 0)) });
      const place: unknown = places?.get(i);
      if (typeof place === 'bigint') options.rows.set(id, place);
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

// A list value is a view into the batch, which a caller must not keep alive or change.
function copyOfVector(vector: unknown): Float32Array {
  if (typeof vector === 'object' && vector !== null && Symbol.iterator in vector)
    return Float32Array.from(vector as Iterable<number>);
  throw new RAGError('STORE_DAMAGED', `A row of the store has no vector. ${ADVICE}`);
}
