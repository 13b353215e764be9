import { canonicalJson } from '../core/canonical-json.js';
import { contentHash } from '../core/ids.js';
import type { AccessControl } from '../core/scope.js';
import { damagedHistory, type HistoryVersion } from './history.js';
import type { LedgerDocument } from './ledger.js';

/** Facts of a version that are kept as JSON. */
type HistoryFacts = Omit<
  HistoryVersion,
  'id' | 'generation' | 'documentId' | 'tenant' | 'source' | 'from' | 'to' | 'chunks'
>;

/** Throws `INDEX_DAMAGED`. */
export function readHistoryFacts(json: string): HistoryFacts {
  try {
    return JSON.parse(json) as HistoryFacts;
  } catch (cause) {
    throw damagedHistory(cause);
  }
}

type Identified = Pick<
  LedgerDocument,
  'project' | 'source' | 'sourceType' | 'itemId' | 'externalId' | 'revision' | 'title' | 'metadata'
>;

export const historyFacts = (
  { project, sourceType, itemId, externalId, revision, title, metadata }: Identified,
  access: AccessControl | undefined,
): string => JSON.stringify({ project, sourceType, itemId, externalId, revision, title, metadata, access });

/** Equal where everything that a search shows of a document is: facts, texts, places and access (the last three by the digests of its chunks). */
export const historyDigest = (
  { project, source, sourceType, itemId, externalId, revision, title, metadata }: Identified,
  chunks: readonly { readonly chunkId: string; readonly digest: string }[],
): string =>
  contentHash(
    canonicalJson([
      ...[project ?? null, source, sourceType, itemId, externalId, revision, title ?? null, metadata],
      chunks.map(({ chunkId, digest }) => [chunkId, digest]),
    ]),
  );
