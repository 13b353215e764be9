import { join } from 'node:path';
import { keyOfContext } from '../../chunking/contextual/chunk-contextualiser.js';
import { ContextCache } from '../../chunking/contextual/context-cache.js';
import type { ResolvedConfig } from '../../config/resolved-config.js';
import { indexedTextOf } from '../../core/analysis/indexed-text.js';
import { partsOf } from '../../core/analysis/passage-parts.js';
import type { StoredChunk } from '../../core/chunk.js';
import { headingPathOf, titleOf } from '../../core/chunk-metadata.js';
import { DATA_FOLDERS } from '../../core/data-folder.js';
import { cacheOwner } from '../../core/scope.js';
import { cacheKeyerOf } from '../../embedding/embedding-cache.js';
import { holdsVectors, keysOfVectors } from '../../embedding/prune-vectors.js';
import { readerIdentity } from '../../embedding/static/reader/encoder-model.js';
import { contextModelName } from '../../resources/assembly/resolve-model.js';

/** What the caches keep of some chunks. */
export interface CacheKeys {
  readonly vectors: ReadonlySet<string>;
  readonly contexts: ReadonlySet<string>;
}

/** The caches of an index, where there are any. */
export interface Caches {
  /** Folder of the cache of vectors; absent where nothing was ever kept there. */
  readonly vectors?: string | undefined;
  readonly contexts?: ContextCache | undefined;
}

export async function cachesOf({ dataDir, rag }: ResolvedConfig): Promise<Caches> {
  const folder = rag.embedding.cache.path;
  const hasVectors = holdsVectors(folder) && keysOfVectors(folder).length > 0;
  const contexts = new ContextCache(join(dataDir, DATA_FOLDERS.cache, 'contexts'));
  const hasContexts = (await contexts.keys()).length > 0;
  return { vectors: hasVectors ? folder : undefined, contexts: hasContexts ? contexts : undefined };
}

/** Gathers the keys of chunks, of several generations one after the other. */
export class CacheKeyFinder {
  readonly #config: ResolvedConfig;
  readonly #caches: Caches;
  readonly vectors = new Set<string>();
  readonly contexts = new Set<string>();

  constructor(config: ResolvedConfig, caches: Caches) {
    this.#config = config;
    this.#caches = caches;
  }

  /** @param fingerprint of the model that made the generation of these chunks */
  async add(chunks: readonly StoredChunk[], fingerprint: string): Promise<void> {
    for (const chunk of chunks) await this.#addOne(chunk, fingerprint);
  }

  async #addOne(chunk: StoredChunk, fingerprint: string): Promise<void> {
    const [title, headingPath] = [titleOf(chunk), headingPathOf(chunk)];
    const { content, metadata, tenant } = chunk;
    const owner = cacheOwner({ tenant });
    const keyOf = cacheKeyerOf(fingerprint, 'document', owner);
    const text = indexedTextOf({ title, headingPath, content });
    this.vectors.add(keyOf(text));
    const readerKeyOf = cacheKeyerOf((await readerIdentity()).fingerprint, 'document');
    for (const part of partsOf({ title, headingPath, content })) this.vectors.add(readerKeyOf(part));
    const model = contextModelName(this.#config);
    if (this.#caches.contexts === undefined || model === undefined) return;
    const key = keyOfContext(model, { id: String(metadata.source), owner, title }, { content, headingPath });
    const context = await this.#caches.contexts.get(key);
    if (context === undefined) return;
    this.contexts.add(key);
    this.vectors.add(keyOf(indexedTextOf({ title, headingPath, context, content })));
  }
}
