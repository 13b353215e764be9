import { withoutUndefined } from '../../core/without-undefined.js';
import type { Embedder } from '../../embedding/embedder.js';
import { BackendKnowledgeStore } from './backend-knowledge-store.js';
import { shelfIn } from './server-shelf.js';

/** What a `QdrantStore` is made with, under either naming. */
export interface QdrantStoreOptions {
  /** Address of the server, in place of `host` and `port`: `https://host:6333`. */
  readonly url?: string;
  /** @default 'localhost' */
  readonly host?: string;
  /** @default 6333 */
  readonly port?: number;
  /** Key of the server. Give a value read from the environment. */
  readonly apiKey?: string;
  readonly api_key?: string;
  /** What keeps collections apart from those of others on the server. @default 'ragstone' */
  readonly namespace?: string;
  /** @default 'asdlc_documents' */
  readonly collectionName?: string;
  readonly collection_name?: string;
  /** @default the model `all-MiniLM-L6-v2`, or the built-in one where that is not on this machine */
  readonly embeddingFunction?: Embedder | null;
  readonly embedding_function?: Embedder | null;
}

/** The store on a Qdrant server: `new QdrantStore('localhost', 6333)`, or with one object. Needs `@qdrant/js-client-rest`. */
export class QdrantStore extends BackendKnowledgeStore {
  constructor(
    hostOrOptions: string | QdrantStoreOptions = {},
    port?: number,
    collectionName?: string,
    embeddingFunction?: Embedder | null,
  ) {
    const options: QdrantStoreOptions =
      typeof hostOrOptions === 'object'
        ? hostOrOptions
        : withoutUndefined({ host: hostOrOptions, port, collectionName, embeddingFunction });
    const { url = `http://${options.host ?? 'localhost'}:${options.port ?? 6333}`, namespace } = options;
    const apiKey = options.apiKey ?? options.api_key;
    const open = async () => {
      const { createQdrantStore } = await import('../../stores/qdrant/qdrant-store.js');
      return createQdrantStore({ url, apiKey, namespace });
    };
    super(shelfIn(options, open));
  }
}
