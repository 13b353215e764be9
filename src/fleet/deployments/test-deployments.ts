import { onTestFinished } from 'vitest';
import { temporaryFolder } from '../../../tests/e2e/temporary-folder.js';
import type { RAGConfigInput } from '../../config/schema/index.js';
import { RAGError } from '../../core/errors.js';
import { EVERYTHING } from '../../core/filter.js';
import { createMemoryStore } from '../../stores/memory/memory-store.js';
import type { CollectionSpec, VectorCollection, VectorStore } from '../../stores/vector-store.js';
import { createKnowledgeDeployments } from './create-knowledge-deployments.js';
import type { KnowledgeDeploymentInput } from './deployment-config.js';
import type {
  KnowledgeDeploymentOptions,
  KnowledgeDeploymentService,
} from './knowledge-deployment-service.js';

/** Servers of customers that live in this process: each keeps what was written as long as the test. */
export class TestServers {
  readonly #stores = new Map<string, VectorStore>();
  readonly #collections = new Map<string, { readonly store: VectorStore; readonly spec: CollectionSpec }>();
  #callsLeft: number | undefined;
  isDown = false;
  /** How often one was opened. */
  opened = 0;
  onUpsert: (() => unknown) | undefined;

  /** From then on every call fails; undefined for never. */
  failAfter(calls: number | undefined): void {
    this.#callsLeft = calls;
  }

  /** Chunks on all servers. */
  async chunks(): Promise<number> {
    let sum = 0;
    for (const { store, spec } of this.#collections.values())
      if ((await store.describe(spec.name)) !== undefined)
        sum += await (await store.open(spec)).count(EVERYTHING);
    return sum;
  }

  readonly customerStores: KnowledgeDeploymentOptions['customerStores'] = {
    test: ({ searchEndpoint, indexName }) => {
      this.opened += 1;
      const key = `${searchEndpoint} ${indexName}`;
      const store = this.#stores.get(key) ?? createMemoryStore();
      this.#stores.set(key, store);
      return this.#served(store);
    },
  };

  #served(store: VectorStore): VectorStore {
    return {
      name: 'test-server',
      capabilities: { ...store.capabilities, persistent: true },
      open: async (spec) => {
        this.#call();
        this.#collections.set(spec.name, { store, spec });
        return this.#collection(await store.open(spec));
      },
      describe: async (name) => {
        this.#call();
        return store.describe(name);
      },
      drop: async (name) => {
        this.#call();
        await store.drop(name);
      },
      health: async () => ({ ok: !this.isDown, detail: this.isDown ? 'It is down.' : 'It answers.' }),
      // A server goes on when a client leaves.
      close: async () => undefined,
    };
  }

  #collection(collection: VectorCollection): VectorCollection {
    const { searchText } = collection;
    return {
      spec: collection.spec,
      // One by one, as a server that has no transactions may stop in the middle.
      upsert: async (records, signal) => {
        for (const record of records) {
          this.#call();
          await collection.upsert([record], signal);
        }
        await this.onUpsert?.();
      },
      get: async (...given) => {
        this.#call();
        return collection.get(...given);
      },
      delete: async (...given) => {
        this.#call();
        return collection.delete(...given);
      },
      list: async (query) => {
        this.#call();
        return collection.list(query);
      },
      count: async (...given) => {
        this.#call();
        return collection.count(...given);
      },
      searchVector: async (query) => {
        this.#call();
        return collection.searchVector(query);
      },
      ...(searchText === undefined
        ? {}
        : {
            searchText: async (query) => {
              this.#call();
              return searchText.call(collection, query);
            },
          }),
      optimize: async (signal) => {
        this.#call();
        await collection.optimize(signal);
      },
      stats: () => collection.stats(),
    };
  }

  #call(): void {
    if (this.#callsLeft !== undefined) this.#callsLeft -= 1;
    if (this.isDown || (this.#callsLeft ?? 0) < 0)
      throw new RAGError('STORE_UNAVAILABLE', 'The server of the test is down.');
  }
}

/** Deployments over an index in a folder; they go with the test. */
export async function testDeployments(
  folder = temporaryFolder(),
  options: KnowledgeDeploymentOptions = {},
  config: RAGConfigInput = {},
): Promise<KnowledgeDeploymentService> {
  const deployments = await createKnowledgeDeployments(
    { cwd: folder, dataDir: `${folder}/data`, config: { provider: 'libsql', ...config } },
    options,
  );
  onTestFinished(() => deployments.close());
  return deployments;
}

/** A deployment at a server of the test. */
export const customerOwned = (tenantId: string, indexName = 'customer-index'): KnowledgeDeploymentInput => ({
  tenantId,
  model: 'CustomerOwned',
  provider: 'test',
  searchEndpoint: 'https://search.customer.example',
  indexName,
});
