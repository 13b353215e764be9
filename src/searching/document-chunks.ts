import type { StoredChunk } from '../core/chunk.js';
import { eq } from '../core/filter.js';
import type { Scope } from '../core/scope.js';
import { withoutUndefined } from '../core/without-undefined.js';
import type { EngineResources } from '../resources/engine-resources.js';
import { scopeCollection } from '../stores/scoped-collection.js';

/** Who reads, and with what. */
export interface ScopedRead {
  readonly scope: Scope;
  readonly resources: EngineResources;
  readonly signal: AbortSignal | undefined;
}

const PAGE = 200;
/** A larger document is expanded by its first so many chunks only. */
const MOST_CHUNKS = 2_000;

/** Chunks of a document that the scope may read, in the order of the document. */
export async function chunksOf(
  documentId: string,
  { scope, resources, signal }: ScopedRead,
): Promise<readonly StoredChunk[]> {
  const { collection, sealing } = await resources.stores.collection();
  const scoped = scopeCollection(collection, scope, sealing);
  const chunks: StoredChunk[] = [];
  let cursor: string | undefined;
  do {
    const page = await scoped.list({
      filter: eq('$documentId', documentId),
      limit: PAGE,
      ...withoutUndefined({ cursor, signal }),
    });
    chunks.push(...page.chunks);
    cursor = page.cursor;
  } while (cursor !== undefined && chunks.length < MOST_CHUNKS);
  return chunks.sort((a, b) => ordinalOf(a) - ordinalOf(b));
}

const ordinalOf = ({ metadata }: StoredChunk): number => Number(metadata.chunkIndex ?? 0);
