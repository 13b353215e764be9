import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RAGSettingsInput } from '../../src/config/schema/index.js';
import { createEngine, type Engine, type VectorStore } from '../../src/index.js';
import { openLedger } from '../../src/ledger/sqlite/open-ledger.js';
import { createMemoryStore } from '../../src/stores/memory/memory-store.js';
import { createHashEmbedder } from '../../src/testing/index.js';
import { CrashingRuntime } from './crashing-runtime.js';

/** A store that outlives the engines that open it, as a server does, and takes no part in transactions of the ledger. */
function lastingStore(): VectorStore {
  const memory = createMemoryStore();
  return new Proxy(memory, {
    get: (target, name) => {
      if (name === 'name') return 'lasting';
      if (name === 'capabilities') return { ...target.capabilities, persistent: true };
      if (name === 'close') return async () => undefined;
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === 'function' ? (member.bind(target) as unknown) : member;
    },
  });
}

/** An index that is brought in step by one process after another. */
export class SyncedIndex {
  readonly #folder = mkdtempSync(join(tmpdir(), 'ragstone-synced-'));
  readonly #store: VectorStore | undefined;
  readonly #process: CrashingRuntime;
  /** Moments of the last run that lived. */
  #usual = 60;
  deaths = 0;

  /** @param now the time, in milliseconds since 1970 */
  constructor(hasStoreOfItsOwn: boolean, now: () => number) {
    this.#process = new CrashingRuntime(now);
    this.#store = hasStoreOfItsOwn ? lastingStore() : undefined;
  }

  /** Brings it in step, unless the process dies before. */
  async run(
    settings: RAGSettingsInput,
    { dies, force = false }: { dies?: number | undefined; force?: boolean } = {},
  ) {
    const engine = await this.open(settings);
    this.#process.moments = 0;
    if (dies !== undefined) this.#process.dieAfter(Math.floor(dies * this.#usual));
    try {
      const result = await engine.index({ options: { force } });
      if (dies === undefined) this.#usual = this.#process.moments;
      return result;
    } catch (error) {
      if (!this.#process.isDead) throw error;
      this.deaths += 1;
      return undefined;
    } finally {
      this.#process.revive();
      await engine.close();
    }
  }

  open(settings: RAGSettingsInput): Promise<Engine> {
    const store = this.#store;
    return createEngine({
      cwd: this.#folder,
      embedder: createHashEmbedder({ dimensions: 8 }),
      runtime: this.#process.runtime,
      config: {
        conflicts: { enabled: true },
        ...settings,
        ...(store === undefined ? { provider: 'libsql' } : {}),
      },
      ...(store === undefined ? {} : { store }),
    });
  }

  /** The rows of the graph by source and name of their documents, what documents say, and how many have neither. */
  async graph() {
    const ledger = openLedger({ path: join(this.#folder, '.ragstone', 'ledger.db'), readOnly: true });
    try {
      const reader = ledger.reader((await ledger.live())?.generation ?? 0);
      const documents = await reader.documents(undefined, 1_000);
      const rows = await reader.graph.rows(documents.map(({ documentId }) => documentId));
      return {
        rows: documents.map(({ documentId, source, externalId }) => ({
          source,
          externalId,
          ...rows.get(documentId),
        })),
        unread: await reader.graph.unread('default', { limit: 1_000 }),
        statements: (await reader.statements.packed('default', { limit: 1_000 }))
          .map(({ packed }) => Buffer.from(packed).toString('hex'))
          .sort(),
        notExamined: await reader.statements.unread('default', { limit: 1_000 }),
      };
    } finally {
      await ledger.close();
    }
  }

  close(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
