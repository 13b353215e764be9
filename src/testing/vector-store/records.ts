import type { ChunkRecord, StoredChunk } from '../../core/chunk.js';
import { storedChunkOf } from '../../stores/record-fields.js';

/** Length of the vectors in the contract's small collections. */
export const DIMENSIONS = 8;

/** A unit vector along one axis. */
export function axis(index: number, dimensions = DIMENSIONS): Float32Array {
  const vector = new Float32Array(dimensions);
  vector[index % dimensions] = 1;
  return vector;
}

/** The unit vector of these numbers, padded with zeros; all zero stays so. */
export function direction(...components: number[]): Float32Array {
  const norm = Math.hypot(...components) || 1;
  const vector = new Float32Array(DIMENSIONS);
  vector.set(components.map((component) => component / norm));
  return vector;
}

/** A valid record; what a test is about is given in `changes`. */
export function record(id: string, changes: Partial<ChunkRecord> = {}): ChunkRecord {
  return {
    id,
    documentId: 'document-1',
    tenant: 'acme',
    source: 'docs',
    access: { groups: ['*'], level: 0 },
    content: `Content of ${id}`,
    searchText: 'content of',
    identifiers: [],
    vector: axis(0),
    metadata: {},
    ...changes,
  };
}

/** Numbers in [0, 1) that are the same in every run (Mulberry32, a public-domain generator by Tommy Ettinger). */
export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** A random unit vector. */
export function randomVector(random: () => number, dimensions = DIMENSIONS): Float32Array {
  const vector = Float32Array.from({ length: dimensions }, () => random() * 2 - 1);
  const norm = Math.hypot(...vector);
  return vector.map((component) => component / norm);
}

/** What a store must give back for the records, without vectors. */
export const stored = (...records: ChunkRecord[]): StoredChunk[] => records.map(storedChunkOf);

/** The ids of chunks or of scored chunks, in their order. */
export const idsOf = (items: readonly (StoredChunk | { readonly chunk: StoredChunk })[]): string[] =>
  items.map((item) => ('chunk' in item ? item.chunk.id : item.id));
