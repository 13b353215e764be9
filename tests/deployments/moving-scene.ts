import { join } from 'node:path';
import {
  createKnowledgeDeployments,
  type KnowledgeDeploymentInput,
  type KnowledgeDeploymentService,
} from '../../src/index.js';
import { createLibsqlStore } from '../../src/stores/libsql/libsql-store.js';
import type { VectorStore } from '../../src/stores/vector-store.js';

export type MoveLogLine =
  | { readonly kind: 'begun' | 'searched' }
  | { readonly kind: 'moved'; readonly model: string }
  | { readonly kind: 'writing' | 'written'; readonly id: string; readonly version?: string | undefined }
  | { readonly kind: 'wrong'; readonly what: string };

/** Documents that nobody changes. */
export const STEADY = Array.from({ length: 8 }, (_, n) => `steady-${n}`);

export const CUSTOMER: KnowledgeDeploymentInput = {
  tenantId: 'acme',
  model: 'CustomerOwned',
  provider: 'file',
  searchEndpoint: 'https://search.customer.example',
  indexName: 'customer-index',
};

/** In the order of the models. */
export const TARGETS: readonly KnowledgeDeploymentInput[] = [
  { tenantId: 'acme', model: 'Shared' },
  { tenantId: 'acme', model: 'Dedicated' },
  CUSTOMER,
];

// A steady document is one chunk, so that what is found twice is doubled.
const CHUNKING = { strategy: 'recursive', unit: 'tokens', minSize: 0, maxSize: 24, overlap: 0 } as const;

/** Several chunks, so that a store may hold a part of them. */
export const textOf = (id: string, version: string): string =>
  ['cellar', `roof ${version}`, 'garden', `hall ${version}`]
    .map((place) => `The changing lamp of the ${place} in ${id} is of version ${version}.`)
    .join('\n\n');

/** The store of the customer is a file of its own: what was written there stays when a process dies. */
export const customerStore = (folder: string): VectorStore =>
  createLibsqlStore({ path: join(folder, 'customer', 'store.db') });

/** Deployments of a folder. `onWrite` is told before and after each write to the store of the customer. */
export const deploymentsOver = (
  folder: string,
  onWrite: () => void = () => undefined,
): Promise<KnowledgeDeploymentService> =>
  createKnowledgeDeployments(
    {
      cwd: folder,
      dataDir: 'data',
      config: { provider: 'libsql', chunking: CHUNKING },
    },
    { customerStores: { file: () => watched(customerStore(folder), onWrite) } },
  );

function watched(store: VectorStore, onWrite: () => void): VectorStore {
  const around = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    onWrite();
    const result = await work();
    onWrite();
    return result;
  };
  return {
    name: 'customer-file',
    capabilities: store.capabilities,
    describe: (name) => store.describe(name),
    drop: (name) => around(() => store.drop(name)),
    health: () => store.health(),
    close: () => store.close(),
    open: async (spec) => {
      const collection = await store.open(spec);
      return {
        spec: collection.spec,
        get: (...given) => collection.get(...given),
        list: (query) => collection.list(query),
        count: (...given) => collection.count(...given),
        searchVector: (query) => collection.searchVector(query),
        ...(collection.searchText === undefined
          ? {}
          : { searchText: collection.searchText.bind(collection) }),
        optimize: (signal) => collection.optimize(signal),
        stats: () => collection.stats(),
        delete: (...given) => around(() => collection.delete(...given)),
        // One by one, as a server without transactions.
        upsert: async (records, signal) => {
          for (const record of records) await around(() => collection.upsert([record], signal));
        },
      };
    },
  };
}
