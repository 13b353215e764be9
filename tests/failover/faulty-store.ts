import type { ChunkRecord } from '../../src/core/chunk.js';
import { RAGError } from '../../src/core/errors.js';
import { EVERYTHING } from '../../src/core/filter.js';
import { collectionOf, membersOf } from '../../src/stores/collection-members.js';
import { listAll } from '../../src/stores/list-pages.js';
import { createMemoryStore } from '../../src/stores/memory/memory-store.js';
import type {
  CollectionSpec,
  TextQuery,
  VectorCollection,
  VectorStore,
} from '../../src/stores/vector-store.js';

/** What a store holds, as it can be put back later. */
export type Contents = ReadonlyMap<
  string,
  { readonly spec: CollectionSpec; readonly records: ReadonlyMap<string, ChunkRecord> }
>;

/** Called before each request; what it throws is what the store throws. */
export type OnRequest = (request: {
  readonly what: string;
  /** Of a collection of the index, not of the mark. */
  readonly isOfIndex: boolean;
  /** After it was done: the answer is lost. */
  readonly isDone: boolean;
}) => void | Promise<void>;

/** A store in memory that may be out, may lose answers, and may come back older or empty. */
export class FaultyStore {
  readonly name: string;
  isOut = false;
  onRequest: OnRequest = () => undefined;
  /** Handles share it, as they would share a server. */
  #inner = createMemoryStore();
  #contents = new Map<string, { spec: CollectionSpec; records: Map<string, ChunkRecord> }>();

  constructor(name: string) {
    this.name = name;
  }

  /** A handle on it, as a process has one. */
  handle(): VectorStore {
    const inner = (): VectorStore => this.#inner;
    let isClosed = false;
    const asked = async <Result>(what: string, name: string, request: () => Promise<Result>) => {
      const isOfIndex = !name.startsWith('failover-');
      if (this.isOut || isClosed) throw new RAGError('STORE_UNAVAILABLE', `The store "${this.name}" is out.`);
      await this.onRequest({ what, isOfIndex, isDone: false });
      const result = await request();
      await this.onRequest({ what, isOfIndex, isDone: true });
      if (this.isOut) throw new RAGError('STORE_UNAVAILABLE', `The store "${this.name}" is out.`);
      return result;
    };
    const collection = (spec: CollectionSpec): VectorCollection => {
      const { name } = spec;
      const open = async (): Promise<VectorCollection> => {
        if ((await inner().describe(name)) === undefined)
          throw new RAGError('COLLECTION_NOT_FOUND', `There is no collection "${name}".`);
        return inner().open(spec);
      };
      const on = <Args extends unknown[], Result>(
        what: string,
        call: (members: ReturnType<typeof membersOf>, ...args: Args) => Promise<Result>,
      ) => {
        return (...args: Args) => asked(what, name, async () => call(membersOf(await open()), ...args));
      };
      return collectionOf({
        spec,
        upsert: on('upsert', async (members, records: readonly ChunkRecord[]) => {
          await members.upsert(records);
          for (const record of records) this.#contents.get(name)?.records.set(record.id, record);
        }),
        delete: on('delete', async (members, filter: Parameters<VectorCollection['delete']>[0]) => {
          const gone = await listAll(members, { filter });
          for (const { id } of gone) this.#contents.get(name)?.records.delete(id);
          return members.delete(filter);
        }),
        get: on('get', (members, ...args: Parameters<VectorCollection['get']>) => members.get(...args)),
        list: on('list', (members, ...args: Parameters<VectorCollection['list']>) => members.list(...args)),
        count: on('count', (members, ...args: Parameters<VectorCollection['count']>) =>
          members.count(...args),
        ),
        searchVector: on('search', (members, ...args: Parameters<VectorCollection['searchVector']>) =>
          members.searchVector(...args),
        ),
        searchText: on('search', async (members, query: TextQuery) => members.searchText?.(query) ?? []),
        rankVector: undefined,
        rankText: undefined,
        termsBeginning: undefined,
        enlist: undefined,
        purge: undefined,
        optimize: on('optimize', (members) => members.optimize()),
        stats: on('stats', (members) => members.stats()),
      });
    };
    return {
      name: this.name,
      capabilities: { ...inner().capabilities, persistent: true },
      open: (spec) =>
        asked('open', spec.name, async () => {
          await inner().open(spec);
          if (!this.#contents.has(spec.name)) this.#contents.set(spec.name, { spec, records: new Map() });
          return collection(spec);
        }),
      describe: (name) => asked('describe', name, () => inner().describe(name)),
      drop: (name) =>
        asked('drop', name, async () => {
          await inner().drop(name);
          this.#contents.delete(name);
        }),
      health: async () => ({ ok: !this.isOut && !isClosed, detail: this.isOut ? 'out' : 'in memory' }),
      close: async () => {
        isClosed = true;
      },
    };
  }

  /** What it holds now. */
  contents(): Contents {
    return new Map(
      [...this.#contents].map(([name, { spec, records }]) => [name, { spec, records: new Map(records) }]),
    );
  }

  /** What a collection holds, by id. */
  async held(name: string): Promise<ReadonlyMap<string, string>> {
    const spec = await this.#inner.describe(name);
    if (spec === undefined) return new Map();
    const chunks = await listAll(await this.#inner.open(spec), { filter: EVERYTHING });
    return new Map(chunks.map(({ id, content }) => [id, content]));
  }

  /** Puts back what it held once, or nothing. */
  async becomes(contents: Contents = new Map()): Promise<void> {
    this.#inner = createMemoryStore();
    this.#contents = new Map();
    for (const [name, { spec, records }] of contents) {
      this.#contents.set(name, { spec, records: new Map(records) });
      await (await this.#inner.open(spec)).upsert([...records.values()]);
    }
  }
}
