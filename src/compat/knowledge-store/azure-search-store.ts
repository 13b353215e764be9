import { withoutUndefined } from '../../core/without-undefined.js';
import type { Embedder } from '../../embedding/embedder.js';
import { BackendKnowledgeStore } from './backend-knowledge-store.js';
import { shelfIn } from './server-shelf.js';

/** What an `AzureSearchStore` is made with, under either naming. */
export interface AzureSearchStoreOptions {
  /** Address of the service: `https://NAME.search.windows.net`. */
  readonly endpoint: string;
  /** An admin key. Give a value read from the environment. Default: the identity of this machine signs in. */
  readonly apiKey?: string;
  readonly api_key?: string;
  /** Begins the name of every index. @default 'ragstone' */
  readonly namespace?: string;
  /** @default 'asdlc_documents' */
  readonly collectionName?: string;
  readonly collection_name?: string;
  /** @default the model `all-MiniLM-L6-v2`, or the built-in one where that is not on this machine */
  readonly embeddingFunction?: Embedder | null;
  readonly embedding_function?: Embedder | null;
}

/**
 * The store in Azure AI Search: `new AzureSearchStore('https://NAME.search.windows.net', key)`, or with one object. What was written
 * is found some seconds later. Needs `@azure/search-documents`, and `@azure/identity` where there is no key.
 */
export class AzureSearchStore extends BackendKnowledgeStore {
  constructor(
    endpointOrOptions: string | AzureSearchStoreOptions,
    apiKey?: string,
    collectionName?: string,
    embeddingFunction?: Embedder | null,
  ) {
    const options: AzureSearchStoreOptions =
      typeof endpointOrOptions === 'object'
        ? endpointOrOptions
        : {
            endpoint: endpointOrOptions,
            ...withoutUndefined({ apiKey, collectionName, embeddingFunction }),
          };
    const open = async () => {
      const { createAzureSearchStore } = await import('../../stores/azure-ai-search/azure-search-store.js');
      return createAzureSearchStore({
        url: options.endpoint,
        apiKey: options.apiKey ?? options.api_key,
        namespace: options.namespace,
      });
    };
    super(shelfIn(options, open));
  }
}
