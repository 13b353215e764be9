import { withoutUndefined } from '../../core/without-undefined.js';
import type { Embedder } from '../../embedding/embedder.js';
import type { ServiceAccount } from '../../stores/vertex-ai-search/vertex-options.js';
import { BackendKnowledgeStore } from './backend-knowledge-store.js';
import { shelfIn } from './server-shelf.js';

/** What a `VertexSearchStore` is made with, under either naming. */
export interface VertexSearchStoreOptions {
  /** The Google Cloud project, by id or number. */
  readonly project: string;
  /** Where data stores are made: `global`, `us` or `eu`. @default 'global' */
  readonly location?: string;
  /** Address of the service, where it is another than that of the location. */
  readonly url?: string;
  /** Who signs in. Give a key read from the environment. @default the Application Default Credentials of this machine */
  readonly account?: ServiceAccount;
  /** Begins the name of every data store. @default 'ragstone' */
  readonly namespace?: string;
  /** Longest wait after a write until searches find it, in milliseconds. @default 120_000 */
  readonly visibleWithinMs?: number;
  /** @default 'asdlc_documents' */
  readonly collectionName?: string;
  readonly collection_name?: string;
  /** @default the model `all-MiniLM-L6-v2`, or the built-in one where that is not on this machine */
  readonly embeddingFunction?: Embedder | null;
  readonly embedding_function?: Embedder | null;
}

/**
 * The store in Vertex AI Search: `new VertexSearchStore('my-project', 'eu')`, or with one object. A write returns when searches find it,
 * which takes seconds and longer; every read of a document reads through the whole data store. Needs `@google-cloud/discoveryengine`.
 */
export class VertexSearchStore extends BackendKnowledgeStore {
  constructor(
    projectOrOptions: string | VertexSearchStoreOptions,
    location?: string,
    collectionName?: string,
    embeddingFunction?: Embedder | null,
  ) {
    const options: VertexSearchStoreOptions =
      typeof projectOrOptions === 'object'
        ? projectOrOptions
        : {
            project: projectOrOptions,
            ...withoutUndefined({ location, collectionName, embeddingFunction }),
          };
    const open = async () => {
      const { createVertexSearchStore } = await import(
        '../../stores/vertex-ai-search/vertex-search-store.js'
      );
      return createVertexSearchStore(options);
    };
    super(shelfIn(options, open));
  }
}
