import { canonicalJson } from '../core/canonical-json.js';
import type { ChunkRecord, StoredChunk } from '../core/chunk.js';
import { contentHash } from '../core/ids.js';
import type { ChunkTerms } from './chunk-terms.js';

/**
 * Two halves: what a store gives back (so `verify` can compute it again), and what it only searches. Either change means
 * that the record must be written again.
 */
export function recordDigest(
  record: Omit<ChunkRecord, 'vector'>,
  terms: Pick<ChunkTerms, 'searchText' | 'identifiers'>,
): string {
  return storedDigest(record) + termsDigest(terms);
}

/** Digest of what a store only searches; the second half of the ledger's digest. */
export const termsDigest = ({
  searchText,
  identifiers,
}: Pick<ChunkTerms, 'searchText' | 'identifiers'>): string =>
  contentHash(JSON.stringify([searchText, identifiers])).slice(0, DIGEST_HALF);

const DIGEST_HALF = 16;

/** Digest of the part of a record that a store gives back; the first half of the ledger's digest. */
export function storedDigest(chunk: Omit<StoredChunk, 'vector' | 'identifiers'>): string {
  const { id, documentId, tenant, project, source, access, content, metadata } = chunk;
  return contentHash(
    canonicalJson([
      id,
      documentId,
      tenant,
      project ?? null,
      source,
      [...access.groups],
      access.level,
      content,
      metadata,
    ]),
  ).slice(0, DIGEST_HALF);
}
