import { withoutUndefined } from '../../core/without-undefined.js';
import type { Embedder } from '../../embedding/embedder.js';
import type { SearchServerOptions } from '../../stores/elasticsearch/server-options.js';
import type { VectorStore } from '../../stores/vector-store.js';
import { BackendKnowledgeStore } from './backend-knowledge-store.js';
import { shelfIn } from './server-shelf.js';

/** What an `ElasticsearchStore` or `OpenSearchStore` is made with, under either naming. */
export interface SearchServerStoreOptions
  extends Partial<Pick<SearchServerOptions, 'url' | 'auth' | 'tls' | 'indexPrefix'>> {
  /** In place of `url`. @default 'localhost' */
  readonly host?: string;
  /** @default 9200 */
  readonly port?: number;
  /** @default 'asdlc_documents' */
  readonly collectionName?: string;
  readonly collection_name?: string;
  /** @default the model `all-MiniLM-L6-v2`, or the built-in one where that is not on this machine */
  readonly embeddingFunction?: Embedder | null;
  readonly embedding_function?: Embedder | null;
}

type Arguments = [
  hostOrOptions?: string | SearchServerStoreOptions,
  port?: number,
  collectionName?: string,
  embeddingFunction?: Embedder | null,
];

type OpenStore = (options: SearchServerOptions) => Promise<VectorStore>;

/** A store on a search server, by what it is made with. */
class SearchServerStore extends BackendKnowledgeStore {
  constructor(open: OpenStore, [hostOrOptions = {}, port, collectionName, embeddingFunction]: Arguments) {
    const options: SearchServerStoreOptions =
      typeof hostOrOptions === 'object'
        ? hostOrOptions
        : withoutUndefined({ host: hostOrOptions, port, collectionName, embeddingFunction });
    const {
      host = 'localhost',
      url = `http://${host}:${options.port ?? 9200}`,
      auth,
      tls,
      indexPrefix,
    } = options;
    super(shelfIn(options, () => open({ url, ...withoutUndefined({ auth, tls, indexPrefix }) })));
  }
}

/**
 * The store on an Elasticsearch server: `new ElasticsearchStore('localhost', 9200)`, or with one object. Searches rank by words and meaning.
 * Needs `@elastic/elasticsearch`.
 */
export class ElasticsearchStore extends SearchServerStore {
  constructor(...given: Arguments) {
    super(async (options) => {
      const { createElasticsearchStore } = await import('../../stores/elasticsearch/elasticsearch-store.js');
      return createElasticsearchStore(options);
    }, given);
  }
}

/** The same on an OpenSearch server. Needs `@opensearch-project/opensearch`. */
export class OpenSearchStore extends SearchServerStore {
  constructor(...given: Arguments) {
    super(async (options) => {
      const { createOpenSearchStore } = await import('../../stores/elasticsearch/elasticsearch-store.js');
      return createOpenSearchStore(options);
    }, given);
  }
}
