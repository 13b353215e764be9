import {
  assembleContext,
  type ContextEntry,
  type ScoredChunk,
  type SearchResult,
  type StoredChunk,
} from '../../../index.js';
import type { ToolContext } from '../tools/tool.js';

/** A result with the block that quotes it. */
export interface QuotedResult {
  readonly result: SearchResult;
  readonly entry: ContextEntry;
}

/** Best first, as many as the budget holds. */
export async function quoteResults(
  question: string,
  results: readonly SearchResult[],
  { context: { counter, signal }, budget }: { readonly context: ToolContext; readonly budget: number },
): Promise<QuotedResult[]> {
  const { entries } = await assembleContext(
    { question, ranked: results.map(chunkOf) },
    { budget, counter, signal, fallbackText: '-' },
  );
  return entries.flatMap((entry) => {
    const result = results.find(({ id }) => entry.chunkIds.includes(id));
    return result === undefined ? [] : [{ result, entry }];
  });
}

function chunkOf({ id, content, score, origin, metadata }: SearchResult): ScoredChunk {
  const { documentId, createdAt, updatedAt, ...rest } = metadata;
  const dates = {
    ...(createdAt === undefined ? {} : { createdAt: createdAt.toISOString() }),
    ...(updatedAt === undefined ? {} : { updatedAt: updatedAt.toISOString() }),
  };
  const chunk = textChunk({ id, documentId: String(documentId), source: origin.source, content });
  return { score, chunk: { ...chunk, metadata: { ...(rest as StoredChunk['metadata']), ...dates } } };
}

type OwnText = Pick<StoredChunk, 'id' | 'documentId' | 'source' | 'content'>;

/** A text as the packing of contexts takes it; who may read it was decided before. */
export const textChunk = (text: OwnText): StoredChunk => ({
  ...text,
  tenant: '',
  access: { groups: [], level: 0 },
  identifiers: [],
  metadata: {},
});
