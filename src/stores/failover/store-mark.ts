import type { ChunkRecord, StoredChunk } from '../../core/chunk.js';
import type { CollectionSpec, VectorCollection, VectorStore } from '../vector-store.js';
import type { Mark } from './journal-state.js';
import { isSilence } from './outages.js';

/** A collection of its own in each store, so that whatever brings the store's contents back to an older state brings the mark back too. */
const specOf = (journal: string): CollectionSpec => ({
  name: `failover-${journal}`,
  dimensions: 1,
  fingerprint: 'none: how far the writes of this store are',
});

const ID = 'mark';

/** The mark of one store: the last write that it has, as the store itself says. */
export class StoreMark {
  readonly #store: VectorStore;
  #open: { readonly journal: string; readonly collection: VectorCollection } | undefined;

  constructor(store: VectorStore) {
    this.#store = store;
  }

  /** Undefined where the store says nothing of this journal. */
  async read(journal: string): Promise<Mark | undefined> {
    if (this.#open?.journal === journal) {
      try {
        return markOf(await this.#open.collection.get([ID]));
      } catch (error) {
        this.forget();
        if (isSilence(error)) throw error;
        // What was open may be gone with all that the store held.
      }
    }
    const spec = specOf(journal);
    if ((await this.#store.describe(spec.name)) === undefined) return undefined;
    return markOf(await (await this.#opened(journal)).get([ID]));
  }

  /** Written after the write that it tells of, never before. */
  async write(journal: string, { seq, token }: Mark): Promise<void> {
    const record: ChunkRecord = {
      id: ID,
      documentId: ID,
      tenant: 'ragstone',
      source: 'failover',
      // Nobody's.
      access: { groups: [], level: 0 },
      content: `${seq} ${token}`,
      searchText: 'mark',
      identifiers: [],
      vector: new Float32Array([1]),
      metadata: {},
    };
    await (await this.#opened(journal)).upsert([record]);
  }

  /** Leaves nothing of what it was written through, such as a log that was empty before. */
  async purge(journal: string): Promise<void> {
    await (await this.#opened(journal)).purge?.();
  }

  /** It is opened anew. */
  forget(): void {
    this.#open = undefined;
  }

  async #opened(journal: string): Promise<VectorCollection> {
    if (this.#open?.journal === journal) return this.#open.collection;
    const collection = await this.#store.open(specOf(journal));
    this.#open = { journal, collection };
    return collection;
  }
}

function markOf([record]: readonly StoredChunk[]): Mark | undefined {
  const [seq, token] = (record?.content ?? '').split(' ').map(Number);
  return seq === undefined || token === undefined ? undefined : { seq, token };
}
