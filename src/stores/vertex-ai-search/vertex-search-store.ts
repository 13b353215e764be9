import { RAGError } from '../../core/errors.js';
import { ALL_FILTER_OPERATORS } from '../../core/filter.js';
import { ServerCollection } from '../server-collection.js';
import { type FoundCollection, ServerStore, type StoreServer } from '../server-store.js';
import type { CollectionSpec, StoreCapabilities, VectorCollection, VectorStore } from '../vector-store.js';
import { DataStoreChunks } from './data-store-chunks.js';
import { displayNameOf, isMadeFor, MAX_DIMENSIONS, schemaOf, specOfDataStore } from './data-store-schema.js';
import { DocumentRequests, type Place } from './document-requests.js';
import { structOf, textsOf } from './struct.js';
import { VertexSearchConnection } from './vertex-connection.js';
import { refusalOf } from './vertex-errors.js';
import { dataStoreIdOf, MARKER_ID } from './vertex-names.js';
import {
  type ResolvedVertexOptions,
  resolveOptions,
  type VertexSearchStoreOptions,
} from './vertex-options.js';

/** Five pages of a search. */
const MAX_TOP_K = 500;
/** `SolutionType.SOLUTION_TYPE_SEARCH`: in lists the client takes enums by number alone. */
const SOLUTION_TYPE_SEARCH = 2;

const capabilitiesOf = ({ visibleWithinMs }: ResolvedVertexOptions): StoreCapabilities =>
  Object.freeze({
    filterOperators: ALL_FILTER_OPERATORS,
    // The service ranks words by a model of its own, over the chunks of all tenants.
    lexical: 'none',
    maxTopK: MAX_TOP_K,
    consistency: Object.freeze({ eventualMs: visibleWithinMs }),
    persistent: true,
    exactVectorSearch: false,
    keepsDeleted:
      'Google Cloud removes what was deleted from Vertex AI Search by its own schedule ("Data deletion on Google Cloud"), backups within months',
  });

/**
 * Collections as data stores of Vertex AI Search (Discovery Engine, v1beta), each with an engine that serves it. Vectors are its custom
 * embeddings, of 768 dimensions at most; scores and filters are exact, because what the service finds is scored and filtered again
 * here. A write is found by searches some time later, which is declared: `optimize` waits for it. Needs `@google-cloud/discoveryengine`.
 *
 * Throws `CONFIG_INVALID` for options that no service could have.
 */
export function createVertexSearchStore(options: VertexSearchStoreOptions): VectorStore {
  const resolved = resolveOptions(options);
  return new ServerStore('vertex_ai_search', capabilitiesOf(resolved), new VertexSearchServer(resolved));
}

class VertexSearchServer implements StoreServer<FoundCollection> {
  readonly connection: VertexSearchConnection;
  readonly #options: ResolvedVertexOptions;

  constructor(options: ResolvedVertexOptions) {
    this.#options = options;
    this.connection = new VertexSearchConnection(options);
  }

  async collectionOf({ spec }: FoundCollection): Promise<VectorCollection> {
    const requests = new DocumentRequests(this.connection, this.#placeOf(spec.name));
    const chunks = new DataStoreChunks(requests, this.#options.visibleWithinMs);
    return new ServerCollection(spec, chunks, { connection: this.connection, maxTopK: MAX_TOP_K });
  }

  async find(name: string): Promise<FoundCollection | undefined> {
    const { dataStore } = this.#placeOf(name);
    const displayName = await this.#displayName(name);
    if (displayName === undefined) return undefined;
    const marker = await this.connection.find(this.#opening(name), async ({ documents }, options) => {
      const [found] = await documents.getDocument({ name: `${dataStore}/${MARKER}` }, options);
      return found;
    });
    const spec = specOfDataStore(name, { displayName, fingerprint: textsOf(marker?.structData).fingerprint });
    // The marker is what is made last, so without it the making was interrupted.
    return marker == null ? undefined : { spec };
  }

  async drop(name: string): Promise<void> {
    const { dataStore, engine } = this.#placeOf(name);
    const call = { action: `drop collection "${name}"` };
    // A data store that an engine serves cannot go.
    await this.connection.operate(call, ({ engines }, options) =>
      orNone(engines.deleteEngine({ name: engine }, options), 404),
    );
    await this.connection.operate(call, ({ dataStores }, options) =>
      orNone(dataStores.deleteDataStore({ name: dataStore }, options), 404),
    );
  }

  async tell(): Promise<string> {
    const { parent } = this.#options;
    await this.connection.call({ action: 'tell its state' }, ({ dataStores }, options) =>
      dataStores.listDataStores({ parent, pageSize: 1 }, { ...options, autoPaginate: false }),
    );
    return `Vertex AI Search at ${this.connection.address}, ${parent}`;
  }

  #placeOf(collection: string): Place {
    const id = dataStoreIdOf(this.#options.namespace, collection);
    const { parent } = this.#options;
    return { dataStore: `${parent}/dataStores/${id}`, engine: `${parent}/engines/${id}`, collection };
  }

  #opening(name: string): { readonly action: string } {
    return { action: `open collection "${name}"` };
  }

  #displayName(name: string): Promise<string | undefined> {
    return this.connection.find(this.#opening(name), async ({ dataStores }, options) => {
      const [found] = await dataStores.getDataStore({ name: this.#placeOf(name).dataStore }, options);
      return found.displayName ?? '';
    });
  }

  /**
   * The data store, its engine, its marker. Each may be there: made by another process, or by an attempt that did not come to its end. The
   * name of the data store, which was given in one call, says for which model.
   */
  async make(spec: CollectionSpec): Promise<FoundCollection> {
    if (spec.dimensions > MAX_DIMENSIONS)
      throw new RAGError(
        'STORE_DIMENSION_MISMATCH',
        `Vertex AI Search keeps vectors of at most ${MAX_DIMENSIONS} dimensions, the embedding model makes ${spec.dimensions}. Choose another model, or one that can be shortened (rag.embedding.dimensions).`,
        { details: { expected: MAX_DIMENSIONS, actual: spec.dimensions } },
      );
    const { parent, namespace } = this.#options;
    const id = dataStoreIdOf(namespace, spec.name);
    const call = { action: `make collection "${spec.name}"` };
    const displayName = displayNameOf(spec);
    await this.connection.operate(call, ({ dataStores }, options) =>
      orNone(
        dataStores.createDataStore(
          {
            parent,
            dataStoreId: id,
            dataStore: {
              displayName,
              industryVertical: 'GENERIC',
              solutionTypes: [SOLUTION_TYPE_SEARCH],
              contentConfig: 'NO_CONTENT',
              startingSchema: { structSchema: structOf(schemaOf(spec.dimensions)) },
            },
          },
          options,
        ),
        409,
      ),
    );
    const made = specOfDataStore(spec.name, {
      displayName: (await this.#displayName(spec.name)) ?? displayName,
      fingerprint: undefined,
    });
    if (!isMadeFor(made, spec) || made.dimensions !== spec.dimensions) return { spec: made };
    await this.connection.operate(call, ({ engines }, options) =>
      orNone(
        engines.createEngine(
          {
            parent,
            engineId: id,
            engine: {
              displayName,
              industryVertical: 'GENERIC',
              solutionType: 'SOLUTION_TYPE_SEARCH',
              dataStoreIds: [id],
              searchEngineConfig: { searchTier: 'SEARCH_TIER_STANDARD' },
            },
          },
          options,
        ),
        409,
      ),
    );
    await this.#mark(spec, call);
    return { spec: Object.freeze({ ...spec }) };
  }

  async #mark({ name, fingerprint }: CollectionSpec, call: { readonly action: string }): Promise<void> {
    const { dataStore } = this.#placeOf(name);
    const [parent] = `${dataStore}/${MARKER}`.split('/documents/');
    await this.connection.operate(call, async ({ documents }, options) => {
      const [operation] = await documents.importDocuments(
        {
          parent: parent ?? '',
          reconciliationMode: 'INCREMENTAL',
          inlineSource: { documents: [{ id: MARKER_ID, structData: structOf({ fingerprint }) }] },
        },
        options,
      );
      return operation;
    });
  }
}

const MARKER = `branches/default_branch/documents/${MARKER_ID}`;

/** The operation that a call began; undefined where it was refused with this status. */
async function orNone<T>(
  call: Promise<readonly [T, ...(readonly unknown[])]>,
  status: number,
): Promise<T | undefined> {
  try {
    return (await call)[0];
  } catch (error) {
    if (refusalOf(error)?.status === status) return undefined;
    throw error;
  }
}
