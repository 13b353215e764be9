import { RAGError } from '../../src/core/errors.js';
import type { ListedChange, ReadResult, Source, SourceItem } from '../../src/sources/source.js';
import type { Faults } from './faults.js';
import type { SimulatedProcess } from './simulated-process.js';

interface Page {
  readonly text: string;
  readonly isHidden: boolean;
  /** Number of the change that made it so. */
  readonly change: number;
}

const PAGE_SIZE = 3;

/** A service that keeps pages, knows who may read them, and lists what changed since a number. */
export class SimulatedWiki {
  readonly #pages = new Map<string, Page>();
  readonly #deleted = new Map<string, number>();
  #changes = 0;
  isAway = false;

  write(id: string, text: string, isHidden: boolean): void {
    this.#changes += 1;
    this.#pages.set(id, { text, isHidden, change: this.#changes });
    this.#deleted.delete(id);
  }

  remove(id: string): void {
    this.#changes += 1;
    this.#pages.delete(id);
    this.#deleted.set(id, this.#changes);
  }

  /** The source that reads it from a process. */
  readBy(process: SimulatedProcess, faults: () => Faults): Source {
    const ask = <T>(name: string, work: () => T, signal?: AbortSignal): Promise<T> =>
      process.call(
        `wiki.${name}`,
        async () => {
          if (this.isAway) throw silence();
          return work();
        },
        { silence, isRepeatable: true, signal, failure: faults().service },
      );
    const changedSince = (since: number, after: string | undefined): ListedChange[] => {
      const pages = [...this.#pages].flatMap(([id, { change }]): [string, ListedChange][] =>
        change > since ? [[id, { id, version: String(change) }]] : [],
      );
      const deleted = [...this.#deleted].flatMap(([id, change]): [string, ListedChange][] =>
        change > since ? [[id, { id, isDeleted: true }]] : [],
      );
      return [...pages, ...deleted]
        .filter(([id]) => after === undefined || id > after)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .slice(0, PAGE_SIZE)
        .map(([, change]) => change);
    };
    async function* list(since: number, signal: AbortSignal | undefined): AsyncGenerator<ListedChange> {
      let after: string | undefined;
      for (;;) {
        const last: string | undefined = after;
        const some = await ask('list', () => changedSince(since, last), signal);
        yield* some;
        const end = some.at(-1);
        if (end === undefined || !('id' in end)) return;
        after = end.id;
      }
    }
    return {
      name: 'wiki',
      type: 'wiki',
      listing: 'complete',
      async *list({ signal } = {}) {
        for await (const item of list(-1, signal)) if ('version' in item) yield item;
      },
      listChanges: (options) => this.#changesSince(options, { ask, list }),
      read: (item, signal) => ask(`read ${item.id}`, () => this.#read(item), signal),
    };
  }

  async *#changesSince(
    { since, signal }: { readonly since?: string; readonly signal?: AbortSignal },
    {
      ask,
      list,
    }: {
      readonly ask: <T>(name: string, work: () => T, signal?: AbortSignal) => Promise<T>;
      readonly list: (since: number, signal: AbortSignal | undefined) => AsyncGenerator<ListedChange>;
    },
  ): AsyncGenerator<ListedChange> {
    // What changes while it is listed is listed again next time.
    const cursor = String(await ask('now', () => this.#changes, signal));
    const from = since === undefined ? -1 : Number(since);
    for await (const item of list(from, signal))
      if (since !== undefined || !('isDeleted' in item)) yield item;
    yield since === undefined ? { cursor, present: 'listed' } : { cursor };
  }

  #read({ id }: SourceItem): ReadResult {
    const page = this.#pages.get(id);
    if (page === undefined) throw new RAGError('DOCUMENT_VANISHED', `The page ${id} is gone.`);
    return {
      documents: [
        {
          externalId: id,
          mediaType: 'text/markdown',
          content: page.text,
          metadata: {},
          access: { groups: page.isHidden ? ['staff'] : ['*'], level: 0 },
        },
      ],
      failures: [],
    };
  }
}

const silence = (): RAGError => new RAGError('SOURCE_UNREADABLE', 'The wiki did not answer.');
