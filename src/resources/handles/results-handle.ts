import { packConfig } from '../../config/packed-config.js';
import type { ResolvedConfig } from '../../config/resolved-config.js';
import { OpenedOnce } from '../../core/shared-load.js';
import type { RedisShelf } from '../../platform/redis/redis-shelf.js';
import { openRedisShelf } from '../assembly/open-redis-shelf.js';
import { settingsDigest } from '../cache/cache-key.js';
import { CachedResults, removeCachedResults } from '../cache/cached-results.js';
import { prefixOf, QueryCache } from '../cache/query-cache.js';
import { SemanticIndex } from '../cache/semantic-index.js';
import type { LedgerHandle } from './ledger-handle.js';

/** Results of searches, as `rag.retrieval.cache` says. */
export class ResultsHandle {
  /** Undefined where none are kept. */
  readonly cache: OpenedOnce<QueryCache | undefined>;
  /** Results are kept in a file of the data folder. Decrypted metadata, and what only this process finds by parts of its own, are not. */
  readonly keepsFile: boolean;
  readonly #config: ResolvedConfig;
  readonly #ledger: LedgerHandle;

  constructor(
    config: ResolvedConfig,
    ledger: LedgerHandle,
    options: { readonly isForgetful: boolean; readonly isDegraded: () => boolean },
  ) {
    this.keepsFile = config.rag.retrieval.cache.enabled && isShareable(config) && !options.isForgetful;
    this.#config = config;
    this.#ledger = ledger;
    const { keepsFile } = this;
    this.cache = new OpenedOnce(() => openQueryCache(config, { ...options, keepsFile }));
  }

  /** Leaves nothing on disk of what searches found before the index changed. A failure is the next search's to deal with. */
  async dropOld(): Promise<void> {
    // An earlier configuration may have kept some.
    if (!this.keepsFile) removeCachedResults(this.#config.dataDir);
    if (!this.#config.rag.retrieval.cache.enabled) return;
    try {
      (await this.cache.open())?.dropOld(await this.#ledger.revision());
    } catch {
      // The revision is read again before anything that is kept is shown.
    }
  }

  /**
   * Forgets everything that was found in the index, here and on the server that the settings name, though this process may not use it any
   * more. Undefined where the server did not do it.
   */
  async clear(): Promise<number | undefined> {
    const here = (await this.cache.open())?.clear() ?? 0;
    const revision = await this.#ledger.revision();
    if (revision === undefined) return here;
    const shelf = await openServer(this.#config);
    if (shelf === undefined) return here;
    try {
      const shared = await shelf.removeAll(prefixOf(revision));
      return shared === undefined ? undefined : Math.max(here, shared);
    } finally {
      shelf.close();
    }
  }

  async close(): Promise<void> {
    (await this.cache.opened())?.close();
  }
}

/** Decrypted metadata, and what only this process finds by parts of its own, stays in its memory. */
const isShareable = (config: ResolvedConfig): boolean =>
  config.rag.security.encryption.keys.length === 0 &&
  config.keepsNoText !== true &&
  packConfig(config) !== undefined;

async function openQueryCache(
  config: ResolvedConfig,
  { keepsFile, isDegraded }: { readonly keepsFile: boolean; readonly isDegraded: () => boolean },
): Promise<QueryCache | undefined> {
  const { enabled, ttl, maxEntries, semantic: near } = config.rag.retrieval.cache;
  // An earlier configuration kept what is encrypted now.
  if (config.rag.security.encryption.keys.length > 0 || config.keepsNoText === true)
    removeCachedResults(config.dataDir);
  if (!enabled) return undefined;
  const shared = isShareable(config) ? await openServer(config) : undefined;
  const kept = keepsFile ? new CachedResults({ folder: config.dataDir, maxEntries }) : undefined;
  const semantic = near.enabled
    ? new SemanticIndex({ threshold: near.threshold, maxEntries, ttl })
    : undefined;
  return new QueryCache({
    ttl,
    maxEntries,
    settings: settingsDigest(config),
    shared,
    kept,
    isDegraded,
    semantic,
  });
}

/** The server that the settings name. */
async function openServer(config: ResolvedConfig): Promise<RedisShelf | undefined> {
  const { redis, ttl } = config.rag.retrieval.cache;
  if (redis === undefined) return undefined;
  return openRedisShelf(
    redis,
    { path: ['rag', 'retrieval', 'cache'], what: 'the cache of results', ttl },
    config,
  );
}
