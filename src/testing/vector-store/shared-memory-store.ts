import { RAGError } from '../../core/errors.js';
import { collectionOf, membersOf } from '../../stores/collection-members.js';
import { createMemoryStore } from '../../stores/memory/memory-store.js';
import { assertCollectionName } from '../../stores/store-checks.js';
import type { StoreCapabilities, VectorCollection, VectorStore } from '../../stores/vector-store.js';
import type { StoreFixture } from './contract.js';

/** Changes what a collection does. */
type Change = (collection: VectorCollection) => Partial<VectorCollection>;

interface SharedOptions {
  readonly change?: Change;
  readonly capabilities?: Partial<StoreCapabilities>;
}

/**
 * A fixture over memory that several handles share, as they would share a server: what the contract asks of a persistent
 * store can be tried on it, and broken.
 */
export function sharedMemoryFixture({
  change = () => ({}),
  capabilities = {},
}: SharedOptions = {}): StoreFixture {
  const inner = createMemoryStore();
  const newer = new Set<string>();
  const handle = (): VectorStore => {
    let isClosed = false;
    const begin = (): void => {
      if (isClosed) throw new RAGError('STORE_UNAVAILABLE', 'The store is closed; create a new one.');
    };
    return {
      name: 'shared memory',
      capabilities: { ...inner.capabilities, persistent: true, ...capabilities },
      open: async (spec) => {
        begin();
        if (newer.has(spec.name))
          throw new RAGError('STORE_SCHEMA_TOO_NEW', 'The collection was written by a newer version.');
        const collection = await inner.open(spec);
        return guarded(overridden(collection, change(collection)), begin);
      },
      describe: async (name) => {
        assertCollectionName(name);
        return inner.describe(name);
      },
      drop: async (name) => {
        newer.delete(name);
        await inner.drop(name);
      },
      health: async () => (isClosed ? { ok: false, detail: 'closed' } : inner.health()),
      close: async () => {
        isClosed = true;
      },
    };
  };
  return {
    store: handle(),
    reopen: async () => handle(),
    makeSchemaNewer: async (name) => void newer.add(name),
    cleanup: () => inner.close(),
  };
}

/** Without ranks, which would still say what the right collection says. */
const overridden = (right: VectorCollection, changes: Partial<VectorCollection>): VectorCollection =>
  collectionOf({ ...membersOf(right), rankVector: undefined, rankText: undefined, ...changes });

/** Refuses every call once its handle is closed. */
function guarded(collection: VectorCollection, begin: () => void): VectorCollection {
  return new Proxy(collection, {
    get(target, name: keyof VectorCollection) {
      const member = target[name];
      if (typeof member !== 'function') return member;
      return async (...parameters: never[]) => {
        begin();
        return (member as (...given: never[]) => unknown).apply(target, parameters);
      };
    },
  });
}
