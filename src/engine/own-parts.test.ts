import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { afterEach, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../tests/e2e/temporary-folder.js';
import { chatReply } from '../../tests/fakes/wire/chat-wire.js';
import { compatibleWire } from '../../tests/fakes/wire/openai-wire.js';
import { startWireServer } from '../../tests/fakes/wire/wire-server.js';
import type { SdkLanguageModel } from '../answering/sdk-language-model.js';
import type { Chunker } from '../chunking/chunker.js';
import type { ChatModel } from '../core/chat-model.js';
import { OPEN_ACCESS } from '../core/scope.js';
import type { Embedder } from '../embedding/embedder.js';
import { openLedger } from '../ledger/sqlite/open-ledger.js';
import type { Engine } from '../operations/engine.js';
import type { CreateEngineOptions } from '../operations/engine-options.js';
import type { Parser } from '../parsing/parser.js';
import type { Reranker } from '../reranking/reranker.js';
import type { Source } from '../sources/source.js';
import { createMemoryStore } from '../stores/memory/memory-store.js';
import type { VectorStore } from '../stores/vector-store.js';
import { createHashEmbedder } from '../testing/hash-embedder.js';
import { createEngine } from './create-engine.js';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});

async function engineIn(cwd: string, options: CreateEngineOptions = {}): Promise<Engine> {
  const engine = await createEngine({ cwd, ...options });
  open.push(engine);
  return engine;
}

/** Counts how often it is closed. */
function counting<T extends { close(): Promise<void> }>(part: T): T & { readonly closed: () => number } {
  let closed = 0;
  return Object.assign(part, {
    closed: () => closed,
    close: async () => {
      closed += 1;
    },
  });
}

const NOTES = [
  { id: 'lamp', text: 'The beacon is lit at dusk by the keeper.' },
  { id: 'boat', text: 'A tender brings oil to the island each month.' },
];

const idsOf = async (engine: Engine, text: string): Promise<string[]> =>
  (await engine.search(text)).results.map(({ metadata }) => metadata.source);

describe('an embedder', () => {
  it('makes the index and searches it, and stays open', async () => {
    const cwd = temporaryFolder();
    const embedder = counting(createHashEmbedder());
    const engine = await createEngine({ cwd, embedder, config: { provider: 'libsql' } });
    await engine.index(NOTES);
    expect((await idsOf(engine, 'beacon'))[0]).toBe('lamp');
    expect(await engine.generations()).toMatchObject([{ embedder: 'hash' }]);
    await engine.close();
    expect(embedder.closed()).toBe(0);
    const again = await engineIn(cwd, { embedder, config: { provider: 'libsql' } });
    const { stats } = await again.index(NOTES);
    expect(stats.documentsProcessed).toBe(0);
  });

  it('is asked for where the index was made with it and it is missing', async () => {
    const cwd = temporaryFolder();
    const config = { provider: 'libsql' } as const;
    const engine = await createEngine({ cwd, embedder: createHashEmbedder(), config });
    await engine.index(NOTES);
    await engine.close();
    const without = await engineIn(cwd, { config });
    const missing = {
      reason: 'STORE_FINGERPRINT_MISMATCH',
      message: expect.stringMatching(/"hash".*createEngine\(\{ embedder \}\)/s),
    };
    await expect(without.index(NOTES)).rejects.toMatchObject(missing);
    await expect(without.search('beacon')).rejects.toMatchObject(missing);
  });

  it('takes the place of the built-in model in a new generation, and the old one is still searched meanwhile', async () => {
    const cwd = temporaryFolder();
    const config = { provider: 'libsql' } as const;
    const builtin = await createEngine({ cwd, config });
    await builtin.index(NOTES);
    await builtin.close();
    const engine = await engineIn(cwd, { embedder: createHashEmbedder(), config });
    expect((await idsOf(engine, 'beacon'))[0]).toBe('lamp');
    await engine.index({ documents: NOTES, options: { force: true } }).catch(() => undefined);
    await engine.index({ options: { force: true } });
    expect(await engine.generations()).toMatchObject([{ embedder: 'hash', state: 'live' }, {}]);
    expect((await idsOf(engine, 'beacon'))[0]).toBe('lamp');
  });
});

/** A store that keeps what it holds as long as its program runs. */
function shelf(changes: Partial<VectorStore> = {}): VectorStore {
  const store = createMemoryStore();
  return {
    name: 'shelf',
    capabilities: { ...store.capabilities, persistent: true },
    open: (spec) => store.open(spec),
    describe: (name) => store.describe(name),
    drop: (name) => store.drop(name),
    health: () => store.health(),
    close: () => store.close(),
    ...changes,
  };
}

describe('a store', () => {
  it('keeps the index, stays open, and is found again by its name', async () => {
    const cwd = temporaryFolder();
    const store = counting(shelf());
    const engine = await createEngine({ cwd, store });
    await engine.index(NOTES);
    expect((await idsOf(engine, 'beacon'))[0]).toBe('lamp');
    expect(await engine.generations()).toMatchObject([{ provider: 'shelf' }]);
    expect((await engine.status()).provider).toBe('shelf');
    await engine.close();
    expect(store.closed()).toBe(0);
    const again = await engineIn(cwd, { store });
    expect((await idsOf(again, 'beacon'))[0]).toBe('lamp');
    expect((await again.verify()).ok).toBe(true);
  });

  it('is asked for by its name where the index is in it and it is missing', async () => {
    const cwd = temporaryFolder();
    const engine = await createEngine({ cwd, store: shelf() });
    await engine.index(NOTES);
    await engine.close();
    const without = await engineIn(cwd);
    const missing = {
      reason: 'CONFIG_INVALID',
      message: expect.stringMatching(/"shelf".*createEngine\(\{ store \}\)/s),
    };
    await expect(without.search('beacon')).rejects.toMatchObject(missing);
    await expect(without.clear()).rejects.toMatchObject(missing);
    expect(await without.generations()).toMatchObject([{ provider: 'shelf' }]);
  });

  it('that ranks no words gets the lexical lane', async () => {
    const { capabilities } = shelf();
    const store = shelf({ capabilities: { ...capabilities, lexical: 'none' } });
    const engine = await engineIn(temporaryFolder(), { store, embedder: createHashEmbedder() });
    await engine.index(NOTES);
    const { results } = await engine.search({ text: 'tender', options: { mode: 'lexical' } });
    expect(results.map(({ metadata }) => metadata.source)).toEqual(['boat']);
  });

  it('that forgets is indexed anew by the next engine', async () => {
    const cwd = temporaryFolder();
    const { capabilities } = createMemoryStore();
    const engine = await createEngine({ cwd, store: shelf({ capabilities }) });
    await engine.index(NOTES);
    await engine.close();
    const again = await engineIn(cwd, { store: shelf({ capabilities }) });
    expect((await again.index(NOTES)).stats.documentsProcessed).toBe(2);
  });

  it('may not take the name of one of ours', async () => {
    await expect(
      createEngine({ cwd: temporaryFolder(), store: shelf({ name: 'libsql' }) }),
    ).rejects.toMatchObject({ reason: 'USAGE', message: expect.stringContaining('another name') });
  });
});

it('a ledger keeps the books, in place of a file of the data folder, and stays open', async () => {
  const [cwd, elsewhere] = [temporaryFolder(), temporaryFolder()];
  const ledger = openLedger({ path: join(elsewhere, 'books.db') });
  open.push(ledger);
  const store = shelf();
  const engine = await createEngine({ cwd, ledger, store });
  await engine.index(NOTES);
  await engine.close();
  expect((await ledger.live())?.provider).toBe('shelf');
  expect(existsSync(join(cwd, '.ragstone', 'ledger.db'))).toBe(false);
  const again = await engineIn(cwd, { ledger, store });
  expect((await idsOf(again, 'beacon'))[0]).toBe('lamp');
  expect((await again.index(NOTES)).stats.documentsProcessed).toBe(0);
  await again.clear();
  expect(await again.generations()).toEqual([]);
});

/** A source over a map that the test changes. */
const wiki = (pages: Map<string, string>, more: Partial<Source> = {}): Source => ({
  name: 'wiki',
  type: 'wiki',
  listing: 'complete',
  async *list() {
    for (const [id, text] of pages) yield { id, version: text };
  },
  read: async ({ id }) => ({
    documents: [
      {
        externalId: id,
        mediaType: 'text/plain',
        content: pages.get(id) ?? '',
        metadata: {},
        access: OPEN_ACCESS,
      },
    ],
    failures: [],
  }),
  ...more,
});

describe('a source', () => {
  it('is listed, read, followed and verified like a configured one', async () => {
    const pages = new Map(NOTES.map(({ id, text }) => [id, text]));
    const engine = await engineIn(temporaryFolder(), { sources: [wiki(pages)] });
    expect((await engine.index()).stats.documentsProcessed).toBe(2);
    pages.set('lamp', 'The beacon burns gas now.');
    pages.delete('boat');
    const { stats } = await engine.index({ sources: ['wiki'] });
    expect(stats).toMatchObject({ documentsProcessed: 1, documentsDeleted: 1 });
    const { results } = await engine.search({ text: 'gas', filters: { sourceType: ['wiki'] } });
    expect(results.map(({ metadata }) => metadata.source)).toEqual(['lamp']);
    expect((await engine.verify()).ok).toBe(true);
  });

  it('may not take a configured name, nor one that stands for a path', async () => {
    const cwd = temporaryFolder();
    const sources = [{ name: 'wiki', type: 'markdown' as const, paths: ['*.md'] }];
    for (const options of [
      { config: { sources }, sources: [wiki(new Map())] },
      { sources: [wiki(new Map()), wiki(new Map())] },
      { sources: [wiki(new Map(), { name: 'path:docs' })] },
    ])
      await expect(createEngine({ cwd, ...options })).rejects.toMatchObject({ reason: 'USAGE' });
  });
});

/** One sentence, one chunk. */
const sentences = (changes: Partial<Chunker> = {}): Chunker => ({
  strategy: 'sentences',
  cut: ({ document }) =>
    [...document.text.matchAll(/[^.]+\.?/g)].map(({ 0: text, index }) => ({
      start: index,
      end: index + text.length,
    })),
  ...changes,
});

describe('a chunker', () => {
  const TWO = [{ id: 'two', text: 'The lamp is lit. The boat is late.' }];
  const contents = async (engine: Engine): Promise<string[]> =>
    (await engine.search({ text: 'lamp boat', options: { nearDuplicates: 'keep' } })).results
      .map(({ content }) => content)
      .sort();

  it('cuts where the configuration names its strategy, and anew in another version', async () => {
    const cwd = temporaryFolder();
    const config = { provider: 'libsql', chunking: { strategy: 'sentences' } } as const;
    const engine = await createEngine({ cwd, config, chunkers: [sentences()] });
    await engine.index(TWO);
    expect(await contents(engine)).toEqual(['The boat is late.', 'The lamp is lit.']);
    await engine.close();
    const whole = sentences({
      version: 1,
      cut: ({ document: { text } }) => [{ start: 0, end: text.length }],
    });
    const again = await engineIn(cwd, { config, chunkers: [whole] });
    await again.index(TWO);
    expect(await contents(again)).toEqual(['The lamp is lit. The boat is late.']);
  });

  it('cuts what a source prefers to have cut by it', async () => {
    const pages = new Map(TWO.map(({ id, text }) => [id, text]));
    const source = wiki(pages, { preferredChunking: 'sentences' });
    const engine = await engineIn(temporaryFolder(), { sources: [source], chunkers: [sentences()] });
    await engine.index();
    expect(await contents(engine)).toEqual(['The boat is late.', 'The lamp is lit.']);
  });

  it('that nobody hands in is refused by its name, and one that leaves the text fails its document', async () => {
    const cwd = temporaryFolder();
    const config = { chunking: { strategy: 'sentences' } };
    await expect(createEngine({ cwd, config })).rejects.toMatchObject({ reason: 'CONFIG_INVALID' });
    const beyond = sentences({ cut: () => [{ start: 0, end: 1_000 }] });
    const engine = await engineIn(cwd, { config, chunkers: [beyond] });
    const { stats } = await engine.index(TWO);
    expect(stats.errors).toMatchObject([{ item: 'two', message: expect.stringContaining('"sentences"') }]);
  });
});

it('a parser reads a media type of its own, and in place of ours', async () => {
  const parser: Parser = {
    mediaTypes: ['application/x-shout', 'text/plain'],
    parse: ({ content }) => {
      const text = String(content).toUpperCase();
      return {
        text,
        blocks: [{ kind: 'paragraph', start: 0, end: text.length }],
        metadata: {},
        warnings: [],
      };
    },
  };
  const engine = await engineIn(temporaryFolder(), { parsers: [parser] });
  const result = await engine.index([
    { id: 'own', text: 'the lamp', mediaType: 'application/x-shout' },
    { id: 'ours', text: 'the lamp too', mediaType: 'text/plain' },
    { id: 'other', text: 'the lamp as well', mediaType: 'text/markdown' },
  ]);
  expect(result.stats.errors).toEqual([]);
  const contents = (await engine.search('lamp')).results.map(({ content }) => content).sort();
  expect(contents).toEqual(['THE LAMP', 'THE LAMP TOO', 'the lamp as well']);
});

it('a reranker orders what the lanes found', async () => {
  const reranker: Reranker = counting({
    name: 'shortest-first',
    maxCandidates: 50,
    doRerank: async (_query, candidates) =>
      candidates.map(({ content }, index) => ({ index, score: 1 / content.length })),
    close: async () => undefined,
  });
  const engine = await engineIn(temporaryFolder(), { reranker });
  await engine.index([
    { id: 'long', text: 'The beacon, the beacon, the beacon and nothing but the beacon.' },
    { id: 'short', text: 'A beacon.' },
  ]);
  const { results } = await engine.search({ text: 'beacon', options: { rerank: true } });
  expect(results[0]?.metadata.source).toBe('short');
});

describe('a language model', () => {
  const ask = (engine: Engine) => engine.ask({ question: 'When is the beacon lit?', answerer: 'chat' });
  const ANSWER = 'The beacon is lit at dusk [1].';

  async function answering(chatModel: NonNullable<CreateEngineOptions['chatModel']>): Promise<Engine> {
    const engine = await engineIn(temporaryFolder(), { chatModel });
    await engine.index(NOTES);
    return engine;
  }

  it('that implements ChatModel answers', async () => {
    const chatModel: ChatModel = {
      id: 'own:model',
      contextWindow: 8192,
      async *stream() {
        yield { type: 'text', text: ANSWER };
        yield { type: 'finish', reason: 'stop' };
      },
      generateObject: () => Promise.reject(new Error('not asked for')),
      close: async () => undefined,
    };
    const { answer, model } = await ask(await answering(chatModel));
    expect(answer).toContain('lit at dusk');
    expect(model?.id).toBe('own:model');
  });

  const sdkModel = async (): Promise<SdkLanguageModel> => {
    const server = await startWireServer(compatibleWire, (request) =>
      chatReply(compatibleWire, request, { kind: 'answer', text: ANSWER }),
    );
    open.push(server);
    return createOpenAICompatible({ name: 'own', baseURL: `${server.url}/v1`, includeUsage: true }).chatModel(
      'm',
    );
  };

  it('of the AI SDK answers', async () => {
    const { answer, model } = await ask(await answering(await sdkModel()));
    expect(answer).toContain('lit at dusk');
    expect(model).toMatchObject({ id: 'own.chat:m', usage: { inputTokens: expect.any(Number) } });
  });

  it('of version 2 of the specification answers too', async () => {
    const old: SdkLanguageModel = {
      specificationVersion: 'v2',
      provider: 'own.old',
      modelId: 'm',
      doGenerate: () => Promise.reject(new Error('not asked for')),
      doStream: async () => ({
        stream: new ReadableStream({
          start: (controller) => {
            controller.enqueue({
              type: 'stream-start',
              warnings: [{ type: 'other', message: 'Slow today.' }],
            });
            controller.enqueue({ type: 'text-delta', id: '1', delta: ANSWER });
            const usage = { inputTokens: 7, outputTokens: 5, totalTokens: 12 };
            controller.enqueue({ type: 'finish', finishReason: 'stop', usage });
            controller.close();
          },
        }),
      }),
    };
    const { answer, model } = await ask(await answering(old));
    expect(answer).toContain('lit at dusk');
    expect(model?.usage).toMatchObject({ inputTokens: 7, outputTokens: 5 });
  });

  it('of a version that is not known is refused by it', async () => {
    const { doGenerate, doStream } = await sdkModel();
    const chatModel = { specificationVersion: 'v9', provider: 'own', modelId: 'm', doGenerate, doStream };
    await expect(createEngine({ chatModel })).rejects.toMatchObject({
      reason: 'USAGE',
      message: expect.stringContaining('"v9"'),
    });
  });
});

it('what is no part, and a part under a wrong name, is refused', async () => {
  const cwd = temporaryFolder();
  const wrong: object[] = [
    { embedder: {} },
    { store: 'libsql' },
    { chatModel: { id: 'x' } },
    { sources: wiki(new Map()) },
    { sources: [{}] },
    { embbeder: createHashEmbedder() satisfies Embedder },
  ];
  for (const options of wrong)
    await expect(createEngine({ cwd, ...options }), JSON.stringify(options)).rejects.toMatchObject({
      reason: 'USAGE',
    });
});
