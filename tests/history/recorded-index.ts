import { SYSTEM_RUNTIME } from '../../src/core/runtime.js';
import type { AccessControl } from '../../src/core/scope.js';
import { createEngine } from '../../src/engine/create-engine.js';
import type { GenerationWriter, Ledger, PlannedDocument } from '../../src/ledger/ledger.js';
import type { Engine } from '../../src/operations/engine.js';
import type { Source } from '../../src/sources/source.js';
import { createMemoryStore } from '../../src/stores/memory/memory-store.js';
import type { VectorStore } from '../../src/stores/vector-store.js';
import { createHashEmbedder } from '../../src/testing/hash-embedder.js';

/** A document as its source has it. */
export interface Held {
  readonly text: string;
  readonly access: AccessControl;
}

/** What the index held from a time on, by external id. */
export interface Moment {
  readonly at: number;
  readonly documents: ReadonlyMap<string, Held>;
}

class Death extends Error {}

/** Opens the ledger, which outlives its processes, with this clock. */
export type OpenBooks = (now: () => number) => Ledger | Promise<Ledger>;

/**
 * An index over one source that people edit, with a ledger that dies at a wanted call. Beside it everything is written down that was
 * committed, by the calls of the ledger alone: what searches in the past are held against.
 */
export class RecordedIndex {
  readonly source = new Map<string, Held>();
  readonly moments: Moment[] = [];
  readonly #folder: string;
  readonly #openBooks: OpenBooks;
  readonly #store = shelf();
  readonly #planned = new Map<number, Map<string, PlannedDocument>>();
  /** By generation, then by document id. */
  readonly #present = new Map<number, Map<string, PlannedDocument>>();

  #live = 0;
  #time = Date.parse('2026-01-01T00:00:00.000Z');
  #callsLeft = Number.POSITIVE_INFINITY;
  #engine: Engine | undefined;
  #ledger: Ledger | undefined;

  constructor(folder: string, openBooks: OpenBooks) {
    this.#folder = folder;
    this.#openBooks = openBooks;
  }

  get now(): number {
    return this.#time;
  }

  pass(ms: number): void {
    this.#time += ms;
  }

  async engine(): Promise<Engine> {
    if (this.#engine !== undefined) return this.#engine;
    const inner = await this.#openBooks(() => this.#time);
    this.#ledger = inner;
    this.#engine = await createEngine({
      cwd: this.#folder,
      config: { history: { keep: '90d' }, indexing: { maxShrink: 1 } },
      store: this.#store,
      embedder: createHashEmbedder(),
      ledger: this.#recorded(inner),
      sources: [this.#asSource()],
      runtime: { ...SYSTEM_RUNTIME, now: () => this.#time },
    });
    return this.#engine;
  }

  /** Works on the index and dies at the call of the ledger that is so many calls away. */
  async dieAfter(calls: number, work: (engine: Engine) => Promise<unknown>): Promise<void> {
    const engine = await this.engine();
    this.#callsLeft = calls;
    try {
      await work(engine);
    } catch (error) {
      if (this.#callsLeft > 0) throw error;
    } finally {
      const hasDied = this.#callsLeft <= 0;
      this.#callsLeft = Number.POSITIVE_INFINITY;
      if (hasDied) await this.close();
    }
  }

  async close(): Promise<void> {
    await this.#engine?.close();
    await this.#ledger?.close();
    this.#engine = undefined;
  }

  /** Documents as they are now, whatever the source says: what the index last committed. */
  present(): ReadonlyMap<string, Held> {
    return heldOf(this.#present.get(this.#live) ?? new Map());
  }

  /** No moment shows a document any more. */
  erase(externalId: string): void {
    for (const documents of this.#present.values())
      for (const [id, document] of documents) if (document.externalId === externalId) documents.delete(id);
    for (const moment of this.moments) (moment.documents as Map<string, Held>).delete(externalId);
  }

  #asSource(): Source {
    const { source } = this;
    return {
      name: 'notes',
      type: 'notes',
      listing: 'complete',
      async *list() {
        for (const [id, held] of source) yield { id, version: JSON.stringify(held) };
      },
      async read({ id }) {
        const { text, access } = source.get(id) ?? { text: '', access: { groups: [], level: 9 } };
        const document = { externalId: id, mediaType: 'text/markdown', content: text, metadata: {}, access };
        return { documents: [document], failures: [] };
      },
    };
  }

  #note(at: number): void {
    this.moments.push({ at, documents: new Map(this.present()) });
  }

  #recorded(ledger: Ledger): Ledger {
    return this.#mortal(ledger, {
      history: ledger.history && this.#mortal(ledger.history, {}),
      writer: (generation: number, holder: string) => this.#writer(ledger, generation, holder),
      switchTo: async (...given: Parameters<Ledger['switchTo']>) => {
        await ledger.switchTo(...given);
        this.#live = given[0];
        this.#note(Date.parse(given[1]));
      },
      makeFirst: async (...given: Parameters<Ledger['makeFirst']>) => {
        const isLive = await ledger.makeFirst(...given);
        if (isLive) this.#live = given[0];
        this.#note(Date.parse(given[1]));
        return isLive;
      },
    });
  }

  #writer(ledger: Ledger, generation: number, holder: string): GenerationWriter {
    const inner = ledger.writer(generation, holder);
    const planned = this.#planned.get(generation) ?? new Map<string, PlannedDocument>();
    this.#planned.set(generation, planned);
    const present = this.#present.get(generation) ?? new Map<string, PlannedDocument>();
    this.#present.set(generation, present);
    return this.#mortal(inner, {
      history: inner.history && this.#mortal(inner.history, {}),
      plan: async (documents: readonly PlannedDocument[]) => {
        const plans = await inner.plan(documents);
        for (const document of documents) planned.set(document.documentId, document);
        return plans;
      },
      commit: async (ids: readonly string[], at: string) => {
        await inner.commit(ids, at);
        for (const id of ids) {
          const document = planned.get(id);
          if (document !== undefined) present.set(id, document);
        }
        this.#note(Date.parse(at));
      },
      forget: async (ids: readonly string[]) => {
        await inner.forget(ids);
        for (const id of ids) present.delete(id);
        this.#note(this.#time);
      },
    });
  }

  /** Every call is counted, takes a moment, and may be the last one. */
  #mortal<Part extends object>(part: Part, own: Record<string, unknown>): Part {
    return new Proxy(part, {
      get: (target, name) => {
        const member: unknown =
          typeof name === 'string' && name in own ? own[name] : Reflect.get(target, name, target);
        if (typeof member !== 'function') return member;
        return (...given: unknown[]): unknown => {
          if (ASKED_WITHOUT_WAITING.has(String(name))) return Reflect.apply(member, target, given);
          this.#time += 1;
          if (this.#callsLeft-- <= 0) throw new Death('The process has died.');
          return Reflect.apply(member, target, given);
        };
      },
    });
  }
}

/** What hands out a part, or ends: nobody dies there. */
const ASKED_WITHOUT_WAITING: ReadonlySet<string> = new Set([
  'reader',
  'writer',
  'close',
  'lock',
  'release',
  'purge',
]);

const decoder = new TextDecoder();

function heldOf(documents: ReadonlyMap<string, PlannedDocument>): ReadonlyMap<string, Held> {
  return new Map(
    [...documents.values()].map(({ externalId, text, history }) => [
      externalId,
      {
        text: typeof text === 'string' ? text : decoder.decode(text.bytes),
        access: history?.access ?? { groups: [], level: 9 },
      },
    ]),
  );
}

/** A store that outlives its engines. */
function shelf(): VectorStore {
  const store = createMemoryStore();
  return {
    name: 'shelf',
    capabilities: { ...store.capabilities, persistent: true },
    open: (spec) => store.open(spec),
    describe: (name) => store.describe(name),
    drop: (name) => store.drop(name),
    health: () => store.health(),
    close: async () => undefined,
  };
}
