import type { ResolvedConfig } from '../../config/resolved-config.js';
import type { LocalEmbeddingCache } from '../../embedding/disk-embedding-cache.js';

/**
 * The cache of vectors on this host, as `rag.embedding.cache` says; undefined where it is switched off.
 *
 * @param onProblem see `EmbeddingCacheOptions`
 */
export async function openVectorCacheFor(
  { rag }: Pick<ResolvedConfig, 'rag'>,
  onProblem?: (problem: string) => void,
): Promise<LocalEmbeddingCache | undefined> {
  const { enabled, path, maxSize } = rag.embedding.cache;
  if (!enabled) return undefined;
  const { openEmbeddingCache } = await import('../../embedding/disk-embedding-cache.js');
  return openEmbeddingCache({
    folder: path,
    maxMegabytes: maxSize,
    ...(onProblem === undefined ? {} : { onProblem }),
  });
}
