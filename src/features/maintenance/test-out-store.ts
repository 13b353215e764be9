import { RAGError } from '../../core/errors.js';
import { createMemoryStore } from '../../stores/memory/memory-store.js';
import type { VectorCollection, VectorStore } from '../../stores/vector-store.js';

/** A store on a server that is out while the test says so. */
export function openOutStore(lexical: 'none' | 'bm25'): {
  readonly store: VectorStore;
  readonly state: { isOut: boolean };
} {
  const memory = createMemoryStore();
  const state = { isOut: false };
  const pass = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    if (state.isOut) throw new RAGError('STORE_UNAVAILABLE', 'It does not answer.');
    return work();
  };
  const collection = (inner: VectorCollection): VectorCollection =>
    new Proxy(inner, {
      get: (target, name) => {
        if (lexical === 'none' && (name === 'searchText' || name === 'rankText')) return undefined;
        const member: unknown = Reflect.get(target, name, target);
        if (typeof member !== 'function') return member;
        return (...given: unknown[]) => pass(() => Promise.resolve(member.apply(target, given) as unknown));
      },
    });
  const store: VectorStore = {
    name: 'apart',
    capabilities: { ...memory.capabilities, persistent: true, lexical },
    open: (spec) => pass(async () => collection(await memory.open(spec))),
    describe: (name) => pass(() => memory.describe(name)),
    drop: (name) => pass(() => memory.drop(name)),
    health: () => pass(() => memory.health()),
    close: async () => undefined,
  };
  return { store, state };
}
