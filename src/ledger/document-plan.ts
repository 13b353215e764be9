import type { DocumentPlan, LedgerChunk, PlannedDocument } from './ledger.js';

/** Chunks that are recorded of a document, by id, in its order. */
export type KnownChunks = ReadonlyMap<string, LedgerChunk>;

/** What the store has to do for a document, by what is known of its chunks. */
export function documentPlan({ documentId, chunks }: PlannedDocument, before: KnownChunks): DocumentPlan {
  const plan = { toWrite: [] as string[], toRewrite: [] as string[], unchanged: [] as string[] };
  for (const { chunkId, digest } of chunks) plan[workFor(before.get(chunkId), digest)].push(chunkId);
  const kept = new Set(chunks.map(({ chunkId }) => chunkId));
  return { documentId, ...plan, toDelete: [...before.keys()].filter((chunkId) => !kept.has(chunkId)) };
}

/** What has to be done for a chunk of a new revision. Only a `live` chunk is in the store for certain. */
export function workFor(
  known: LedgerChunk | undefined,
  digest: string,
): 'toWrite' | 'toRewrite' | 'unchanged' {
  if (known?.state !== 'live') return 'toWrite';
  return known.digest === digest ? 'unchanged' : 'toRewrite';
}
