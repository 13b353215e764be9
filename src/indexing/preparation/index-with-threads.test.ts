import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadConfig } from '../../config/load-config.js';
import { EVERYTHING } from '../../core/filter.js';
import { LOCAL_SCOPE } from '../../core/scope.js';
import { createStaticEmbedder } from '../../embedding/static/static-embedder.js';
import type { Ledger } from '../../ledger/ledger.js';
import { openLedger } from '../../ledger/sqlite/open-ledger.js';
import type { PushedDocument } from '../../sources/push/push-source.js';
import { createMemoryStore } from '../../stores/memory/memory-store.js';
import type { VectorStore } from '../../stores/vector-store.js';
import { pushedSource } from '../configured-sources.js';
import { runIndex } from '../run-index.js';
import type { ChoosePreparer } from '../source-task.js';
import { openPreparers } from './choose-preparer.js';
import { inlinePreparer } from './preparer.js';

const DOCUMENTS: readonly PushedDocument[] = Array.from({ length: 12 }, (_, i) => ({
  id: `note-${i}`,
  text: `Note ${i} begins here.\n\n${`It says in sentence after sentence what number ${i} is about. `.repeat(40)}`,
}));

interface Index {
  readonly ledger: Ledger;
  readonly store: VectorStore;
}

let folder: string;
const ledgers: Ledger[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ragstone-threads-'));
});
afterEach(async () => {
  for (const ledger of ledgers.splice(0)) await ledger.close();
  rmSync(folder, { recursive: true });
});

function newIndex(name: string): Index {
  const ledger = openLedger({ path: join(folder, `${name}.db`) });
  ledgers.push(ledger);
  return { ledger, store: createMemoryStore() };
}

async function fill(
  { ledger, store }: Index,
  preparerFor?: ChoosePreparer,
  signal?: AbortSignal,
): Promise<void> {
  const source = await pushedSource(
    { documents: DOCUMENTS, project: undefined },
    await loadConfig({ cwd: folder, config: {} }),
  );
  await runIndex({
    ledger,
    store,
    embedder: await createStaticEmbedder(),
    embedding: {},
    sources: [source],
    configuredNames: new Set(),
    options: { scope: LOCAL_SCOPE, force: false, dryRun: false, batchSize: 5, parallel: 4 },
    command: 'index',
    preparerFor,
    signal,
    storeOf: async () => store,
    learn: async () => undefined,
    now: () => '2026-01-01T00:00:00.000Z',
  });
}

/** Everything that a search could see, vectors included. */
async function contentOf({ ledger, store }: Index): Promise<unknown> {
  const facts = await ledger.live();
  if (facts === undefined) return [];
  const { collection: name, dimensions, fingerprint } = facts;
  const collection = await store.open({ name, dimensions, fingerprint });
  const { chunks } = await collection.list({ filter: EVERYTHING, limit: 10_000 });
  const ids = chunks.map(({ id }) => id);
  return {
    records: await collection.get(ids, { includeVectors: true }),
    chunks: await ledger.reader(facts.generation).allChunks(undefined, 10_000),
  };
}

describe('an index that threads prepared', () => {
  it('is the same as one that was prepared on the main thread', async () => {
    const [threaded, inline] = [newIndex('threaded'), newIndex('inline')];
    const preparers = openPreparers(undefined, { threads: 2, threadsFromBytes: 0 });
    await fill(threaded, preparers.choose);
    await preparers.close();
    await fill(inline, () => inlinePreparer(undefined));
    const content = await contentOf(threaded);
    expect(content).toEqual(await contentOf(inline));
  });

  it('is whole after a run that was cancelled, and the next run ends the work', async () => {
    const [cancelled, undisturbed] = [newIndex('cancelled'), newIndex('undisturbed')];
    const controller = new AbortController();
    const preparers = openPreparers(controller.signal, { threads: 1, threadsFromBytes: 0 });
    let prepared = 0;
    const cancelling: ChoosePreparer = (bytes) => {
      const threads = preparers.choose(bytes);
      return {
        prepare: (document, order) => {
          if (prepared++ === 6) controller.abort();
          return threads.prepare(document, order);
        },
      };
    };
    await expect(fill(cancelled, cancelling, controller.signal)).rejects.toMatchObject({ reason: 'ABORTED' });
    await preparers.close();
    await fill(cancelled);
    await fill(undisturbed);
    expect(await contentOf(cancelled)).toEqual(await contentOf(undisturbed));
  });

  it('takes a turn of the event loop for each document that is prepared on the main thread', async () => {
    let turn = 0;
    let isOver = false;
    const counting = (async () => {
      for (; !isOver; turn += 1) await nextTurn();
    })();
    const preparedIn: number[] = [];
    const inline = inlinePreparer(undefined);
    await fill(newIndex('turns'), () => ({
      prepare: async (document, order) => {
        const prepared = await inline.prepare(document, order);
        preparedIn.push(turn);
        return prepared;
      },
    }));
    isOver = true;
    await counting;
    expect(new Set(preparedIn).size).toBe(DOCUMENTS.length);
  });
});
