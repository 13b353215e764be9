import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { StoredChunk } from '../core/chunk.js';
import { RAGError } from '../core/errors.js';
import type { HistoryPart } from '../ledger/history.js';

/** A chunk as history keeps it: what a store gives back, what it is found by, and what its vector can be made of again. */
export interface KeptChunk extends Omit<StoredChunk, 'vector'> {
  readonly searchText: string;
  readonly indexedText: string;
}

/** Chunks in one part: a bound on memory where a long document is written or read. */
export const PART_CHUNKS = 2_048;
/** Bytes that a part has at most once it is read: a few stored bytes may claim to be any number. */
const LONGEST_PART = 512 * 1024 * 1024;
/** 1 is a third faster than the usual 6, for a tenth more bytes. */
const LEVEL = 1;

/** Chunks as the bytes of one part: JSON, which keeps halves of surrogate pairs too, deflated. Vectors are not kept. */
export function packChunks(chunks: readonly KeptChunk[]): HistoryPart {
  const json = JSON.stringify(chunks);
  return { chunks: chunks.length, bytes: deflateRawSync(Buffer.from(json, 'utf8'), { level: LEVEL }) };
}

/** Inverse of `packChunks`, over all parts of a version. Throws `INDEX_DAMAGED`. */
export function unpackChunks(parts: readonly Uint8Array[]): KeptChunk[] {
  try {
    return parts.flatMap(
      (bytes) =>
        JSON.parse(
          inflateRawSync(bytes, { maxOutputLength: LONGEST_PART }).toString('utf8'),
        ) as readonly KeptChunk[],
    );
  } catch (cause) {
    throw new RAGError(
      'INDEX_DAMAGED',
      'The history of the index is damaged. Take `rag.history` out of the configuration and run `ragstone index`, which deletes it; then put it back.',
      { cause },
    );
  }
}
