import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../tests/e2e/temporary-folder.js';
import { compatibleEmbeddingWire, embeddingReply } from '../../tests/fakes/wire/embedding-wire.js';
import { compatibleRerankWire, rerankReply } from '../../tests/fakes/wire/rerank-wire.js';
import { startWireServer, type WireServer } from '../../tests/fakes/wire/wire-server.js';
import type { RAGSettingsInput } from '../config/schema/index.js';
import { RAGError } from '../core/errors.js';
import { createEngine } from '../engine/create-engine.js';
import type { Engine, SearchResponse } from '../operations/engine.js';
import type { CreateEngineOptions } from '../operations/engine-options.js';
import { createMemoryStore } from '../stores/memory/memory-store.js';
import type { VectorCollection, VectorStore } from '../stores/vector-store.js';
import { FaultyProxy } from '../testing/faulty-proxy.js';

/** So quickly that a test need not wait. */
const QUICK = { failures: 2, retryAfterMs: 400 };
/** What has failed so is left alone for the rest of the test, however long a step takes. */
const LEFT_ALONE = { failures: 2, retryAfterMs: 3_600_000 };
/** No search takes longer than its deadline and what a busy machine adds. */
const DEADLINE_MS = 1_000;
const PATIENCE_MS = 3_500;

function folderOfNotes(): string {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'a.md'), '# Report\n\nRevenue grew by three percent.\n');
  writeFileSync(join(folder, 'b.md'), '# Manual\n\nPress the red lever to stop the machine.\n');
  return folder;
}

async function openEngine(
  cwd: string,
  settings: RAGSettingsInput,
  parts: CreateEngineOptions = {},
): Promise<Engine> {
  const { degradation, retrieval, ...rest } = settings;
  const engine = await createEngine({
    cwd,
    config: {
      ...(parts.store === undefined ? { provider: 'libsql' } : {}),
      sources: [{ name: 'docs', type: 'markdown', root: '.', paths: ['*.md'] }],
      ...rest,
      degradation: { ...QUICK, ...degradation },
      retrieval: { laneDeadlineMs: DEADLINE_MS, ...retrieval },
    },
    ...parts,
  });
  onTestFinished(() => engine.close());
  return engine;
}

/** A server behind a proxy that can be killed, slowed and brought back. */
async function faulty(server: WireServer, delayMs?: number): Promise<FaultyProxy> {
  const { hostname, port } = new URL(server.url);
  const proxy = await FaultyProxy.start({ host: hostname, port: Number(port) }, { delayMs });
  onTestFinished(async () => {
    await proxy.stop();
    await server.close();
  });
  return proxy;
}

/** The levels of searches until one has the level, with the last response; no search may take longer than it may. */
async function searchUntil(
  engine: Engine,
  text: string,
  level: number,
): Promise<{ readonly levels: number[]; readonly last: SearchResponse }> {
  const levels: number[] = [];
  for (;;) {
    const last = await engine.search(text);
    expect(last.tookMs).toBeLessThan(PATIENCE_MS);
    levels.push(last.degradationLevel);
    if (last.degradationLevel === level) return { levels, last };
    expect(levels.length).toBeLessThan(40);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

const found = ({ results }: SearchResponse) =>
  results.map(({ id, score, metadata }) => [id, score, metadata.source]);

test('a model whose vectors have another length than before is named', async () => {
  let dimensions = 16;
  const server = await startWireServer(compatibleEmbeddingWire, (request) =>
    embeddingReply(compatibleEmbeddingWire, request, dimensions),
  );
  onTestFinished(() => server.close());
  const engine = await openEngine(folderOfNotes(), {
    embedding: { model: 'ollama:own-model', cache: { enabled: false } },
    modelProviders: { ollama: { baseUrl: `${server.url}/v1` } },
    retrieval: { cache: { enabled: false } },
  });
  await engine.index();
  expect(await engine.search('red lever')).toMatchObject({ degradationLevel: 0 });
  dimensions = 8;
  for (let turn = 0; turn < QUICK.failures; turn++)
    expect(await engine.search(`lever ${turn}`)).toMatchObject({
      degradationLevel: 3,
      degradation: { parts: ['embedder'] },
    });
  dimensions = 16;
  await searchUntil(engine, 'red lever', 0);
});

describe.each(['cut', 'silent'] as const)('an embedding service that is %s', (mode) => {
  test('leaves what was found before, else words, and is back without a restart', async () => {
    const server = await startWireServer(compatibleEmbeddingWire, (request) =>
      embeddingReply(compatibleEmbeddingWire, request, 16),
    );
    const proxy = await faulty(server);
    const cwd = folderOfNotes();
    const settings: RAGSettingsInput = {
      // Its length is not known, so that opening it asks its server.
      embedding: { model: 'ollama:own-model', cache: { enabled: false } },
      modelProviders: { ollama: { baseUrl: `http://127.0.0.1:${proxy.port}/v1` } },
      retrieval: { cache: { enabled: true } },
    };
    const engine = await openEngine(cwd, { ...settings, degradation: LEFT_ALONE });
    await engine.index();
    const before = await engine.search('red lever');
    expect(before).toMatchObject({ degradationLevel: 0 });
    expect(before).not.toHaveProperty('degradation');

    proxy.mode = mode;
    for (let turn = 0; turn < QUICK.failures; turn++) {
      const words = await engine.search(`the red lever ${turn}`);
      expect(words.tookMs).toBeLessThan(PATIENCE_MS);
      expect(words).toMatchObject({ degradationLevel: 3, degradation: { parts: ['embedder'] } });
      expect(words.results[0]?.metadata.source).toBe('b.md');
    }
    // It would answer, and is left alone: nobody asked, and nobody waited.
    proxy.mode = 'pass';
    const alone = await engine.search('lever red');
    expect(alone).toMatchObject({ degradationLevel: 3 });
    expect(alone.degradation?.expectedLoss.loss).toBeGreaterThan(0);
    expect(alone.stages.dense).toBeLessThan(DEADLINE_MS / 2);
    proxy.mode = mode;
    const kept = await engine.search('red lever');
    expect(kept).toMatchObject({ degradationLevel: 2, degradation: { expectedLoss: { loss: 0 } } });
    expect(found(kept)).toEqual(found(before));

    // What is too old to stand for a search is still better than less.
    const cache = { enabled: true, ttl: 1 };
    const cold = await openEngine(cwd, { ...settings, retrieval: { cache } });
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    const known = await cold.search('red lever');
    expect(known).toMatchObject({ degradationLevel: 2, degradation: { parts: ['embedder'] } });
    expect(found(known)).toEqual(found(before));

    for (let turn = 0; turn < QUICK.failures; turn++)
      expect(await cold.search(`the red lever ${turn}`)).toMatchObject({ degradationLevel: 3 });
    proxy.mode = 'pass';
    const { last } = await searchUntil(cold, 'machine lever', 0);
    expect(last.lanes.find(({ lane }) => lane === 'dense')).toMatchObject({ status: 'ran' });
  });
});

describe.each(['cut', 'silent', 'slow'] as const)('a reranker that is %s', (mode) => {
  test('is done without, at level 1, and is back without a restart', async () => {
    const server = await startWireServer(compatibleRerankWire, (request) =>
      rerankReply(compatibleRerankWire, request, (text) => (text.includes('Revenue') ? 0.9 : 0.1)),
    );
    const proxy = await faulty(server, 900);
    const cwd = folderOfNotes();
    const settings: RAGSettingsInput = {
      retrieval: { rerank: { enabled: true, model: 'vllm:bge-reranker-v2-m3', deadlineMs: 400 } },
      modelProviders: { vllm: { baseUrl: `http://127.0.0.1:${proxy.port}/v1` } },
    };
    const engine = await openEngine(cwd, { ...settings, degradation: LEFT_ALONE });
    await engine.index();
    const quick = await openEngine(cwd, settings);
    for (const one of [engine, quick])
      expect(await one.search('the machine')).toMatchObject({ degradationLevel: 0 });
    proxy.mode = mode;
    for (const one of [quick, engine])
      for (let turn = 0; turn < QUICK.failures; turn++)
        expect(await one.search('the machine')).toMatchObject({
          degradationLevel: 1,
          degradation: { parts: ['reranker'] },
        });
    // It would answer, and is left alone.
    proxy.mode = 'pass';
    const alone = await engine.search('the machine');
    expect(alone).toMatchObject({ degradationLevel: 1, degradation: { parts: ['reranker'] } });
    expect(alone.results[0]?.metadata.source).toBe('b.md');
    expect(alone.stages.rerank).toBeLessThan(200);
    await searchUntil(quick, 'the machine', 0);
  });
});

/** How a store of a program's own behaves from now on. */
interface Behaviour {
  now: 'well' | 'down' | 'silent' | 'slow';
}

/** A store that is a memory of this process behind a door that may be shut. */
function storeBehindADoor(behaviour: Behaviour, lexical?: 'none'): VectorStore {
  const store = createMemoryStore();
  const pass = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    if (behaviour.now === 'down') throw new RAGError('STORE_UNAVAILABLE', 'Nobody is at the door.');
    if (behaviour.now === 'silent') await new Promise(() => undefined);
    if (behaviour.now === 'slow') await new Promise((resolve) => setTimeout(resolve, 300));
    return work();
  };
  const collection = (inner: VectorCollection): VectorCollection =>
    new Proxy(inner, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== 'function') return value;
        if (lexical === 'none' && (name === 'searchText' || name === 'rankText')) return undefined;
        return (...given: unknown[]) => pass(() => Promise.resolve(value.apply(target, given)));
      },
    });
  return {
    name: 'door',
    capabilities: { ...store.capabilities, persistent: true, ...(lexical ? { lexical } : {}) },
    open: (spec) => pass(async () => collection(await store.open(spec))),
    describe: (name) => pass(() => store.describe(name)),
    drop: (name) => pass(() => store.drop(name)),
    health: () => pass(() => store.health()),
    close: async () => undefined,
  };
}

const STATIC = {
  static: [{ text: 'Call the desk.' }, { text: 'Pull it gently.', words: ['lever'] }],
} as const satisfies RAGSettingsInput['degradation'];

describe.each(['down', 'silent'] as const)('a store that is %s', (how) => {
  test('whose words are kept beside the ledger is searched by them, after a cold start too', async () => {
    const behaviour: Behaviour = { now: 'well' };
    const store = storeBehindADoor(behaviour, 'none');
    const cwd = folderOfNotes();
    const engine = await openEngine(cwd, {}, { store });
    await engine.index();
    expect(await engine.search('red lever')).toMatchObject({ degradationLevel: 0 });
    behaviour.now = how;
    for (const one of [engine, await openEngine(cwd, {}, { store })])
      for (let turn = 0; turn < 4; turn++) {
        const words = await one.search('red lever');
        expect(words.tookMs).toBeLessThan(PATIENCE_MS);
        expect(words).toMatchObject({ degradationLevel: 3, degradation: { parts: ['store'] } });
        expect(words.results[0]?.metadata.source).toBe('b.md');
      }
    behaviour.now = 'well';
    await searchUntil(engine, 'red lever', 0);
  });

  test('is told of by every search that waits for it, whichever of them began to open it', async () => {
    const behaviour: Behaviour = { now: 'well' };
    const store = storeBehindADoor(behaviour, 'none');
    const cwd = folderOfNotes();
    await (await openEngine(cwd, {}, { store })).index();
    behaviour.now = how;
    const cold = await openEngine(cwd, {}, { store });
    for (const { degradation } of await Promise.all([1, 2, 3].map(() => cold.search('red lever'))))
      expect(degradation?.parts).toEqual(['store']);
  });

  test('without a copy of its words leaves the texts of the configuration, marked as such, or the error', async () => {
    const behaviour: Behaviour = { now: 'well' };
    const store = storeBehindADoor(behaviour);
    const cwd = folderOfNotes();
    const engine = await openEngine(cwd, { degradation: STATIC }, { store });
    await engine.index();
    behaviour.now = how;
    const cold = await openEngine(cwd, { degradation: STATIC }, { store });
    for (const one of [engine, cold]) {
      for (let turn = 0; turn < 3; turn++) {
        const said = await one.search('the red lever');
        expect(said.tookMs).toBeLessThan(PATIENCE_MS);
        expect(said).toMatchObject({
          degradationLevel: 4,
          results: [],
          staticResponses: [{ kind: 'static', text: 'Pull it gently.' }],
          noticeKinds: ['static-response'],
        });
      }
      const answer = await one.ask('Who knows?');
      expect(answer).toMatchObject({
        degradationLevel: 4,
        answerer: 'none',
        abstained: true,
        answer: 'Call the desk.',
        sources: [],
        citations: [],
        staticResponses: [{ kind: 'static', text: 'Call the desk.' }],
      });
      expect(await one.context({ text: 'Who knows?' })).toMatchObject({
        degradationLevel: 4,
        entries: [],
        staticResponses: [{ kind: 'static' }],
      });
    }
    const plain = await openEngine(cwd, {}, { store });
    await expect(plain.search('the red lever')).rejects.toMatchObject({ category: 'provider' });
    behaviour.now = 'well';
    for (const one of [engine, cold, plain]) await searchUntil(one, 'red lever', 0);
  });
});

describe.each(['down', 'silent'] as const)('a store that is %s, whose words are copied', (how) => {
  const WITH_COPY = { degradation: { localWords: true, slowStoreMs: 200 } } as const;
  const A = { tenant: 'a', groups: ['hr'] };

  test('is searched by the copy, within the scope and by what the ledger holds', async () => {
    const behaviour: Behaviour = { now: 'well' };
    const store = storeBehindADoor(behaviour);
    const cwd = temporaryFolder();
    const without = await openEngine(cwd, { degradation: { localWords: false } }, { store });
    const access = { groups: ['hr'] };
    // Before there was a copy.
    await without.push([{ id: 'old', text: 'The quokka of old.', access }], A);
    const engine = await openEngine(cwd, WITH_COPY, { store });
    await engine.push([{ id: 'new', text: 'The quokka of now.', access }], A);
    await engine.push([{ id: 'closed', text: 'The quokka was open to hr.', access }], A);
    await engine.push([{ id: 'gone', text: 'The quokka will go.', access }], A);
    await engine.push([{ id: 'other', text: 'The quokka of others.', access }], { ...A, tenant: 'b' });
    // By somebody who does not keep the copy.
    const it = { tenant: 'a', groups: ['hr', 'it'] };
    await without.push(
      [{ id: 'closed', text: 'The quokka was open to hr.', access: { groups: ['it'] } }],
      it,
    );
    await without.delete(['gone'], A);
    const sources = ({ results }: SearchResponse) => results.map(({ metadata }) => metadata.source).sort();
    expect(sources(await engine.search('quokka', A))).toEqual(['new', 'old']);
    behaviour.now = how;
    for (const one of [engine, await openEngine(cwd, WITH_COPY, { store })])
      for (let turn = 0; turn < 4; turn++) {
        const words = await one.search('quokka', A);
        expect(words.tookMs).toBeLessThan(PATIENCE_MS);
        expect(words).toMatchObject({ degradationLevel: 3, degradation: { parts: ['store'] } });
        expect(sources(words)).toEqual(['new', 'old']);
        expect(sources(await one.search('quokka', { tenant: 'a', groups: [] }))).toEqual([]);
      }
    expect(sources(await engine.search('quokka', { ...A, tenant: 'b' }))).toEqual(['other']);
    behaviour.now = 'well';
    await searchUntil(engine, 'quokka wombat', 0);
  });
});

test('a store that is slow is left alone after it was slow some times, and asked again', async () => {
  const behaviour: Behaviour = { now: 'well' };
  const store = storeBehindADoor(behaviour, 'none');
  const cwd = folderOfNotes();
  const engine = await openEngine(cwd, { degradation: { slowStoreMs: 150 } }, { store });
  await engine.index();
  behaviour.now = 'slow';
  const { levels } = await searchUntil(engine, 'red lever', 3);
  // Its answers are taken until then.
  expect(levels[0]).toBe(0);
  behaviour.now = 'well';
  await searchUntil(engine, 'red lever', 0);
});

test('switched off is level 5, and says so', async () => {
  const engine = await openEngine(folderOfNotes(), { enabled: false });
  expect(await engine.search('red lever')).toMatchObject({
    degradationLevel: 5,
    results: [],
    degradation: { parts: [] },
  });
});
