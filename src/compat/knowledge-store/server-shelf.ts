import { withoutUndefined } from '../../core/without-undefined.js';
import type { Embedder } from '../../embedding/embedder.js';
import type { VectorStore } from '../../stores/vector-store.js';
import { KnowledgeStoreConfig } from './config.js';
import { openShelf } from './factory.js';
import type { Shelf } from './shelf.js';

/** What every store on a server is made with, under either naming. */
interface CollectionOptions {
  readonly collectionName?: string;
  readonly collection_name?: string;
  readonly embeddingFunction?: Embedder | null;
  readonly embedding_function?: Embedder | null;
}

/** How documents are kept in a store on a server. Throws `CONFIG_INVALID` at once for a name that no collection can have. */
export function shelfIn(options: CollectionOptions, open: () => Promise<VectorStore>): () => Promise<Shelf> {
  const { collectionName, collection_name } = options;
  const config = new KnowledgeStoreConfig(withoutUndefined({ collectionName, collection_name }));
  const model = modelOf(options);
  return async () => openShelf(config, { store: await open(), ...model });
}

/** The model that is given; that of the configuration where none is. */
export const modelOf = ({ embeddingFunction, embedding_function }: CollectionOptions) =>
  withoutUndefined({ embedder: embeddingFunction ?? embedding_function ?? undefined });
