import type { StoredChunk } from '../core/chunk.js';
import type { ListQuery, VectorCollection } from './vector-store.js';

const DEFAULT_PAGE = 1000;

type WholeList = Omit<ListQuery, 'cursor' | 'limit' | 'signal'> & {
  /** Page size. @default 1000 */
  readonly limit?: number;
  readonly signal?: AbortSignal | undefined;
};

/** Every chunk that a filter admits, in id order, page by page. */
export async function* listPages(
  collection: Pick<VectorCollection, 'list'>,
  { filter, limit = DEFAULT_PAGE, signal }: WholeList,
): AsyncGenerator<readonly StoredChunk[]> {
  let cursor: string | undefined;
  do {
    const page = await collection.list({
      filter,
      limit,
      ...(cursor === undefined ? {} : { cursor }),
      ...(signal === undefined ? {} : { signal }),
    });
    yield page.chunks;
    cursor = page.cursor;
  } while (cursor !== undefined);
}

/** The same chunks at once. */
export async function listAll(
  collection: Pick<VectorCollection, 'list'>,
  query: WholeList,
): Promise<StoredChunk[]> {
  const chunks: StoredChunk[] = [];
  for await (const page of listPages(collection, query)) chunks.push(...page);
  return chunks;
}
