import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { finished } from 'node:stream/promises';
import type { ChunkRecord } from '../../src/core/chunk.js';
import { and, eq, type Filter } from '../../src/core/filter.js';
import { LOCAL_SCOPE, scopeFilter } from '../../src/core/scope.js';
import { CORPORA, corpusFolder } from '../shared/places.js';
import { chunkTexts } from '../speed/corpus-chunks.js';
import { DIMENSIONS, recordOf, syntheticTexts, vectorGenerator } from '../speed/synthetic-chunks.js';

export const TOP_K = 10;
const QUERIES = 100;
/** A filter on one bucket admits one record of a hundred. */
const BUCKETS = 100;
const RECORD_SEED = 2;
const QUERY_SEED = 3;

/** A query and what exact search finds for it. */
export interface BenchQuery {
  readonly vector: Float32Array;
  readonly nearest: readonly string[];
  readonly bucket: number;
  /** Among the records of its bucket. */
  readonly nearestOfBucket: readonly string[];
}

/** The filter of every search of a person working alone. */
export const SCOPE: Filter = scopeFilter(LOCAL_SCOPE);

export const bucketFilter = (bucket: number): Filter => and(SCOPE, eq('bucket', bucket));

/** Texts of chunks: real ones, then copies with other words. Read once for all sizes. */
export const readTexts = (): Promise<string[]> => chunkTexts(CORPORA.map(corpusFolder));

/** Writes one text a line; the processes that measure read them, so that none of them holds all. */
export async function writeTexts(texts: readonly string[], count: number, folder: string): Promise<string> {
  const file = join(folder, `texts-${count}.jsonl`);
  const stream = createWriteStream(file);
  for (const text of syntheticTexts(texts, count))
    if (!stream.write(`${JSON.stringify(text)}\n`)) await once(stream, 'drain');
  stream.end();
  await finished(stream);
  return file;
}

/** The records of a file of texts, in batches, each the same in every run. */
export async function* recordBatches(file: string, size: number): AsyncGenerator<ChunkRecord[]> {
  const vector = vectorGenerator(RECORD_SEED);
  let batch: ChunkRecord[] = [];
  let index = 0;
  for await (const line of createInterface({ input: createReadStream(file) })) {
    const record = recordOf(JSON.parse(line) as string, index, vector());
    batch.push({ ...record, metadata: { ...record.metadata, bucket: index++ % BUCKETS } });
    if (batch.length === size) {
      yield batch;
      batch = [];
    }
  }
  if (batch.length > 0) yield batch;
}

/** Queries from the clusters of the records, each with the ids that exact search finds. */
export function exactQueries(count: number): BenchQuery[] {
  const next = vectorGenerator(RECORD_SEED);
  const vectors = Array.from({ length: count }, next);
  const ids = Array.from({ length: count }, (_, i) => recordOf('', i, new Float32Array()).id);
  const idsOf = (rows: readonly number[]): string[] => rows.map((row) => ids[row] ?? '');
  const nextQuery = vectorGenerator(QUERY_SEED);
  return Array.from({ length: QUERIES }, (_, i) => {
    const vector = nextQuery();
    const scores = Float64Array.from(vectors, (other) => innerProduct(vector, other));
    const bucket = i % BUCKETS;
    return {
      vector,
      bucket,
      nearest: idsOf(best(scores, () => true)),
      nearestOfBucket: idsOf(best(scores, (row) => row % BUCKETS === bucket)),
    };
  });
}

// Both have unit length, so this is the cosine.
function innerProduct(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < DIMENSIONS; i++) sum += (a[i] ?? 0) * (b[i] ?? 0);
  return sum;
}

function best(scores: Float64Array, isAdmitted: (row: number) => boolean): number[] {
  const rows = Array.from(scores.keys()).filter(isAdmitted);
  return rows.sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0)).slice(0, TOP_K);
}
