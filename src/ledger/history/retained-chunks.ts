import { gunzipSync, gzipSync } from 'node:zlib';
import type { StoredChunk } from '../../core/chunk.js';
import { damagedHistory, type HistoryPart, type HistoryVersion } from '../history.js';

/** A chunk as history keeps it: what a store gives back, what it is found by, and what its vector can be made of again. */
export interface RetainedChunk extends Omit<StoredChunk, 'vector'> {
  readonly searchText: string;
  readonly indexedText: string;
}

/** Chunks in one part: a bound on memory where a long document is written or read. */
export const PART_CHUNKS = 2_048;
/** Bytes that a part has at most once it is read: a few stored bytes may claim to be any number. */
const LONGEST_PART = 512 * 1024 * 1024;
/** 1 is a third faster than the usual 6, for a tenth more bytes. */
const LEVEL = 1;

/**
 * Chunks as the bytes of one part: JSON, which keeps halves of surrogate pairs too, as gzip, whose checksum tells bytes that are not those
 * that were written. Vectors are not kept.
 */
export function packChunks(chunks: readonly RetainedChunk[]): HistoryPart {
  const json = JSON.stringify(chunks);
  return { chunks: chunks.length, bytes: gzipSync(Buffer.from(json, 'utf8'), { level: LEVEL }) };
}

type Owner = Pick<HistoryVersion, 'documentId' | 'tenant' | 'chunks'>;

/**
 * Inverse of `packChunks`, over all parts of a version; undefined where they are not as many chunks as it has. Throws `INDEX_DAMAGED`, for
 * chunks of another document too.
 */
export function unpackChunks(
  parts: readonly Uint8Array[],
  { documentId, tenant, chunks }: Owner,
): RetainedChunk[] | undefined {
  const kept = parts.flatMap(unpackPart);
  if (kept.length !== chunks) return undefined;
  if (kept.some((chunk) => chunk.documentId !== documentId || chunk.tenant !== tenant))
    throw damagedHistory();
  return kept;
}

function unpackPart(bytes: Uint8Array): readonly RetainedChunk[] {
  try {
    const json = gunzipSync(bytes, { maxOutputLength: LONGEST_PART }).toString('utf8');
    return JSON.parse(json) as readonly RetainedChunk[];
  } catch (cause) {
    throw damagedHistory(cause);
  }
}
