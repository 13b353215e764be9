import { withoutUndefined } from '../../core/without-undefined.js';
import type { Embedder } from '../../embedding/embedder.js';
import { BackendKnowledgeStore } from './backend-knowledge-store.js';
import { KnowledgeStoreConfig } from './config.js';
import { openShelf } from './factory.js';
import { modelOf } from './server-shelf.js';

/** What a `ChromaDBStore` is made with, under either naming. */
export interface ChromaDBStoreOptions {
  /** @default 'localhost' */
  readonly host?: string;
  /** @default 8000 */
  readonly port?: number;
  /** @default 'asdlc_documents' */
  readonly collectionName?: string;
  readonly collection_name?: string;
  /** @default the model `all-MiniLM-L6-v2`, or the built-in one where that is not on this machine */
  readonly embeddingFunction?: Embedder | null;
  readonly embedding_function?: Embedder | null;
}

/** The store on a Chroma server: `new ChromaDBStore('localhost', 8000)`, or with one object. */
export class ChromaDBStore extends BackendKnowledgeStore {
  constructor(
    hostOrOptions: string | ChromaDBStoreOptions = {},
    port?: number,
    collectionName?: string,
    embeddingFunction?: Embedder | null,
  ) {
    const options: ChromaDBStoreOptions =
      typeof hostOrOptions === 'object'
        ? hostOrOptions
        : withoutUndefined({ host: hostOrOptions, port, collectionName, embeddingFunction });
    // Named, so that the server is used also where its address is the default one.
    const config = new KnowledgeStoreConfig({ host: 'localhost', ...options });
    super(() => openShelf(config, modelOf(options)));
  }
}
